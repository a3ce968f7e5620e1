"""Charts of the documentation take the colours of the page they stand in."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from drawings import inline_drawings

from docs.page_blocks import ROOT
from dpratio.show.charts import draw
from dpratio.simulation.coverage.one_query import paper_plan
from dpratio.simulation.forecast.forecast import forecast

CHARTS = [
    *(
        ROOT / "docs/pictures" / f"{name}{width}.svg"
        for name in ("tutorial", "calibration", "bounds")
        for width in ("", "_narrow")
    ),
    ROOT / "docs/methods/width_against_epsilon.svg",
    ROOT / "docs/methods/width_against_epsilon_narrow.svg",
    ROOT / "docs/guides/mortgages.svg",
]


@pytest.fixture(scope="module")
def drawn() -> str:
    plan = paper_plan("laplace", 1.0, weighted=False, n=5_000)
    return draw(forecast(plan, n=[500, 900]), ".svg").decode()


@pytest.mark.parametrize("path", CHARTS, ids=lambda path: path.stem)
def test_every_chart_is_drawn_by_the_one_grammar(path: Path) -> None:
    svg = path.read_text(encoding="utf-8")
    root = ET.fromstring(svg)  # noqa: S314 (our own file)
    assert root.get("class") == "dpr"
    assert "light-dark(" in svg


def test_a_chart_is_put_into_the_page_with_its_words(
    drawn: str, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.svg").write_text(drawn, encoding="utf-8")
    (tmp_path / "b.svg").write_text("<svg/>", encoding="utf-8")
    image = '<img alt="Less &lt; more" src="../a.svg" />'
    page = inline_drawings(f"<p>{image}</p>", "sub/page.html", tmp_path)
    assert page.startswith('<p><span class="chart" data-search-exclude><svg role="img"')
    assert page.count("role=") == page.count("aria-label=") == 1
    assert 'aria-label="Less &lt; more"' in page
    (tmp_path / "a_narrow.svg").write_text(drawn, encoding="utf-8")
    page = inline_drawings(image, "sub/page.html", tmp_path)
    assert page.count("<svg") == 2
    own = '<img alt="On paper of its own" src="b.svg" />'
    assert inline_drawings(own, "page.html", tmp_path) == own
