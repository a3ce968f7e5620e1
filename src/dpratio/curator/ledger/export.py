"""A ledger as a text file, to go on with it elsewhere; the one it came from is closed.

Each line is a JSON document: first the format and its version, then scopes, entries and
sealed bytes, and at last how many lines there are and the hash of all of them. Two
ledgers that could both be charged would have the budget twice, so every scope ends with
a line ``closed`` before anything is written.
"""

import base64
import hashlib
import json
import os
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from dpratio.checks import require
from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.scope import require_words
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.patience import patient
from dpratio.curator.ledger.store.tables import Tables
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import FileRefused, LedgerFailed, LedgerRefused
from dpratio.release.files import check_writable, write_whole

EXPORT_FORMAT, EXPORT_VERSION = "dpratio ledger", 1


def export_ledger(ledger: Ledger, target: str | PathLike[str], *, by: str) -> None:
    """Close a ledger and write all of it into a file, which `import_ledger` reads.

    Nothing can be charged, opened or sealed in it any more; releases that were under
    way go on in the ledger that the file is imported to. A ledger that is already
    closed can be exported again.

    Args:
        ledger: The ledger, with its anchor if it has one.
        target: A file that is not there yet; only its owner can read it.
        by: Who exports it.

    Raises:
        FileRefused: When the target exists or cannot be written.
        LedgerRefused: When the ledger has no scope.
        LedgerFailed: When it is not sound.

    Guarantee:
        When the file is there, no line follows in the ledger it was made from.
        Proof: docs/proofs/ledger.md.

    Example:
        >>> import dpratio as dpr
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     ledger = dpr.Ledger(f"{folder}/budget.db")
        ...     _ = ledger.open_scope(dpr.Scope("people", dpr.Budget(epsilon=3)))
        ...     dpr.ledgers.export_ledger(ledger, f"{folder}/ledger.jsonl", by="olga")
        ...     ledger.account().is_closed
        True
    """
    require(isinstance(ledger, Ledger), "ledger must be a Ledger", ledger)
    require_words(by, "by")
    named = isinstance(target, str | PathLike) and str(target) not in {"", "."}
    require(named and "\0" not in str(target), "an export is a file", target)
    place = Path(target)
    apart = not ledger.is_at(place)
    require(apart, "an export is not written over its ledger", str(place))
    if os.path.lexists(place):
        raise FileRefused(
            f"'{place}' exists, and an export replaces nothing. Name another file."
        )
    check_writable(place)
    found = verify_ledger(ledger)
    if found.wrong:
        raise LedgerFailed(
            f"the ledger is NOT sound, and was not exported: {found.wrong[0]} Look it "
            "over with `dpratio ledger verify`."
        )
    _close(ledger, by)
    with ledger.watch.reading() as watched:
        accounts = [watched.follow(name) for name in watched.tables.scope_names()]
        content = "".join(_lines(watched.tables, accounts))
    end = {
        "lines": content.count("\n"),
        "sha256": hashlib.sha256(content.encode()).hexdigest(),
    }
    write_whole(place, f"{content}{_text(end)}".encode(), is_private=True)


@patient
def _close(ledger: Ledger, by: str) -> None:
    """End every scope in one transaction, before anyone can have the file."""
    with ledger.watch.writing() as watched:
        watched.tables.lock_scopes()
        names = watched.tables.scope_names()
        if not names:
            raise LedgerRefused("the ledger has no scope: there is nothing to export.")
        for name in names:
            before = watched.follow(name)
            if not before.is_closed:
                watched.write(before, "closed", {"by": by})


def _lines(tables: Tables, accounts: list[Account]) -> Iterator[str]:
    yield _text({"format": EXPORT_FORMAT, "version": EXPORT_VERSION})
    for account in accounts:
        yield _text({"scope": account.scope.to_document()})
        for entry in tables.entries(account.scope.name, 0):
            yield _text({"entry": entry.row})
        for release_id, held in account.releases.items():
            seal = held.said("sealed")
            if seal:
                content = tables.artifact(release_id, seal["sha256"])
                kept = base64.b64encode(content).decode()
                yield _text({"release": release_id, "bytes": kept})


def _text(document: dict[str, object]) -> str:
    return json.dumps(document, separators=(",", ":")) + "\n"
