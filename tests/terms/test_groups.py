"""Cells of several columns are listed or crossed, each once and in the order given."""

import datetime as dt
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.dimensions import Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups

SEX, BINS = Keys("sex", ["f", "m"]), ScoreBins("score", [0, 0.5, 1])
MONTHS = Periods("seen", "month", "2026-01-15", "2026-03-01")


@pytest.mark.parametrize("columns", [["region"], ["region", "sex"]], ids=len)
@pytest.mark.parametrize("keys", ["no", b"no", 5, None])
def test_the_keys_of_several_columns_are_a_list_too(
    columns: list[str],
    keys: Any,  # noqa: ANN401
) -> None:
    with pytest.raises(InvalidInput):
        Groups(columns, keys)


# Listed cells.


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
    with pytest.raises(InvalidInput, match=r"every cell names|cells are listed"):
        Groups.cross(SEX, BINS).only(cells)


def test_a_place_is_named_once() -> None:
    with pytest.raises(InvalidInput, match=r"^cells are listed once each"):
        Groups.cross(SEX, BINS).only([(0, 0), (0, 0)])


def test_groups_are_values() -> None:
    assert Groups("a", ["x"]) == Groups("a", iter(["x"]))
    assert Groups("a", ["x"]) != Groups("a", ["y"])
    assert Groups("a", ["x"]) != Groups("b", ["x"])
    assert len({Groups("a", ["x"]), Groups("a", ["x"]), Groups("a", ["y"])}) == 2
    with pytest.raises(AttributeError):
        Groups("a", ["x"]).listed = None  # type: ignore[misc]


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
