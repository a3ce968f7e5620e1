"""The engine for databases and clusters: one Ibis expression, run where the data are.

Cells are kept as whole doubles, as in `curator/duckdb`; where their sums could reach
2^53 they are taken again in pieces of 64-bit integers. The integers are the same.
"""

import numpy as np

from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.keys import can_be_declared, key_from
from dpratio.curator.reading.statement import KeyCount, Statement
from dpratio.curator.reading.whole_doubles import are_exact
from dpratio.curator.warehouse.numbers import PIECE, PIECES
from dpratio.curator.warehouse.sums import group_sums
from dpratio.curator.warehouse.tables import WarehouseTable
from dpratio.curator.warehouse.units import counted_keys
from dpratio.terms.dimensions import Key

__all__ = ["aggregate", "count_keys"]


def aggregate(table: WarehouseTable, statement: Statement) -> ExactSums:
    """Add up the cells of every group."""
    names = [f"sum{at}" for at in range(len(statement.sums))]
    found = table.fetch(
        group_sums(table.dialect, table.rows, statement, in_doubles=True)
    )
    sums = {name: found[name] for name in names}
    if not are_exact(found["rows"], found.get("unit_rows", [0]), statement):
        found = table.fetch(
            group_sums(table.dialect, table.rows, statement, in_doubles=False)
        )
        sums = {name: _joined(found, name) for name in names}
    cells = np.zeros((statement.cells, len(names)), dtype=object)
    codes = found.get("code", [0])
    for index, name in enumerate(names):
        added: dict[int, int] = {}
        for code, total in zip(codes, sums[name], strict=True):
            # A group may arrive in several rows: the days of a period.
            added[code] = added.get(code, 0) + int(total)
        for code, total in added.items():
            cells[code, index] = total
    return ExactSums(cells)


def count_keys(table: WarehouseTable, asked: KeyCount) -> dict[Key, int]:
    """Count the units of every key that a column holds."""
    found = table.fetch(counted_keys(table.dialect, table.rows, asked))
    texts = [bytes.fromhex(key).decode() for key in found["key"]]
    return {
        key_from(text, asked.kind): int(count)
        for text, count in zip(texts, found["units"], strict=True)
        if can_be_declared(text, asked.kind)
    }


def _joined(found: dict[str, list[int]], name: str) -> list[int]:
    """Put the sums of pieces together, exactly."""
    pieces = [found[f"{name}_{at}"] for at in range(PIECES)]
    return [
        sum(int(piece) * int(PIECE) ** at for at, piece in enumerate(row))
        for row in zip(*pieces, strict=True)
    ]
