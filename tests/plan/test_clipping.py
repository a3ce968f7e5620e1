"""A plan that counts whom bounds cut: one more sum, at its own share of the budget."""

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from scipy import stats

from dpratio.analyst.sums.reconstruction import reconstruction
from dpratio.errors import InvalidInput
from dpratio.plan.laws import LAPLACE
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.plan_words import (
    cuts_seen_from,
    describe_clipping,
    describe_uncounted,
)
from dpratio.plan.price import price
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.sensitivity.lattice import LEAST_CELLS
from dpratio.plan.sensitivity.sums import CUT, MeasuredSum
from dpratio.plan.strategy.measure import CUT_SHARE, even_shares
from dpratio.simulation.forecast.promise import promised_range
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit
from edited_plans import with_terms
from plan_documents import plan_from_document, plan_to_document

STRATEGIES = ("focused", "joint", "even")
LAWS = ("laplace", "analytic_gaussian")
NATURAL = {"s": Bounds(0, 1, natural=True), "y": Bounds.binary()}
LIMITED = Ratio("s", per="y", guess=1.0, residual_bound=0.5)
COUNTED = (
    "Clipping is measured: c is 1 for whoever is cut by a bound that is not natural, "
    "and 0 for others. Cuts of {} rows or more are seen 19 times in 20."
)


def plan_of(clipping: str = "measured", **terms: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {
        "bounds": {"s": Bounds(0, 400), "y": Bounds.binary()},
        "budget": Budget(1, "1e-6"),
    } | terms
    ratio = given.pop("ratio", Ratio("s", per="y"))
    return make_plan(ratio, clipping=clipping, **given)


def last_of(plan: Plan) -> MeasuredSum:
    return plan.measurements[0].sums[-1]


@pytest.mark.parametrize("mechanism", LAWS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_count_comes_last_and_has_its_share(strategy: str, mechanism: str) -> None:
    terms = {"strategy": strategy, "mechanism": mechanism, "stage": 0}
    plan, plain = (plan_of(each, **terms) for each in ("measured", "unmeasured"))
    count = last_of(plan)
    assert (count.summand, count.sensitivity) == (CUT, LEAST_CELLS)
    assert count.step * count.sensitivity == 1
    summands = [each.summand for each in plan.measurements[0].sums]
    assert summands[:-1] == [each.summand for each in plain.measurements[0].sums]
    share = plan.shares(plan.measurements[0])[-1]
    if strategy == "focused":
        assert 0.005 < share <= 0.058
    else:
        assert share == pytest.approx(float(CUT_SHARE), rel=1e-4)
    price(plan)


def test_laplace_noise_on_the_count_is_one_over_its_share_of_epsilon() -> None:
    plan = plan_of(strategy="even", mechanism="laplace")
    noise = LAPLACE.sd(last_of(plan).scale)
    assert noise / LEAST_CELLS == pytest.approx(2**0.5 / CUT_SHARE, rel=1e-4)


@pytest.mark.parametrize("mechanism", LAWS)
@pytest.mark.parametrize(("n", "most"), [(500, 100), (2_000, 1), (10**6, 1)])
def test_the_count_of_a_focused_plan_widens_what_is_forecast_by_two_percent_at_most(
    n: int, most: int, mechanism: str
) -> None:
    """It takes what that allows, and what sees 100 rows cut is enough."""
    box = {"s": Bounds(0, 400), "y": Bounds(0, most)}
    terms = {"n": n, "mechanism": mechanism, "stage": 0, "bounds": box}
    plan, plain = (plan_of(each, **terms) for each in ("measured", "unmeasured"))
    family = [
        promised_range(each, each.measurements[0], n).widths for each in (plan, plain)
    ]
    wide, narrow = (math.sqrt(each.lowest * each.highest) for each in family)
    assert wide < 1.03 * narrow
    share = plan.shares(plan.measurements[0])[-1]
    assert wide > 1.005 * narrow or share == pytest.approx(0.058, rel=1e-3)


@pytest.mark.parametrize(
    ("n", "epsilon", "counts"),
    [(1_000, 1, True), (None, 1, True), (100, 1, False), (None, "0.02", False)],
)
def test_a_count_that_sees_less_than_half_of_the_people_is_left_out(
    n: int | None,
    epsilon: float | str,
    counts: bool,  # noqa: FBT001
) -> None:
    plan = plan_of(n=n, budget=Budget(epsilon))
    assert (plan.study.clipping == "measured") == counts
    if counts:
        assert 2 * cuts_seen_from(plan) <= (n or 5_000)
        return
    assert plan == plan_of("unmeasured", n=n, budget=Budget(epsilon))
    assert ": a count that sees 100 rows cut, 19 times in 20, " in plan.summary()[1]


@pytest.mark.parametrize("mechanism", LAWS)
@pytest.mark.parametrize("groups", [None, Groups("g", range(7))])
def test_what_counting_would_cost_is_what_it_costs(
    groups: Groups | None, mechanism: str
) -> None:
    """A plan that sees so many has the share that another says it would take."""
    terms: dict[str, Any] = {"mechanism": mechanism, "groups": groups, "stage": 0}
    said = describe_uncounted(plan_of("unmeasured", **terms))
    told = float(said.split("would take ")[1].split()[0])
    plan = plan_of(**terms)
    power = 1 if mechanism == "laplace" else 2
    spent = told * (100 / cuts_seen_from(plan)) ** power
    assert spent == pytest.approx(plan.shares(plan.measurements[0])[-1], rel=0.06)


def test_other_sums_have_what_is_left() -> None:
    terms = {"strategy": "joint", "mechanism": "laplace"}
    plan, plain = plan_of(**terms), plan_of("unmeasured", **terms)
    for one, other in zip(
        plan.measurements[0].scales, plain.measurements[0].scales, strict=False
    ):
        assert one == pytest.approx(other / (1 - float(CUT_SHARE)), rel=1e-4)


@pytest.mark.parametrize(
    "terms",
    [
        {"stage": 0.2},
        {"answers": ("ratio", "means")},
        {
            "groups": Groups("g", ["a", "b"]),
            "unit": PrivacyUnit(neighbours="change-one"),
        },
        {
            "groups": Groups("g", ["a", "b"]),
            "unit": PrivacyUnit(
                "id", totals={"s": Bounds(0, 900), "y": Bounds(0, 5)}, most_groups=2
            ),
        },
        {
            "ratio": Ratio("s", per="y", guess=1.0),
            "answers": ("ratio", "calibration"),
            "bounds": {"s": Bounds(0, 1), "y": Bounds.binary()},
            "groups": ScoreBins("s", 2),
        },
    ],
)
def test_any_plan_may_count(terms: dict[str, Any]) -> None:
    plan = plan_of(**terms)
    assert last_of(plan).summand == CUT
    price(plan)
    assert plan_from_document(_document(plan)) == plan


def test_a_change_moves_a_count_within_one_group_by_one() -> None:
    changed = PrivacyUnit(neighbours="change-one")
    apart = {"groups": Groups("g", ["a", "b"]), "unit": changed}
    once, both = (
        last_of(plan_of(strategy="even", mechanism="laplace", **each)).scale
        for each in ({"unit": changed}, apart)
    )
    assert both == pytest.approx(2 * once, rel=1e-4)


def test_a_plan_counts_unless_it_is_told_not_to() -> None:
    terms: dict[str, Any] = {"budget": Budget(1, "1e-6")}
    terms["bounds"] = {"s": Bounds(0, 400), "y": Bounds.binary()}
    ratio = Ratio("s", per="y")
    assert make_plan(ratio, **terms) == make_plan(Study(ratio, **terms)) == plan_of()
    assert make_plan(ratio, **terms).study.clipping == "measured"


def test_too_little_budget_for_a_count_is_planned_without_one() -> None:
    """At epsilon 1e-7 its noise would be above 2^50 cells."""
    terms: dict[str, Any] = {"strategy": "even", "mechanism": "laplace"}
    terms |= {"bounds": {"s": Bounds(0, 1), "y": Bounds.binary()}}
    terms |= {"budget": Budget("1e-7")}
    plan = plan_of(**terms)
    assert plan == plan_of("unmeasured", **terms)
    assert plan.summary()[1].endswith("would take more than the budget.")
    with pytest.raises(InvalidInput, match="noise must stay below 2"):
        plan_of(**terms | {"budget": Budget("1e-12")})


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_natural_bounds_cost_nothing(strategy: str) -> None:
    """Whatever is said of clipping, it is the plan that it always was."""
    terms = {"bounds": NATURAL, "strategy": strategy}
    plan, plain = (plan_of(each, **terms) for each in ("measured", "unmeasured"))
    assert plan == plain
    assert "clipping" not in plan_to_document(plan)
    assert not any("Clipping" in each for each in plan.summary())
    assert plan.summary()[1].endswith("; values outside are clipped.")


def test_only_questions_that_may_be_cut_are_counted() -> None:
    bounds = NATURAL | {"v": Bounds(0, 400)}
    ratios = [Ratio("s", per="y"), Ratio("v", per="y")]
    plan = make_plan(ratios, bounds=bounds, budget=Budget(1))
    assert [
        CUT in [each.summand for each in question.sums]
        for question in (plan.measurements)
    ] == [False, True]


def test_a_residual_bound_may_cut_where_others_are_natural() -> None:
    plan = plan_of(bounds=NATURAL, ratio=LIMITED)
    assert plan.counts_cuts(plan.measurements[0])
    assert Contrast(1.0).uncut == float("inf")
    assert Contrast(1.0, 2.0).uncut == 2 + 2.0**-19


def test_a_plan_says_that_it_counts() -> None:
    plan = plan_of(mechanism="laplace")
    assert COUNTED.format(cuts_seen_from(plan)) in plan.summary()
    said = plan_of("unmeasured").summary()
    assert not any(each.startswith("Clipping") for each in said)
    assert said[1].split("are clipped. ")[1] == describe_uncounted(
        plan_of("unmeasured")
    )


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("rows", [1, 4, 1_000])
def test_a_cut_of_so_many_is_seen_as_often_as_is_said(law: str, rows: int) -> None:
    asked = [None] if rows == 1 else [Groups("g", range(rows - 1)), None]
    plan = plan_of(groups=asked, mechanism=law)
    (line,) = describe_clipping(plan)
    assert (f" in one of {rows:,} answers" in line) == (rows > 1)
    many = int(line.split("Cuts of ")[1].split()[0].replace(",", ""))
    count = max(question.sums[-1].scale for question in plan.measurements) / LEAST_CELLS
    noise = getattr(stats, "laplace" if law == "laplace" else "norm")(scale=count)
    threshold = noise.isf(0.05 / (rows + 1))
    assert noise.sf(threshold - many + 1) < 0.95 <= noise.sf(threshold - many)


def test_more_keys_than_are_known_need_more() -> None:
    private = PrivateKeys("g", Budget("0.1", "1e-7"))
    (line,) = describe_clipping(plan_of(groups=private))
    assert line.endswith("times in 20. With more keys, more are needed.")


def _document(plan: Plan) -> Node:
    return Node(json.loads(json.dumps(plan_to_document(plan))))


def test_a_document_says_that_nothing_is_counted() -> None:
    plain = plan_to_document(plan_of("unmeasured"))["study"]
    assert plain["privacy"]["clipping"] == "unmeasured"
    assert plain["bounds"] == {"s": [0.0, 400.0], "y": "binary"}
    written = plan_to_document(plan_of(bounds=NATURAL | {"y": Bounds(0, 5)}))["study"]
    assert "clipping" not in written["privacy"]
    assert written["bounds"] == {"s": {"natural": [0.0, 1.0]}, "y": [0.0, 5.0]}


def test_clipping_is_measured_or_not() -> None:
    with pytest.raises(InvalidInput, match="clipping"):
        plan_of("guessed")
    bounds = {"s": Bounds(0, 400), "y": Bounds.binary()}
    ratio, budget = Ratio("s", per="y"), Budget(1)
    study = Study(ratio, bounds=bounds, budget=budget, clipping="unmeasured")
    assert make_plan(study).study.clipping == "unmeasured"


def test_old_plans_say_that_they_count_where_nothing_may_be_cut() -> None:
    """They were planned when the word was kept, and are priced as they were."""
    old = with_terms(plan_of(bounds=NATURAL), clipping="measured")
    price(old)
    assert plan_from_document(_document(old)) == old
    assert old.summary() == plan_of(bounds=NATURAL).summary()


def test_even_shares_add_up_to_one() -> None:
    assert even_shares(["w", "wy"]) == [Fraction(1, 2)] * 2
    shares = even_shares(["w", "wy", "ws", "c"])
    assert (sum(shares), shares[-1]) == (1, CUT_SHARE)


def test_promised_widths_know_of_the_smaller_budget() -> None:
    plan, plain = (plan_of(each) for each in ("measured", "unmeasured"))
    wide, narrow = (
        promised_range(each, each.measurements[0], 500).widths for each in (plan, plain)
    )
    assert narrow.highest < wide.highest < 1.15 * narrow.highest


def test_the_count_comes_back_as_it_was_measured() -> None:
    plan = plan_of()
    (question,) = plan.measurements
    sums = [each.summand for each in question.sums]
    assert reconstruction(sums, plan.contrast(question))[CUT.name] == [0, 0, 0, 0, 0, 1]
