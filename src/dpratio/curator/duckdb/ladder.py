"""Histograms in DuckDB's SQL: every number is placed while it is counted.

DuckDB's own histogram looks for a number among rising limits, each of which belongs to
the cell below it. That is faster than comparisons written in SQL, and than grouping.
"""

import math
import sys

from dpratio.curator.duckdb.numbers import double
from dpratio.plan.ladder import Ladder


def count_on(ladder: Ladder, rows: str, *, has_ids: bool) -> str:
    """Count the s of rows, or of people, on a ladder, as `Ladder.place` places it.

    Gives one line for each cell: its code, and how many are there.
    """
    last = ladder.place(None)
    counts = "histogram(s0, [" + ", ".join(map(double, _largest(ladder))) + "])"
    found = [f"map_values({counts}) AS found", "count(*) - count(s0) AS missing"]
    told = ["code"]
    if has_ids:
        found.append("max(n_rows0) AS unit_rows0")
        told.append("unit_rows0")
    # Of no numbers there is no list.
    count = (
        f"CASE WHEN code < {last} THEN coalesce(found[code + 1], 0) ELSE missing END"
    )
    told += [f"CAST({count} AS BIGINT) AS {name}" for name in ("rows0", "sum0_0")]
    return (
        f"SELECT {', '.join(told)} FROM range({last + 1}) AS cells(code), "
        f"(SELECT {', '.join(found)} FROM {rows})"
    )


def _largest(ladder: Ladder) -> list[float]:
    """Give the largest number of each cell, rising.

    An edge belongs to the cell that is further from zero: a negative one ends
    its own cell, and the double below a positive one ends the cell below.
    """
    ends = [at if at < 0 else math.nextafter(at, -math.inf) for at in ladder.edges]
    return [*ends, sys.float_info.max]
