"""What a plan promises to people nobody described, and what a delta is worth."""

import math
from dataclasses import replace

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.simulation.coverage.coverage import measure_coverage
from dpratio.simulation.forecast.promise import promised_range, worth_of_delta
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit
from real_people import real_people
from tiers import quick_first

SPEND = {"s": Bounds(0, 150), "y": Bounds(1, 6)}


@pytest.mark.parametrize("name", sorted(real_people()))
@pytest.mark.parametrize(("n", "epsilon"), quick_first([(2_000, 1.0), (10_000, 0.2)]))
def test_the_range_holds_what_real_tables_give(
    name: str, n: int, epsilon: float
) -> None:
    people = real_people()[name]
    ratio = Ratio("s", per="y", weight="w" if "w" in people.bounds else None)
    plan = make_plan(ratio, bounds=people.bounds, budget=Budget(epsilon))
    found = promised_range(plan, plan.measurements[0], n).widths
    (row,) = measure_coverage(people, plan, n=n, repetitions=60, rng=1).rows
    assert found.lowest <= row.judged.width.median <= found.highest


def test_a_range_without_an_end_says_so_and_its_tests_do_not_need_one() -> None:
    people = real_people()["survey_weights"]
    ratio = Ratio("s", per="y", weight="w")
    plan = make_plan(ratio, bounds=people.bounds, budget=Budget("0.2"))
    found = promised_range(plan, plan.measurements[0], 500)
    assert 0 < found.widths.lowest < found.widths.highest == math.inf
    assert found.errors.lowest < found.errors.highest < math.inf
    (row,) = measure_coverage(people, plan, n=500, repetitions=60, rng=1).rows
    assert row.judged.unbounded > 0.5


def test_a_higher_level_gives_a_wider_range_and_noise_a_wider_one_than_none() -> None:
    plan = make_plan(Ratio("s", per="y"), bounds=SPEND, budget=Budget(1))
    usual, surer = (
        promised_range(plan, plan.measurements[0], 2_000, quantile)
        for quantile in (1.96, 2.576)
    )
    for end in ("lowest", "highest"):
        assert getattr(surer.widths, end) > getattr(usual.widths, end)
        assert getattr(usual.widths, end) > getattr(usual.public, end)


LABEL = {"s": Bounds(0, 1), "y": Bounds.binary()}


@pytest.mark.parametrize(
    "bounds", [LABEL, SPEND, {"s": Bounds(0, 9), "y": Bounds(0, 2)}]
)
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("large", [1, 9])
def test_people_never_look_cheaper_to_protect_than_as_many_rows(
    bounds: dict[str, Bounds], weight: str | None, large: int
) -> None:
    ratio = Ratio("s", per="y", weight=weight, guess=1.0)
    weights = {"w": Bounds(0.5, 4)} if weight else {}
    asked = Study(ratio, bounds=bounds | weights, budget=Budget(1))
    totals = {
        name: Bounds(large * each.lower, large * each.upper)
        for name, each in bounds.items()
    }
    whole = replace(asked, unit=PrivacyUnit("who", totals=totals))
    rows, people = (
        promised_range(plan, plan.measurements[0], 2_000)
        for plan in (make_plan(asked), make_plan(whole))
    )
    # Totals hide their weights, and the budget is shared a little otherwise.
    assert people.widths.lowest >= rows.widths.lowest * (0.96 if weight else 0.998)
    assert people.widths.highest >= rows.widths.highest * 0.998
    assert people.widths.highest < 1.2 * rows.widths.highest


@pytest.mark.parametrize("strategy", ["joint", "even"])
def test_other_sums_than_the_focused_ones_need_a_guess(strategy: str) -> None:
    plan = make_plan(
        Ratio("s", per="y"), bounds=SPEND, budget=Budget(1), strategy=strategy
    )
    with pytest.raises(
        InvalidInput, match=f"'focused' can be .*{strategy}.*population=Pop"
    ):
        promised_range(plan, plan.measurements[0], 2_000)


def study(epsilon: float = 1.0, delta: str = "0", mechanism: str = "auto") -> Study:
    return Study(
        Ratio("s", per="y"),
        bounds=SPEND,
        budget=Budget(epsilon, delta),
        groups=Groups("month", range(12)),
        unit=PrivacyUnit("who", totals=SPEND, most_groups=12),
        mechanism=mechanism,
    )


def test_where_a_person_is_in_many_groups_a_delta_narrows_much() -> None:
    assert 0.2 < worth_of_delta(study(), make_plan(study()), 5_000) < 0.6


def test_a_delta_is_not_asked_for_where_it_is_given_or_refused() -> None:
    for asked in (study(delta="1e-6"), study(mechanism="laplace")):
        plan = make_plan(asked)
        assert plan.delta > 0 or asked.mechanism == "laplace"
        assert worth_of_delta(asked, plan, 5_000) == 0


def test_a_gain_of_little_is_not_worth_saying() -> None:
    alone = Study(Ratio("s", per="y"), bounds=SPEND, budget=Budget(1))
    assert worth_of_delta(alone, make_plan(alone), 5_000) == 0
