"""Charts of simulated tables, and the files that charts become."""

import xml.etree.ElementTree as ET

import pytest

import dpratio as dpr
from dpratio.show.charts import draw
from dpratio.simulation.paper.agreement import compare_tables
from dpratio.simulation.paper.paper import published_cells, reproduce_paper
from dpratio.simulation.population import PaperPopulation
from dpratio.tabular import Tabular


@pytest.fixture(scope="module")
def tables() -> Tabular:
    return compare_tables(reproduce_paper(repetitions=50, rng=1), published_cells())


def test_every_setting_has_a_panel_and_every_method_a_look(tables: Tabular) -> None:
    chart = tables.chart()
    titles = [panel.title for panel in chart.panels]
    assert "gaussian · ratio · weighted · n = 5,000" in titles
    assert "laplace · log · unweighted · n = 10,000" in titles
    looks = {sign.name: (sign.css, sign.shape) for sign in chart.legend}
    assert {"public", "monte_carlo", "analytical"} <= set(looks)
    assert len(set(looks.values())) == len(looks)


def test_all_panels_of_a_figure_share_one_axis(tables: Tabular) -> None:
    panels = tables.chart().panels
    for name in ("coverage", "mean width"):
        assert len({panel.y for panel in panels if panel.y_title == name}) == 1


def test_coverage_has_bars_of_its_simulation_error() -> None:
    plan = dpr.roll_up(dpr.example_release(), question=1).measured
    found = dpr.simulation.measure_coverage(
        PaperPopulation(),
        plan,  # type: ignore[arg-type]
        n=[500, 900],
        repetitions=100,
        rng=1,
    )
    chart = found.chart()
    assert [panel.x_title for panel in chart.panels] == ["n", "n"]
    bars = [mark for mark in chart.panels[0].marks if hasattr(mark, "told")]
    row = found.to_dicts()[0]
    assert bars[0].value == row["coverage"]
    reach = 1.96 * row["coverage_error"]
    assert bars[0].low == pytest.approx(row["coverage"] - reach)


@pytest.mark.parametrize(("suffix", "start"), [(".svg", b"<svg"), (".html", b"<!doc")])
def test_charts_are_drawn_without_a_network(
    tables: Tabular, suffix: str, start: bytes
) -> None:
    content = draw(tables, suffix)
    assert content.startswith(start)
    assert b"src=" not in content
    asked = content.replace(b"http://www.w3.org/2000/svg", b"").replace(b"http-", b"")
    assert b"http" not in asked
    if suffix == ".svg":
        ET.fromstring(content)  # noqa: S314 (our own words)
