"""The tables of a ledger, and the few statements that touch them everywhere."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dpratio.codec import parse_json
from dpratio.curator.ledger.account.entry import (
    COLUMNS,
    CURATORS,
    OWNERS,
    Entry,
    entry_from_row,
    exact_text,
)
from dpratio.curator.ledger.account.scope import Scope, scope_from_document
from dpratio.errors import DocumentRefused, LedgerFailed
from dpratio.strict import Node

VERSION = 1
TABLES = ("ledger", "scope", "entry", "artifact")

_COLUMNS = ", ".join(COLUMNS)
_SCOPE = ("name", "document", "hash", "loss", "delta")

Rows = Sequence[Sequence[object]]


def create_tables(whole: str, content: str) -> tuple[str, ...]:
    """Give the statements that make the tables, with a dialect's names of types."""
    return (
        f"CREATE TABLE ledger (version {whole} NOT NULL)",
        """CREATE TABLE scope (
            name TEXT PRIMARY KEY, document TEXT NOT NULL, hash TEXT NOT NULL)""",
        f"""CREATE TABLE entry (
            scope TEXT NOT NULL REFERENCES scope (name), seq {whole} NOT NULL,
            time TEXT NOT NULL, subject TEXT NOT NULL, kind TEXT NOT NULL,
            loss TEXT NOT NULL, delta TEXT NOT NULL, event TEXT NOT NULL,
            previous TEXT NOT NULL, hash TEXT NOT NULL,
            PRIMARY KEY (scope, seq), UNIQUE (scope, subject, kind))""",
        f"""CREATE TABLE artifact (
            release_id TEXT PRIMARY KEY, content {content} NOT NULL,
            sha256 TEXT NOT NULL)""",
        # A release id names one release, whatever its scope.
        """CREATE UNIQUE INDEX one_release ON entry (subject) WHERE kind = 'charge'""",
    )


@dataclass(frozen=True, slots=True)
class Tables:
    """A ledger inside one transaction.

    ``run`` executes a statement with ``?`` in the place of values; ``lock`` is what a
    dialect adds to a query so that nobody else writes to the scope meanwhile. Every
    name is written with its ``schema``: a temporary table of the same name is another.
    Where ``is_checked``, lines enter through functions of the database, which check
    them once more. ``writer`` is the user that the database knows.
    """

    run: Callable[[str, tuple[object, ...]], Rows]
    lock: str = ""
    schema: str = "main."
    is_checked: bool = False
    writer: str = ""

    def scope_names(self) -> list[str]:
        """The names of all scopes."""
        return [
            str(name)
            for (name,) in self.run(
                f"SELECT name FROM {self.schema}scope ORDER BY name", ()
            )
        ]

    def ended_names(self) -> set[str]:
        """The names of scopes that were opened by mistake, and closed."""
        query = f"SELECT scope FROM {self.schema}entry WHERE kind = 'closed'"
        return {str(scope) for (scope,) in self.run(query, ())}

    def lock_scopes(self) -> None:
        """Keep others from writing to any scope, in the order of their names."""
        names = f"SELECT name FROM {self.schema}scope ORDER BY name"
        self.run(f"{names}{self.lock}", ())

    def scope(self, name: str, *, to_write: bool = False) -> Scope | None:
        """Read a scope, and keep others from writing to it.

        Raises:
            LedgerFailed: When its terms were edited.
        """
        lock = self.lock if to_write else ""
        query = f"SELECT document, hash FROM {self.schema}scope WHERE name = ?{lock}"
        for document, wanted in self.run(query, (name,)):
            try:
                scope = scope_from_document(Node(parse_json(str(document))))
            except DocumentRefused:
                scope = None
            if scope is None or (scope.name, scope.hash) != (name, wanted):
                raise LedgerFailed(
                    f"the terms of scope '{name}' were edited or damaged. Release "
                    "nothing, and find the last sound copy of the ledger."
                )
            return scope
        return None

    def add_scope(self, scope: Scope) -> None:
        """Write a new scope."""
        document = json.dumps(scope.to_document(), sort_keys=True)
        values: tuple[str, ...] = (scope.name, document, scope.hash)
        if self.is_checked:
            values += (exact_text(scope.cap.loss), exact_text(scope.cap.delta))
        columns = ", ".join(_SCOPE[: len(values)])
        marks = ", ".join("?" for _ in values)
        statement = f"INSERT INTO {self.schema}scope ({columns}) VALUES ({marks})"
        self.run(statement, values)

    def entries(self, scope: str, since: int) -> list[Entry]:
        """Read the entries of a scope from a number on, in their order."""
        query = (
            f"SELECT {_COLUMNS} FROM {self.schema}entry"
            " WHERE scope = ? AND seq >= ? ORDER BY seq"
        )
        return [entry_from_row(row) for row in self.run(query, (scope, since))]

    def hash_at(self, scope: str, seq: int) -> str | None:
        """Read the hash of one entry."""
        query = f"SELECT hash FROM {self.schema}entry WHERE scope = ? AND seq = ?"
        return next((str(found) for (found,) in self.run(query, (scope, seq))), None)

    def scope_of(self, release_id: str) -> str | None:
        """Find the scope a release was charged to."""
        query = (
            f"SELECT scope FROM {self.schema}entry"
            " WHERE subject = ? AND kind = 'charge'"
        )
        rows = self.run(query, (release_id,))
        return str(rows[0][0]) if rows else None

    def add_entry(self, entry: Entry) -> None:
        """Append an entry."""
        marks = ", ".join("?" for _ in entry.row)
        statement = f"INSERT INTO {self.schema}entry ({_COLUMNS}) VALUES ({marks})"
        if self.is_checked:
            verb = "settle" if entry.kind in OWNERS else "approve"
            verb = "append" if entry.kind in CURATORS else verb
            statement = f"SELECT {self.schema}{verb}({marks})"
        self.run(statement, entry.row)

    def add_artifact(self, release_id: str, content: bytes, sha256: str) -> None:
        """Keep the bytes of a release that is open."""
        statement = (
            f"INSERT INTO {self.schema}artifact (release_id, content, sha256)"
            " VALUES (?, ?, ?)"
        )
        if self.is_checked:
            statement = f"SELECT {self.schema}keep(?, ?, ?)"
        self.run(statement, (release_id, content, sha256))

    def artifact(self, release_id: str, sha256: str) -> bytes:
        """Read the bytes of a release.

        Raises:
            LedgerFailed: When they are not those that were sealed.
        """
        query = (
            f"SELECT content, sha256 FROM {self.schema}artifact WHERE release_id = ?"
        )
        for content, kept in self.run(query, (release_id,)):
            held = bytes(content) if isinstance(content, bytes | memoryview) else b""
            if hashlib.sha256(held).hexdigest() == sha256 == kept:
                return held
        raise LedgerFailed(
            f"the bytes of release {release_id} are not in the ledger as they were "
            "sealed. Find the last sound copy of the ledger. A new draw is charged, "
            "and must be asked for: new_draw=True."
        )

    def charged_scopes(self) -> set[str]:
        """The names of all scopes that have entries."""
        rows = self.run(f"SELECT DISTINCT scope FROM {self.schema}entry", ())
        return {str(name) for (name,) in rows}

    def artifact_ids(self) -> list[str]:
        """The ids of all releases whose bytes are kept."""
        rows = self.run(f"SELECT release_id FROM {self.schema}artifact", ())
        return [str(each) for (each,) in rows]
