"""Lines that somebody writes past the library: linked, hashed, of any content."""

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from curator.ledger.loans import ID
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.entry import Entry, link
from dpratio.curator.ledger.ledger import Ledger

__all__ = ["NOON", "TENTH", "write_past"]

TENTH = Charge(Fraction(1, 10), Fraction(0))
NOON = "2026-11-16T12:00:00Z"


def write_past(
    ledger: Ledger,
    kind: str = "charge",
    subject: str = ID,
    told: Mapping[str, object] | None = None,
    scope: str = "loans",
    **changes: Any,  # noqa: ANN401
) -> Entry:
    """Write the next line of a scope, as one who knows the format would.

    A server names its user in the line, and checks what it can.
    """
    with ledger.watch.store.writing() as tables:
        terms = tables.scope(scope, to_write=True)
        assert terms is not None
        before = tables.entries(scope, 0)[-1:]
        says: dict[str, object] = dict({"junk": "x"} if told is None else told)
        if tables.writer:
            says["session"] = tables.writer
        entry = link(
            (scope, before[0].seq, before[0].hash)
            if before
            else (scope, 0, terms.hash),
            time=NOON,
            subject=subject,
            kind=kind,
            charge=TENTH if kind == "charge" else None,
            event={},
        )
        entry = replace(entry, event=json.dumps(says, sort_keys=True))
        entry = replace(entry, **changes)
        if "hash" not in changes:
            entry = replace(entry, hash=entry.wanted_hash)
        tables.add_entry(entry)
    return entry
