"""Charts of width against epsilon or n."""

import pytest

from dpratio.show.charts import chart_of, draw
from dpratio.show.width_charts import limit_chart
from dpratio.simulation.coverage.limit import LimitTable, measure_limit, paper_plan
from dpratio.simulation.forecast.forecast import forecast
from dpratio.simulation.population import PaperPopulation


@pytest.fixture(scope="module")
def table() -> LimitTable:
    return measure_limit(repetitions=10, rng=1)


def test_every_setting_has_a_panel_with_four_lines(table: LimitTable) -> None:
    text = chart_of(table).to_json()
    for words in ("paper", "focused", "limit", "non-private", "weighted · n = 5,000"):
        assert words in text
    assert "joint" not in text


def test_a_second_strategy_gets_its_own_line(table: LimitTable) -> None:
    rows = [{**row, "width_joint": 2 * row["width"]} for row in table.rows]
    assert '"interval": "joint"' in limit_chart(rows).to_json()


def test_a_narrow_chart_has_two_columns_and_the_same_points(table: LimitTable) -> None:
    wide, narrow = (
        limit_chart(table.rows, narrow=each).to_dict() for each in (False, True)
    )
    assert (wide["columns"], narrow["columns"]) == (4, 2)
    assert wide["data"] == narrow["data"]
    for chart in (wide, narrow):
        axis = chart["spec"]["layer"][0]["encoding"]["x"]["axis"]
        assert axis["values"] == [0.2, 0.5, 1, 2, 4]


def test_a_forecast_runs_along_what_varies() -> None:
    plan = paper_plan("laplace", 1.0, weighted=False, n=5_000)
    guess = PaperPopulation(1.1)
    by_epsilon = forecast(plan, n=[500, 900], guess=guess, epsilon=[0.5, 1])
    by_size = forecast(plan, n=[500, 900], guess=guess)
    assert '"field": "epsilon"' in chart_of(by_epsilon).to_json()
    assert '"field": "n"' in chart_of(by_size).to_json()
    assert draw(by_size, ".svg").startswith(b"<svg")
