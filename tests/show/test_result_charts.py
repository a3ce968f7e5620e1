"""Charts of estimates, curves and budgets: drawn offline, and saying what they show."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dpratio as dpr
from dpratio.errors import InvalidInput
from dpratio.show.charts import draw
from dpratio.show.colours import VERDICT_COLOURS, VERDICT_SHAPES
from dpratio.show.curve_chart import curves_of, ends_of
from dpratio.show.curve_svg import curve_svg
from dpratio.show.verdicts import VERDICTS
from shown import HOSTILE, curved, released, spent

KEYS = tuple(f"group {at}" for at in range(40))


@pytest.fixture(scope="module")
def estimates() -> dpr.results.Estimates:
    return dpr.estimate_ratios(released(KEYS))


def drawn(chart: object) -> list[dict[str, object]]:
    """The rows that a chart draws."""
    document = json.loads(chart.to_json())  # type: ignore[attr-defined]
    return [row for rows in document["datasets"].values() for row in rows]


def test_every_verdict_has_a_colour_and_a_shape_of_its_own() -> None:
    assert set(VERDICT_COLOURS) == set(VERDICT_SHAPES) == set(VERDICTS)
    for each in (VERDICT_COLOURS, VERDICT_SHAPES):
        assert len(set(each.values())) == len(VERDICTS)


@pytest.mark.parametrize(
    ("view", "suffix"), [(None, ".svg"), ("forest", ".png"), ("deviation", ".html")]
)
def test_estimates_are_drawn(
    estimates: dpr.results.Estimates, view: str | None, suffix: str
) -> None:
    assert len(draw(estimates, suffix, view)) > 5_000


def test_the_forest_is_sorted_and_holds_every_cell(
    estimates: dpr.results.Estimates,
) -> None:
    rows = [row for row in drawn(estimates.chart()) if "cell" in row]
    assert {row["cell"] for row in rows} == set(KEYS)
    ratios = [row["ratio"] for row in rows if row["ratio"] is not None]
    assert ratios == sorted(ratios)  # type: ignore[type-var]
    at = list(KEYS).index(str(rows[0]["cell"]))
    assert rows[0]["ratio"] == pytest.approx(float(estimates.ratio[at]))
    assert estimates.chart().to_dict()["title"].startswith("SIMULATED")


def test_a_deviation_is_in_per_cent_of_the_reference(
    estimates: dpr.results.Estimates,
) -> None:
    shown = [row for row in drawn(estimates.chart("forest")) if "cell" in row]
    forest = {row["cell"]: row for row in shown}
    for row in drawn(estimates.chart("deviation")):
        if "cell" in row and row["ratio"] is not None:
            ratio = forest[row["cell"]]["ratio"]
            assert row["ratio"] == pytest.approx(100 * (ratio - 1))  # type: ignore[operator]


def test_thousands_of_cells_are_drawn_without_names() -> None:
    keys = tuple(str(at) for at in range(300))
    chart = dpr.estimate_ratios(released(keys, people=100)).chart()
    assert json.loads(chart.to_json())["height"] == {"step": 3}


def test_hostile_names_are_drawn_as_text() -> None:
    estimates = dpr.estimate_ratios(released(HOSTILE))
    svg = draw(estimates, ".svg").decode()
    assert "<script" not in svg
    assert "<img" not in svg


def test_an_unknown_view_is_refused(estimates: dpr.results.Estimates) -> None:
    with pytest.raises(InvalidInput, match="unknown view, got 'pie'"):
        estimates.chart("pie")


def test_what_has_no_chart_is_refused() -> None:
    with pytest.raises(InvalidInput, match="there is no chart of a Plan"):
        released(KEYS).plan.chart()


def test_a_curve_has_a_panel_for_each_of_its_groups() -> None:
    curve = dpr.calibration_curve(curved())
    document = json.loads(curve.chart().to_json())
    assert [panel["vconcat"][0]["title"] for panel in document["concat"]] == [
        "north",
        "south",
    ]
    assert b"<svg" in draw(curve, ".svg")


def test_the_points_of_a_curve_are_those_of_its_table() -> None:
    curve = dpr.calibration_curve(curved())
    points = curves_of(curve)["north"]
    table = [row for row in curve.to_dicts() if row["region"] == "north"]
    assert [point["score"] for point in points] == [row["mean_score"] for row in table]
    assert [point["label"] for point in points] == [row["mean_label"] for row in table]
    picture = curve_svg(points, 'a <b> "c"', (0.0, 1.0))
    assert "<b>" not in picture
    assert picture.count("<circle") == picture.count("<rect") == len(points)


def test_a_curve_of_one_point_is_drawn() -> None:
    point = {
        "bin": "0 to 1",
        "score": 0.5,
        "label": 0.5,
        "label_lower": 0.5,
        "label_upper": 0.5,
        "low": 0.5,
        "high": 0.5,
        "share": 0.0,
        "told": "all",
    }
    assert "<circle" in curve_svg([point], "one", (0.5, 0.5))


def test_axes_are_shared_and_those_of_bounds_of_0_and_1() -> None:
    curve = dpr.calibration_curve(curved())
    assert ends_of(curve) == (0.0, 1.0)
    other = replace(curve, bounds=(0.0, 2.0))
    low, high = ends_of(other)
    for rows in curves_of(other).values():
        assert all(low <= row["low"] and row["high"] <= high for row in rows)
    assert (low, high) != (0.0, 2.0)


def test_a_curve_whose_bins_are_all_lost_has_no_chart() -> None:
    curve = dpr.calibration_curve(curved())
    lost = replace(curve, codes=np.full(len(curve), 3, dtype=np.int8))
    with pytest.raises(InvalidInput, match="a chart needs a bin that is not lost"):
        lost.chart()


def test_a_curve_of_ratios_alone_has_no_chart() -> None:
    curve = dpr.calibration_curve(curved())
    alone = replace(curve, errors=replace(curve.errors, has_means=False))
    with pytest.raises(InvalidInput, match="a chart of a curve needs means"):
        alone.chart()


def test_what_nothing_is_known_of_has_no_mark() -> None:
    estimates = dpr.estimate_ratios(spent())
    located = dict(zip(estimates.labels["arm"], estimates.is_located, strict=True))
    assert not all(located.values())
    for row in drawn(estimates.chart()):
        known = located[row["cell"]]
        assert (row["estimate"] == "–") == (not known)
        assert known or row["ratio"] is None


def test_without_a_reference_there_is_no_line_and_no_deviation() -> None:
    estimates = dpr.estimate_ratios(spent())
    assert estimates.reference is None
    rows = drawn(estimates.chart())
    assert not [row for row in rows if "at" in row]
    assert {row["verdict"] for row in rows} == {"finite interval", "no finite interval"}
    assert draw(estimates, ".svg").startswith(b"<svg")
    with pytest.raises(InvalidInput, match=r"needs a reference other than 0, got None"):
        estimates.chart("deviation")


def test_spending_is_drawn_below_its_cap(tmp_path: Path) -> None:
    ledger = dpr.Ledger(tmp_path / "a.db")
    ledger.open_scope(dpr.Scope("people", dpr.Budget(3)))
    assert b"<svg" in draw(ledger.history(), ".svg")
    plan = dpr.make_plan(
        dpr.Ratio("s", per="y"),
        bounds={"s": dpr.Bounds(0, 1), "y": dpr.Bounds.binary()},
        budget=dpr.Budget("0.5"),
    )
    for number in range(3):
        ledger.charge(f"{number:032x}", plan)
    ledger.void("0" * 32)
    rows = drawn(ledger.history().chart())
    assert [row["spent"] for row in rows if "spent" in row] == [0.0, 0.5, 1.0]
    assert [row["cap"] for row in rows if "cap" in row] == [3.0]
