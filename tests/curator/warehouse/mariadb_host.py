"""MariaDB as a host of the suite: tables are read by their address.

It holds no NaN, no endless number and no day off its calendar: such cells are missing.
"""

import uuid
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from curator.warehouse.hosts import quoted, times
from dpratio.terms.database import DatabaseTable
from mariadb_server import told

__all__ = ["MariaDb"]

Table = Any


@dataclass
class MariaDb:
    """A table of a real MariaDB server, by its address."""

    url: str
    name: str = "mariadb"
    pace: float = 1.0
    holds_unsigned: bool = True

    @classmethod
    def on(cls, server: str) -> "MariaDb":
        """A database of its own on a server."""
        name = f"hosted_{uuid.uuid4().hex}"
        told(server, f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        return cls(f"{server}/{name}")

    def table(self, rows: Table) -> Table:
        columns = {each.name: _mariadb_type(each.type) for each in rows.schema}
        cells = [_mariadb_cells(rows[name]) for name in columns]
        return self.cells(columns, zip(*cells, strict=True))

    def cells(self, columns: dict[str, str], rows: Any) -> Table:  # noqa: ANN401
        """Load rows of any cells into declared columns, as far as they fit."""
        declared = ", ".join(
            f"{quoted(name, '`')} {type_}" for name, type_ in columns.items()
        )
        marks = ", ".join(["%s"] * len(columns))
        told(
            self.url,
            "SET sql_mode = 'ALLOW_INVALID_DATES,NO_AUTO_VALUE_ON_ZERO'",
            f"CREATE OR REPLACE TABLE all_rows ({declared})",
            f"INSERT IGNORE all_rows VALUES ({marks})",  # noqa: S608
            rows=list(rows),
        )
        return DatabaseTable(self.url, table="all_rows")


def _mariadb_type(kind: Any) -> str:  # noqa: ANN401
    tests = pa.types
    if tests.is_decimal(kind):
        return f"decimal({kind.precision}, {kind.scale})"
    if tests.is_timestamp(kind):
        return "datetime(6)"
    if tests.is_date(kind):
        return "date"
    if tests.is_integer(kind):
        whole = {8: "tinyint", 16: "smallint", 32: "int", 64: "bigint"}[kind.bit_width]
        return whole + (" unsigned" if tests.is_unsigned_integer(kind) else "")
    names = {
        pa.bool_(): "boolean",
        pa.float32(): "float",
        pa.float64(): "double",
    }
    return names.get(kind, "text")


def _mariadb_cells(column: Any) -> list[Any]:  # noqa: ANN401
    kind = column.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return [_mariadb_time(cell) for cell in times(column)]
    cells = column.to_pylist()
    if pa.types.is_floating(kind):
        # No number there is NaN or infinite.
        return [None if cell is None or cell - cell != 0 else cell for cell in cells]
    return list(cells)


def _mariadb_time(cell: Any) -> str | None:  # noqa: ANN401
    if cell is None:
        return None
    year = int(cell.astype("datetime64[Y]").astype(int)) + 1970
    if np.datetime_data(cell.dtype)[0] == "ns":  # Numpy overflows at the first ones.
        cell = np.datetime64(int(cell.astype(np.int64)) // 1_000, "us")
    return str(cell).replace("T", " ") if 0 < year < 10_000 else None
