"""One line of the ledger, bound to the one before it by a hash."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import lru_cache
from operator import attrgetter
from types import MappingProxyType

from dpratio.codec import parse_json
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.errors import LedgerFailed
from dpratio.strict import Node

CURATORS = ("charge", "opened", "sealed", "published", "void")
OFFICERS = ("approved", "withdrawn", "allowed")
# What only the owner of a ledger writes.
OWNERS = ("recovered", "closed", "quarantined")
KINDS = (*CURATORS, *OFFICERS, *OWNERS)
_EVENTS = {
    # Ledgers of before had neither sources nor what they are bound by.
    "charge": (("plan", "by"), ("plan", "by", "source", "place", "salt")),
    # Nobody else may go on with a release that was opened: they lack the claim.
    "opened": ((), ("claim",)),
    "sealed": (("sha256", "format"),),
    "void": (("by",),),
    "approved": (("by",), ("by", "plan", "source")),
    "withdrawn": (("by",),),
    "allowed": (("by", "source", "place"),),
    "quarantined": (("by", "why", "line", "row"),),
    # The number and hash are those of the newest line that was lost; empty for none.
    "recovered": (("by", "why", "lost_seq", "lost_hash"),),
    "closed": (("by", "why"),),
}
# What a line says only where there is something to say.
_MORE = {
    # A template stands for what it was filled with.
    "charge": ("approval", "filled"),
    "approved": ("most", "until"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened to a release, what was approved or allowed, or to a whole ledger.

    ``subject`` is a release id, or the hash of everything else that is said; ``loss``
    and ``delta`` are exact numbers as text, empty where nothing is charged; ``event``
    is JSON.
    """

    scope: str
    seq: int
    time: str
    subject: str
    kind: str
    loss: str
    delta: str
    event: str
    previous: str
    hash: str = ""

    @property
    def row(self) -> tuple[str | int, ...]:
        """The values in the order of the table's columns."""
        return _values(self)

    @property
    def wanted_hash(self) -> str:
        """The hash of everything else in the line, the hash before it included."""
        return hashlib.sha256(_write(self.row[:-1]).encode()).hexdigest()

    @property
    def row_hash(self) -> str:
        """The hash of the whole line, whatever it says about itself."""
        return hashlib.sha256(_write(self.row).encode()).hexdigest()

    @property
    def charge(self) -> Charge:
        """What was charged."""
        return Charge(_exact(self.loss), _exact(self.delta))

    @property
    def said(self) -> Mapping[str, str]:
        """The event as a mapping of words.

        Raises:
            DocumentRefused: When it is not what an entry of its kind says.
        """
        return _said(self.kind, self.event)

    @property
    def session(self) -> str:
        """The user that the database knew when the line was written; empty in a file.

        Raises:
            DocumentRefused: When the event is not a JSON object.
        """
        told = Node(parse_json(self.event)).entries()
        return told["session"].text() if "session" in told else ""


COLUMNS = tuple(each.name for each in fields(Entry))
_values = attrgetter(*COLUMNS)
_write = json.JSONEncoder(separators=(",", ":")).encode


# Lines repeat each other: a plan that runs often costs and says the same each time.
@lru_cache(maxsize=1024)
def _exact(text: str) -> Fraction:
    return Node(text).fraction()


@lru_cache(maxsize=1024)
def _said(kind: str, event: str) -> Mapping[str, str]:
    node = Node(parse_json(event))
    forms = _EVENTS.get(kind, ((),))
    given = set(node.entries()) - {"session"}
    more = () if "source" not in given else _MORE.get(kind, ())
    names = given - set(more)
    form = next((each for each in forms if set(each) == names), forms[-1])
    told = node.fields(*form, optional=("session", *more))
    return MappingProxyType(
        {name: at.text() for name, at in told.items() if name != "session"}
    )


def link(
    before: tuple[str, int, str] | tuple[str, int, str, str],
    *,
    time: str,
    subject: str,
    kind: str,
    charge: Charge | None = None,
    event: Mapping[str, str],
) -> Entry:
    """Make the line that follows the one with this scope, number and hash.

    A fourth word is the user that the database knows; it is written beside the event.
    """
    scope, seq, previous = before[:3]
    writer = "".join(before[3:])
    told = {**event, "session": writer} if writer else event
    entry = Entry(
        scope=scope,
        seq=seq + 1,
        time=time,
        subject=subject,
        kind=kind,
        loss="" if charge is None else exact_text(charge.loss),
        delta="" if charge is None else exact_text(charge.delta),
        event=json.dumps(told, sort_keys=True),
        previous=previous,
    )
    return replace(entry, hash=entry.wanted_hash)


def entry_from_row(row: Sequence[object]) -> Entry:
    """Read a row of the table.

    Raises:
        LedgerFailed: When its values are not of the types that were written.
    """
    types = [int if name == "seq" else str for name in COLUMNS]
    if [type(each) for each in row] != types:
        raise LedgerFailed("a line of the ledger was edited or damaged.")
    return Entry(*row)  # type: ignore[arg-type]  # checked above


def exact_text(exact: Fraction) -> str:
    """Write an exact number."""
    return f"{exact.numerator}/{exact.denominator}"
