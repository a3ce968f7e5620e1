"""Asking a table: its exact sums, or how many units each key has."""

import numpy as np

from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.keys import can_be_declared, key_from
from dpratio.curator.reading.statement import KeyCount, Reading
from dpratio.curator.sql.query import keys_query, sums_query
from dpratio.curator.sql.table import Table
from dpratio.terms.groups import Key


def aggregate(table: Table, reading: Reading) -> list[ExactSums]:
    """Return the sums of the cells of every group, for each statement."""
    answer = table.ask(sums_query(table, reading))
    codes = np.asarray(answer["code"]).astype(np.int64)
    sums = []
    for number, statement in enumerate(reading.statements):
        cells = np.zeros((statement.cells, len(statement.sums)), dtype=object)
        for index in range(len(statement.sums)):
            totals = answer[f"sum{number}_{index}"]
            # Of no rows there is no total.
            cells[codes, index] = [int(total or 0) for total in totals]
        sums.append(ExactSums(cells))
    return sums


def count_keys(table: Table, asked: KeyCount) -> dict[Key, int]:
    """Return how many units have each key that a column holds: a secret."""
    answer = table.ask(keys_query(table, asked))
    texts = [bytes.fromhex(key).decode() for key in answer["key"]]
    return {
        key_from(text, asked.kind): int(units)
        for text, units in zip(texts, answer["units"], strict=True)
        if can_be_declared(text, asked.kind)
    }
