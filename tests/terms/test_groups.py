"""Cells are listed, crossed or found, each once and in the order given."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import KINDS, Groups, Keys, Periods, PrivateKeys, ScoreBins

SEX, BINS = Keys("sex", ["f", "m"]), ScoreBins("score", [0, 0.5, 1])
MONTHS = Periods("seen", "month", "2026-01-15", "2026-03-01")
GRID = Groups.cross(SEX, BINS)


def test_listed_cells_keep_their_order_and_types() -> None:
    cells: list[Any] = [("CA", 1, True), ("NY", 2, None), ("CA", 2, False)]
    groups = Groups(("state", "age", "flag"), cells)
    assert (groups.keys, groups.count) == (tuple(cells), 3)
    assert groups.columns == ("state", "age", "flag")
    assert groups.listed == ((0, 0, 0), (1, 1, 1), (0, 1, 2))
    as_lists: list[Any] = [list(cell) for cell in cells]
    assert Groups(["state", "age", "flag"], as_lists) == groups
    assert Groups(["state"], ["NY", ("CA",)]).keys == ("NY", "CA")


def test_the_last_dimension_varies_fastest() -> None:
    groups = Groups.cross(SEX, BINS, MONTHS)
    assert groups.columns == ("sex", "score", "seen")
    assert (groups.count, len(groups.keys)) == (12, 12)
    assert groups.keys[2:4] == (
        ("f", "0 to 0.5", dt.date(2026, 3, 1)),
        ("f", "0.5 to 1", dt.date(2026, 1, 1)),
    )
    assert Groups.cross(BINS, SEX) != GRID
    assert Groups.cross(SEX) == Groups("sex", ["f", "m"])


def test_some_combinations_are_kept() -> None:
    some = GRID.only([(1, 0), (0, 1)])
    assert (some.keys, some.count) == ((("m", "0 to 0.5"), ("f", "0.5 to 1")), 2)
    assert Groups("k", ["a", "b", "c"]).only([(2,), (0,)]).keys == ("c", "a")


def test_the_first_of_many_cells_are_known_without_a_list_of_all() -> None:
    hundred = [Keys(name, range(100)) for name in "abcd"]
    assert Groups.cross(*hundred).first_keys(2) == ((0, 0, 0, 0), (0, 0, 0, 1))
    for groups in (Groups.cross(SEX), GRID, GRID.only([(1, 0), (0, 1)])):
        for most in (0, 1, 99):
            assert groups.first_keys(most) == groups.keys[:most]


def test_groups_are_values() -> None:
    assert Groups("a", ["x"]) == Groups("a", iter(["x"]))
    assert len({Groups("a", ["x"]), Groups("a", ["y"]), Groups("b", ["x"])}) == 3
    with pytest.raises(AttributeError):
        Groups("a", ["x"]).listed = None  # type: ignore[misc]


TWO: Any = ["state", "sex"]
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "keys of one": (lambda: Groups("a", 5), "group keys must be a list"),  # type: ignore[arg-type]
    "keys of two": (lambda: Groups(TWO, "no"), "group keys must be a list"),
    "no keys": (lambda: Groups(TWO, []), "groups need at least one key"),
    "no columns": (lambda: Groups([], [("a",)]), "groups need a column name, or"),
    "a set": (lambda: Groups({"a"}, ["a"]), "groups need a column name, or"),  # type: ignore[arg-type]
    "short": (lambda: Groups(TWO, ["CA"]), "a cell of 2 columns needs as many keys"),
    "long": (lambda: Groups(TWO, [("a", "b", 1)]), "a cell of 2 columns needs as man"),
    "twice": (
        lambda: Groups(TWO, [("CA", "f"), ("CA", "m"), ("CA", "f")]),
        r"a group key is declared once, got \('CA', 'f'\)",
    ),
    "one column twice": (
        lambda: Groups(["a", "a"], [("x", "y")]),
        r"each dimension of groups has its own column, got \['a', 'a'\]",
    ),
    "crossed with itself": (
        lambda: Groups.cross(Keys("a", ["x"]), ScoreBins("a", 2)),
        "each dimension of groups has its own column",
    ),
    # Also where Python holds two keys to be equal.
    **{
        f"mixed {first!r}": (
            lambda first=first: Groups(["a", "b"], [(first, "x"), (True, "y")]),  # type: ignore[misc]
            "group keys must be all text",
        )
        for first in (1, 1.0, "1", ["a"], {"a": 1})
    },
    "nothing crossed": (Groups.cross, "groups are crossed from Keys, ScoreBins"),
    "no dimension": (
        lambda: Groups.cross(SEX, ["a"]),  # type: ignore[arg-type]
        "groups are crossed from Keys, ScoreBins",
    ),
    "too many": (
        lambda: Groups.cross(*(Keys(name, range(1000)) for name in "abc")),
        "there are too many cells, got 1000000000",
    ),
    "no cell": (lambda: GRID.only([]), "cells are listed once each"),
    "a cell twice": (lambda: GRID.only([(0, 0), (0, 0)]), "cells are listed once each"),
    **{
        f"cell {cell}": (
            lambda cell=cell: GRID.only([(0, 0), cell]),  # type: ignore[misc]
            "every cell names one key of each dimension",
        )
        for cell in ((0,), (0, 2), (-1, 0), (0, 0, 0))
    },
    "no bounds": (
        lambda: GRID.within({"sex": Bounds(0, 1)}),
        "a binned column needs bounds. Add bounds for 'score'",
    ),
    "no budget": (
        lambda: PrivateKeys("shop", 0.2),  # type: ignore[arg-type]
        "budget must be a Budget, got 0.2",
    ),
    "no delta": (
        lambda: PrivateKeys("shop", Budget("0.2")),
        "finding keys needs a delta above 0",
    ),
    "no kind": (
        lambda: PrivateKeys("shop", Budget(1, "1e-7"), "Text"),
        "unknown kind of key, got 'Text'",
    ),
    "no name": (
        lambda: PrivateKeys("", Budget(1, "1e-7")),
        "a column name must be text without",
    ),
}


@pytest.mark.parametrize(("make", "message"), REFUSED.values(), ids=REFUSED)
def test_groups_that_cannot_be_answered_are_refused(
    make: Callable[[], Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=f"^{message}"):
        make()


def test_a_cell_that_is_given_twice_is_found_in_one_pass() -> None:
    cells = [(str(number), 1) for number in range(50_000)]
    with pytest.raises(InvalidInput, match=r"declared once, got \('49999', 1\)"):
        Groups(["a", "b"], [*cells, cells[-1]])


def test_groups_settle_all_their_bins() -> None:
    groups = Groups.cross(SEX, ScoreBins("score", 2), MONTHS)
    settled = groups.within({"score": Bounds(0, 1), "other": Bounds(0, 2)})
    assert settled == Groups.cross(SEX, BINS, MONTHS)
    assert settled.within({"score": Bounds(0, 1)}) == settled
    some = GRID.only([(1, 1)])
    assert some.within({"score": Bounds(0, 1)}) == some


@pytest.mark.parametrize(("name", "kind"), KINDS.items())
def test_keys_that_were_found_are_groups(name: str, kind: type) -> None:
    asked = PrivateKeys("shop", Budget("0.2", "1e-7"), name)
    assert (asked.columns, asked.kind) == (("shop",), name)
    empty = Groups.found("shop", kind, [])
    assert (empty.keys, empty.count, empty.columns) == ((), 0, ("shop",))
    assert Groups.found("shop", str, ["a", "b"]) == Groups("shop", ["a", "b"])
