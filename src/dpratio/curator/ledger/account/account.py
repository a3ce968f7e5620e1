"""The account of a scope: its entries, followed from the first to the last.

Nothing else is believed. What is spent, what is left, which release is where: all of it
is added up from the chain, and a chain that breaks a rule is not added up at all.
"""

import hashlib
import json
from collections import ChainMap, Counter
from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import NoReturn, cast

from dpratio.curator.ledger.account.accounting import LOSS_NAMES, Charge
from dpratio.curator.ledger.account.entry import Entry
from dpratio.curator.ledger.account.layers import Layers
from dpratio.curator.ledger.account.place import place_from_text
from dpratio.curator.ledger.account.scope import Scope
from dpratio.errors import DocumentRefused, LedgerFailed
from dpratio.terms.source_description import description_from_text

__all__ = ["AFTER", "Account", "Held", "follow", "new_account", "subject_of"]

# A charge binds its source to the scope; one that is given back does not.
_BINDS = {"charge": 1, "void": -1}

# What may come after what; a release that is not there has state "".
AFTER = {
    "charge": "",
    "opened": "charge",
    "sealed": "opened",
    "published": "sealed",
    "void": "charge",
}


@dataclass(frozen=True, slots=True)
class Held:
    """One release in the ledger: its plan, its charge, and how far it came.

    ``source`` is what was read, as written, and where it lies; empty in ledgers of
    before.
    """

    plan: str
    charge: Charge
    state: str
    entries: tuple[Entry, ...]
    source: tuple[str, str] = ("", "")

    def said(self, kind: str) -> Mapping[str, str]:
        """What was said when it came to a state; empty where it did not."""
        return next((each.said for each in self.entries if each.kind == kind), {})


@dataclass(frozen=True, slots=True)
class Account:
    """Where a scope stands after its last entry.

    ``sources`` are those that releases were charged for, with how many; ``allowed``
    those that somebody allowed by name. Each is a description and a place, as text.
    """

    scope: Scope
    seq: int
    head: str
    time: str
    spent: Charge
    releases: Layers[Held] = field(default_factory=lambda: Layers({}))
    approved: Mapping[str, Entry] = field(default_factory=dict)
    sources: Mapping[tuple[str, str], int] = field(default_factory=dict)
    allowed: Mapping[tuple[str, str], Entry] = field(default_factory=dict)
    steps_back: tuple[int, ...] = ()
    # Who would write the next entry, as a server knows them.
    writer: str = field(default="", compare=False)

    @property
    def left(self) -> Charge:
        """What may still be spent."""
        return self.scope.cap - self.spent

    @property
    def last(self) -> tuple[str, int, str, str]:
        """Scope, number and hash that the next entry is linked to, and its writer."""
        return self.scope.name, self.seq, self.head, self.writer

    def __repr__(self) -> str:
        loss = LOSS_NAMES[self.scope.accounting]
        spent, cap = float(self.spent.loss), float(self.scope.cap.loss)
        return (
            f"Account({self.scope.name!r}, {loss} {spent:.6g} of {cap:.6g} spent, "
            f"releases: {len(self.releases):,})"
        )


def new_account(scope: Scope) -> Account:
    """Give the account of a scope without entries."""
    return Account(scope, 0, scope.hash, "", Charge(Fraction(0), Fraction(0)))


def follow(account: Account, entries: Iterable[Entry]) -> Account:
    """Add entries to an account.

    Raises:
        LedgerFailed: When an entry is missing, was edited, or breaks a rule.

    Guarantee:
        Of a chain that is followed to its end, every charge is in ``spent`` unless it
        was voided before data were opened. Proof: docs/proofs/ledger.md.
    """
    releases = ChainMap(
        dict[str, Held](), cast("MutableMapping[str, Held]", account.releases)
    )
    approved = dict(account.approved)
    sources, allowed = Counter(account.sources), dict(account.allowed)
    seq, head, time = account.seq, account.head, account.time
    spent, back = account.spent, list(account.steps_back)
    for entry in entries:
        _require_link(entry, account.scope, seq, head)
        try:
            said = entry.said
            if entry.kind in {"approved", "allowed"}:
                _require_subject(entry, said)
            if "source" in said and _pair(said) not in sources:
                _require_source(said)
            if entry.kind == "approved":
                approved[entry.subject] = entry
            elif entry.kind == "allowed":
                allowed[_pair(said)] = entry
            else:
                held = _next_state(releases.get(entry.subject), entry, said)
                releases[entry.subject] = held
                spent = _spend(spent, held, account.scope)
                sources[held.source] += _BINDS.get(entry.kind, 0)
        except (DocumentRefused, ValueError, KeyError):
            _refuse(entry)
        if entry.time < time:
            back.append(entry.seq)
        seq, head, time = entry.seq, entry.hash, max(time, entry.time)
    return replace(
        account,
        seq=seq,
        head=head,
        time=time,
        spent=spent,
        releases=account.releases.changed(releases.maps[0]),
        approved=MappingProxyType(approved),
        sources=MappingProxyType(_bound(sources)),
        allowed=MappingProxyType(allowed),
        steps_back=tuple(back),
    )


def _require_link(entry: Entry, scope: Scope, seq: int, head: str) -> None:
    linked = (entry.scope, entry.seq, entry.previous) == (scope.name, seq + 1, head)
    if not linked or entry.hash != entry.wanted_hash:
        _refuse(entry)


def _next_state(held: Held | None, entry: Entry, said: Mapping[str, str]) -> Held:
    """Move a release on; KeyError where the step is not one that may follow."""
    state = "" if held is None else held.state
    if AFTER[entry.kind] != state:
        raise KeyError(entry.kind)
    if held is None:
        return Held(said["plan"], entry.charge, entry.kind, (entry,), _pair(said))
    return replace(held, state=entry.kind, entries=(*held.entries, entry))


def subject_of(said: Mapping[str, str], seq: int) -> str:
    """Name what is approved or allowed by its content and its number in the chain."""
    content = json.dumps([seq, sorted(said.items())], separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()


def _require_subject(entry: Entry, said: Mapping[str, str]) -> None:
    """Hold a name to its content; approvals of before are named by their plan."""
    if "source" in said and entry.subject != subject_of(said, entry.seq):
        raise ValueError(entry.kind)


def _pair(said: Mapping[str, str]) -> tuple[str, str]:
    """Give a source and its place; both empty in ledgers of before."""
    return said.get("source", ""), said.get("place", "")


def _require_source(said: Mapping[str, str]) -> None:
    """Read a source, once; DocumentRefused where it is none."""
    description_from_text(said["source"])
    if "place" in said:
        place_from_text(said["place"])


def _bound(sources: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    """Keep the sources that a charge still stands for, and that were written down."""
    return {at: count for at, count in sources.items() if count and at[0]}


def _spend(spent: Charge, held: Held, scope: Scope) -> Charge:
    if held.state == "charge":
        after = spent + held.charge
        if min(held.charge.loss, held.charge.delta) < 0 or not after.fits(scope.cap):
            raise ValueError(held.state)
        return after
    return spent - held.charge if held.state == "void" else spent


def _refuse(entry: Entry) -> NoReturn:
    raise LedgerFailed(
        f"the ledger was edited, damaged or rolled back: entry {entry.seq} of scope "
        f"'{entry.scope}' does not follow from those before it. Release nothing; find "
        "the last sound copy, and compare with `dpratio ledger verify`."
    ) from None
