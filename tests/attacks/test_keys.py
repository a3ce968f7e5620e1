"""Rows 11 to 13: which keys are answered, and in which order."""

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, released_by, sums_by
from curator.groups_for_tests import counts, rows_of
from curator.tables_for_tests import plan_of, shape_of
from dpratio.curator.release_sums import release_sums
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.unit import PrivacyUnit

Table = Any


@pytest.mark.parametrize("engine", ENGINES)
def test_11_a_key_that_only_one_row_has_does_not_change_the_keys(engine: str) -> None:
    """An undeclared key adds no key to the answer and nothing to any sum.

    Source: Korolova, Kenthapadi, Mishra & Ntoulas (2009), Releasing search queries and
    clicks privately. More: tests/curator/test_groups_agree.py
    """
    plan = plan_of(keys=["b", "a"])
    table = rows_of(region=["someone", "a", "b", "a"])
    for each in (table, table.slice(1)):
        release = released_by(engine, each, plan)
        assert release.questions[0].keys == ("b", "a")
        assert shape_of(release) == (2, 5)
    assert sums_by(engine, table.slice(1), plan) == sums_by(engine, table, plan)


def private_keys(*, with_ids: bool) -> Plan:
    """Find keys; one that a single unit holds is named once in 10^12 releases."""
    totals = {"score": Bounds(0, 1), "label": Bounds(0, 1)}
    unit = PrivacyUnit("id", totals=totals) if with_ids else None
    keys = PrivateKeys("region", Budget("0.5", "1e-12"))
    return plan_of(groups=keys, unit=unit)


def crowd(first: list[str]) -> Table:
    """Some rows of one person, and then 300 people in each of three regions."""
    region = [*first, *(["west", "east", "north"] * 300)]
    ids = ["ann"] * len(first) + [f"person {at}" for at in range(900)]
    return rows_of(region=region, id=ids)


@pytest.mark.parametrize("engine", ENGINES)
def test_11_a_key_that_only_one_person_has_is_not_found(engine: str) -> None:
    """A key of one unit is never named, however many rows that unit has with it.

    Source: Korolova, Kenthapadi, Mishra & Ntoulas (2009), Releasing search queries and
    clicks privately. More: tests/curator/noise/test_select_keys.py
    """
    cases = [(crowd(["someone"]), False), (crowd(["someone"] * 500), True)]
    for table, with_ids in cases:
        [question] = released_by(
            engine, table, private_keys(with_ids=with_ids)
        ).questions
        assert question.keys == ("east", "north", "west")


@pytest.mark.parametrize("engine", ENGINES)
def test_12_a_declared_key_without_rows_is_a_noisy_zero(engine: str) -> None:
    """Of 300 declared keys one has rows; the others get noise around zero, all of them.

    Noise of a scale of 2^26 cells is exactly zero once in 10^8 draws, so that five of
    1,495 are once in 10^24 runs; its mean size is within 19 of its standard errors.

    Source: opendp/opendp issue 1964, Polars: support grouping by explicit key sets.
    More: tests/curator/test_release_sums.py
    """
    keys = [f"key {at}" for at in range(300)]
    plan = plan_of(keys=keys)
    table = rows_of(region=["key 7"] * 3)
    release = released_by(engine, table, plan)
    assert release.questions[0].keys == tuple(keys)
    assert shape_of(release) == (300, 5)
    empty = np.delete(release.questions[0].values, 7, axis=0)
    assert np.count_nonzero(empty == 0) < 5
    size = np.abs(empty) / np.array([each.scale for each in plan.measurements[0].sums])
    assert 0.5 < size.mean() < 1.5
    assert size.max() < 60
    exact = sums_by(engine, table, plan)
    assert not any(any(row) for at, row in enumerate(exact) if at != 7)


DECLARED = ["south", "north", "west", "east"]
CELLS = ["west", "east", "west", "south"]

# One row more, and first: categories get other codes.
CODED: dict[str, tuple[str, Callable[[list[str]], object]]] = {
    "categories of pandas": (
        "duckdb",
        lambda cells: pd.DataFrame(
            {"score": 0.5, "label": 1, "region": pd.Categorical(cells)}
        ),
    ),
    "categories of Polars": (
        "duckdb",
        lambda cells: pl.DataFrame(
            {"score": 0.5, "label": 1, "region": pl.Series(cells, dtype=pl.Categorical)}
        ),
    ),
    "an enumeration of Polars": (
        "duckdb",
        lambda cells: pl.DataFrame(
            {
                "score": 0.5,
                "label": 1,
                "region": pl.Series(cells, dtype=pl.Enum(list(dict.fromkeys(cells)))),
            }
        ),
    ),
    "a dictionary of Arrow": (
        "duckdb",
        lambda cells: rows_of(region=pa.array(cells).dictionary_encode()),
    ),
    "an enumeration of DuckDB": (
        "duckdb",
        lambda cells: duckdb.connect().from_df(
            pd.DataFrame({"score": 0.5, "label": 1, "region": pd.Categorical(cells)})
        ),
    ),
}


@pytest.mark.parametrize("kind", CODED)
def test_13_a_row_added_first_leaves_categories_in_declared_order(kind: str) -> None:
    """Codes of categories that follow the order of rows do not order the answer.

    Source: opendp/opendp issue 2944, Polars' cut().to_physical() isn't a row-by-row
    transformation. More: tests/curator/test_groups_agree_keys.py
    """
    engine, made = CODED[kind]
    plan = plan_of(keys=DECLARED)
    assert counts(made(CELLS), plan, engine) == [1, 0, 2, 1]
    assert counts(made(["north", *CELLS]), plan, engine) == [1, 1, 2, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_13_a_row_added_first_leaves_the_order_of_the_answer(engine: str) -> None:
    """Declared keys stay in declared order, found ones in their own, in any engine.

    Source: opendp/opendp issue 1826, Polars: shuffle OnceFrame output.
    More: tests/curator/noise/test_select_keys.py
    """
    plan = plan_of(keys=DECLARED)
    for first, expected in ([], [1, 0, 2, 1]), (["north"], [1, 1, 2, 1]):
        table = rows_of(region=[*first, *CELLS])
        assert released_by(engine, table, plan).questions[0].keys == tuple(DECLARED)
        found = sums_by(engine, table, plan)
        assert [row[0] // 2**24 for row in found] == expected
    for table in (crowd([]), crowd(["north", "east"])):
        [question] = released_by(engine, table, private_keys(with_ids=False)).questions
        assert question.keys == ("east", "north", "west")


def test_13_found_whole_numbers_are_ordered_by_their_size() -> None:
    """Keys that are found come in an order of their own, numbers by size.

    Source: opendp/opendp issue 2185, use maintain_order on privatization joins to
    conceal row ordering. More: tests/curator/noise/test_select_keys.py
    """
    keys = PrivateKeys("region", Budget("0.5", "1e-12"), kind="integer")
    table = rows_of(region=[10, -3, 9] * 300)
    [question] = release_sums(table, plan_of(groups=keys), ledger=None).questions
    assert question.keys == (-3, 9, 10)
