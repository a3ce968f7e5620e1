"""The engine for databases and clusters: one Ibis expression, run where the data are.

Cells are kept as whole doubles, as in `curator/duckdb`; where their sums could reach
2^53 they are taken again in pieces of 64-bit integers. The integers are the same.
"""

import numpy as np

from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.keys import can_be_declared, key_from
from dpratio.curator.reading.statement import KeyCount, Reading
from dpratio.curator.reading.whole_doubles import are_exact
from dpratio.curator.warehouse.numbers import PIECE, PIECES
from dpratio.curator.warehouse.sums import group_sums
from dpratio.curator.warehouse.tables import WarehouseTable
from dpratio.curator.warehouse.units import counted_keys
from dpratio.terms.groups import Key


def aggregate(table: WarehouseTable, reading: Reading) -> list[ExactSums]:
    """Add up the cells of every group, for each statement."""
    statements = list(enumerate(reading.statements))
    found = table.fetch(group_sums(table.dialect, table.rows, reading, in_doubles=True))
    is_exact = all(
        are_exact(found[f"rows{nth}"], found.get(f"unit_rows{nth}", [0]), each)
        for nth, each in statements
    )
    if not is_exact:
        found = table.fetch(
            group_sums(table.dialect, table.rows, reading, in_doubles=False)
        )
    sums = []
    for nth, each in statements:
        cells = np.zeros((each.cells, len(each.sums)), dtype=object)
        for at in range(len(each.sums)):
            name = f"sum{nth}_{at}"
            totals = found[name] if is_exact else _joined(found, name)
            for code, total in zip(found.get("code", [0]), totals, strict=True):
                # A group may arrive in several rows: the days of a week.
                cells[code, at] += int(total)
        sums.append(ExactSums(cells))
    return sums


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
