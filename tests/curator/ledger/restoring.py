"""A ledger that lost its last lines: a backup was restored, or a replica lagged."""

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg

from curator.ledger.loans import PLAN
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger

__all__ = ["Restored", "lose"]


def lose(location: str, seq: int) -> None:
    """Remove all lines after a number, as a restored copy would lack them."""
    lost = "subject FROM {0}entry WHERE kind = 'sealed' AND seq > " + str(seq)
    edits = [
        f"DELETE FROM {{0}}artifact WHERE release_id IN (SELECT {lost})",  # noqa: S608
        f"DELETE FROM {{0}}entry WHERE seq > {seq}",  # noqa: S608 (a number)
    ]
    if location.startswith("postgres"):
        with psycopg.connect(location) as connection:
            connection.execute("SET session_replication_role = replica")
            for edit in edits:
                connection.execute(edit.format("dpratio.").encode())
        return
    with closing(sqlite3.connect(location)) as connection:
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        triggers = connection.execute(query).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for edit in edits:
            connection.execute(edit.format("main."))
        for _, sql in triggers:
            connection.execute(sql)
        connection.commit()


class Restored:
    """An anchored ledger of one scope, some charges, and a way to lose the last."""

    def __init__(self, location: str, folder: Path, scope: Scope) -> None:
        self.location, self.anchor = location, folder / "heads"
        self.ledger().open_scope(scope)

    def ledger(self) -> Ledger:
        """The ledger as a new process sees it."""
        return Ledger(self.location, anchor=self.anchor)

    def charge(self, *numbers: int) -> None:
        """Charge a tenth for each number."""
        ledger = self.ledger()
        for number in numbers:
            ledger.charge(f"{number:032x}", PLAN)

    def lose(self, seq: int) -> None:
        """Lose all lines after a number."""
        lose(self.location, seq)
