"""Keys, bins and periods, and the groups of them: declared once each, in order."""

import datetime as dt
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import (
    EVERY,
    KINDS,
    Groups,
    Keys,
    Periods,
    PrivateKeys,
    ScoreBins,
    period_of,
)

DAY, NEXT = dt.date(2026, 1, 31), dt.date(2026, 2, 1)
DAYS = np.array(["2026-01-31", "2026-02-01"], dtype="datetime64[D]")
SEX, BINS = Keys("sex", ["f", "m"]), ScoreBins("score", [0, 0.5, 1])
MONTHS = Periods("seen", "month", "2026-01-15", "2026-03-01")
SHOPS = PrivateKeys("shop", Budget("0.2", "1e-7"))


@pytest.mark.parametrize("name", ["", "a\x00b", "lone \ud800", "a\u202eb", None, 3])
def test_a_dimension_has_a_column(name: Any) -> None:  # noqa: ANN401
    for make in (
        lambda: Keys(name, ["north"]),
        lambda: ScoreBins(name),
        lambda: Periods(name, "day", DAY, DAY),
        lambda: PrivateKeys(name, Budget(1, "1e-7")),
    ):
        with pytest.raises(InvalidInput, match="a column name must be text"):
            make()


# --- Keys -----------------------------------------------------------------------------


ODD = ["Ä", "\x01", "'; DROP TABLE x; --", ""]


@pytest.mark.parametrize(
    ("keys", "wanted", "kind"),
    [
        (("south", "north"), ("south", "north"), str),
        (iter(["b", "a"]), ("b", "a"), str),
        (ODD, tuple(ODD), str),
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


MIXED: list[Any] = [
    *(["a", 1], [1, True], [1.0], [b"a"], [("a",)], [["a"]], [DAY, "2026-01-31"]),
    *([dt.datetime(2026, 1, 31, tzinfo=dt.UTC)], [np.int64(1)], [None, 1, "a"]),
    *(pd.Series([1, None]), np.array([0.5])),
]


@pytest.mark.parametrize(
    ("keys", "rule"),
    [
        *((keys, "must be a list") for keys in ("no", b"no", 5, None)),
        ([], "at least one key"),
        *((keys, "must be all text") for keys in MIXED),
        (["a", "b", "a"], "is declared once, got 'a'"),
        ([None, 1, None], "is declared once, got None"),
        (["fine", "a\x00"], "without NUL"),
        (["fine", "\udfff"], "valid Unicode"),
        ([0, None, 2**63], "64 bits"),
        ([10**30], "64 bits"),
    ],
    ids=str,
)
def test_keys_are_of_one_plain_type_and_declared_once(keys: Any, rule: str) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=rule) as refused:
        Keys("region", keys)
    assert refused.value.field == "keys"


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_keys_that_were_found_may_be_none_at_all(name: str, kind: type) -> None:
    private = PrivateKeys("shop", Budget("0.2", "1e-7"), name)
    assert private.columns == ("shop",)
    empty = private.groups_of([])
    assert (empty.keys, empty.count, empty.columns) == ((), 0, ("shop",))
    assert empty.dimensions == (Keys("shop", [], kind=kind),)
    assert SHOPS.groups_of(["a", "b"]) == Groups("shop", ["a", "b"])


# --- Bins -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edges", "names"),
    [
        ([0, 0.25, 1], ("0 to 0.25", "0.25 to 1")),
        ((-1e9, 1e9), ("-1e+09 to 1e+09",)),
        (range(3), ("0 to 1", "1 to 2")),
        (np.linspace(0, 1, 3), ("0 to 0.5", "0.5 to 1")),
        ([10**6, 10**6 + 1], ("1000000.0 to 1000001.0",)),
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
    with pytest.raises(InvalidInput) as refused:
        ScoreBins("s", bins)
    assert refused.value.field == "bins"


@given(low=st.floats(-1e6, 1e6), width=st.floats(1e-3, 1e6), count=st.integers(1, 1000))
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
    with pytest.raises(InvalidInput, match="within the bounds") as refused:
        ScoreBins("s", edges).within(Bounds(0, 1))
    assert refused.value.field == "bins"


# --- Periods --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("every", "first", "last", "values"),
    [
        ("day", "2024-02-28", "2024-03-01", ["2024-02-28", "2024-02-29", "2024-03-01"]),
        ("day", "2025-02-28", "2025-03-01", ["2025-02-28", "2025-03-01"]),
        # 2020 has an ISO week 53, which ends on 3 January 2021.
        ("week", "2020-12-31", "2021-01-04", ["2020-12-28", "2021-01-04"]),
        ("week", "2021-01-03", "2021-01-03", ["2020-12-28"]),
        ("month", "2023-12-31", "2024-01-01", ["2023-12-01", "2024-01-01"]),
        ("month", "2026-01-31", "2026-01-01", ["2026-01-01"]),
        ("quarter", "2023-12-31", "2024-01-09", ["2023-10-01", "2024-01-01"]),
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
    ("terms", "field"),
    [
        (("year", DAY, DAY), None),
        ((None, DAY, DAY), None),
        (("day", NEXT, DAY), "first"),
        (("day", dt.datetime(2026, 1, 31), DAY), "first"),  # noqa: DTZ001
        *((("day", day, DAY), "first") for day in ("31.01.2026", "", 20260131, None)),
        *((("day", DAY, day), "last") for day in ("2026-02-30", "", 20260131, None)),
    ],
)
def test_periods_are_known_and_in_order(
    terms: tuple[Any, Any, Any], field: str | None
) -> None:
    with pytest.raises(InvalidInput) as refused:
        Periods("seen", *terms)
    assert refused.value.field == field


# --- Groups ---------------------------------------------------------------------------


def test_listed_groups_keep_their_order_and_types() -> None:
    keys: list[Any] = [("CA", 1, True), ("NY", 2, None), ("CA", 2, False)]
    groups = Groups(("state", "age", "flag"), keys)
    assert (groups.keys, groups.count) == (tuple(keys), 3)
    assert groups.columns == ("state", "age", "flag")
    assert groups.listed == ((0, 0, 0), (1, 1, 1), (0, 1, 2))
    assert Groups(["state", "age", "flag"], list(map(list, keys))) == groups  # type: ignore[arg-type]
    assert Groups(["state"], ["NY", ("CA",)]) == Groups("state", iter(["NY", "CA"]))
    assert (
        len({groups, Groups("a", ["x"]), Groups("a", ["y"]), Groups("b", ["y"])}) == 4
    )


def test_the_last_dimension_varies_fastest() -> None:
    groups = Groups.cross(SEX, BINS, MONTHS)
    assert groups.columns == ("sex", "score", "seen")
    assert (groups.count, len(groups.keys)) == (12, 12)
    assert groups.keys[2:4] == (
        ("f", "0 to 0.5", dt.date(2026, 3, 1)),
        ("f", "0.5 to 1", dt.date(2026, 1, 1)),
    )
    assert Groups.cross(BINS, SEX) != Groups.cross(SEX, BINS)
    assert Groups.cross(SEX) == Groups("sex", ["f", "m"])


def test_the_first_of_many_groups_are_known_without_a_list_of_all() -> None:
    hundred = [Keys(name, range(100)) for name in "abcd"]
    assert Groups.cross(*hundred).first_keys(2) == ((0, 0, 0, 0), (0, 0, 0, 1))
    listed = Groups(["a", "b"], [(1, 0), (0, 1)])
    for groups in (Groups.cross(SEX), Groups.cross(SEX, BINS), listed):
        for most in (0, 1, 99):
            assert groups.first_keys(most) == groups.keys[:most]


def test_bins_get_edges_where_their_column_has_bounds() -> None:
    groups = Groups.cross(SEX, ScoreBins("score", 2), ScoreBins("age", 4))
    settled = groups.within({"score": Bounds(0, 1), "other": Bounds(0, 2)})
    assert settled == Groups.cross(SEX, BINS, ScoreBins("age", 4))
    assert settled.within({"score": Bounds(0, 1)}) == settled


TWO: Any = ["state", "sex"]
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "keys of one": (lambda: Groups("a", 5), "keys"),  # type: ignore[arg-type]
    "keys of two": (lambda: Groups(TWO, "no"), "keys"),
    "no keys": (lambda: Groups(TWO, []), "keys"),
    "no columns": (lambda: Groups([], [("a",)]), "columns"),
    "a set": (lambda: Groups({"a"}, ["a"]), "columns"),  # type: ignore[arg-type]
    "short": (lambda: Groups(TWO, ["CA"]), "keys"),
    "long": (lambda: Groups(TWO, [("a", "b", 1)]), "keys"),
    "twice": (lambda: Groups(TWO, [("a", "f"), ("a", "m"), ("a", "f")]), "keys"),
    "one column twice": (lambda: Groups(["a", "a"], [("x", "y")]), "cross"),
    "crossed twice": (lambda: Groups.cross(SEX, ScoreBins("sex", 2)), "cross"),
    # Also where Python holds two keys to be equal.
    **{
        f"mixed {odd!r}": (
            lambda odd=odd: Groups(["a", "b"], [(odd, "x"), (True, "y")]),  # type: ignore[misc]
            "keys",
        )
        for odd in (1, 1.0, "1", ["a"], {"a": 1})
    },
    "nothing crossed": (Groups.cross, "cross"),
    "no dimension": (lambda: Groups.cross(SEX, ["a"]), "cross"),  # type: ignore[arg-type]
    "no budget": (lambda: PrivateKeys("shop", 0.2), "find"),  # type: ignore[arg-type]
    "no delta": (lambda: PrivateKeys("shop", Budget("0.2")), "find"),
}


@pytest.mark.parametrize(("make", "field"), REFUSED.values(), ids=REFUSED)
def test_groups_that_cannot_be_answered_are_refused(
    make: Callable[[], Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        make()
    assert refused.value.field == field


def test_groups_are_not_without_number_and_of_known_kinds() -> None:
    with pytest.raises(InvalidInput, match="too many groups"):
        Groups.cross(*(Keys(name, range(1000)) for name in "abc"))
    with pytest.raises(InvalidInput, match="unknown kind of key"):
        PrivateKeys("shop", Budget(1, "1e-7"), "Text")


def test_a_group_that_is_declared_twice_is_seen_in_one_pass() -> None:
    keys = [(str(number), 1) for number in range(50_000)]
    with pytest.raises(InvalidInput, match=r"declared once, got \('49999', 1\)"):
        Groups(["a", "b"], [*keys, keys[-1]])
