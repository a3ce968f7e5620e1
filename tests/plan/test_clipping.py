"""A plan that counts whom bounds cut: one more sum, at its own share of the budget."""

import math
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats

from dpratio.plan.laws import LAPLACE
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.sums import CUT, MeasuredSum
from dpratio.plan.settle import CUT_SHARE
from dpratio.simulation.forecast.promise import promised_range
from dpratio.strict import Node
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys, ScoreBins
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.priced_plans import LAWS
from plan_documents import plan_from_document, plan_to_document

RATIO = Ratio("s", per="y")
LEAST_CELLS = 2**24
BOX = {"s": Bounds(0, 400), "y": Bounds.binary()}
NATURAL = {"s": Bounds(0, 1, natural=True), "y": Bounds.binary()}
CHANGED = PrivacyUnit(neighbours="change-one")
LETTERS = Groups("g", ["a", "b"])

EVERY_LAW = pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])


def plan_of(clipping: str = "measured", ratio: Any = RATIO, **terms: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {"bounds": BOX, "budget": Budget(1, "1e-6")}
    return make_plan(ratio, clipping=clipping, **given | terms)


def both(**terms: Any) -> list[Plan]:  # noqa: ANN401
    """A plan that counts, and the same one that does not."""
    return [plan_of(clipping, **terms) for clipping in ("measured", "unmeasured")]


def count_of(plan: Plan) -> MeasuredSum:
    """The last sum, which must be the count."""
    count = plan.measurements[0].sums[-1]
    assert count.summand == CUT
    return count


@pytest.mark.parametrize(("strategy", "mechanism"), LAWS)
def test_the_count_comes_last_and_has_its_share(strategy: str, mechanism: str) -> None:
    plan, plain = both(strategy=strategy, mechanism=mechanism, stage=0)
    price(plan)
    count = count_of(plan)
    assert count.sensitivity == LEAST_CELLS
    assert count.step * count.sensitivity == 1
    summands = [each.summand for each in plan.measurements[0].sums]
    assert summands[:-1] == [each.summand for each in plain.measurements[0].sums]
    share = plan.shares(plan.measurements[0])[-1]
    if strategy == "focused":
        assert 0.005 < share <= 0.058
        return
    assert share == pytest.approx(float(CUT_SHARE), rel=1e-4)
    if mechanism == "laplace":
        noise = LAPLACE.sd(count.scale)
        assert noise / LEAST_CELLS == pytest.approx(2**0.5 / CUT_SHARE, rel=1e-4)
        # Other sums have what is left.
        left = [each / (1 - float(CUT_SHARE)) for each in plain.measurements[0].scales]
        assert plan.measurements[0].scales[:-1] == pytest.approx(left, rel=1e-4)


@EVERY_LAW
@pytest.mark.parametrize(("n", "most"), [(500, 100), (2_000, 1), (10**6, 1)])
def test_the_count_of_a_focused_plan_widens_what_is_forecast_by_two_percent_at_most(
    n: int, most: int, mechanism: str
) -> None:
    """It takes what that allows, and what sees 100 rows cut is enough."""
    box = {"s": Bounds(0, 400), "y": Bounds(0, most)}
    plans = both(n=n, mechanism=mechanism, stage=0, bounds=box)
    family = [promised_range(each, each.measurements[0], n).widths for each in plans]
    wide, narrow = (math.sqrt(each.lowest * each.highest) for each in family)
    assert wide < 1.03 * narrow
    share = plans[0].shares(plans[0].measurements[0])[-1]
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
    plan, plain = both(n=n, budget=Budget(epsilon))
    assert (plan.study.clipping == "measured") == counts
    if counts:
        assert 2 * plan.cuts_seen_from <= (n or 5_000)
        return
    assert plan == plain
    assert plan.summary()[1].endswith("the release will not tell.")


@pytest.mark.parametrize(
    "terms",
    [
        {"stage": 0.2},
        {"answers": ("ratio", "means")},
        {"groups": LETTERS, "unit": CHANGED},
        {
            "groups": LETTERS,
            "unit": PrivacyUnit(
                "id", totals={"s": Bounds(0, 900), "y": Bounds(0, 5)}, most_groups=2
            ),
        },
        {
            "ratio": replace(RATIO, guess=1.0),
            "answers": ("ratio", "calibration"),
            "bounds": {"s": Bounds(0, 1), "y": Bounds.binary()},
            "groups": ScoreBins("s", 2),
        },
        # A residual bound may cut where others are natural.
        {
            "ratio": replace(RATIO, guess=1.0, residual_bound=0.5),
            "bounds": NATURAL,
            "stage": 0,
        },
    ],
)
def test_any_plan_may_count(terms: dict[str, Any]) -> None:
    plan = plan_of(**terms)
    count_of(plan)
    price(plan)
    assert plan_from_document(Node(plan_to_document(plan))) == plan
    given: dict[str, Any] = {"bounds": BOX, "budget": Budget(1, "1e-6")} | terms
    assert make_plan(given.pop("ratio", RATIO), **given) == plan  # It is the default.


def test_a_change_moves_a_count_within_one_group_by_one() -> None:
    once, apart = (
        count_of(
            plan_of(strategy="even", mechanism="laplace", unit=CHANGED, groups=groups)
        ).scale
        for groups in (None, LETTERS)
    )
    assert apart == pytest.approx(2 * once, rel=1e-4)


@pytest.mark.parametrize("strategy", ["focused", "joint", "even"])
def test_natural_bounds_cost_nothing(strategy: str) -> None:
    """Whatever is said of clipping, it is the same plan."""
    plan, plain = both(bounds=NATURAL, strategy=strategy)
    assert plan == plain
    assert not any("Clipping" in each for each in plan.summary())
    assert plan.summary()[1].endswith("; values outside are clipped.")


def test_only_questions_that_may_be_cut_are_counted() -> None:
    ratios = [RATIO, Ratio("v", per="y")]
    plan = plan_of(ratio=ratios, bounds=NATURAL | {"v": Bounds(0, 400)})
    last = [question.sums[-1].summand for question in plan.measurements]
    assert [each == CUT for each in last] == [False, True]


def line_of_clipping(plan: Plan) -> str:
    (line,) = (line for line in plan.summary() if line.startswith("Clipping"))
    return line


@EVERY_LAW
@pytest.mark.parametrize("rows", [1, 4, 1_000])
def test_a_cut_of_so_many_is_seen_as_often_as_is_said(
    mechanism: str, rows: int
) -> None:
    asked = [None] if rows == 1 else [Groups("g", range(rows - 1)), None]
    plan = plan_of(groups=asked, mechanism=mechanism)
    line = line_of_clipping(plan)
    assert (f" in one of {rows:,} answers" in line) == (rows > 1)
    many = int(line.split("Cuts of ")[1].split()[0].replace(",", ""))
    scale = max(question.sums[-1].scale for question in plan.measurements) / LEAST_CELLS
    law = stats.laplace if mechanism == "laplace" else stats.norm
    noise = law(scale=scale)
    threshold = noise.isf(0.05 / (rows + 1))
    assert noise.sf(threshold - many + 1) < 0.95 <= noise.sf(threshold - many)


def test_more_keys_than_are_known_need_more() -> None:
    plan = plan_of(groups=PrivateKeys("g", Budget("0.1", "1e-7")))
    line = line_of_clipping(plan)
    assert line.endswith("times in 20. With more keys, more are needed.")
