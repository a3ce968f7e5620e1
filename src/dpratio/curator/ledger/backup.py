"""A copy of a ledger that is one state of it, and was verified."""

import os
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from dpratio.checks import require
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.sqlite import SqliteStore
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import FileRefused, LedgerFailed, LedgerRefused


def backup_ledger(ledger: Ledger, target: str | PathLike[str]) -> None:
    """Copy a ledger's file while others may use it, and verify the copy.

    A copy by other means (``cp``, ``shutil.copy``) may hold half of a transaction. The
    copy is for the day when the ledger is lost: going on with a copy that is older than
    the ledger would spend the same budget twice.

    Args:
        ledger: A ledger in a file; with its anchor, if it has one.
        target: A file that is not there yet.

    Raises:
        FileRefused: When the target exists or cannot be written.
        LedgerFailed: When the ledger cannot be read or is not sound.
        LedgerRefused: When the ledger lies on a server, or its anchor was not named.

    Example:
        >>> import dpratio as dpr
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     ledger = dpr.Ledger(f"{folder}/budget.db")
        ...     _ = ledger.open_scope(dpr.Scope("people", dpr.Budget(epsilon=3)))
        ...     dpr.ledgers.backup_ledger(ledger, f"{folder}/copy.db")
        ...     dpr.Ledger(f"{folder}/copy.db").scopes()
        ['people']
    """
    require(isinstance(ledger, Ledger), "ledger must be a Ledger", ledger)
    named = isinstance(target, str | PathLike) and str(target) not in {"", "."}
    require(named and "\0" not in str(target), "a copy is a file", target)
    store, anchor, place = ledger.watch.store, ledger.watch.anchor, Path(target)
    outside = None if anchor is None else anchor.path
    if not isinstance(store, SqliteStore):
        raise LedgerRefused(
            "a ledger on a server is copied by the server: use pg_dump, and verify "
            "what you restore from it."
        )
    if os.path.lexists(place):
        _refuse_to_replace(place)
    try:
        # Only the owner may look into a folder that is made like this.
        with TemporaryDirectory(dir=place.parent, prefix=".dpratio-") as folder:
            copy = Path(folder) / "copy.db"
            # The anchor must not get ahead of the copy before they are compared.
            with store.copied_to(copy):
                found = verify_ledger(Ledger(copy, anchor=outside))
            if found.wrong:
                raise LedgerFailed(
                    f"the copy is NOT sound, and was removed: {found.wrong[0]} Look "
                    "the ledger over with `dpratio ledger verify`."
                )
            _sync(copy)
            copy.chmod(0o600)
            os.link(copy, place)  # Unlike a new name, this replaces nothing.
        _sync(place.parent)
    except FileExistsError:
        _refuse_to_replace(place)
    except OSError as error:
        raise FileRefused(f"'{place}' cannot be written: {error.strerror}.") from None


def _refuse_to_replace(place: Path) -> NoReturn:
    raise FileRefused(
        f"'{place}' exists, and a copy replaces nothing. Name another file."
    ) from None


def _sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
