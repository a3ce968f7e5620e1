"""The chart: well-formed, described in words, and drawn inside its frame."""

import math
import re
from xml.etree import ElementTree as ET

from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.web.chart import Line, draw_lines, log_ticks

SIZES = st.floats(1e-9, 1e9)
POINTS = st.tuples(SIZES, SIZES)


@given(low=SIZES, times=st.floats(1.02, 1e6))
@example(low=0.98, times=1.05)
@example(low=9.9, times=1.03)
def test_ticks_are_few_round_and_inside(low: float, times: float) -> None:
    ticks = log_ticks(low, low * times)
    assert 1 <= len(ticks) <= 7
    assert ticks == sorted(set(ticks))
    for tick in ticks:
        assert low * 0.999 <= tick <= low * times * 1.001


@given(
    points=st.lists(st.tuples(SIZES, SIZES), max_size=5), here=st.tuples(SIZES, SIZES)
)
@example(points=[], here=(math.inf, 1.0))
@example(points=[(1.0, math.inf), (2.0, 1.0)], here=(1.0, 1.0))
def test_every_drawing_is_well_formed_and_inside_its_frame(
    points: list[tuple[float, float]], here: tuple[float, float]
) -> None:
    lines = [Line("a & b", "noisy", points), Line("<c>", "public", [])]
    picture = draw_lines(lines, words=("n", "mean width"), title="A title", here=here)
    drawn = ET.fromstring(picture)  # noqa: S314 (our own words)
    assert drawn.get("role") == "img"
    assert drawn[0].text == "A title"
    assert "mean width against n" in str(drawn[1].text)
    numbers = [float(each.get("cx", "0")) for each in drawn.iter("circle")]
    assert all(0 <= each <= 460 for each in numbers)
    assert not re.search("nan|inf", picture)


def test_the_description_says_where_lines_begin_and_end() -> None:
    line = Line("forecast", "noisy", [(100.0, 0.5), (30_000.0, 0.05)])
    picture = draw_lines([line], words=("people", "width"), title="T", here=(100, 0.5))
    assert "forecast: width 0.5 at people 100, 0.05 at 30k." in picture
