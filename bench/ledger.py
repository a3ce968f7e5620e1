"""Durable charges per second, against bare durable inserts into SQLite."""

import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from figure import Figure

CHARGES = 1_000
LONG = 10_000


def figures() -> Iterator[Figure]:
    """Charge a small plan again and again to one scope, then follow the whole chain."""
    import dpratio as dpr

    plan = dpr.make_plan(
        dpr.Ratio("score", per="label"),
        bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        budget=dpr.Budget("0.001"),
    )
    with tempfile.TemporaryDirectory(dir=".") as folder:
        place = Path(folder) / "ledger.db"
        ledger = dpr.Ledger(place)
        ledger.open_scope(dpr.Scope("bench", dpr.Budget(1_000)))
        took = _charge(ledger, plan, range(CHARGES))
        bare = _insert(Path(folder) / "bare.db")
        yield Figure("ledger_durable_charges_per_second", CHARGES / took, ">=100")
        yield Figure("ledger_charge_times_bare_insert", took / bare, "")
        _charge(ledger, plan, range(CHARGES, LONG))
        start = time.perf_counter()
        dpr.Ledger(place).account()
        followed = time.perf_counter() - start
        yield Figure("ledger_seconds_to_follow_10000_entries", followed, "")


def _charge(ledger: object, plan: object, numbers: range) -> float:
    start = time.perf_counter()
    for number in numbers:
        ledger.charge(f"{number:032x}", plan)  # type: ignore[attr-defined]
    return time.perf_counter() - start


def _insert(path: Path) -> float:
    """Insert as many rows of that size, each in a durable transaction of its own."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("CREATE TABLE entry (seq INTEGER PRIMARY KEY, text TEXT)")
    start = time.perf_counter()
    for number in range(CHARGES):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO entry VALUES (?, ?)", (number, "x" * 500))
        connection.execute("COMMIT")
    took = time.perf_counter() - start
    connection.close()
    return took
