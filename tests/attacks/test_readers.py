"""Row 39: no cell stops a reader, whatever the type of its column and its role.

Each column is tried whole, with cells at all ends of its type: where all of them stop
nothing, none does.
"""

import contextlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.ends_of_types import TEXTS
from curator.frames_at_ends import arrow_columns, object_columns, relation_columns
from curator.parquet_at_ends import parquet_columns
from curator.plain_parquet import PlainColumn, write_plain_parquet
from curator.roles_at_ends import beside, outcome, roles_for
from curator.table_sources import invalid_text
from curator.tables_for_tests import as_lists
from dpratio.curator.measure import look_at_schema
from dpratio.errors import DpratioError
from dpratio.terms.source import CsvFile

Table = Any
BOTH = ("python", "auto")  # The specification, and what is read.
PARQUET, ARROW = parquet_columns(), arrow_columns()
OBJECTS, RELATIONS = object_columns(), relation_columns()


def kind_of_x(source: object) -> str:
    try:
        return look_at_schema(source)["x"].kind
    except DpratioError:
        return "other"


def require_no_stop(source: object, many: int, lists: object = None) -> int:
    """Every cell is read in every role as the specification does, or refused."""
    tried = 0
    for role in roles_for(kind_of_x(source)):
        found = outcome(source, role, many, "auto")
        if lists is not None and found[0] == "sums":
            assert found == outcome(lists, role, many, "python"), role
        tried += many
    return tried


@pytest.mark.parametrize("name", PARQUET)
def test_39_no_cell_of_a_parquet_file_stops_a_release(
    name: str, tmp_path: Path
) -> None:
    """Every physical under every logical type, with cells that no writer would write.

    Source: found by an independent attack on this code, 2026: a TIMESTAMP(MILLIS) of
    10^16 stopped a release that had been paid for.
    """
    column = PARQUET[name]
    many = len(column.cells)
    others = beside(many)
    columns = {
        "x": PlainColumn(column.physical, [*column.cells] * 2, column.terms),
        "score": PlainColumn("DOUBLE", others["score"]),
        "label": PlainColumn("DOUBLE", others["label"]),
        "at": PlainColumn("INT64", others["at"]),
        "half": PlainColumn("INT64", others["half"]),
    }
    write_plain_parquet(tmp_path / "rows.parquet", columns)
    path = str(tmp_path / "rows.parquet")
    lists = None
    with contextlib.suppress(OSError, ValueError):  # PyArrow stops at some of them.
        lists = as_lists(path)
    assert require_no_stop(path, many, lists) > 0


def arrow_table(name: str) -> Table:
    column = ARROW[name]
    twice = pa.chunked_array([column, column])
    return pa.table({"x": twice, **beside(len(column))})


@pytest.mark.parametrize("name", ARROW)
def test_39_no_cell_of_a_frame_stops_a_release(name: str) -> None:
    """Arrow, Polars, and pandas with columns of its own and of PyArrow's.

    Source: found by an independent attack on this code, 2026: a date32[pyarrow] beyond
    Python's years stopped a release that had been paid for.
    """
    table, many = arrow_table(name), len(ARROW[name])
    lists = as_lists(table)
    for make in (_itself, pl.from_arrow, _of_pyarrow, _of_numpy):
        frame = _made(make, table)
        if frame is not None:
            # Polars itself takes far seconds for other times.
            is_apart = make is pl.from_arrow and name.startswith("timestamp[s")
            own = as_lists(frame.to_arrow()) if is_apart else lists
            # Elsewhere truths and gaps are objects, and truths of a byte are numbers.
            is_other = name in {"bool", "bool8"} and kind_of_x(frame) != "boolean"
            require_no_stop(frame, many, None if is_other else own)


def _itself(table: Table) -> Table:
    return table


def _of_pyarrow(table: Table) -> Table:
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def _of_numpy(table: Table) -> Table:
    return table.to_pandas()


def _made(make: Callable[[Table], Table], table: Table) -> Table | None:
    """Make a frame of a table, where the frame can hold its cells."""
    try:
        return make(table)
    except BaseException as error:  # A panic of Polars is no Exception.
        if isinstance(error, KeyboardInterrupt):
            raise
        return None


@pytest.mark.parametrize("name", OBJECTS)
def test_39_no_python_value_stops_a_release(name: str) -> None:
    """Aware datetimes at the ends of the calendar, zones and numbers that raise.

    Source: found by an independent attack on this code, 2026: datetime.max in a zone
    west of UTC stopped a release that had been paid for.
    """
    cells = OBJECTS[name]
    many = len(cells)
    mapping = {"x": cells * 2, **beside(many)}
    for role in roles_for("any"):
        assert outcome(mapping, role, many, "auto")[0] == "sums", role
    column = np.empty(2 * many, dtype=object)
    for at, cell in enumerate(cells * 2):
        column[at] = cell
    frame = pd.DataFrame({**beside(many), "x": column})
    require_no_stop(frame, many)
    objects = pl.Series("x", cells * 2, dtype=pl.Object)
    require_no_stop(pl.DataFrame(beside(many)).with_columns(objects), many)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connected:
        yield connected


def relation_of(
    name: str, connection: duckdb.DuckDBPyConnection
) -> tuple[duckdb.DuckDBPyRelation, int]:
    cells = [*RELATIONS[name], "NULL"]
    others = beside(len(cells))
    rows = " UNION ALL ".join(
        f"SELECT {cell} AS x, 0.5::DOUBLE AS score, 1::DOUBLE AS label, "
        f"{others['at'][at]}::BIGINT AS at, {others['half'][at]}::BIGINT AS half"
        for at, cell in enumerate(cells * 2)
    )
    connection.execute(f"CREATE OR REPLACE TABLE ends AS {rows}")
    return connection.table("ends"), len(cells)


@pytest.mark.parametrize("name", RELATIONS)
def test_39_no_cell_of_a_relation_stops_a_release(
    name: str, connection: duckdb.DuckDBPyConnection
) -> None:
    """Every type of DuckDB; numbers count as they do in Python.

    Source: found by an independent attack on this code, 2026: a UHUGEINT id above 2^127
    stopped a release that had been paid for.
    """
    relation, many = relation_of(name, connection)
    kinds = ["integer", "number", "boolean", "text", "date", "other"]
    for role in dict.fromkeys(role for kind in kinds for role in roles_for(kind)):
        assert outcome(relation, role, many, "duckdb")[0] in {"sums", "refused"}
    if name.rstrip("(,0123456789)") in {"DECIMAL", "HUGEINT", "UHUGEINT", "BIGINT"}:
        cells = [None if row[0] is None else row[0] for row in relation.fetchall()]
        mapping = {"x": cells, **beside(many)}
        for role in ("numerator", "id", "whole key"):
            found = outcome(relation, role, many, "duckdb")
            plain = outcome(mapping, role, many, "python")
            assert found[0] == "refused" or found == plain, role


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/New_York"])
@pytest.mark.parametrize("name", ["TIMESTAMPTZ", "TIMESTAMPTZ_NS"])
def test_39_the_day_of_a_time_is_that_of_utc_in_every_session(
    name: str, zone: str
) -> None:
    """A cast gives the day of the session's zone; the integer since 1970 does not.

    Source: found by an independent attack on this code, 2026: days of TIMESTAMPTZ_NS
    went with the time zone of the session.
    """
    with duckdb.connect() as connected:
        connected.execute(f"SET TimeZone = '{zone}'")
        times = ["1969-12-31 23:59:59.999999+00", "1970-01-01 00:00:00+00"]
        cells = [f"('{time}')::{name}" for time in [*times, times[0]]]
        rows = " UNION ALL ".join(
            f"SELECT {cell} AS x, 0.5 AS score, 1.0 AS label" for cell in cells
        )
        sums = outcome(connected.sql(rows), "day", 3, "duckdb")[1]
        assert [row[0] >> 24 for row in sums] == [2, 1, 0]


@cache
def csv_cells() -> list[str]:
    bounds = [str(each) for bits in (64, 128) for each in (2**bits, -(2**bits))]
    times = ["9999-12-31T23:59:59-23:59", "0000-01-01", "2026-02-30", "2026-01-31 x"]
    return [*TEXTS, *bounds, *times, "1e400", "-1e400", "0x10", "1" * 5_000]


def test_39_no_cell_of_a_file_of_text_stops_a_release(tmp_path: Path) -> None:
    """Texts of numbers, days and ids that no type holds.

    Source: found by an independent attack on this code, 2026.
    """
    cells = [each.replace('"', '""') for each in csv_cells()]
    columns = {"x": cells * 2, **beside(len(cells))}
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(f'"{cell}"' for cell in row) for row in rows]
    path = tmp_path / "rows.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    file = CsvFile(path, columns=list(columns))
    for role in roles_for("any"):
        found = [
            outcome(file, role, len(cells), engine) for engine in ("python", "auto")
        ]
        assert found[0] == found[1], role


def test_39_broken_text_is_missing_in_whatever_file_and_piece_it_stands(
    tmp_path: Path,
) -> None:
    """Text is read twice where it stops DuckDB: rows must not be mixed up.

    Source: found by an independent attack on this code, 2026.
    """
    many = 8_000
    for file in ("1.parquet", "2.parquet", "3.parquet"):
        texts = [("a", "b", None, "é?")[at % 4] for at in range(many)]
        table = pa.table({"x": texts, **beside(many // 2)})
        pq.write_table(table, tmp_path / file, row_group_size=500, compression="none")
    stored = (tmp_path / "2.parquet").read_bytes()
    (tmp_path / "2.parquet").write_bytes(stored.replace("é?".encode(), b"\xff\xff?"))
    pattern = str(tmp_path / "*.parquet")
    for role in ("text key", "id", "found text"):
        found = [
            outcome(pattern, role, many // 2, engine) for engine in ("python", "auto")
        ]
        assert found[0] == found[1], role


def test_39_a_day_before_broken_text_is_none_in_every_engine() -> None:
    """Half a character behind a day: the row counts in no engine, or in each.

    Source: found while ISO dates in text columns of frames were made to count, 2026:
    the expressions of DuckDB take a surrogate for a character.
    """
    tails = (b"", b" \xff", b" \xed\xa0\x80", b" \xc0\x80", b"T\xf0\x9f", b"\xff")
    cells = invalid_text(*(b"1970-01-01" + tail for tail in tails * 2))
    table = pa.table({"x": cells, **beside(len(tails))})
    for role in ("day", "day key", "found date"):
        found = [
            outcome(table, role, len(tails), engine) for engine in ("python", "auto")
        ]
        assert found[0] == found[1], role
