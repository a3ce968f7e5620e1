"""Keys, bins and periods: declared once each, in order, without overlap."""

import datetime as dt
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import (
    EVERY,
    KINDS,
    Keys,
    Periods,
    ScoreBins,
    period_of,
    require_quantiles,
)

pd = pytest.importorskip("pandas")
DAY = dt.date(2026, 1, 31)
NEXT = dt.date(2026, 2, 1)
DAYS = np.array(["2026-01-31", "2026-02-01"], dtype="datetime64[D]")


@pytest.mark.parametrize("name", ["", "a\x00b", "lone \ud800", None, 3, b"score"])
def test_a_dimension_has_a_column(name: Any) -> None:  # noqa: ANN401
    for make in (
        lambda: Keys(name, ["north"]),
        lambda: ScoreBins(name),
        lambda: Periods(name, "day", DAY, DAY),
    ):
        with pytest.raises(InvalidInput, match=r"^a column name must be text without"):
            make()


@pytest.mark.parametrize(
    ("keys", "wanted", "kind"),
    [
        (("south", "north"), ("south", "north"), str),
        (iter(["b", "a"]), ("b", "a"), str),
        ([""], ("",), str),
        (
            ["Ä", "\x01", "'; DROP TABLE x; --"],
            ("Ä", "\x01", "'; DROP TABLE x; --"),
            str,
        ),
        ([2**63 - 1, -(2**63 - 1)], (2**63 - 1, -(2**63 - 1)), int),
        (range(2, 0, -1), (2, 1), int),
        ([True, False], (True, False), bool),
        ([DAY, dt.date(1, 1, 1)], (DAY, dt.date(1, 1, 1)), dt.date),
        (["north", None], ("north", None), str),
        ([None, True], (None, True), bool),
        ([None], (None,), str),
        ({"a": 1, "b": 2}, ("a", "b"), str),
        (np.array([2, 1], dtype=np.uint8), (2, 1), int),
        (np.array(["a", None], dtype=object), ("a", None), str),
        (pd.Series(["a", "b"]).unique(), ("a", "b"), str),
        (pd.Index(["b", "a"]), ("b", "a"), str),
        (pd.Series([DAY, None], dtype=object), (DAY, None), dt.date),
        (DAYS, (DAY, NEXT), dt.date),
        (DAYS.astype("datetime64[ns]"), (DAY, NEXT), dt.date),
        (pd.Series(DAYS.astype("datetime64[ns]")), (DAY, NEXT), dt.date),
    ],
)
def test_keys_keep_their_order_and_types(
    keys: Iterable[Any], wanted: tuple[Any, ...], kind: type
) -> None:
    declared = Keys("region", keys)
    assert (declared.values, declared.kind) == (wanted, kind)
    assert [type(key) for key in declared.values] == [type(key) for key in wanted]
    assert declared.size == len(wanted)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        *((keys, "group keys must be a list") for keys in ("no", b"no", 5, None)),
        ([], "groups need at least one key"),
        *(
            (keys, "group keys must be all text, all whole numbers, .* None may join")
            for keys in (
                ["a", 1],
                [1, True],
                [1.0],
                [b"a"],
                [("a",)],
                [["a"]],
                [DAY, "2026-01-31"],
                [dt.datetime(2026, 1, 31, tzinfo=dt.UTC)],
                [np.int64(1)],
                [None, 1, "a"],
                pd.Series([1, None]),
                np.array([0.5]),
            )
        ),
        (["a", "b", "a"], r"a group key is declared once, got \['a'\]"),
        ([None, 1, None], r"a group key is declared once, got \[None\]"),
        (["fine", "a\x00"], "a text key must be valid Unicode"),
        (["fine", "\udfff"], "a text key must be valid Unicode"),
        ([0, None, 2**63], "a whole-number key must fit in 64 bits"),
        ([10**30], "a whole-number key must fit in 64 bits"),
    ],
)
def test_keys_are_of_one_plain_type_and_declared_once(
    keys: Any,  # noqa: ANN401
    message: str,
) -> None:
    with pytest.raises(InvalidInput, match=f"^{message}") as caught:
        Keys("region", keys)
    assert caught.value.field == "keys"


@pytest.mark.parametrize("kind", KINDS.values())
def test_keys_that_were_found_may_be_none_at_all(kind: type) -> None:
    assert (Keys("k", [], kind=kind).values, Keys("k", [], kind=kind).kind) == (
        (),
        kind,
    )


@pytest.mark.parametrize(
    ("edges", "names"),
    [
        ([0, 0.25, 1], ("0 to 0.25", "0.25 to 1")),
        ((-1e9, 1e9), ("-1e+09 to 1e+09",)),
        (range(3), ("0 to 1", "1 to 2")),
        (np.linspace(0, 1, 3), ("0 to 0.5", "0.5 to 1")),
        (
            [1_000_000, 1_000_001, 1_000_002],
            ("1000000.0 to 1000001.0", "1000001.0 to 1000002.0"),
        ),
    ],
)
def test_bins_are_named_by_their_edges(edges: Any, names: tuple[str, ...]) -> None:  # noqa: ANN401
    bins = ScoreBins("s", edges)
    assert bins.edges == tuple(float(edge) for edge in edges)
    assert {type(edge) for edge in bins.edges} == {float}
    assert (bins.values, bins.size) == (names, len(names))


@pytest.mark.parametrize(
    "bins",
    [
        *(0, -1, 1001, 10**9, None, True, 2.5, "0 1", b"01", {0, 1}, {0: 1}),
        *([], [1], (0.5,), range(1002), [1, 0], [0, 0], [0, 0.5, 0.4]),
        *([math.nan, 1], [0, math.nan], [0, math.inf], [-math.inf, 0]),
        *(["0", "1"], [None, 1], [[0], [1]], [0, 1j], [0, 10**400]),
    ],
    ids=lambda bins: repr(bins)[:20],
)
def test_bins_are_a_number_or_rising_edges(bins: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^bins must be a number from 1 to 1,000"):
        ScoreBins("s", bins)


@given(
    low=st.floats(-1e6, 1e6),
    width=st.floats(1e-3, 1e6),
    count=st.integers(1, 1000),
)
def test_equal_bins_fill_the_bounds(low: float, width: float, count: int) -> None:
    bounds = Bounds(low, low + width)
    equal = ScoreBins("s", count)
    assert (equal.edges, equal.values, equal.size) == ((), (), 0)
    settled = equal.within(bounds)
    assert (settled.edges[0], settled.edges[-1]) == (bounds.lower, bounds.upper)
    assert np.diff(settled.edges) == pytest.approx(
        (bounds.upper - bounds.lower) / count, abs=1e-9 * max(abs(low), width)
    )
    assert settled.within(bounds) is settled


@pytest.mark.parametrize("edges", [[-0.1, 1], [0, 1.1], [-1, 2], [2, 3]])
def test_edges_lie_within_the_bounds(edges: list[float]) -> None:
    with pytest.raises(InvalidInput, match=r"^edges of bins must lie within the bound"):
        ScoreBins("s", edges).within(Bounds(0, 1))


@pytest.mark.parametrize("bins", [1, 1001, True, 2.0, None, "10"])
def test_bins_at_quantiles_are_2_to_1000(bins: object) -> None:
    require_quantiles(2)
    require_quantiles(1000)
    with pytest.raises(InvalidInput, match=r"^there must be 2 to 1,000 bins at quanti"):
        require_quantiles(bins)


@pytest.mark.parametrize(
    ("every", "first", "last", "values"),
    [
        ("day", "2024-02-28", "2024-03-01", ["2024-02-28", "2024-02-29", "2024-03-01"]),
        ("day", "2025-02-28", "2025-03-01", ["2025-02-28", "2025-03-01"]),
        # 2020 has an ISO week 53, which ends on 3 January 2021.
        ("week", "2020-12-31", "2021-01-04", ["2020-12-28", "2021-01-04"]),
        ("week", "2021-01-03", "2021-01-03", ["2020-12-28"]),
        (
            "month",
            "2023-12-31",
            "2024-02-01",
            ["2023-12-01", "2024-01-01", "2024-02-01"],
        ),
        ("month", "2026-01-31", "2026-01-01", ["2026-01-01"]),
        (
            "quarter",
            "2023-12-31",
            "2024-04-01",
            ["2023-10-01", "2024-01-01", "2024-04-01"],
        ),
    ],
)
def test_periods_are_named_by_their_first_day(
    every: str, first: str, last: str, values: list[str]
) -> None:
    periods = Periods("seen", every, first, last)
    assert [day.isoformat() for day in periods.values] == values


@given(
    day=st.dates(dt.date(1, 1, 8), dt.date(9990, 1, 1)),
    span=st.integers(0, 400),
    every=st.sampled_from(EVERY),
)
def test_every_day_lies_in_just_one_declared_period(
    day: dt.date, span: int, every: str
) -> None:
    periods = Periods("seen", every, day, day + dt.timedelta(days=span))
    seen = {period_of(day + dt.timedelta(days=past), every) for past in range(span + 1)}
    assert list(periods.values) == sorted(seen)
    assert periods.size == len(seen)
    assert {period_of(first, every) for first in seen} == seen


@pytest.mark.parametrize(
    ("every", "count"),
    [("day", 3652059), ("week", 521723), ("month", 119988), ("quarter", 39996)],
)
def test_all_periods_of_the_calendar_are_counted_without_a_list(
    every: str, count: int
) -> None:
    """A document may name every day since the year 1 in a few letters."""
    assert Periods("seen", every, "0001-01-01", "9999-12-31").size == count
    for day in (dt.date.min, dt.date.max):
        assert len(Periods("seen", every, day, day).values) == 1


@pytest.mark.parametrize(
    ("terms", "message", "field"),
    [
        *((("year", DAY, DAY), "unknown period, got", None),),
        *(((None, DAY, DAY), "unknown period, got", None),),
        (("day", NEXT, DAY), "the first period must not follow", "first"),
        *(
            (terms, "a day is a date such as 2026-01-31", field)
            for day in ("31.01.2026", "2026-02-30", "", 20260131, None)
            for terms, field in (
                (("day", day, DAY), "first"),
                (("day", DAY, day), "last"),
            )
        ),
        (("day", dt.datetime(2026, 1, 31), DAY), "a day is a date", "first"),  # noqa: DTZ001
    ],
)
def test_periods_are_known_and_in_order(
    terms: tuple[Any, Any, Any], message: str, field: str | None
) -> None:
    with pytest.raises(InvalidInput, match=f"^{message}") as caught:
        Periods("seen", *terms)
    assert caught.value.field == field
