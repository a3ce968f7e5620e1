"""Several questions, units with many rows, and keys that are found: one budget."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, PrivateKeys, ScoreBins
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from edited_plans import with_terms
from plan.priced_plans import (
    LAWS,
    edit,
    over,
    refuse,
    regroup,
    scaled,
    spent,
    with_sums,
)

BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary(), "m": Bounds(0, 1)}
TOTALS = {"s": Bounds(0, 5), "y": Bounds(0, 4)}
RATIOS = [Ratio("s", per="y"), Ratio("s", per="y", minus="m", guess=0)]
LETTERS = Groups("k", ["a", "b", "c"])
FOUND = PrivateKeys("k", Budget("0.25", "1e-7"))

EVERY_LAW = pytest.mark.parametrize(("strategy", "mechanism"), LAWS)


def several(
    strategy: str,
    mechanism: str,
    groups: Sequence[Any] = (None, LETTERS, Groups.cross(ScoreBins("s", 2))),
    shares: Sequence[float] = (1, 2, 0.5),
) -> Plan:
    return make_plan(
        over(RATIOS, groups, shares[: len(groups)]),
        bounds=BOUNDS,
        budget=Budget(1, "1e-6"),
        strategy=strategy,
        mechanism=mechanism,
    )


@EVERY_LAW
def test_questions_are_priced_together(strategy: str, mechanism: str) -> None:
    plan = several(strategy, mechanism)
    delta = Fraction(0 if mechanism == "laplace" else "1e-6")
    assert spent(price(plan)) == (Fraction(1), delta)
    for at, question in enumerate(plan.measurements):
        refuse(scaled(plan, 0.5, at), "too small")
        refuse(with_sums(plan, question.sums[:-1], at), "does not measure these sums")
        first = replace(question.sums[0], sensitivity=question.sums[0].sensitivity - 1)
        refuse(with_sums(plan, (first, *question.sums[1:]), at), "sensitivity")
    # Some of the parts cost less than all of them do.
    assert price(plan.measuring(plan.measurements[:2]))


@pytest.mark.parametrize(
    ("mechanism", "more"), [("laplace", 4), ("analytic_gaussian", 2)]
)
def test_questions_share_what_adds_up(mechanism: str, more: int) -> None:
    """Epsilon under Laplace noise, squares of μ under Gaussian noise."""
    equal = several("joint", mechanism, [None, LETTERS], [1, 1])
    alone = make_plan(
        RATIOS[0],
        bounds={name: BOUNDS[name] for name in "sy"},
        budget=Budget(1, "1e-6"),
        strategy="joint",
        mechanism=mechanism,
    )
    scale = equal.measurements[0].sums[0].scale
    assert scale == pytest.approx(more * alone.measurements[0].sums[0].scale, rel=1e-9)


@EVERY_LAW
@pytest.mark.parametrize(
    "terms",
    [{}, {"most_groups": 2}, {"neighbours": "change-one"}],
    ids=["one", "two groups", "changed"],
)
def test_noise_is_made_for_the_unit_that_is_declared(
    strategy: str, mechanism: str, terms: dict[str, Any]
) -> None:
    plan = make_plan(
        replace(RATIOS[0], guess=1),
        bounds={name: BOUNDS[name] for name in "sy"},
        budget=Budget(1, "1e-6"),
        unit=PrivacyUnit("user", totals=TOTALS, **terms),
        groups=LETTERS,
        strategy=strategy,
        mechanism=mechanism,
    )
    price(plan)
    refuse(scaled(plan, 1 - 1e-5), "too small")
    refuse(edit(plan, scale=plan.measurements[0].sums[0].scale / 2), "too small")
    for changes, message in (
        ({"most_groups": 3}, "too small"),
        ({"most_groups": 2, "neighbours": "change-one"}, "too small"),
        ({"totals": {**TOTALS, "s": Bounds(0, 5.1)}}, "sensitivity"),
        ({"totals": {**TOTALS, "s": Bounds(1, 1 + 1e-9)}}, "too narrow a range"),
        ({"totals": {}}, "bounds of its totals"),
        ({"column": "k"}, "ids cannot be"),
        ({"column": "s"}, "ids cannot be"),
    ):
        refuse(with_terms(plan, unit=replace(plan.unit, **changes)), message)
    refuse(with_terms(plan, unit=PrivacyUnit()))


@EVERY_LAW
def test_finding_keys_is_paid_from_the_budget(strategy: str, mechanism: str) -> None:
    plan = several(strategy, mechanism, [FOUND, None], [1, 1])
    is_laplace = mechanism == "laplace"
    delta = Fraction("1e-7" if is_laplace else "1e-6")
    assert spent(price(plan)) == (Fraction(1), delta)
    assert plan.for_sums == (Fraction(3, 4), Fraction(0 if is_laplace else "9e-7"))
    for budget, message in (
        (Budget("0.2500001", "1e-7"), "too small"),
        (Budget("0.25", "1.01e-7"), None if is_laplace else "too small"),
        (Budget("0.2", "1e-7"), None),
        (Budget(1, "1e-7"), "leave some of the budget"),
        (Budget("0.5", "1.1e-6"), "leave some of the budget"),
    ):
        other = regroup(plan, replace(FOUND, budget=budget))
        if message is None:
            assert price(other).epsilon == 1
        else:
            refuse(other, message)
    # Keys that were found before are paid for beside the questions.
    refuse(replace(plan, bought=(replace(FOUND, column="j"),)), "too small for")


def test_key_columns_are_not_those_of_the_ratio() -> None:
    plan = several("joint", "laplace", [FOUND, None], [1, 1])
    crossed = Groups.cross(ScoreBins("s", [0, 1]), Keys("y", [0, 1]))
    for groups in (replace(FOUND, column="y"), crossed):
        refuse(regroup(plan, groups), "cannot be its group")
