"""From a study to histograms of what it gives no bounds for."""

from fractions import Fraction

import pytest

from curator.histograms_for_tests import people_plan, rows_plan, study_of
from dpratio.errors import InvalidInput
from dpratio.plan.histogram.ladder import Ladder
from dpratio.plan.histogram.plan_bounds import plan_bounds
from dpratio.plan.price import price
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

TENTH = Budget("0.1")


def test_a_difference_is_looked_at_beside_a_count() -> None:
    study = Study(
        Ratio("spent", per="visit", minus="back"),
        bounds={"spent": Bounds(0, 20), "back": Bounds(0, 5), "visit": Bounds.ones()},
        budget=Budget(1),
        unit=PrivacyUnit("user", totals={"visit": Bounds(0, 9)}),
    )
    plan = plan_bounds(study, budget=TENTH, limits=(0.01, 1e6))
    assert [each.name for each in plan.measurements] == ["spent - back"]


def test_what_has_no_bounds_is_looked_at() -> None:
    plan = plan_bounds(study_of(bounds={"orders": Bounds(0, 4)}), budget=TENTH)
    assert [each.name for each in plan.measurements] == ["spent"]
    assert plan.measurements[0].scales == [10.0]
    assert plan.partitions == (Groups("spent", Ladder().labels),)
    assert price(plan).epsilon == Fraction(1, 10)


def test_columns_may_be_named() -> None:
    study = study_of(bounds={"spent": Bounds(0, 9), "orders": Bounds(0, 4)})
    plan = plan_bounds(study, budget=TENTH, columns=["orders"], limits=(1, 100))
    assert plan.bounds == {"orders": Ladder(0, 7).outer}


def test_a_column_of_two_ratios_is_counted_once() -> None:
    ratios = [Ratio("spent", per="orders"), Ratio("tips", per="orders", weight="w")]
    study = Study(ratios, bounds={}, budget=Budget(1))
    names = [each.name for each in plan_bounds(study, budget=TENTH).questions]
    assert names == ["spent", "orders", "tips", "w"]


def test_a_total_of_two_ratios_is_counted_once() -> None:
    ratios = [Ratio("spent", per="orders"), Ratio("tips", per="orders")]
    study = Study(ratios, bounds={}, budget=Budget(1), unit=PrivacyUnit("user"))
    plan = plan_bounds(study, budget=TENTH)
    assert [each.name for each in plan.measurements] == ["spent", "orders", "tips"]
    price(plan)


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
    plan = plan_bounds(study_of(unit=unit), budget=TENTH)
    assert [each.scales for each in plan.measurements] == [[20.0 * moved]] * 2
    cost = price(plan)
    assert sum(cost.pure) == Fraction(1, 10)
    assert cost.rho == 2 * Fraction(1, 20) ** 2 / 2


def test_totals_are_counted_in_the_groups_of_the_study() -> None:
    plan = people_plan(most_groups=2)
    assert [each.within for each in plan.measurements] == [1, 1]
    assert plan.partitions[1] == Groups("region", ["north", "south"])
    assert plan.unit.totals == {
        "spent": Ladder(0, 40).outer,
        "orders": Ladder(0, 40).outer,
    }


def test_one_total_in_two_partitions_is_two_histograms() -> None:
    region = Groups("region", ["north", "south"])
    unit = PrivacyUnit("user")
    plan = plan_bounds(
        study_of(unit=unit, groups=[None, region]), budget=TENTH, columns=["spent"]
    )
    assert [each.name for each in plan.measurements] == ["spent", "spent by region"]
    assert [each.within for each in plan.measurements] == [None, 2]


def test_one_total_under_two_weights_is_two_histograms() -> None:
    ratios = [Ratio("spent", per="orders", weight=each) for each in (None, "w")]
    row = Bounds(0, 100)
    study = Study(
        ratios,
        bounds={"spent": row, "w": row},
        budget=Budget(1),
        unit=PrivacyUnit("user"),
    )
    plan = plan_bounds(study, budget=TENTH, columns=["spent"])
    names = [each.name for each in plan.measurements]
    assert names == ["spent", "spent weighted by w"]
    price(plan)


def test_totals_have_outer_limits_that_are_nearer() -> None:
    study = study_of(unit=PrivacyUnit("user"))
    plan = plan_bounds(study, budget=TENTH)
    assert plan.partitions[0] == Groups("spent", Ladder(-8, 32).labels)
    plan_bounds(study, budget=TENTH, limits=(1, 2.0**40))
    rule = r"within a factor 2\^40, got '2\^-1 to 2\^40'.*2\.0\*\*0, 2\.0\*\*40"
    with pytest.raises(InvalidInput, match=rule):
        plan_bounds(study, budget=TENTH, limits=(0.5, 2.0**40))


def test_bins_among_the_groups_keep_their_bounds() -> None:
    bins = ScoreBins("age", 4)
    unit = PrivacyUnit("user")
    study = study_of(unit=unit, groups=bins, bounds={"age": Bounds(0, 80)})
    plan = plan_bounds(study, budget=TENTH)
    assert plan.bounds["age"] == Bounds(0, 80)
    assert plan.partitions[1].count == 4  # type: ignore[union-attr]
    price(plan)
    with pytest.raises(InvalidInput, match="binned column needs bounds"):
        plan_bounds(study_of(unit=unit, groups=bins), budget=TENTH)


def test_a_difference_of_columns_is_a_total_of_its_own() -> None:
    unit = PrivacyUnit("user")
    plan = plan_bounds(study_of(unit=unit, minus="back"), budget=TENTH)
    assert [each.name for each in plan.measurements] == ["spent - back", "orders"]
    assert set(plan.bounds) == {"spent", "back", "orders"}
    price(plan)


def test_a_study_with_all_bounds_needs_no_histogram() -> None:
    study = study_of(bounds={"spent": Bounds(0, 9), "orders": Bounds(0, 4)})
    with pytest.raises(InvalidInput, match=r"needs none.*columns=\['spent'\]"):
        plan_bounds(study, budget=TENTH)


@pytest.mark.parametrize("columns", [[], "spent", 7])
def test_columns_must_be_a_list(columns: object) -> None:
    with pytest.raises(InvalidInput, match="columns must be a list of names"):
        plan_bounds(study_of(), budget=TENTH, columns=columns)  # type: ignore[arg-type]


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(InvalidInput, match="There are: spent, orders"):
        plan_bounds(study_of(), budget=TENTH, columns=["spnt"])


def test_outer_limits_must_hold_a_declared_bound() -> None:
    study = study_of(bounds={"spent": Bounds(0, 900)})
    with pytest.raises(InvalidInput, match=r"bounds of 'spent'.*Widen the limits"):
        plan_bounds(study, budget=TENTH, columns=["spent"], limits=(1, 500))
    unit = PrivacyUnit("user", totals={"spent": Bounds(-900, 1)})
    with pytest.raises(InvalidInput, match=r"bounds of 'spent'"):
        plan_bounds(
            study_of(unit=unit), budget=TENTH, columns=["spent"], limits=(1, 500)
        )


@pytest.mark.parametrize("limits", [(1,), 7, (1, 2, 3)])
def test_limits_are_a_pair(limits: object) -> None:
    with pytest.raises(InvalidInput, match="outer limits are two positive"):
        plan_bounds(study_of(), budget=TENTH, limits=limits)  # type: ignore[arg-type]


def test_what_is_no_study_or_budget_is_refused() -> None:
    with pytest.raises(InvalidInput, match="study must be a Study"):
        plan_bounds("study.toml", budget=TENTH)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="budget must be a Budget"):
        plan_bounds(study_of(), budget=0.1)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="no delta"):
        plan_bounds(study_of(), budget=Budget(1, "1e-6"))


def test_totals_are_counted_in_declared_groups_alone() -> None:
    keys = PrivateKeys("shop", Budget("0.1", "1e-7"))
    study = study_of(unit=PrivacyUnit("user"), groups=keys)
    with pytest.raises(InvalidInput, match=r"groups that are declared.*Declare the"):
        plan_bounds(study, budget=TENTH)


def test_weights_need_narrow_rows() -> None:
    unit = PrivacyUnit("user")
    with pytest.raises(InvalidInput, match=r"outer limit far.*narrower bounds"):
        plan_bounds(study_of(unit=unit, weight="weight"), budget=TENTH)
    price(people_plan(weight="weight"))


def test_ids_cannot_be_a_group() -> None:
    unit = PrivacyUnit("user")
    study = study_of(unit=unit, groups=Groups("user", ["ann"]))
    with pytest.raises(InvalidInput, match="ids cannot be"):
        plan_bounds(study, budget=TENTH)


def test_a_plan_of_rows_says_what_it_counts() -> None:
    said = str(rows_plan())
    assert (
        "Counted: rows by spent, in 484 cells from 2^-20 to 2^40 on each side of zero, "
        in said
    )
    assert "each moves one cell of every histogram by 1. Cost: epsilon 1" in said


def test_a_plan_of_people_says_how_often_each_counts() -> None:
    study = Question(Ratio("spent", per="orders"), groups=Groups("region", ["north"]))
    unit = PrivacyUnit("user", most_groups=3, neighbours="change-one")
    given = Study(study, bounds={}, budget=Budget(1), unit=unit)
    said = "\n".join(plan_bounds(given, budget=Budget(1)).summary())
    assert "one for each user in each of 1 declared groups of region" in said
    assert "each moves 3 counts of every histogram by 1, and as many back" in said
    whole = plan_bounds(study_of(unit=PrivacyUnit("user")), budget=Budget(1))
    assert "Counted: totals of spent, one for each user, in 324" in whole.asked()[0]
