"""Cells are declared: keys, bins and periods, each once and in the order given."""

# ruff: noqa: PD011

import datetime as dt
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import EVERY, KINDS, Keys, Periods, ScoreBins, period_of
from dpratio.terms.groups import Groups, PrivateKeys

BAD_NAMES = ["", "a\x00b", "lone \ud800", None, 3, b"score"]
DAY = dt.date(2026, 1, 31)
SEX, BINS = Keys("sex", ["f", "m"]), ScoreBins("score", [0, 0.5, 1])
MONTHS = Periods("seen", "month", "2026-01-15", "2026-03-01")


# Keys.


@pytest.mark.parametrize(
    "keys",
    [
        ["north", "south"],
        ("south", "north"),
        iter(["b", "a"]),
        [3, 1, 2],
        range(3),
        [True, False],
        [""],
        ["Ä", "\x01", "'; DROP TABLE loans; --"],
        [2**63 - 1, -(2**63 - 1)],
        [DAY, dt.date(1, 1, 1), dt.date(9999, 12, 31)],
        ["north", None],
        [None, 3],
        [None, True],
        [DAY, None],
        [None],
    ],
)
def test_keys_keep_their_order(keys: Iterable[Any]) -> None:
    declared = list(keys)
    groups = Groups("region", iter(declared))
    assert groups.keys == tuple(declared)
    assert [type(key) for key in groups.keys] == [type(key) for key in declared]
    assert groups.columns == ("region",)
    assert groups.count == len(declared)
    assert groups.listed is None
    assert groups.dimensions == (Keys("region", declared),)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (np.array(["a", "b"]), ("a", "b")),
        (np.array([2, 1], dtype=np.uint8), (2, 1)),
        (np.array([True, False]), (True, False)),
        (np.array(["2026-01-31"], dtype="datetime64[D]"), (DAY,)),
        (np.array(["a", None], dtype=object), ("a", None)),
        (pd.Series(["a", "b"]), ("a", "b")),
        (pd.Series([2, 1]), (2, 1)),
        (pd.Index(["b", "a"]), ("b", "a")),
        (pd.Series([DAY, None], dtype=object), (DAY, None)),
        (pd.Series(["a", "b"]).unique(), ("a", "b")),
        (range(2, 0, -1), (2, 1)),
        ({"a": 1, "b": 2}, ("a", "b")),
    ],
    ids=lambda given: type(given).__name__,
)
def test_arrays_and_series_give_plain_keys(
    given: Iterable[Any], wanted: tuple[Any, ...]
) -> None:
    keys = Groups("region", given).keys
    assert keys == wanted
    assert [type(key) for key in keys] == [type(key) for key in wanted]


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        (["a"], str),
        ([None, 1], int),
        ([True, None], bool),
        ([DAY], dt.date),
        ([None], str),
    ],
)
def test_the_kind_of_keys_is_known(keys: list[Any], kind: type) -> None:
    assert Keys("k", keys).kind is kind
    assert kind in KINDS.values()


@pytest.mark.parametrize("name", BAD_NAMES)
def test_the_group_column_is_text(name: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^a column name must be text without NUL"):
        Keys(name, ["north"])
    with pytest.raises(InvalidInput, match=r"^a column name must be text without NUL"):
        ScoreBins(name)
    with pytest.raises(InvalidInput, match=r"^a column name must be text without NUL"):
        Periods(name, "day", DAY, DAY)
    with pytest.raises(InvalidInput, match=r"^a column name must be text without NUL"):
        PrivateKeys(name, Budget(1, "1e-7"))
    with pytest.raises(InvalidInput, match=r"^(a column name|groups need a column)"):
        Groups(name, ["north"])
    with pytest.raises(InvalidInput, match=r"^a column name must be text without NUL"):
        Groups(["a", name], [("north", "x")])


@pytest.mark.parametrize("keys", ["north", b"north", 5, None])
def test_keys_are_a_list(keys: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^group keys must be a list, .*'south'\]"):
        Groups("region", keys)


@pytest.mark.parametrize("columns", [["region"], ["region", "sex"]], ids=len)
@pytest.mark.parametrize("keys", ["no", b"no", 5, None])
def test_the_keys_of_several_columns_are_a_list_too(
    columns: list[str],
    keys: Any,  # noqa: ANN401
) -> None:
    with pytest.raises(InvalidInput):
        Groups(columns, keys)


def test_at_least_one_key_is_declared() -> None:
    with pytest.raises(InvalidInput, match=r"^groups need at least one key, got \(\)"):
        Groups("region", [])
    with pytest.raises(InvalidInput, match=r"^groups need at least one key, got \[\]"):
        Groups(["region", "sex"], [])


@pytest.mark.parametrize(
    "keys",
    [
        ["a", 1],
        [1, True],
        [True, 1],
        [1.0],
        [b"a"],
        [("a",)],
        [["a"]],
        [DAY, "2026-01-31"],
        [dt.datetime(2026, 1, 31, tzinfo=dt.UTC)],
        [np.str_("a")],
        [np.int64(1)],
        [None, 1, "a"],
        pd.Series([1, None]),
        pd.Series(pd.to_datetime(["2026-01-31"])),
        np.array([0.5]),
    ],
    ids=repr,
)
def test_keys_are_of_one_plain_type(keys: Any) -> None:  # noqa: ANN401
    rule = (
        "^group keys must be all text, all whole numbers, all true/false or all dates, "
        "got .* Convert the keys to one type; None may join any.$"
    )
    with pytest.raises(InvalidInput, match=rule):
        Groups("region", keys)


@pytest.mark.parametrize(
    "keys", [["a", "b", "a"], [1, 1], [True, True], [None, None], [None, 1, None]]
)
def test_a_key_is_declared_once(keys: list[Any]) -> None:
    repeated = keys[0]
    with pytest.raises(InvalidInput) as caught:
        Groups("region", keys)
    assert str(caught.value) == f"a group key is declared once, got [{repeated!r}]."


@pytest.mark.parametrize("key", ["a\x00", "\udfff"])
def test_a_text_key_is_clean(key: str) -> None:
    with pytest.raises(InvalidInput, match=r"^a text key must be valid Unicode"):
        Groups("region", ["fine", key])


@pytest.mark.parametrize("key", [2**63, -(2**63), 10**30])
def test_a_whole_number_key_fits_in_64_bits(key: int) -> None:
    with pytest.raises(InvalidInput, match=r"^a whole-number key must fit in 64 bits"):
        Groups("region", [0, None, key])


# Cells of several columns.


def test_listed_cells_keep_their_order_and_types() -> None:
    cells: list[Any] = [("CA", 1, True), ("NY", 2, None), ("CA", 2, False)]
    groups = Groups(("state", "age", "flag"), cells)
    assert groups.keys == tuple(cells)
    assert groups.count == 3
    assert groups.columns == ("state", "age", "flag")
    assert groups.listed == ((0, 0, 0), (1, 1, 1), (0, 1, 2))
    as_lists: list[Any] = [list(cell) for cell in cells]
    assert Groups(["state", "age", "flag"], as_lists) == groups


def test_one_column_in_a_list_is_one_column() -> None:
    assert Groups(["state"], [("CA",), ("NY",)]).keys == ("CA", "NY")
    assert Groups(["state"], ["NY", "CA"]).keys == ("NY", "CA")


@pytest.mark.parametrize(
    "cells", [[("CA",)], [("CA", "f"), ("CA", "f", 1)], ["CA"], [("CA", "f"), ()]]
)
def test_a_cell_has_one_key_of_each_column(cells: list[Any]) -> None:
    with pytest.raises(InvalidInput, match=r"^a cell of 2 columns needs as many keys"):
        Groups(["state", "sex"], cells)


def test_a_cell_is_declared_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        Groups(["state", "sex"], [("CA", "f"), ("CA", "m"), ("CA", "f")])
    assert str(caught.value) == "a group key is declared once, got ('CA', 'f')."


@pytest.mark.parametrize("columns", [[], (), 3, {"a"}, None])
def test_several_columns_are_a_list_of_names(columns: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^groups need a column name, or several"):
        Groups(columns, [("a",)])


def test_a_column_is_one_dimension() -> None:
    rule = r"^each dimension of groups has its own column, got \['a', 'a'\]"
    with pytest.raises(InvalidInput, match=rule):
        Groups(["a", "a"], [("x", "y")])
    with pytest.raises(InvalidInput, match=r"^each dimension of groups has its own"):
        Groups.cross(Keys("a", ["x"]), ScoreBins("a", 2))


@pytest.mark.parametrize(
    "cells",
    [
        [(1, "x"), (True, "y")],
        [(True, "x"), (1, "y")],
        [(1, "x"), (1.0, "y")],
        [(1, "x"), ("1", "y")],
        [(["a"], "x")],
        [({"a": 1}, "x")],
    ],
    ids=repr,
)
def test_the_keys_of_one_of_several_columns_are_of_one_plain_type(
    cells: list[Any],
) -> None:
    """Also where Python holds two of them to be equal."""
    with pytest.raises(InvalidInput, match=r"^group keys must be all text"):
        Groups(["a", "b"], cells)


# Crossed cells.


def test_the_last_dimension_varies_fastest() -> None:
    groups = Groups.cross(SEX, BINS, MONTHS)
    assert groups.count == 12 == len(groups.keys)
    assert groups.columns == ("sex", "score", "seen")
    assert groups.keys[:4] == (
        ("f", "0 to 0.5", dt.date(2026, 1, 1)),
        ("f", "0 to 0.5", dt.date(2026, 2, 1)),
        ("f", "0 to 0.5", dt.date(2026, 3, 1)),
        ("f", "0.5 to 1", dt.date(2026, 1, 1)),
    )
    assert groups.keys[-1] == ("m", "0.5 to 1", dt.date(2026, 3, 1))
    other = Groups.cross(BINS, SEX)
    assert other.keys == (
        ("0 to 0.5", "f"),
        ("0 to 0.5", "m"),
        ("0.5 to 1", "f"),
        ("0.5 to 1", "m"),
    )
    assert other != Groups.cross(SEX, BINS)


def test_one_dimension_is_crossed_with_nothing() -> None:
    assert Groups.cross(SEX) == Groups("sex", ["f", "m"])
    assert Groups.cross(MONTHS).count == 3


@pytest.mark.parametrize("dimensions", [(), ("sex",), (SEX, None), (SEX, ["a"])])
def test_only_dimensions_are_crossed(dimensions: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidInput, match=r"^groups are crossed from Keys, ScoreBins"):
        Groups.cross(*dimensions)


def test_there_is_a_largest_number_of_cells() -> None:
    thousand = [Keys(name, range(1000)) for name in "abc"]
    Groups.cross(*thousand[:2])
    with pytest.raises(
        InvalidInput, match=r"^there are too many cells, got 1000000000"
    ):
        Groups.cross(*thousand)


def test_some_combinations_are_kept() -> None:
    groups = Groups.cross(SEX, BINS).only([(1, 0), (0, 1)])
    assert groups.keys == (("m", "0 to 0.5"), ("f", "0.5 to 1"))
    assert groups.count == 2


def test_some_keys_of_one_dimension_are_kept() -> None:
    groups = Groups.cross(Keys("k", ["a", "b", "c"])).only([(2,), (0,)])
    assert groups.count == 2
    assert groups.keys == ("c", "a")


@pytest.mark.parametrize(
    "cells", [[], [(0,)], [(0, 2)], [(-1, 0)], [(0, 0, 0)], [(2, 0)], [(0, 0), (0, 9)]]
)
def test_cells_that_are_not_there_are_refused(cells: list[tuple[int, ...]]) -> None:
    with pytest.raises(InvalidInput, match=r"^every cell names one key of each"):
        Groups.cross(SEX, BINS).only(cells)


def test_a_place_is_named_once() -> None:
    with pytest.raises(InvalidInput, match=r"^a group key is declared once, got 2"):
        Groups.cross(SEX, BINS).only([(0, 0), (0, 0)])


def test_groups_are_values() -> None:
    assert Groups("a", ["x"]) == Groups("a", iter(["x"]))
    assert Groups("a", ["x"]) != Groups("a", ["y"])
    assert Groups("a", ["x"]) != Groups("b", ["x"])
    assert len({Groups("a", ["x"]), Groups("a", ["x"]), Groups("a", ["y"])}) == 2
    with pytest.raises(AttributeError):
        Groups("a", ["x"]).listed = None  # type: ignore[misc]


# Bins.


@pytest.mark.parametrize(
    "edges",
    [[0, 0.5, 1], (0, 0.5, 1), [-1e9, 1e9], range(3), [0, 1e-9], np.linspace(0, 1, 5)],
    ids=repr,
)
def test_edges_are_kept_as_doubles(edges: Any) -> None:  # noqa: ANN401
    bins = ScoreBins("s", edges)
    assert bins.edges == tuple(float(edge) for edge in edges)
    assert {type(edge) for edge in bins.edges} == {float}
    assert len(bins.values) == len(edges) - 1


def test_bins_are_named_by_their_edges() -> None:
    assert ScoreBins("s", [0, 0.25, 1]).values == ("0 to 0.25", "0.25 to 1")
    assert Groups.cross(ScoreBins("s", [-1, 0, 1])).keys == ("-1 to 0", "0 to 1")


@pytest.mark.parametrize(
    "edges", [[1_000_000, 1_000_001, 1_000_002], [0.12345671, 0.12345672, 0.12345673]]
)
def test_no_two_bins_have_the_same_name(edges: list[float]) -> None:
    assert len(set(ScoreBins("s", edges).values)) == 2


@pytest.mark.parametrize(
    "edges",
    [
        [0, 0.5, 0.4],
        [1, 0],
        [0, 0],
        [0, 0.5, 0.5, 1],
        [math.nan, 1],
        [0, math.nan],
        [0, math.inf],
        [-math.inf, 0],
    ],
)
def test_bins_do_not_overlap(edges: list[float]) -> None:
    with pytest.raises(InvalidInput, match=r"^edges must rise: bins may not overlap"):
        ScoreBins("s", edges)


@pytest.mark.parametrize("bins", [0, -1, 1001, 10**9])
def test_the_number_of_bins_is_limited(bins: int) -> None:
    with pytest.raises(InvalidInput, match=r"^there must be 1 to 1,000 bins"):
        ScoreBins("s", bins)
    assert ScoreBins("s", 1000).bins == 1000
    assert ScoreBins("s").bins == 10


@pytest.mark.parametrize("edges", [[], [1], (0.5,), range(1002)], ids=len)
def test_bins_need_two_edges_or_more(edges: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^bins need two edges or more"):
        ScoreBins("s", edges)


@pytest.mark.parametrize("bins", [None, True, 2.5, "0 1", b"01", {0, 1}, {0: 1}])
def test_bins_are_a_number_or_edges(bins: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^bins must be a number or a list of"):
        ScoreBins("s", bins)


@pytest.mark.parametrize(
    "edges", [["0", "1"], ["a", "b"], [None, 1], [[0], [1]], [0, 1j]]
)
def test_edges_are_numbers(edges: list[Any]) -> None:
    with pytest.raises(InvalidInput):
        ScoreBins("s", edges)


@given(
    low=st.floats(-1e6, 1e6),
    width=st.floats(1e-3, 1e6),
    count=st.integers(1, 1000),
)
def test_equal_bins_fill_the_bounds(low: float, width: float, count: int) -> None:
    bounds = Bounds(low, low + width)
    equal = ScoreBins("s", count)
    assert equal.edges == equal.values == ()
    settled = equal.within(bounds)
    assert (settled.edges[0], settled.edges[-1]) == (bounds.lower, bounds.upper)
    steps = np.diff(settled.edges)
    assert steps == pytest.approx(
        (bounds.upper - bounds.lower) / count, abs=1e-9 * max(abs(low), width)
    )
    assert settled.within(bounds) is settled


@pytest.mark.parametrize("edges", [[-0.1, 1], [0, 1.1], [-1, 2], [2, 3]])
def test_edges_lie_within_the_bounds(edges: list[float]) -> None:
    rule = r"^edges of bins must lie within the bounds of 's', got "
    with pytest.raises(InvalidInput, match=rule):
        ScoreBins("s", edges).within(Bounds(0, 1))


def test_groups_settle_all_their_bins() -> None:
    groups = Groups.cross(SEX, ScoreBins("score", 2), MONTHS)
    settled = groups.within({"score": Bounds(0, 1), "other": Bounds(0, 2)})
    assert settled == Groups.cross(SEX, BINS, MONTHS)
    assert settled.within({"score": Bounds(0, 1)}) == settled
    some = Groups.cross(SEX, BINS).only([(1, 1)])
    assert some.within({"score": Bounds(0, 1)}) == some


def test_a_binned_column_needs_bounds() -> None:
    with pytest.raises(InvalidInput) as caught:
        Groups.cross(SEX, BINS).within({"sex": Bounds(0, 1)})
    assert str(caught.value) == (
        "a binned column needs bounds, got 'score'. Add bounds for 'score'."
    )


# Periods.


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
        assert every != "month" or first.day == 1


@pytest.mark.parametrize("every", EVERY)
def test_the_ends_of_the_calendar_are_periods_too(every: str) -> None:
    assert len(Periods("seen", every, dt.date.min, dt.date.min).values) == 1
    assert len(Periods("seen", every, dt.date.max, dt.date.max).values) == 1


@pytest.mark.parametrize("every", ["year", "Month", "", None, 7])
def test_an_unknown_period_is_refused(every: Any) -> None:  # noqa: ANN401
    rule = r"^unknown period, got .*Use one of: day, week, month\.$"
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


# Keys that are found.


def test_private_keys_are_asked_for_with_a_budget_of_their_own() -> None:
    keys = PrivateKeys("shop", Budget("0.2", "1e-7"))
    assert (keys.columns, keys.kind) == (("shop",), "text")
    for kind in KINDS:
        assert PrivateKeys("shop", keys.budget, kind).kind == kind


@pytest.mark.parametrize("budget", [None, 0.2, ("0.2", "1e-7")])
def test_the_budget_of_private_keys_is_a_budget(budget: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^budget must be a Budget, got "):
        PrivateKeys("shop", budget)


def test_finding_keys_needs_a_delta() -> None:
    with pytest.raises(InvalidInput) as caught:
        PrivateKeys("shop", Budget("0.2"))
    assert str(caught.value) == (
        "finding keys needs a delta above 0, got '0'. Give a delta such as 1e-7."
    )


@pytest.mark.parametrize("kind", ["number", "Text", None, str])
def test_the_kind_of_private_keys_is_one_word(kind: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^unknown kind of key, got "):
        PrivateKeys("shop", Budget(1, "1e-7"), kind)


@pytest.mark.parametrize("kind", KINDS.values())
def test_found_keys_may_be_none_at_all(kind: type) -> None:
    empty = Groups.found("shop", kind, [])
    assert (empty.keys, empty.count, empty.columns) == ((), 0, ("shop",))
    (dimension,) = empty.dimensions
    assert isinstance(dimension, Keys)
    assert dimension.kind is kind


def test_found_keys_are_groups_like_declared_ones() -> None:
    assert Groups.found("shop", str, ["a", "b"]) == Groups("shop", ["a", "b"])


def test_days_of_an_array_are_days_whatever_its_unit() -> None:
    days = np.array(["2026-01-31", "2026-02-01"], dtype="datetime64[D]")
    times = days.astype("datetime64[ns]")
    for each in (days, times, pd.Series(times)):
        keys = Groups("seen", each).keys
        assert keys == (dt.date(2026, 1, 31), dt.date(2026, 2, 1))


@pytest.mark.parametrize("every", ["day", "week", "month"])
def test_periods_are_counted_without_a_list_of_them(every: str) -> None:
    """A document may name every day since the year 1 in a few letters."""
    for first, last in [("2023-12-30", "2025-03-01"), ("2026-01-05", "2026-01-05")]:
        periods = Periods("seen", every, first, last)
        span = (periods.last - periods.first).days + 1
        days = [
            period_of(periods.first + dt.timedelta(days=at), every)
            for at in range(span)
        ]
        assert periods.values == tuple(dict.fromkeys(days))
        assert periods.size == len(periods.values)
    ever = Periods("seen", every, "0001-01-01", "9999-12-31")
    assert ever.size == {"day": 3652059, "week": 521723, "month": 119988}[every]


def test_every_dimension_knows_its_size_and_groups_their_first_cells() -> None:
    bins = ScoreBins("score", [0, 0.5, 1])
    hundred = [Keys(name, range(100)) for name in "abcd"]
    assert [each.size for each in (bins, ScoreBins("score", 3), SEX)] == [2, 0, 2]
    largest = Groups.cross(*hundred)  # A list of all would fill the memory.
    assert largest.first_keys(2) == ((0, 0, 0, 0), (0, 0, 0, 1))
    for groups in (
        Groups.cross(SEX),
        Groups.cross(SEX, bins),
        Groups.cross(SEX, bins).only([(1, 0), (0, 1)]),
    ):
        for most in (0, 1, 99):
            assert groups.first_keys(most) == groups.keys[:most]


def test_a_cell_that_is_given_twice_is_found_in_one_pass() -> None:
    cells = [(str(at), 1) for at in range(50_000)]
    with pytest.raises(InvalidInput, match=r"declared once, got \('49999', 1\)"):
        Groups(["a", "b"], [*cells, cells[-1]])
