"""Answers as rows to draw: their order, verdicts and axis, and what is withheld."""

import datetime as dt
import math
from dataclasses import replace

import numpy as np
import pytest

import dpratio as dpr
from dpratio.analyst.comparison.comparison import COMPARISON_STATUSES
from dpratio.errors import InvalidInput
from dpratio.show.blocks import Block, Row, blocks_of
from dpratio.show.chart.marks import Interval
from dpratio.show.verdicts import VERDICT_STYLES, verdict_of
from planned import plan_scores
from shown import monthly, released, spent

pytestmark = pytest.mark.usefixtures("fixed_noise")

KEYS = tuple(f"group {at}" for at in range(40))


@pytest.fixture(scope="module")
def estimates() -> dpr.results.Estimates:
    return dpr.estimate_ratios(released(KEYS))


def rows_of(*ends: tuple[float, float]) -> tuple[Row, ...]:
    return tuple(Row((), math.nan, low, high, "above", "") for low, high in ends)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.1, 1.2, "above"),
        (1.1, math.inf, "above"),
        (0.8, 0.9, "below"),
        (0.9, 1.1, "not told apart"),
        (0.9, math.inf, "no finite interval"),
        (-math.inf, math.inf, "no finite interval"),
    ],
)
def test_a_verdict_says_where_the_interval_lies(
    low: float, high: float, verdict: str
) -> None:
    assert verdict_of(low, high, 1.0) == verdict
    bounded = math.isfinite(high)
    alone = "finite interval" if bounded else "no finite interval"
    assert verdict_of(low, high, None) == alone


def test_every_verdict_has_a_look() -> None:
    beside = list(VERDICT_STYLES)[:5]
    assert len({VERDICT_STYLES[name] for name in beside}) == 5


def test_rows_are_those_of_the_answer_and_sorted_where_they_have_no_order(
    estimates: dpr.results.Estimates,
) -> None:
    (block,) = blocks_of(estimates)
    assert [row.name for row in block.rows] == list(KEYS)
    assert block.measure == "score per label"
    values = [row.value for row in block.in_order if not math.isnan(row.value)]
    assert values == sorted(values)


def test_periods_keep_their_order_and_are_named_by_month() -> None:
    (block,) = blocks_of(dpr.estimate_ratios(monthly()))
    assert (block.is_ordered, block.time) == (True, 1)
    assert [row.labels for row in block.in_order][:2] == [
        ("web", "2026-01"),
        ("web", "2026-02"),
    ]
    assert block.measure == "revenue per visit"
    panels = dpr.estimate_ratios(monthly()).chart().panels
    assert [panel.title for panel in panels] == ["arm web", "arm shop"]
    assert next(tick.text for tick in panels[0].x.given or ()) == "2026-01"


def test_bins_and_numbers_keep_their_order() -> None:
    regions, bins = blocks_of(dpr.estimate_ratios(dpr.example_release()))
    assert not regions.is_ordered
    assert bins.is_ordered
    assert [row.name for row in bins.in_order][:2] == ["0 to 0.2", "0.2 to 0.4"]
    assert bins.title == "score per label, by score"
    for keys in ([3, 1, 2], [dt.date(2026, 2, 1), dt.date(2026, 1, 1)]):
        table = {"score": [0.5], "label": [1], "g": [keys[0]]}
        plan = plan_scores(dpr.Budget(1), groups=dpr.Groups("g", keys))
        (block,) = blocks_of(
            dpr.estimate_ratios(dpr.release_sums(table, plan, ledger=None))
        )
        assert block.is_ordered
        assert [row.name for row in block.in_order] == [str(key) for key in keys]


def test_what_is_withheld_has_no_value_and_no_ends() -> None:
    estimates = dpr.estimate_ratios(spent())
    (block,) = blocks_of(estimates)
    located = estimates.is_located.tolist()
    assert not all(located)
    for row, known in zip(block.rows, located, strict=True):
        assert math.isnan(row.value) == (not known)
        assert known or (row.low, row.high) == (-math.inf, math.inf)
        assert ("–" in row.told) == (not known)


def test_an_axis_shows_the_reference_and_most_of_the_rest(
    estimates: dpr.results.Estimates,
) -> None:
    for reference in (0.2, 1.0, 3.0):
        (block,) = blocks_of(estimates, reference)
        scale = block.scale()
        assert scale.holds(reference)
        known = [row.value for row in block.rows if math.isfinite(row.high)]
        assert np.mean([scale.holds(value) for value in known]) > 0.9


@pytest.mark.parametrize(
    ("rows", "references"),
    [
        (rows_of(), ()),
        (rows_of((1.0, 1.0), (1.0, 1.0)), ()),
        (rows_of((-math.inf, math.inf)), (1.0,)),
        (rows_of((0.3, math.inf)), ()),
        (rows_of((0.0, 0.0)), ()),
    ],
)
def test_there_is_always_an_axis(
    rows: tuple[Row, ...], references: tuple[float, ...]
) -> None:
    scale = Block("", "", rows, references=references).scale()
    assert -math.inf < scale.low < scale.high < math.inf


def test_an_interval_far_off_does_not_flatten_the_others() -> None:
    ends = [(0.9, 1.1)] * 20 + [(0.2, 22.8)]
    assert Block("", "", rows_of(*ends)).scale().high < 3


def test_every_answer_has_a_chart() -> None:
    release = dpr.example_release()
    found = {
        "comparison": dpr.compare_ratios(release, question=1),
        "reference": dpr.compare_ratios(release, question=1, reference=1),
        "equivalence": dpr.assess_equivalence(
            release, question=1, lower=0.9, upper=1.1
        ),
        "homogeneity": dpr.assess_homogeneity(release, question=1),
        "function": dpr.estimate_function(
            release, dpr.functions.mean("per"), question=1
        ),
    }
    measures, told = {}, {}
    for name, result in found.items():
        (panel,) = result.chart().panels
        measures[name] = panel.x_title
        marks = [mark for mark in panel.marks if isinstance(mark, Interval)]
        told[name] = [mark.told for mark in marks]
    assert measures == {
        "comparison": "lift of score per label, in %",
        "reference": "lift of score per label against 1, in %",
        "equivalence": "score per label",
        "homogeneity": "score per label",
        "function": "mean of per",
    }
    assert len(told["comparison"]) == 6
    assert told["equivalence"][0].startswith("north: within")
    assert [each.split(":")[0] for each in told["homogeneity"]][-1] == "west"


def test_scales_of_a_comparison_have_panels_of_their_own() -> None:
    both = dpr.compare_ratios(
        dpr.example_release(), question=1, link=["lift", "difference"]
    )
    lift, difference = blocks_of(both)
    assert lift.rows[0].value == pytest.approx(100 * both.estimate[0])
    assert difference.measure == "difference of score per label"
    assert difference.rows[0].value == pytest.approx(both.estimate[len(both) // 2])


def test_a_comparison_that_says_nothing_is_withheld() -> None:
    found = dpr.compare_ratios(dpr.example_release(), "west", "north")
    nothing = replace(
        found,
        codes=np.array([list(COMPARISON_STATUSES).index("unbounded")], dtype=np.int8),
        ci_lower=np.array([-1.0]),
        ci_upper=np.array([np.inf]),
    )
    (block,) = blocks_of(nothing)
    row = block.rows[0]
    assert (math.isnan(row.value), row.low, row.high) == (True, -math.inf, math.inf)


def test_an_equivalence_without_an_interval_is_withheld() -> None:
    found = dpr.assess_equivalence(dpr.example_release(), lower=0.9, question=1)
    ends = {"ci_lower": np.zeros(4), "ci_upper": np.full(4, np.inf)}
    (block,) = blocks_of(replace(found, **ends))  # type: ignore[arg-type]
    assert all(math.isnan(row.value) and row.low == -math.inf for row in block.rows)
    assert block.references == (0.9,)


def test_a_homogeneity_without_one_ratio_is_drawn_without_a_rule() -> None:
    found = dpr.assess_homogeneity(dpr.example_release(), question=1)
    (block,) = blocks_of(replace(found, ratio=math.inf))
    assert block.references == ()


def test_what_is_no_answer_has_no_rows() -> None:
    assert blocks_of("text") == []
    with pytest.raises(InvalidInput, match="there is no chart of a Plan"):
        released(KEYS).plan.chart()


def test_a_comparison_without_rows_has_no_chart() -> None:
    """Where no key was found, nothing is compared."""
    plan = dpr.make_plan(
        dpr.Ratio("score", per="label"),
        bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        groups=dpr.PrivateKeys("region", dpr.Budget("0.1", "1e-7")),
        budget=dpr.Budget(1, "1e-6"),
    )
    table = {"score": [0.5], "label": [1], "region": ["north"]}
    release = dpr.release_sums(table, plan, ledger=None)
    with pytest.raises(InvalidInput, match="a chart needs rows to draw"):
        dpr.compare_ratios(release, reference=1).chart()
