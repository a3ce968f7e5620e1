import sys
from pathlib import Path

import pytest

from dpratio.errors import InvalidInput, MissingExtra
from dpratio.show.charts import chart_of, check_chart_file, draw
from dpratio.simulation.paper.agreement import compare_tables
from dpratio.simulation.paper.paper import published_cells, reproduce_paper
from dpratio.tabular import Tabular


@pytest.fixture(scope="module")
def tables() -> Tabular:
    return compare_tables(reproduce_paper(repetitions=50, rng=1), published_cells())


def test_every_setting_has_a_panel_and_every_method_a_colour(tables: Tabular) -> None:
    text = chart_of(tables).to_json()
    for words in (
        "gaussian · ratio · weighted · n = 5,000",
        "laplace · log · unweighted · n = 10,000",
        "monte_carlo",
        "#0072B2",
    ):
        assert words in text


@pytest.mark.parametrize(
    ("suffix", "start"),
    [(".svg", b"<svg"), (".png", b"\x89PNG"), (".html", b"<!DOCTYPE html>")],
)
def test_charts_are_drawn_without_a_network(
    tables: Tabular, suffix: str, start: bytes
) -> None:
    content = draw(tables, suffix)
    assert content.lstrip().startswith(start)
    if suffix == ".html":
        assert b'src="http' not in content


def test_an_unknown_kind_of_chart_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"ends in \.svg, \.png, \.html"):
        check_chart_file(Path("chart.gif"))


@pytest.mark.parametrize("package", ["altair", "vl_convert"])
def test_a_missing_package_that_draws_is_named(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=r"dpratio\[charts\]"):
        check_chart_file(Path("chart.svg"))


def test_a_result_without_altair_names_the_extra(
    tables: Tabular, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingExtra, match=r"'altair'.*dpratio\[charts\]"):
        tables.chart()
