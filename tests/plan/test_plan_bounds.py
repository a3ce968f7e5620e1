"""From a study to histograms of what it gives no bounds for."""

from fractions import Fraction
from typing import Any

import pytest

from curator.histograms_for_tests import people_plan, rows_plan, study_of
from dpratio.errors import InvalidInput
from dpratio.plan.histogram.ladder import Ladder
from dpratio.plan.histogram.plan_bounds import plan_bounds
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

TENTH = Budget("0.1")
USER = PrivacyUnit("user")
REGION = Groups("region", ["north", "south"])
BOTH = {"spent": Bounds(0, 9), "orders": Bounds(0, 4)}
AGED = {"bounds": {"age": Bounds(0, 80)}, "groups": ScoreBins("age", 4)}


def planned(terms: dict[str, Any], **asked: Any) -> Plan:  # noqa: ANN401
    """Plan histograms of a study of money spent per order."""
    return plan_bounds(study_of(**terms), **{"budget": TENTH, **asked})


def ratios(*asked: Ratio, **terms: Any) -> Study:  # noqa: ANN401
    given: dict[str, Any] = {"bounds": {}, "budget": Budget(1)}
    return Study(list(asked), **given | terms)


SPENT, TIPS = Ratio("spent", per="orders"), Ratio("tips", per="orders")


@pytest.mark.parametrize(
    ("study", "asked", "names"),
    [
        (study_of(), {}, ["spent", "orders"]),
        (study_of(bounds={"orders": Bounds(0, 4)}), {}, ["spent"]),
        (study_of(bounds=BOTH), {"columns": ["orders"]}, ["orders"]),
        (study_of(unit=USER, minus="back"), {}, ["spent - back", "orders"]),
        # A column or a total of two ratios is counted once; of two weights twice.
        (
            ratios(SPENT, Ratio("tips", per="orders", weight="w")),
            {},
            ["spent", "orders", "tips", "w"],
        ),
        (ratios(SPENT, TIPS, unit=USER), {}, ["spent", "orders", "tips"]),
        (
            ratios(
                SPENT,
                Ratio("spent", per="orders", weight="w"),
                unit=USER,
                bounds=dict.fromkeys(("spent", "w"), Bounds(0, 100)),
            ),
            {"columns": ["spent"]},
            ["spent", "spent weighted by w"],
        ),
        (
            study_of(unit=USER, groups=[None, REGION]),
            {"columns": ["spent"]},
            ["spent", "spent by region"],
        ),
        # A difference is looked at beside a count.
        (
            ratios(
                Ratio("spent", per="visit", minus="back"),
                bounds={"spent": Bounds(0, 9), "back": BOTH["orders"]}
                | {"visit": Bounds.ones()},
                unit=PrivacyUnit("user", totals={"visit": Bounds(0, 9)}),
            ),
            {"limits": (0.01, 1e6)},
            ["spent - back"],
        ),
    ],
)
def test_what_has_no_bounds_is_counted_once(
    study: Study, asked: dict[str, Any], names: list[str]
) -> None:
    plan = plan_bounds(study, budget=TENTH, **asked)
    assert [each.name for each in plan.measurements] == names
    assert price(plan).epsilon == Fraction(1, 10)


@pytest.mark.parametrize(
    ("unit", "moved"),
    [
        (PrivacyUnit(), 1),
        (PrivacyUnit(neighbours="change-one"), 2),
        (PrivacyUnit("user", most_groups=3), 3),
        (PrivacyUnit("user", most_groups=3, neighbours="change-one"), 6),
        (PrivacyUnit("user", most_groups=500), 500),
    ],
)
def test_the_price_is_histograms_times_groups_and_twice_where_one_is_changed(
    unit: PrivacyUnit, moved: int
) -> None:
    plan = planned({"unit": unit})
    assert [each.scales for each in plan.measurements] == [[20.0 * moved]] * 2
    cost = price(plan)
    assert sum(cost.pure) == Fraction(1, 10)
    assert cost.rho == 2 * Fraction(1, 20) ** 2 / 2


def test_cells_lie_within_outer_limits_which_are_nearer_for_totals() -> None:
    rows, totals = planned({"bounds": BOTH}, columns=["spent"]), planned({"unit": USER})
    assert rows.partitions == (Groups("spent", Ladder().labels),)
    assert totals.partitions[0] == Groups("spent", Ladder(-8, 32).labels)
    near = planned({"bounds": BOTH}, columns=["orders"], limits=(1, 100))
    assert near.bounds == {"orders": Ladder(0, 7).outer}


def test_totals_are_counted_in_the_groups_of_the_study() -> None:
    plan = people_plan(most_groups=2)
    assert [each.within for each in plan.measurements] == [1, 1]
    assert plan.partitions[1] == REGION
    assert plan.unit.totals == dict.fromkeys(BOTH, Ladder(0, 40).outer)
    price(people_plan(weight="weight"))
    plan = planned({"unit": USER, **AGED})
    assert plan.bounds["age"] == Bounds(0, 80)
    assert plan.partitions[1].count == 4  # type: ignore[union-attr]
    price(plan)


@pytest.mark.parametrize(
    ("terms", "asked", "message"),
    [
        ({"bounds": BOTH}, {}, r"needs none.*columns=\['spent'\]"),
        *(
            ({}, {"columns": columns}, "columns must be a list of names")
            for columns in ((), "spent", 7)
        ),
        ({}, {"columns": ["spnt"]}, "There are: spent, orders"),
        *(
            ({}, {"limits": limits}, "outer limits are two positive")
            for limits in ((1,), 7, (1, 2, 3))
        ),
        ({}, {"budget": 0.1}, "budget must be a Budget"),
        ({}, {"budget": Budget(1, "1e-6")}, "no delta"),
        (
            {"bounds": {"spent": Bounds(0, 900)}},
            {"columns": ["spent"], "limits": (1, 500)},
            "bounds of 'spent'.*Widen the limits",
        ),
        (
            {"unit": PrivacyUnit("user", totals={"spent": Bounds(-900, 1)})},
            {"columns": ["spent"], "limits": (1, 500)},
            "bounds of 'spent'",
        ),
        (
            {"unit": USER},
            {"limits": (0.5, 2.0**40)},
            r"within a factor 2\^40, got '2\^-1 to 2\^40'.*2\.0\*\*0, 2\.0\*\*40",
        ),
        (
            {"unit": USER, "groups": PrivateKeys("shop", Budget("0.1", "1e-7"))},
            {},
            "groups that are declared.*Declare the",
        ),
        ({"unit": USER, "weight": "weight"}, {}, "outer limit far.*narrower bounds"),
        ({"unit": USER, "groups": Groups("user", ["ann"])}, {}, "ids cannot be"),
        ({"unit": USER, **AGED, "bounds": {}}, {}, "binned column needs bounds"),
    ],
    ids=str,
)
def test_what_cannot_be_counted_is_refused(
    terms: dict[str, Any], asked: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        planned(terms, **asked)


def test_what_is_no_study_is_refused() -> None:
    with pytest.raises(InvalidInput, match="study must be a Study"):
        plan_bounds("study.toml", budget=TENTH)  # type: ignore[arg-type]


def test_a_plan_says_what_it_counts_and_how_often_each_counts() -> None:
    said = str(rows_plan())
    cells = "rows by spent, in 484 cells from 2^-20 to 2^40 on each side of zero, "
    assert f"Counted: {cells}" in said
    assert "each moves one cell of every histogram by 1. Cost: epsilon 1" in said
    unit = PrivacyUnit("user", most_groups=3, neighbours="change-one")
    groups = Groups("region", ["north"])
    said = "\n".join(planned({"unit": unit, "groups": groups}).summary())
    assert "one for each user in each of 1 declared groups of region" in said
    assert "each moves 3 counts of every histogram by 1, and as many back" in said
    said = planned({"unit": USER}).asked()[0]
    assert "Counted: totals of spent, one for each user, in 324" in said
