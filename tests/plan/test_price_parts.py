"""Several questions, units with many rows, and keys that are found: one budget.

What they cost in concentrated privacy follows from scales and sensitivities alone.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from curator.histograms_for_tests import rows_plan
from dpratio.plan.laws import GAUSSIAN, LAPLACE, NoiseLaw, analytic_delta
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.joint import unit_ratio
from dpratio.plan.settle import STRATEGIES
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys, ScoreBins
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
KEYS = PrivateKeys("k", Budget("0.25", "1e-7"))

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
        ({"totals": {}}, "bounds of totals"),
        ({"column": "k"}, "ids cannot be"),
        ({"column": "s"}, "ids cannot be"),
    ):
        refuse(with_terms(plan, unit=replace(plan.unit, **changes)), message)
    refuse(with_terms(plan, unit=PrivacyUnit()))


@EVERY_LAW
def test_finding_keys_is_paid_from_the_budget(strategy: str, mechanism: str) -> None:
    plan = several(strategy, mechanism, [KEYS, None], [1, 1])
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
        other = regroup(plan, replace(KEYS, budget=budget))
        if message is None:
            assert price(other).epsilon == 1
        else:
            refuse(other, message)
    # Keys that were found before are paid for beside the questions.
    refuse(replace(plan, bought=(replace(KEYS, column="j"),)), "too small for")


EVERY_PAIR = pytest.mark.parametrize(
    ("strategy", "law"), list(itertools.product(STRATEGIES, (LAPLACE, GAUSSIAN)))
)
WIDE = {"s": Bounds(0, 1), "y": Bounds(0, 2)}
# Cells are rounded, and half of one is a part in 2^25 of the largest move.
CLOSE = 1e-6


def wide_plan(strategy: str, law: NoiseLaw, **terms: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {
        "bounds": WIDE,
        "groups": Groups("k", list("abcd")),
        "budget": Budget(1, "1e-6"),
        "strategy": strategy,
        "mechanism": law.name,
    }
    return make_plan(Ratio("s", per="y", guess=1), **given | terms)


def squares(plan: Plan) -> float:
    """Each sum as a release of its own, moved once by its sensitivity."""
    return sum(
        (each.sensitivity / each.scale) ** 2
        for question in plan.measurements
        for each in question.sums
    )


def spends_all_of_delta(square: Fraction, epsilon: Fraction, delta: Fraction) -> None:
    """One Gaussian mechanism with this μ² has the whole delta at epsilon."""
    spent = analytic_delta(Fraction(float(square) ** 0.5), epsilon)
    assert float(spent) == pytest.approx(float(delta), rel=1e-6)


@EVERY_PAIR
@pytest.mark.parametrize(
    ("terms", "moved"),  # How often the sums of one unit are moved.
    [
        ({}, 1),
        ({"most_groups": 3}, 3),
        ({"neighbours": "change-one"}, 2),
        ({"most_groups": 3, "neighbours": "change-one"}, 6),
    ],
    ids=["added", "in three groups", "changed", "changed in three groups"],
)
def test_rho_is_half_of_the_squares(
    strategy: str, law: NoiseLaw, terms: dict[str, Any], moved: int
) -> None:
    unit = PrivacyUnit("user", totals={"s": Bounds(0, 3), "y": Bounds(0, 5)}, **terms)
    plan = wide_plan(strategy, law, unit=unit)
    cost = price(plan)
    assert cost.keys_delta == 0
    if law == LAPLACE:
        apart = moved**2 * squares(plan)
        expected = apart if strategy == "even" else min(1.0, apart)
        assert float(2 * cost.rho) == pytest.approx(expected, rel=CLOSE)
    elif strategy == "even":
        assert float(2 * cost.rho) == pytest.approx(moved * squares(plan), rel=CLOSE)
    else:
        spends_all_of_delta(2 * cost.rho, Fraction(1), Fraction(1, 10**6))
        moves = unit_ratio(
            law,
            plan.layout(plan.measurements[0]).grid,
            plan.measurements[0].scales,
            unit,
            4,
        )
        assert 2 * cost.rho == moves**2  # The price of one question is not rounded.


@EVERY_PAIR
def test_questions_add_up_in_squares_and_keys_come_on_top(
    strategy: str, law: NoiseLaw
) -> None:
    ratio = Ratio("s", per="y", guess=1)
    plan = make_plan(
        over([ratio], [KEYS, None], [1, 3]),
        bounds=WIDE,
        budget=Budget(1, "1e-6"),
        strategy=strategy,
        mechanism=law.name,
    )
    assert len(plan.measurements) == 2
    cost = price(plan)
    assert cost.keys_delta == Fraction(1, 10**7)
    for_sums = 2 * cost.rho - Fraction(1, 16)
    if law == GAUSSIAN and strategy != "even":
        spends_all_of_delta(for_sums, Fraction(3, 4), Fraction(9, 10**7))
    else:
        assert float(for_sums) == pytest.approx(squares(plan), rel=CLOSE)


def test_two_budgets_of_keys_add_up() -> None:
    other = PrivateKeys("j", Budget("0.125", "2e-7"))
    plan = wide_plan("joint", LAPLACE, groups=[KEYS, other])
    cost = price(plan)
    assert cost.keys_delta == Fraction(3, 10**7)
    keys = 0.25**2 + 0.125**2
    assert float(2 * cost.rho) == pytest.approx(squares(plan) + keys, rel=CLOSE)


def test_sums_that_are_never_large_together_are_priced_together() -> None:
    """A row costs epsilon in all, where the squares of the sums add up to more."""
    terms: dict[str, Any] = {"groups": None, "clipping": "unmeasured"}
    terms["bounds"] = {"s": Bounds(-1, 1), "y": Bounds(-1, 1)}
    plan = wide_plan("focused", LAPLACE, budget=Budget(8), **terms)
    assert squares(plan) > 70
    assert float(2 * price(plan).rho) == pytest.approx(64, rel=CLOSE)


def test_counts_cost_epsilon_and_nothing_else() -> None:
    cost = price(rows_plan())
    assert sum(cost.pure) == cost.epsilon == 1
    assert {cost.gaussian, cost.keys_delta, cost.delta} == {Fraction(0)}
