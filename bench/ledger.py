"""Durable charges per second, against bare durable inserts into SQLite."""

import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from figure import Figure

if TYPE_CHECKING:
    from dpratio.curator.ledger.ledger import Ledger
    from dpratio.plan.plan import Plan

CHARGES = 1_000
LONG = 100_000
SEVERAL = 200


def figures() -> Iterator[Figure]:
    """Charge a small plan again and again; to a new ledger, and to a long one."""
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
        yield from _long(Path(folder), plan)


def _long(folder: Path, plan: "Plan") -> Iterator[Figure]:
    """Compare an anchored ledger of 100,000 entries with an empty one."""
    import dpratio as dpr

    empty = _anchored(folder / "empty.db", plan, 0)
    place = _anchored(folder / "long.db", plan, LONG)
    start = time.perf_counter()
    found = dpr.ledgers.verify_ledger(_open(place))
    verified = time.perf_counter() - start
    if found.wrong:
        raise SystemExit(found.wrong[0])
    ledgers = [_open(each) for each in (empty, place)]
    first = [_charge(each, plan, range(LONG, LONG + 1)) for each in ledgers]
    # In turn, so that what else the machine does slows both.
    took = [0.0, 0.0]
    for number in range(LONG + 1, LONG + SEVERAL):
        for at, ledger in enumerate(ledgers):
            took[at] += _charge(ledger, plan, range(number, number + 1))
    yield Figure(
        "ledger_charge_at_100000_entries_times_empty", took[1] / took[0], "<=3"
    )
    yield Figure("ledger_first_charge_at_100000_entries_seconds", first[1], "")
    yield Figure("ledger_seconds_to_verify_100000_entries", verified, "<=10")


def _open(place: Path) -> "Ledger":
    import dpratio as dpr

    return dpr.Ledger(place, anchor=place.with_suffix(".heads"))


def _anchored(place: Path, plan: "Plan", entries: int) -> Path:
    """Make an anchored ledger of many charges; all are written at once."""
    import dpratio as dpr
    from dpratio.curator.ledger.account.accounting import charge_of
    from dpratio.curator.ledger.account.entry import link
    from dpratio.curator.ledger.admission.anchor import Anchor, Head
    from dpratio.plan.price import price

    ledger = _open(place)
    ledger.open_scope(dpr.Scope("bench", dpr.Budget(1_000)))
    if not entries:
        return place
    ledger.charge("f" * 32, plan)
    account, heads = ledger.account(), list[Head]()
    said, last = account.releases["f" * 32].entries[0].said, account.last
    charge = charge_of(price(plan), "basic")
    with ledger.watch.store.writing() as tables:
        for number in range(entries - 1):
            entry = link(
                last,
                time="2026-01-01T00:00:00Z",
                subject=f"{number:032x}",
                kind="charge",
                charge=charge,
                event=dict(said),
            )
            tables.add_entry(entry)
            last = (entry.scope, entry.seq, entry.hash, "")
            heads.append(Head(*last[:3]))
    Anchor(place.with_suffix(".heads")).append(*heads)
    return place


def _charge(ledger: "Ledger", plan: "Plan", numbers: range) -> float:
    start = time.perf_counter()
    for number in numbers:
        ledger.charge(f"{number:032x}", plan)
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
