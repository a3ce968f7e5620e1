"""Days, weeks and months: every day lies in just one declared period."""

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.terms.dimensions import EVERY, Periods, period_of

DAY = dt.date(2026, 1, 31)


def test_months_are_named_by_their_first_day() -> None:
    year = Periods("seen", "month", "2023-12-31", dt.date(2025, 1, 1)).values
    assert len(year) == 14
    assert year[0] == dt.date(2023, 12, 1)
    assert year[2:4] == (dt.date(2024, 2, 1), dt.date(2024, 3, 1))
    assert year[-1] == dt.date(2025, 1, 1)


def test_weeks_begin_on_monday_over_the_turn_of_years() -> None:
    """2020 has an ISO week 53, which ends on 3 January 2021."""
    weeks = Periods("seen", "week", "2020-12-31", "2021-01-04").values
    assert weeks == (dt.date(2020, 12, 28), dt.date(2021, 1, 4))
    assert Periods("seen", "week", "2021-01-03", "2021-01-03").values == weeks[:1]


def test_days_cross_the_end_of_february() -> None:
    days = Periods("seen", "day", "2024-02-28", "2024-03-01").values
    assert days == tuple(dt.date(2024, 2, 28) + dt.timedelta(each) for each in range(3))
    assert Periods("seen", "day", "2025-02-28", "2025-03-01").values[1:] == (
        dt.date(2025, 3, 1),
    )


days = st.dates(dt.date(1, 1, 8), dt.date(9990, 1, 1))


@given(day=days, span=st.integers(0, 400), every=st.sampled_from(EVERY))
def test_every_day_lies_in_just_one_declared_period(
    day: dt.date, span: int, every: str
) -> None:
    last = day + dt.timedelta(days=span)
    values = Periods("seen", every, day, last).values
    seen = [period_of(day + dt.timedelta(days=at), every) for at in range(span + 1)]
    assert list(values) == sorted(set(seen))
    for first in values:
        assert isinstance(first, dt.date)
        assert period_of(first, every) == first
        assert every != "week" or first.isocalendar().weekday == 1
        assert every not in {"month", "quarter"} or first.day == 1
        assert every != "quarter" or first.month in {1, 4, 7, 10}


@pytest.mark.parametrize("every", EVERY)
def test_the_ends_of_the_calendar_are_periods_too(every: str) -> None:
    assert len(Periods("seen", every, dt.date.min, dt.date.min).values) == 1
    assert len(Periods("seen", every, dt.date.max, dt.date.max).values) == 1


@pytest.mark.parametrize("every", ["year", "Month", "", None, 7])
def test_an_unknown_period_is_refused(every: Any) -> None:  # noqa: ANN401
    rule = r"^unknown period, got .*Use one of: day, week, month, quarter\.$"
    with pytest.raises(InvalidInput, match=rule):
        Periods("seen", every, DAY, DAY)


@pytest.mark.parametrize(
    "day",
    ["31.01.2026", "2026-02-30", "", 20260131, None, dt.datetime(2026, 1, 31)],  # noqa: DTZ001
)
def test_a_day_is_a_date(day: Any) -> None:  # noqa: ANN401
    rule = r"^a day is a date such as 2026-01-31, got "
    with pytest.raises(InvalidInput, match=rule):
        Periods("seen", "day", day, DAY)
    with pytest.raises(InvalidInput, match=rule):
        Periods("seen", "day", DAY, day)


def test_the_first_period_does_not_follow_the_last() -> None:
    with pytest.raises(InvalidInput, match=r"^the first period must not follow"):
        Periods("seen", "day", "2026-02-01", "2026-01-31")
    # Days of one period may stand in any order.
    assert Periods("seen", "month", "2026-01-31", "2026-01-01").values == (
        dt.date(2026, 1, 1),
    )


@pytest.mark.parametrize("every", EVERY)
def test_periods_are_counted_without_a_list_of_them(every: str) -> None:
    """A document may name every day since the year 1 in a few letters."""
    for first, last in [("2023-12-30", "2025-03-01"), ("2026-01-05", "2026-01-05")]:
        periods = Periods("seen", every, first, last)
        assert periods.last is not None
        span = (periods.last - periods.first).days + 1
        days = [
            period_of(periods.first + dt.timedelta(days=at), every)
            for at in range(span)
        ]
        assert periods.values == tuple(dict.fromkeys(days))
        assert periods.size == len(periods.values)
    ever = Periods("seen", every, "0001-01-01", "9999-12-31")
    sizes = {"day": 3652059, "week": 521723, "month": 119988, "quarter": 39996}
    assert ever.size == sizes[every]
