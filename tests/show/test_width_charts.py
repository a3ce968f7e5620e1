"""Charts of width against epsilon or n."""

import math

import pytest

from dpratio.show.chart.marks import Interval
from dpratio.show.charts import chart_of
from dpratio.show.width_charts import one_query_chart
from dpratio.simulation.coverage.one_query import (
    OneQueryTable,
    measure_one_query,
    paper_plan,
)
from dpratio.simulation.forecast.forecast import forecast
from dpratio.simulation.population import PaperPopulation


@pytest.fixture(scope="module")
def table() -> OneQueryTable:
    return measure_one_query(repetitions=10, rng=1)


def test_every_setting_has_a_panel_with_four_lines(table: OneQueryTable) -> None:
    chart = chart_of(table)
    names = [sign.name for sign in chart.legend]
    assert names == ["paper", "focused", "one query", "non-private"]
    assert "laplace · weighted · n = 5,000" in [panel.title for panel in chart.panels]


def test_a_line_has_a_point_for_each_epsilon(table: OneQueryTable) -> None:
    """Widths on the scale of the logarithm are others, and not in the picture."""
    for panel in chart_of(table).panels:
        told = [mark.told for mark in panel.marks if isinstance(mark, Interval)]
        assert sum(line.startswith("focused: width") for line in told) == 4


def test_a_second_strategy_gets_its_own_line(table: OneQueryTable) -> None:
    rows = [{**row, "width_joint": 2 * row["width"]} for row in table.rows]
    assert "joint" in [sign.name for sign in one_query_chart(rows).legend]


def test_a_forecast_runs_along_what_varies() -> None:
    plan = paper_plan("laplace", 1.0, weighted=False, n=5_000)
    guess = PaperPopulation(1.1)
    by_epsilon = forecast(plan, n=[500, 900], population=guess, epsilon=[0.5, 1])
    by_size = forecast(plan, n=[500, 900], population=guess)
    assert [panel.x_title for panel in chart_of(by_epsilon).panels] == ["epsilon"] * 2
    (panel,) = chart_of(by_size).panels
    assert panel.x_title == "n"
    assert [tick.text for tick in panel.x.ticks(300)] == ["500", "900"]


def test_widths_without_an_end_are_left_out(table: OneQueryTable) -> None:
    rows = [{**row, "width": math.inf} for row in table.rows]
    marks = [mark for panel in one_query_chart(rows).panels for mark in panel.marks]
    told = [mark.told for mark in marks if isinstance(mark, Interval)]
    assert any(line.startswith("one query: width") for line in told)
    assert not any(line.startswith("focused: width") for line in told)
