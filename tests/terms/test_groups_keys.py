"""The keys of a column are declared: of one plain type, each once, in order."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import KINDS, Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys

BAD_NAMES = ["", "a\x00b", "lone \ud800", None, 3, b"score"]
DAY = dt.date(2026, 1, 31)


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
    with pytest.raises(
        InvalidInput, match=r"^a column name must be text without control"
    ):
        Keys(name, ["north"])
    with pytest.raises(
        InvalidInput, match=r"^a column name must be text without control"
    ):
        ScoreBins(name)
    with pytest.raises(
        InvalidInput, match=r"^a column name must be text without control"
    ):
        Periods(name, "day", DAY, DAY)
    with pytest.raises(
        InvalidInput, match=r"^a column name must be text without control"
    ):
        PrivateKeys(name, Budget(1, "1e-7"))
    with pytest.raises(InvalidInput, match=r"^(a column name|groups need a column)"):
        Groups(name, ["north"])
    with pytest.raises(
        InvalidInput, match=r"^a column name must be text without control"
    ):
        Groups(["a", name], [("north", "x")])


@pytest.mark.parametrize("keys", ["north", b"north", 5, None])
def test_keys_are_a_list(keys: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^group keys must be a list, .*'south'\]"):
        Groups("region", keys)


def test_at_least_one_key_is_declared() -> None:
    with pytest.raises(InvalidInput, match=r"^groups need at least one key"):
        Groups("region", [])
    with pytest.raises(InvalidInput, match=r"^groups need at least one key"):
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


def test_days_of_an_array_are_days_whatever_its_unit() -> None:
    days = np.array(["2026-01-31", "2026-02-01"], dtype="datetime64[D]")
    times = days.astype("datetime64[ns]")
    for each in (days, times, pd.Series(times)):
        keys = Groups("seen", each).keys
        assert keys == (dt.date(2026, 1, 31), dt.date(2026, 2, 1))
