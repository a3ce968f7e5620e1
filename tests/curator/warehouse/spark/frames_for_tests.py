"""Hostile tables as Spark frames, and the integers they must give."""

from decimal import Decimal
from typing import Any
from unittest.mock import patch

import pyarrow as pa

from curator.hostile_tables import HOSTILE_NUMBERS
from curator.tables_for_tests import exact, reading_of
from dpratio.curator.sql import spark_frames
from dpratio.curator.sql.query import sums_query
from dpratio.plan.plan import Plan

__all__ = [
    "Frame",
    "Session",
    "Table",
    "frame_of",
    "hostile",
    "query_over",
    "require_same",
]

Frame = Any
Session = Any
Table = Any


def frame_of(session: Session, table: Table) -> Frame:
    """The same rows as a frame; Spark has no unsigned numbers and no dictionaries."""
    columns = []
    for column in table.columns:
        kind = column.type
        if pa.types.is_unsigned_integer(kind):
            column = column.cast(pa.decimal128(20, 0))  # noqa: PLW2901
        elif pa.types.is_dictionary(kind) or pa.types.is_large_string(kind):
            column = column.cast(pa.string())  # noqa: PLW2901
        columns.append(column)
    return session.createDataFrame(pa.table(columns, names=table.column_names))


def query_over(frame: Frame, plan: Plan) -> Frame:
    """The query of a plan as a frame of our session, before it runs."""

    def read(rows: Frame, view: str, query: str) -> Frame:
        rows.createOrReplaceTempView(view)
        return rows.sparkSession.sql(query)

    table = spark_frames.open_spark(frame)
    with patch.object(spark_frames, "_ask", read):
        return table.ask(sums_query(table, reading_of(plan)))


def require_same(
    frame: object, table: Table, plan: Plan, *, question: int = 0
) -> list[list[int]]:
    """The cluster gives the integers of the specification."""
    expected = exact(table, plan, "python", question=question)
    assert exact(frame, plan, "auto", question=question) == expected
    return expected


def _whole(bits: int) -> list[Any]:
    return [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1, -1, None, 0, 1, 1]


_FINE = Decimal("0.1234567890123456789012345678901234567")
_WIDE = Decimal("9" * 38)
_CELLS: dict[str, tuple[Any, list[Any]]] = {
    "double": (pa.float64(), [*HOSTILE_NUMBERS, None, 0.3, -2.5, 1.0, 0.25]),
    "float": (
        pa.float32(),
        [0.1, 1e-45, 3.4e38, float("nan"), float("-inf"), None, 0.5, 1],
    ),
    "tinyint": (pa.int8(), _whole(8)),
    "smallint": (pa.int16(), _whole(16)),
    "int": (pa.int32(), _whole(32)),
    "bigint": (pa.int64(), [2**53 + 1, *_whole(64)]),
    "fine": (
        pa.decimal128(38, 38),
        [_FINE.copy_negate(), Decimal("1e-38"), None, _FINE, _FINE],
    ),
    "wide": (
        pa.decimal128(38, 0),
        [_WIDE, _WIDE.copy_negate(), None, Decimal(2**53 + 1), 3],
    ),
    "boolean": (pa.bool_(), [False, None, True, True]),
}


def hostile(types: list[str], names: list[str]) -> Table:
    """Rows that hold, one at a time, whatever each of these types can hold."""
    rows = []
    for at, kind in enumerate(types):
        for cell in _CELLS[kind][1]:
            row: list[Any] = [_CELLS[each][1][-2] for each in types]
            row[at] = cell
            rows.append(row)
    columns = zip(*rows, strict=True)
    arrays = [
        pa.array(column, _CELLS[kind][0])
        for kind, column in zip(types, columns, strict=True)
    ]
    return pa.table(arrays, names=names)
