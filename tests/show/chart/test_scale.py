"""Axes: ticks stand where they say, the reference is among them, texts stay apart."""

import math
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.show.budget_chart import instant_of, time_scale
from dpratio.show.chart.scale import (
    Scale,
    Tick,
    log_ticks,
    short_number,
    spread,
    spread_log,
)
from dpratio.show.chart.words import width_of

SIZES = st.floats(1e-9, 1e9)


def read(text: str) -> float:
    """Read a tick as a reader does."""
    number = text.replace("−", "-")
    for letter, unit in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number.endswith(letter):
            return float(number.removesuffix(letter)) * unit
    return float(number)


@given(
    low=st.floats(-1e6, 1e6),
    width=st.floats(1e-3, 1e6),
    length=st.floats(60, 900),
    share=st.none() | st.floats(0, 1),
)
@example(low=0.834, width=0.43, length=300, share=0.4)
def test_ticks_stand_where_they_say_and_their_texts_stay_apart(
    low: float, width: float, length: float, share: float | None
) -> None:
    reference = None if share is None else low + share * width
    scale = Scale(low, low + width, reference=reference)
    ticks = scale.ticks(length)
    for tick in ticks:
        assert scale.holds(tick.value)
        written = read(tick.text)
        exact = written == pytest.approx(tick.value, rel=1e-9, abs=1e-9 * width)
        assert exact or tick.value == reference
    if reference is not None and scale.holds(reference):
        assert reference in [tick.value for tick in ticks]
    for one, other in pairwise(ticks):
        way = (scale.share(other.value) - scale.share(one.value)) * length
        assert way > (width_of(one.text) + width_of(other.text)) / 2


@given(low=SIZES, times=st.floats(1.02, 1e6))
@example(low=0.98, times=1.05)
@example(low=9.9, times=1.03)
def test_ticks_of_a_logarithmic_axis_are_few_round_and_inside(
    low: float, times: float
) -> None:
    ticks = log_ticks(low, low * times)
    assert 1 <= len(ticks) <= 7
    assert ticks == sorted(set(ticks))
    for tick in ticks:
        assert low * 0.999 <= tick <= low * times * 1.001


def test_what_lies_beyond_an_axis_is_not_on_it() -> None:
    scale = Scale(0.5, 1.5)
    assert [scale.share(each) for each in (-math.inf, 1.0, 22.8)] == [0.0, 0.5, 1.0]
    assert [scale.holds(each) for each in (0.4, 1.0, math.inf, math.nan)] == [
        False,
        True,
        False,
        False,
    ]


def test_given_ticks_are_thinned_evenly_and_sizes_one_by_one() -> None:
    months = tuple(Tick(at, f"2026-{at + 1:02}") for at in range(12))
    kept = Scale(-0.5, 11.5, given=months).ticks(300)
    assert [each.text for each in kept] == ["2026-01", "2026-04", "2026-07", "2026-10"]
    sizes = [500, 600, 700, 900, 1_000, 5_000, 12_000]
    given = tuple(Tick(each, short_number(each)) for each in sizes)
    kept = spread_log(sizes, given=given).ticks(300)
    assert [each.text for each in kept] == ["500", "900", "5000", "12k"]
    assert Scale(0, 1, given=()).ticks(300) == []


def test_an_axis_holds_all_values_with_room_even_where_there_is_one() -> None:
    assert spread([2.0, math.nan, math.inf]).holds(2.0)
    one = spread([0.0])
    assert one.low < 0 < one.high
    assert spread_log([]).low < 1 < spread_log([]).high


def test_times_have_dates() -> None:
    day = instant_of("2026-11-17T04:28:00Z")
    texts = {
        span: [tick.text for tick in time_scale([day, day + span]).ticks(600)]
        for span in (
            0,
            90,
            3_600,
            86_400 * 3,
            86_400 * 30,
            86_400 * 300,
            86_400 * 9_000,
        )
    }
    assert texts[0][0].startswith("2026-11-17 04:2")
    assert texts[3_600][:2] == ["2026-11-17 04:30", "04:45"]
    assert "2026-11-18" in texts[86_400 * 3]
    assert all(len(each) == 10 for each in texts[86_400 * 30])
    assert "2027-01" in texts[86_400 * 300]
    assert "2030" in texts[86_400 * 9_000]
    assert time_scale([]).low < time_scale([]).high
