"""Charts of width against epsilon or n."""

import math

import pytest

from dpratio.show.chart.marks import Interval
from dpratio.show.charts import chart_of
from dpratio.show.width_charts import limit_chart
from dpratio.simulation.coverage.limit import LimitTable, measure_limit, paper_plan
from dpratio.simulation.forecast.forecast import forecast
from dpratio.simulation.population import PaperPopulation


@pytest.fixture(scope="module")
def table() -> LimitTable:
    return measure_limit(repetitions=10, rng=1)


def test_every_setting_has_a_panel_with_four_lines(table: LimitTable) -> None:
    chart = chart_of(table)
    names = [sign.name for sign in chart.legend]
    assert names == ["paper", "focused", "limit", "non-private"]
    assert "laplace · weighted · n = 5,000" in [panel.title for panel in chart.panels]


def test_a_second_strategy_gets_its_own_line(table: LimitTable) -> None:
    rows = [{**row, "width_joint": 2 * row["width"]} for row in table.rows]
    assert "joint" in [sign.name for sign in limit_chart(rows).legend]


def test_a_forecast_runs_along_what_varies() -> None:
    plan = paper_plan("laplace", 1.0, weighted=False, n=5_000)
    guess = PaperPopulation(1.1)
    by_epsilon = forecast(plan, n=[500, 900], guess=guess, epsilon=[0.5, 1])
    by_size = forecast(plan, n=[500, 900], guess=guess)
    assert [panel.x_title for panel in chart_of(by_epsilon).panels] == ["epsilon"] * 2
    (panel,) = chart_of(by_size).panels
    assert panel.x_title == "n"
    assert [tick.text for tick in panel.x.ticks(300)] == ["500", "900"]


def test_widths_without_an_end_are_left_out(table: LimitTable) -> None:
    rows = [{**row, "width": math.inf} for row in table.rows]
    marks = [mark for panel in limit_chart(rows).panels for mark in panel.marks]
    told = [mark.told for mark in marks if isinstance(mark, Interval)]
    assert any(line.startswith("limit: width") for line in told)
    assert not any(line.startswith("focused: width") for line in told)
