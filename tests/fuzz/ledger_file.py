"""Ledgers in a file: bytes, rows and tables mutated, with hashes set right or wrong."""

import json
import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from dpratio.curator.ledger.account.entry import KINDS, Entry
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.account.source import named_source
from dpratio.curator.ledger.history import History
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.sqlite import _KEPT
from dpratio.curator.ledger.store.tables import TABLES
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.plan.plan import Plan
from dpratio.release.files import checksum, release_to_bytes
from dpratio.terms.budget import Budget
from fuzz.mutations import HOSTILE, Mutation, mutate_bytes, mutate_document, mutations
from release.releases_for_tests import RELEASES

__all__ = ["INPUTS", "MAY_OPEN", "REFUSALS", "VALID", "check", "make", "read"]

REFUSALS = (LedgerFailed, LedgerRefused)
FOLDER = tempfile.TemporaryDirectory(prefix="dpratio-fuzz-")
VALID_FILE, FILE = Path(FOLDER.name) / "valid.db", Path(FOLDER.name) / "ledger.db"
MAY_OPEN = (f"open ({f'{FILE}.lock'!r}, ",)  # Who reads a ledger holds its lock.
RELEASE = RELEASES["groups: text"]
PLAN: Plan = RELEASE.plan  # type: ignore[assignment]
Drawn = tuple[int, list[Mutation]]

INPUTS = st.tuples(st.integers(0, 5), mutations())
VALID: Drawn = (0, [])


def _write_valid() -> None:
    """Two scopes: one with a release in every state, one of the other accounting."""
    book = Ledger(VALID_FILE)
    book.open_scope(Scope("people", Budget(9, "1e-4"), needs_approval=True))
    many = Scope("many", Budget(3, "1e-5"), accounting="zcdp", dataset="more people")
    book.open_scope(many)
    book.allow_source("loans/*.csv", scope="many")
    book.approve(PLAN, source="people", scope="people", by="officer")
    content = release_to_bytes(RELEASE)
    for at in range(5):
        name = f"{at:032x}"
        people = named_source("people")
        book.charge(name, PLAN, source=people, scope="people", by="ann")
        if at == 0:
            book.void(name)
        if at > 1:
            book.open(name)
        if at > 2:
            book.seal(name, content)
        if at > 3:
            book.publish(name)


_write_valid()
CONTENT = VALID_FILE.read_bytes()
EVENTS = [
    {"by": "x"},
    {"plan": "0" * 64, "by": ""},
    {"sha256": "0" * 64, "format": "json"},
    {"by": "", "plan": "0" * 64, "source": '{"name": "people"}'},
    {"by": "", "source": "{}", "place": "{}"},
]
TABLES_MADE = [
    "CREATE TABLE more (x CHECK (length(zeroblob(900000000)) > 0))",
    "CREATE VIEW more AS SELECT * FROM entry",
    "CREATE TABLE more (x AS (zeroblob(900000000)))",
    "CREATE TRIGGER more AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
    "DROP TABLE artifact",
    "ALTER TABLE entry ADD COLUMN more",
    "DROP INDEX one_release",
    "PRAGMA journal_mode = WAL",
    "PRAGMA user_version = 9",
    "PRAGMA encoding = 'UTF-16'",
    "INSERT INTO ledger VALUES (2)",
    "DELETE FROM ledger",
    "UPDATE ledger SET version = '1'",
    "INSERT INTO scope SELECT 'x', document, hash FROM scope",
]


def make(drawn: Drawn) -> bytes:
    made = _changed(drawn)
    for beside in ("-journal", "-wal", "-shm"):
        Path(f"{FILE}{beside}").unlink(missing_ok=True)
    FILE.write_bytes(made)
    return made


def _changed(drawn: Drawn) -> bytes:
    kind, chosen = drawn
    if kind <= 1:
        return mutate_bytes(CONTENT, chosen)
    shutil.copy(VALID_FILE, FILE)
    with closing(sqlite3.connect(FILE)) as held, suppress(sqlite3.Error, OverflowError):
        held.execute("PRAGMA synchronous = OFF")
        for table in TABLES:
            held.execute(f"DROP TRIGGER {table}_keeps_update")
            held.execute(f"DROP TRIGGER {table}_keeps_delete")
        for each in chosen:
            # What cannot be written, or no longer be read, stays as it was.
            with suppress(sqlite3.Error, ValueError, ArithmeticError, RecursionError):
                if kind == 5:
                    held.execute(TABLES_MADE[each[2] % len(TABLES_MADE)])
                elif kind == 4:
                    _change_scope(held, each)
                else:
                    _change_row(held, each, is_linked=kind == 3)
        for statement in _KEPT:
            held.execute(statement)
        held.commit()
    return FILE.read_bytes()


def _change_row(held: sqlite3.Connection, chosen: Mutation, *, is_linked: bool) -> None:
    """Change a cell of an entry; perhaps with every later hash set right."""
    what, where, given = chosen
    rows = [Entry(*row) for row in held.execute("SELECT * FROM entry ORDER BY seq")]
    at = where % len(rows)
    fields = Entry.__slots__[:8]
    name = fields[what % len(fields)]
    values: list[Any] = [*HOSTILE[:60], *map(json.dumps, EVENTS), b"\xff", 2.5]
    value = KINDS[given % len(KINDS)] if name == "kind" else values[given % len(values)]
    if not isinstance(value, str | int | float | bytes | None):
        value = json.dumps(value)
    changed: dict[str, Any] = {name: value}
    rows[at] = replace(rows[at], **changed)
    if given % 11 == 0:
        del rows[at]
    if is_linked:
        rows = _linked(rows)
    held.execute("DELETE FROM entry")
    written = "INSERT OR IGNORE INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    held.executemany(written, [row.row for row in rows])


def _linked(rows: list[Entry]) -> list[Entry]:
    """Set every hash right, as a forger who knows the format would."""
    linked, before = [], ""
    for row in rows:
        first = before or row.previous
        again = replace(row, previous=first)
        with suppress(TypeError, ValueError):
            again = replace(again, hash=again.wanted_hash)
        linked.append(again)
        before = again.hash
    return linked


def _change_scope(held: sqlite3.Connection, chosen: Mutation) -> None:
    """Change the terms of a scope, with their hash set right."""
    rows = held.execute("SELECT name, document FROM scope").fetchall()
    name, document = rows[chosen[1] % len(rows)]
    text = mutate_document(json.loads(document), [chosen])
    hashed = "0"
    with suppress(ValueError, RecursionError, AttributeError):
        hashed = checksum(json.loads(text))
    held.execute(
        "UPDATE scope SET document = ?, hash = ? WHERE name = ?", (text, hashed, name)
    )


def read(_: bytes) -> list[History]:
    book = Ledger(FILE)
    # A ledger that is not sound is told so, or refused.
    with suppress(*REFUSALS):
        assert verify_ledger(book, [RELEASE]).lines()
    return [book.history(scope) for scope in ("people", "many")]


def check(histories: list[History]) -> None:
    for history in histories:
        assert history.said()
        assert history.to_dicts() is not None
        assert 0 <= history.account.spent.loss <= history.account.scope.cap.loss
