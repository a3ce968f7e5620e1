"""Pictures: well formed, described in words, every mark where its numbers are."""

import math
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.show.chart.marks import Band, Comb, Diagonal, Interval, Line, Rule
from dpratio.show.chart.panel import Panel
from dpratio.show.chart.picture import Chart, Sign
from dpratio.show.chart.scale import Scale
from dpratio.show.chart.strip import axis_strip, places_of
from shown import HOSTILE

AXIS = Scale(0.0, 2.0, reference=1.0)
ANY = st.floats(allow_nan=True, allow_infinity=True)


def picture(*marks: object, **given: object) -> str:
    panel = Panel(marks, AXIS, AXIS, 100.0, x_title="x", y_title="y")  # type: ignore[arg-type]
    return Chart("A title", [panel], **given).svg(width=300)  # type: ignore[arg-type]


@given(
    marks=st.lists(st.tuples(ANY, ANY, ANY), max_size=5),
    upright=st.booleans(),
    told=st.text(max_size=20),
)
@example(marks=[(-math.inf, math.inf, math.nan)], upright=False, told=HOSTILE[0])
@example(marks=[(5.0, 9.0, 7.0)], upright=True, told=HOSTILE[1])
@settings(max_examples=50)
def test_every_picture_is_well_formed_whatever_it_is_given(
    marks: list[tuple[float, float, float]], *, upright: bool, told: str
) -> None:
    drawn = [
        Interval(1.0, min(low, high), max(low, high), value, told, upright=upright)
        for low, value, high in marks
    ]
    lines = [
        Line([(1.0, each[0]) for each in marks], "below"),
        Comb([(1.0, *each) for each in marks], "above"),
        Band([(1.0, 0.0, 1.0)], "even"),
        Rule(1.0),
        Diagonal(),
    ]
    text = picture(*drawn, *lines, legend=[Sign(told, "above", "up", is_line=True)])
    root = ET.fromstring(text)  # noqa: S314 (our own words)
    assert root.get("aria-label") == "A title"
    places = re.findall(r' d="([^"]*)"', text)
    assert not [each for each in places if re.search("nan|inf", each)]


def marks_of(low: float, value: float, high: float) -> list[str]:
    return [name for name, *_ in places_of(Scale(0.5, 1.5), (low, value, high), "up")]


@pytest.mark.parametrize(
    ("ends", "drawn"),
    [
        ((0.8, 1.0, 1.2), ["reach", "up"]),
        ((0.8, 1.0, 22.8), ["reach", "high", "up"]),
        ((0.8, 1.0, math.inf), ["reach", "high", "up"]),
        ((0.8, 7.0, 22.8), ["reach", "high"]),
        ((-math.inf, math.nan, math.inf), ["unknown", "low", "high"]),
        ((3.0, 7.0, 22.8), ["high"]),
        ((0.1, 0.2, 0.3), ["low"]),
        ((math.nan, math.nan, math.nan), []),
    ],
)
def test_numbers_are_drawn_where_they_are(
    ends: tuple[float, float, float], drawn: list[str]
) -> None:
    """Beyond the axis an interval ends in an arrow, and a value leaves no point."""
    assert marks_of(*ends) == drawn
    low, value, high = ends
    text = picture(Interval(1.0, 2 * low - 1, 2 * high - 1, 2 * value - 1, "told"))
    assert text.count('class="reach') == sum(
        each in {"reach", "unknown"} for each in drawn
    )
    shapes = {
        "low": "l7 -4.5v9z",
        "high": "l-7 -4.5v9z",
        "up": 'class="point even" transform',
    }
    for name, path in shapes.items():
        assert (path in text) == (name in drawn)


def test_a_line_breaks_where_a_point_is_not_known() -> None:
    points = [(0.0, 1.0), (0.5, math.nan), (1.0, 1.0), (1.5, 2.0)]
    (path,) = re.findall(
        r'class="line below" d="([^"]*)"', picture(Line(points, "below"))
    )
    assert path.count("M") == 2


def test_a_rule_beyond_the_axis_is_not_drawn() -> None:
    assert 'class="rule' not in picture(Rule(9.0))
    assert 'class="rule' in picture(Rule(1.0, upright=False))


def test_marks_say_what_they_are() -> None:
    text = picture(Interval(1.0, 0.5, 1.5, 1.0, "north: 1, 0.5 to 1.5"))
    assert 'role="img" aria-label="north: 1, 0.5 to 1.5"><title>north' in text
    assert ">1</text>" in axis_strip(AXIS)


def test_a_narrow_picture_puts_panels_below_each_other_and_breaks_titles() -> None:
    panels = [
        Panel([], AXIS, AXIS, 50.0, title=f"laplace · weighted · {at}") for at in "ab"
    ]
    chart = Chart("a long title " * 8, panels, note="a note", columns=2)
    wide, narrow = (ET.fromstring(chart.svg(width=each)) for each in (700, 200))  # noqa: S314
    assert float(narrow.get("height", 0)) > float(wide.get("height", 0)) + 50
    heads = [text for text in narrow.iter() if text.get("class") == "head"]
    assert len(heads) > 4


def test_a_picture_of_its_own_carries_colours_that_need_no_variables() -> None:
    text = picture(Rule(1.0))
    assert "light-dark(" in text
    assert "fill: #595959; fill: var(--soft)" in text
    panel = Panel([], AXIS, AXIS, 50.0)
    assert "<style" not in Chart("t", [panel]).svg(is_styled=False)


def test_pictures_are_saved_and_shown(tmp_path: Path) -> None:
    chart = Chart("t <b>", [Panel([], AXIS, AXIS, 50.0)])
    assert chart._repr_svg_() == chart._repr_html_() == chart.svg()
    chart.save(tmp_path / "a.svg")
    chart.save(tmp_path / "a.svg")
    chart.save(tmp_path / "a.html")
    ET.fromstring((tmp_path / "a.svg").read_text("utf-8"))  # noqa: S314 (our own words)
    page = (tmp_path / "a.html").read_text("utf-8")
    assert "<title>t &lt;b&gt;</title>" in page
    assert "default-src 'none'" in page
    with pytest.raises(InvalidInput, match=r"ends in \.svg or \.html"):
        chart.save(tmp_path / "a.png")
