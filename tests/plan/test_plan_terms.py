"""A plan whose last period is open: priced as it is, and fixed in that point alone."""

from dataclasses import replace
from typing import Any

import pytest

from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.split_budget import cells_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys, Periods
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary()}
WEEKS = Periods("seen", "week", "2026-01-05", "open")
TOTALS = {"s": Bounds(0, 9), "y": Bounds(0, 9)}


def plan_of(groups: Any = WEEKS, **terms: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {"bounds": BOUNDS, "budget": Budget("0.1", "1e-6")}
    return make_plan(Ratio("s", per="y"), groups=groups, **(given | terms))


def test_a_plan_is_open_until_its_last_period_is_fixed() -> None:
    plan = plan_of()
    assert plan.is_open
    assert cells_of(plan, 0) is None
    fixed = plan.until("2026-W03")
    assert not fixed.is_open
    assert cells_of(fixed, 0) == 2
    assert fixed.left_open() == plan
    # It differs in the last period alone.
    assert replace(fixed, partitions=plan.partitions) == plan
    assert plan_of(None).left_open() == plan_of(None)


def test_only_an_open_last_period_is_fixed() -> None:
    closed = plan_of(Periods("seen", "week", "2026-01-05", "2026-02-01"))
    for plan in (closed, plan_of(None), plan_of().until("2026-W03")):
        with pytest.raises(InvalidInput, match=r"^only an open last period is fixed"):
            plan.until("2026-W04")


@pytest.mark.parametrize("neighbours", ["add-or-remove-one", "change-one"])
@pytest.mark.parametrize(
    "terms",
    [
        {"strategy": "focused", "mechanism": "laplace"},
        {"strategy": "focused", "mechanism": "analytic_gaussian"},
        {"strategy": "joint", "mechanism": "laplace"},
        {"strategy": "even", "mechanism": "laplace"},
        {"strategy": "even", "mechanism": "classical_gaussian"},
        {"strategy": "focused", "mechanism": "laplace", "stage": 0.2},
    ],
    ids=lambda terms: "-".join(map(str, terms.values())),
)
def test_a_plan_costs_no_more_whatever_its_last_period(
    terms: dict[str, Any], neighbours: str
) -> None:
    """Few periods bound how many of them one person is in; the noise is for many."""
    unit = PrivacyUnit("id", totals=TOTALS, most_groups=4, neighbours=neighbours)
    plan = plan_of(unit=unit, **terms)
    whole = price(plan)
    for last in ("2026-W02", "2026-W04", "2026-W05", "2036-W05"):
        cost = price(plan.until(last))
        assert (cost.epsilon, cost.delta) == (whole.epsilon, whole.delta)
        assert cost.rho <= whole.rho


def test_open_periods_of_a_plan_end_together() -> None:
    months = Periods("paid", "month", "2026-01-05", "open")
    rule = "open periods are all of one length, with one last period"
    with pytest.raises(InvalidInput, match=rule):
        plan_of([WEEKS, months])
    other = Periods("paid", "week", "2026-03-02", "open")
    both = plan_of([WEEKS, Groups.cross(Keys("k", ["a"]), other), None])
    assert both.open_periods == (WEEKS, other)
    fixed = both.until("2026-W12")
    assert [cells_of(fixed, at) for at in range(3)] == [11, 3, 1]
    assert fixed.left_open() == both
    with pytest.raises(PlanRefused, match=rule):
        price(replace(fixed, partitions=(fixed.partitions[0], *both.partitions[1:])))


def test_private_keys_stand_beside_open_periods() -> None:
    keys = PrivateKeys("shop", Budget("0.01", "1e-7"))
    plan = plan_of([keys, WEEKS])
    assert plan.until("2026-W12").partitions[0] == keys


def test_the_plan_says_what_each_period_costs_and_where_it_ends() -> None:
    plan = plan_of(Groups.cross(Keys("k", ["a", "b"]), WEEKS), mechanism="laplace")
    asked, growing = plan.summary()[0], plan.summary()[5]
    assert asked.endswith(
        "one answer for each of 2 declared keys of k and each week of seen from "
        "2026-01-05 on (s = s, y = y)."
    )
    assert growing == (
        "Growing: The last week is fixed when a release is asked, by its name or by "
        "the day, never by the data. Each release answers every week again, with new "
        "noise, and costs epsilon 0.1: whoever is protected may lose so much for each "
        "week that is released. An approval admits one release for each week. The cap "
        "of the scope is the end."
    )
    fixed = plan.until("2026-W03").summary()
    assert "one answer for each of 4 declared keys of k, seen" in fixed[0]
    said = "Growing: The last week of this release is that of 2026-01-12. Each release"
    assert fixed[5].startswith(said)
    gaussian = plan_of(mechanism="analytic_gaussian").summary()[5]
    assert "costs epsilon 0.1 and delta 0.000001: whoever" in gaussian


def test_a_title_travels_with_a_plan_and_is_said_to_be_published() -> None:
    plain = plan_of(None)
    plan = replace(plain, title="Loans of 2025")
    assert plan.summary()[0] == (
        "Title, which is published with every release: Loans of 2025"
    )
    assert plan.summary()[1:] == plain.summary()
    study = Study(
        Ratio("s", per="y"), bounds=BOUNDS, budget=Budget(1), title="Loans of 2025"
    )
    assert make_plan(study).title == "Loans of 2025"
    with pytest.raises(InvalidInput, match="a title is one line"):
        replace(plan, title="two\nlines")
