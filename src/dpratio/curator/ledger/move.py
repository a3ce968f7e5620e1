"""Reading an exported ledger into an empty one, on another store or another machine."""

import base64
import binascii
import hashlib
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import NoReturn

from dpratio.checks import require
from dpratio.codec import parse_json
from dpratio.curator.ledger.account.account import Account, follow, new_account
from dpratio.curator.ledger.account.entry import Entry, entry_from_row
from dpratio.curator.ledger.account.scope import (
    Scope,
    require_words,
    scope_from_document,
)
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.curator.ledger.export import EXPORT_FORMAT, EXPORT_VERSION
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.patience import patient
from dpratio.errors import DocumentRefused, FileRefused, LedgerFailed, LedgerRefused
from dpratio.strict import Node


def import_ledger(file: str | PathLike[str], ledger: Ledger, *, by: str) -> None:
    """Read an exported ledger into an empty one, which goes on from there.

    All lines, hashes and bytes are the same. Every scope is opened again by one line,
    unless it was opened by mistake. The anchor gets that line too. If the same file was
    imported before, the anchor is ahead, and the import is refused.

    Args:
        file: What `export_ledger` wrote.
        ledger: A ledger without scopes; with the anchor that the old one had.
        by: Who imports it.

    Raises:
        FileRefused: When the file cannot be read.
        LedgerRefused: When the ledger is not empty.
        LedgerFailed: When the file was edited, damaged or cut, or the anchor is of
            another ledger or ahead.

    Example:
        >>> import dpratio as dpr
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     old = dpr.Ledger(f"{folder}/old.db")
        ...     new = dpr.Ledger(f"{folder}/new.db")
        ...     _ = old.open_scope(dpr.Scope("people", dpr.Budget(epsilon=3)))
        ...     dpr.ledgers.export_ledger(old, f"{folder}/ledger.jsonl", by="olga")
        ...     dpr.ledgers.import_ledger(f"{folder}/ledger.jsonl", new, by="olga")
        ...     new.scopes()
        ['people']
    """
    require(isinstance(ledger, Ledger), "ledger must be a Ledger", ledger)
    require_words(by, "by")
    place = Path(file)
    try:
        content = place.read_bytes()
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or "it is no name of a file"
        raise FileRefused(f"'{place}' cannot be read: {said}.") from None
    exported = _Exported(place, content)
    accounts = exported.accounts()
    ledger.watch.store.create()
    _write(ledger, exported, accounts, by)


@patient
def _write(
    ledger: Ledger, exported: "_Exported", accounts: list[Account], by: str
) -> None:
    # What is written here is not committed yet, so it is not remembered as seen.
    with Watch(ledger.watch.store, ledger.watch.anchor).writing() as watched:
        tables = watched.tables
        if tables.scope_names():
            raise LedgerRefused(
                "an export is imported into an empty ledger, and this one has scopes. "
                "Name a new file, or an empty database."
            )
        for account in accounts:
            tables.add_scope(account.scope)
            tables.add_lines(exported.entries[account.scope.name], account.scope.cap)
        for release_id, content in exported.kept.items():
            sha256 = hashlib.sha256(content).hexdigest()
            tables.add_bytes(release_id, content, sha256)
        for account in accounts:
            before = watched.follow(account.scope.name)
            if before.ended is None:
                watched.write(before, "reopened", {"by": by})


@dataclass(frozen=True, slots=True)
class _Exported:
    """An export as it is read: scopes, their lines, and sealed bytes."""

    place: Path
    content: bytes
    scopes: dict[str, Scope] = field(default_factory=dict)
    entries: dict[str, list[Entry]] = field(default_factory=dict)
    kept: dict[str, bytes] = field(default_factory=dict)

    def accounts(self) -> list[Account]:
        """Read everything, and follow every chain to the line that closes it."""
        try:
            self._read()
            accounts = [
                follow(new_account(scope), self.entries[name])
                for name, scope in self.scopes.items()
            ]
        except (DocumentRefused, LedgerFailed, ValueError, KeyError, binascii.Error):
            self._refuse()
        sealed = {
            release_id: held.said("sealed")["sha256"]
            for account in accounts
            for release_id, held in account.releases.items()
            if held.said("sealed")
        }
        kept = {
            name: hashlib.sha256(each).hexdigest() for name, each in self.kept.items()
        }
        is_whole = bool(accounts) and all(each.is_closed for each in accounts)
        if not is_whole or sealed != kept:
            self._refuse()
        return accounts

    def _read(self) -> None:
        """Read all lines; the last one vouches for those before it."""
        *lines, last, nothing = self.content.split(b"\n")
        whole = b"".join(line + b"\n" for line in lines)
        end = Node(parse_json(last.decode())).fields("lines", "sha256")
        found = (len(lines), hashlib.sha256(whole).hexdigest())
        if nothing or found != (end["lines"].integer(), end["sha256"].text()):
            self._refuse()
        first, *rest = (Node(parse_json(line.decode())) for line in lines)
        about = first.fields("format", "version")
        made = (about["format"].text(), about["version"].integer())
        if made != (EXPORT_FORMAT, EXPORT_VERSION):
            self._refuse()
        for node in rest:
            self._take(node)

    def _take(self, node: Node) -> None:
        given = node.entries()
        if "scope" in given:
            scope = scope_from_document(node.fields("scope")["scope"])
            self.scopes[scope.name] = scope
            self.entries[scope.name] = []
        elif "entry" in given:
            values = node.fields("entry")["entry"].items()
            entry = entry_from_row([each.value for each in values])
            self.entries[entry.scope].append(entry)
        else:
            fields = node.fields("release", "bytes")
            content = base64.b64decode(fields["bytes"].text(), validate=True)
            self.kept[fields["release"].text()] = content

    def _refuse(self) -> NoReturn:
        raise LedgerFailed(
            f"'{self.place}' is no export of a ledger of this version of dpratio, or "
            "was edited, damaged or cut. Export the ledger again."
        ) from None
