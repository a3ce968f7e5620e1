"""Rows 3 to 6: sums that depend on order, rounding, width or precision of numbers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import psycopg
import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, given_to, sums_by
from curator.people_for_tests import people
from curator.postgres_host import Postgres
from curator.table_sources import READABLE, SOURCES
from curator.tables_for_tests import exact, plan_of
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading.exact import LARGEST_SUM, ExactSums
from dpratio.curator.reading.statement import CellSum, Statement
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Keys

CHANCE = np.random.default_rng(3)


def numbers_of_every_size(many: int) -> pa.Table:
    """Rows whose sum in floats depends on their order."""
    return pa.table(
        {
            "score": CHANCE.normal(0, 1, many) * 10.0 ** CHANCE.integers(-9, 3, many),
            "label": CHANCE.random(many),
            "weight": CHANCE.exponential(1, many),
            "region": CHANCE.choice(np.array(["north", "south", "west"]), many),
        }
    )


def shuffled(table: pa.Table) -> pa.Table:
    return table.take(pa.array(CHANCE.permutation(table.num_rows)))


def test_03_order_of_rows_threads_and_engine_do_not_change_an_integer() -> None:
    """Rows in any order, on 1 to 8 threads and in every engine, add up the same.

    Source: Casacuberta, Shoemate, Vadhan & Wagaman (2022), Widespread underestimation
    of sensitivity in differentially private libraries and how to fix it.
    More: tests/curator/test_engines_agree.py
    """
    bounds = (Bounds(-0.7, 1.9), Bounds(0, 0.9), Bounds(1 / 3, 3))
    plan, table = plan_of(*bounds, keys=["south", "north"]), numbers_of_every_size(9000)
    expected = sums_by("python", table, plan)
    for engine in ENGINES:
        assert sums_by(engine, shuffled(table), plan) == expected, engine
    many = 20  # Copies: enough rows for DuckDB to share them out.
    long = [[many * cell for cell in row] for row in expected]
    copies = shuffled(pa.concat_tables([table] * many))
    with closing(duckdb.connect()) as connection:
        connection.register("given", copies)
        connection.execute("CREATE TABLE rows AS FROM given")
        for threads in range(1, 9):
            connection.execute(f"SET threads = {threads}")
            assert exact(connection.table("rows"), plan, "duckdb") == long, threads


def test_03_order_of_rows_does_not_choose_the_groups_of_a_person() -> None:
    """Of a person's groups the same are kept, whichever rows come first.

    Source: opendp/opendp issue 357, Formalize treatment of data ordering.
    More: tests/curator/test_units.py
    """
    many = 300
    table = pa.table(
        {
            "score": CHANCE.random(many),
            "label": CHANCE.random(many),
            "weight": np.ones(many),
            "region": CHANCE.choice(np.array(["a", "b", "c", "d"]), many),
            "id": [f"person {at % 40}" for at in range(many)],
        }
    )
    plan = people(most_groups=2)
    expected = sums_by("python", table, plan)
    for engine in ENGINES:
        assert sums_by(engine, shuffled(table), plan) == expected, engine


def counted(
    engine: str, cells: Mapping[str, Sequence[float]], step: float
) -> dict[str, int]:
    """Add up numbers between -1 and 1, by key, on a lattice of one's choice.

    The lattice of a plan has 2^24 cells to a bound, so that sums beyond 53 or 64 bits
    need tables of millions of rows; on a finer one a few rows do. Another sum comes
    first, to which no row adds anything.
    """
    statement = Statement(
        factor_columns={"s": "x", "y": "nothing"},
        factor_bounds={"s": Bounds(-1, 1), "y": Bounds(-1, 1)},
        dimensions=(Keys("g", list(cells)),),
        listed=None,
        unit=None,
        sums=tuple(CellSum((letter,), step, round(1 / step)) for letter in "ys"),
    )
    numbers = [x for each in cells.values() for x in each]
    table = pa.table(
        {
            "x": pa.array(numbers, pa.float64()),
            "nothing": [0.0] * len(numbers),
            "g": [key for key, each in cells.items() for _ in each],
        }
    )
    nothing = np.zeros((len(cells), 2), dtype=np.int64)
    found = open_table(given_to(engine, table), statement, "auto")().plus(nothing)
    assert not found[:, 0].any()
    return dict(zip(cells, found[:, 1].tolist(), strict=True))


@pytest.mark.parametrize("engine", ENGINES)
def test_04_rounding_thousands_of_times_moves_no_sum(engine: str) -> None:
    """Of a long run a row at the bound moves the sum by its own cells, and no more.

    In doubles every one of 2,000 rows of three cells is rounded to four of them behind
    four rows at the bound, and not behind three.

    Source: Casacuberta, Shoemate, Vadhan & Wagaman (2022), Widespread underestimation
    of sensitivity in differentially private libraries and how to fix it (the repeated
    rounding attack). More: tests/curator/test_engines_agree.py
    """
    step, many = 2.0**-52, 2_000
    run = [3 * step] * many
    found = counted(engine, {"four": [1.0] * 4 + run, "three": [1.0] * 3 + run}, step)
    assert found["four"] == 4 * 2**52 + 3 * many
    assert found["four"] - found["three"] == 2**52


@pytest.mark.parametrize("engine", ENGINES)
def test_05_sums_beyond_64_bits_neither_wrap_nor_stop_the_engine(engine: str) -> None:
    """Rows at the bound add up to 62 bits and stay there, each within its own cells.

    Source: Casacuberta, Shoemate, Vadhan & Wagaman (2022), Widespread underestimation
    of sensitivity in differentially private libraries and how to fix it (overflow).
    More: tests/curator/test_engines_agree.py
    """
    row = 2**60
    for sign in (1, -1):
        runs = {f"{many:02}": [float(sign)] * many for many in range(13)}
        found = [sign * each for each in counted(engine, runs, 1 / row).values()]
        assert found == [min(many * row, LARGEST_SUM) for many in range(13)]
        assert all(0 <= more - less <= row for less, more in pairwise(found))


def test_05_the_largest_sum_leaves_room_for_the_largest_noise() -> None:
    """However large a sum, noise of up to 2^56 cells on it stays within 64 bits.

    Source: google/differential-privacy pull request 411, int64 overflow in Laplace
    noise. More: tests/curator/reading/test_exact.py
    """
    ends = np.array([[2**63 - 1], [-(2**63)]])
    noise = np.array([[2**56], [-(2**56)]])
    released = [int(each) for each in ExactSums(ends).plus(noise)[:, 0]]
    assert released == [LARGEST_SUM + 2**56, -LARGEST_SUM - 2**56]


SINGLE = [0.1, 0.3, 1 / 3, 0.7, 0.9, 1e30, 3.4e38]


SINGLES = pa.table(
    {"score": pa.array(SINGLE, pa.float32()), "label": [1.0] * len(SINGLE)}
)


def singles(folder: Path) -> Iterator[tuple[Any, str]]:
    """Hand numbers of single precision over in every way that can hold them."""
    ones = [1.0] * len(SINGLE)
    yield {"score": [np.float32(each) for each in SINGLE], "label": ones}, "duckdb"
    for source, engine in READABLE:
        yield SOURCES[source](SINGLES, folder), engine


def plan_of_singles(reach: float) -> tuple[Plan, list[list[int]]]:
    """A plan for them, and the sums of the doubles that they are."""
    plan = plan_of(Bounds(0, reach), Bounds(0, 1))
    doubles = [min(float(np.float32(each)), reach) for each in SINGLE]
    powers = {"w": 0, "wy": 0, "ws": 1, "wyy": 0, "wss": 2, "wys": 1}
    return plan, [
        [
            sum(
                math.floor(x ** powers[each.summand.name] / each.step + 0.5)
                for x in doubles
            )
            for each in plan.measurements[0].sums
        ]
    ]


@pytest.mark.parametrize("reach", [1.0, 0.1, 2.0**100])
def test_06_single_precision_is_widened_before_it_is_clipped_and_counted(
    reach: float, tmp_path: Path
) -> None:
    """A number of 32 bits counts as the double that it is, and so do its products.

    Source: opendp/opendp issue 2941, A Polars cast to Float32 is interpreted as an
    AtomDomain<f64>, leading to overflows and imprecisions.
    More: tests/curator/test_engines_agree.py
    """
    plan, expected = plan_of_singles(reach)
    for source, engine in singles(tmp_path):
        assert exact(source, plan, engine) == expected, (type(source), engine)


def test_06_single_precision_of_a_server_is_widened(postgres_server: str) -> None:
    """The same of PostgreSQL, whose columns of 32 bits compute with 32 bits.

    Source: the same issue; found again when DuckDB left the Ibis engine, 2026.
    """
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        postgres = Postgres(postgres_server, connection)
        for reach in (1.0, 0.1, 2.0**100):
            plan, expected = plan_of_singles(reach)
            assert exact(postgres.table(SINGLES), plan, "ibis") == expected, reach
