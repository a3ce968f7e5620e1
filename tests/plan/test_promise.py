"""What a plan promises to people nobody described, and what a delta is worth."""

import pytest

from dpratio.plan.make_plan import make_plan
from dpratio.plan.promise import promised_range, worth_of_delta
from dpratio.simulation.coverage.coverage import measure_coverage
from dpratio.simulation.coverage.real_people import real_people
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

SPEND = {"s": Bounds(0, 150), "y": Bounds(1, 6)}


@pytest.mark.parametrize("name", sorted(real_people()))
@pytest.mark.parametrize(("n", "epsilon"), [(2_000, 1.0), (10_000, 0.2)])
def test_the_range_holds_what_real_tables_give(
    name: str, n: int, epsilon: float
) -> None:
    people = real_people()[name]
    ratio = Ratio("s", per="y", weight="w" if "w" in people.bounds else None)
    plan = make_plan(ratio, bounds=people.bounds, budget=Budget(epsilon))
    found = promised_range(plan, plan.questions[0], n)
    (row,) = measure_coverage(people, plan, n=n, repetitions=200, rng=1).rows
    assert found.lowest <= row.judged.width.median <= found.highest


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
