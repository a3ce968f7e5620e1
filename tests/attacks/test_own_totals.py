"""Rows 14 and 23 where questions have totals of their own."""

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, released_by
from curator.own_totals_for_tests import own_plan
from curator.people_for_tests import TOTALS
from curator.tables_for_tests import asked
from dpratio.curator import measure
from dpratio.curator.reading.statement import Reading
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

NAMES = ("score", "label", "weight", "region", "id")


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    return pa.table({name: [row[at] for row in rows] for at, name in enumerate(NAMES)})


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
        return keys.groups_of(["key 1"])

    monkeypatch.setattr(measure, "name_keys", named)
    rows = [(1.0, 1.0, 2.0, f"key {at}", "ann") for at in range(100)]
    released_by(engine, table_of(rows), plan)
    assert seen == [(3, 3)]


def test_23_concentrated_privacy_counts_the_groups_of_a_person() -> None:
    """Sums apart, squared, cost as much as a person moves them in two groups.

    Source: found by thinking of it as an attacker would, when questions got their own
    units, 2026.
    """
    plan = own_plan("joint", most_groups=2)
    apart = [
        2 * Fraction(each.sensitivity) / Fraction(each.scale)
        for question in plan.measurements
        for each in question.sums
    ]
    squares = sum((each**2 for each in apart), Fraction(0))
    assert squares < 1
    assert 2 * price(plan).rho == squares
