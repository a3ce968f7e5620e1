"""Rows 14 to 23 where questions have totals of their own."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, given_to, released_by
from curator.own_totals_for_tests import (
    OWN,
    moved_in_all,
    own_plan,
    sums_before_noise,
)
from curator.people_for_tests import REGIONS, TOTALS
from curator.tables_for_tests import asked
from dpratio.curator import measure
from dpratio.curator.reading.statement import Reading
from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

NAMES = ("score", "label", "weight", "region", "id")
LAWS = [("even", "laplace"), ("joint", "laplace"), ("focused", "analytic_gaussian")]


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    return pa.table({name: [row[at] for row in rows] for at, name in enumerate(NAMES)})


def rows_of(name: str, many: int) -> list[tuple[Any, ...]]:
    """Rows of one person at their bounds, in every group."""
    return [(1.0, 1.0, 2.0, REGIONS[at % 4], name) for at in range(many)]


def edited(plan: Plan, at: int, **changes: Any) -> Plan:  # noqa: ANN401
    """The plan with other terms of one question, and the noise it had."""
    questions = list(plan.questions)
    questions[at] = replace(questions[at], **changes)
    return replace(plan, questions=tuple(questions))


@pytest.mark.parametrize("engine", ENGINES)
def test_14_a_person_moves_no_more_groups_of_any_question_than_was_said(
    engine: str,
) -> None:
    """Ten thousand rows in every group: each question keeps two groups of them.

    Two questions about the same groups are read together. Each sum moves by the
    clipped totals of its own question.

    Source: found by thinking of it as an attacker would, when questions got their own
    units, 2026.
    """
    plan = own_plan("joint")
    others = [row for at in range(3) for row in rows_of(f"person {at}", 4)]
    found = []
    for own in ([], rows_of("ann", 10_000)):
        source = given_to(engine, table_of([*others, *own]))
        found.append(sums_before_noise(source, plan, engine))
    less, more = found
    for question, one, other in zip(plan.questions, more, less, strict=True):
        moved = [
            [abs(a - b) for a, b in zip(row, beside, strict=True)]
            for row, beside in zip(one, other, strict=True)
        ]
        cells = min(plan.unit.most_groups, len(moved))
        assert sum(any(row) for row in moved) == cells
        for row in moved:
            for apart, each in zip(row, question.sums, strict=True):
                assert apart <= each.sensitivity
    assert 0 < moved_in_all(plan, more, less) <= plan.epsilon


def test_14_statements_with_other_caps_are_not_read_together() -> None:
    """An engine chooses the groups of a person once for all that it reads together.

    Source: found by thinking of it as an attacker would, when questions got their own
    units, 2026.
    """
    plans = [own_plan("joint", most_groups=most) for most in (1, 3)]
    with pytest.raises(InvalidInput, match="read together count units in the same"):
        Reading(tuple(asked(each, 0) for each in plans))


@pytest.mark.parametrize("engine", ENGINES)
def test_14_keys_are_counted_as_often_as_their_threshold_says(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever holds a hundred keys counts in three, and three set the threshold.

    Source: found by thinking of it as an attacker would, when questions got their own
    units, 2026.
    """
    plan = make_plan(
        Ratio("score", per="label"),
        groups=PrivateKeys("region", Budget("0.5", "1e-9")),
        bounds={"score": Bounds(-1, 1), "label": Bounds(0, 1)},
        budget=Budget(1, "1e-6"),
        unit=PrivacyUnit("id", totals=TOTALS, most_groups=3),
    )
    seen: list[tuple[int, int]] = []

    def named(counts: Any, keys: PrivateKeys, unit: PrivacyUnit, _: object) -> Groups:  # noqa: ANN401
        seen.append((sum(counts.values()), unit.most_groups))
        return Groups.found(keys.column, str, ["key 1"])

    monkeypatch.setattr(measure, "name_keys", named)
    rows = [(1.0, 1.0, 2.0, f"key {at}", "ann") for at in range(100)]
    released_by(engine, table_of(rows), plan)
    assert seen == [(3, 3)]


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_18_all_questions_pay_for_the_groups_of_a_person(
    strategy: str, mechanism: str
) -> None:
    """Noise for one group of a person is refused where the unit counts in four.

    Source: found by thinking of it as an attacker would, when questions got their own
    units, 2026.
    """
    plan = own_plan(strategy, mechanism, most_groups=1)
    price(plan)
    with pytest.raises(PlanRefused, match="too small for"):
        price(replace(plan, unit=replace(plan.unit, most_groups=4)))


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_20_wider_totals_of_a_question_are_not_free(
    strategy: str, mechanism: str
) -> None:
    """Sums are laid out again over the totals to which engines clip.

    Source: found by thinking of it as an attacker would, when questions got their own
    units, 2026.
    """
    plan = own_plan(strategy, mechanism)
    for at in range(len(OWN)):
        wider = {name: Bounds(-400, 400) for name in ("score", "label")}
        with pytest.raises(PlanRefused):
            price(edited(plan, at, totals=wider))


def test_23_concentrated_privacy_counts_the_groups_of_a_person() -> None:
    """Sums apart, squared, cost as much as a person moves them in two groups.

    Source: found by thinking of it as an attacker would, when questions got their own
    units, 2026.
    """
    plan = own_plan("joint", most_groups=2)
    apart = [
        2 * Fraction(each.sensitivity) / Fraction(each.scale)
        for question in plan.questions
        for each in question.sums
    ]
    squares = sum((each**2 for each in apart), Fraction(0))
    assert squares < 1
    assert 2 * price(plan).rho == squares
