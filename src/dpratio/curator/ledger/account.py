"""The account of a scope: its entries, followed from the first to the last.

Nothing else is believed. What is spent, what is left, which release is where: all of it
is added up from the chain, and a chain that breaks a rule is not added up at all.
Floor: curator. Imports: errors, accounting, entry, layers, scope.
"""

from collections import ChainMap
from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import NoReturn, cast

from dpratio.curator.ledger.accounting import LOSS_NAMES, Charge
from dpratio.curator.ledger.entry import Entry
from dpratio.curator.ledger.layers import Layers
from dpratio.curator.ledger.scope import Scope
from dpratio.errors import DocumentRefused, LedgerFailed

__all__ = ["AFTER", "Account", "Held", "follow", "new_account"]

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
    """One release in the ledger: its plan, its charge, and how far it came."""

    plan: str
    charge: Charge
    state: str
    entries: tuple[Entry, ...]

    def said(self, kind: str) -> Mapping[str, str]:
        """What was said when it came to a state; empty where it did not."""
        return next((each.said for each in self.entries if each.kind == kind), {})


@dataclass(frozen=True, slots=True)
class Account:
    """Where a scope stands after its last entry."""

    scope: Scope
    seq: int
    head: str
    time: str
    spent: Charge
    releases: Layers[Held] = field(default_factory=lambda: Layers({}))
    approved: Mapping[str, Entry] = field(default_factory=dict)
    steps_back: tuple[int, ...] = ()

    @property
    def left(self) -> Charge:
        """What may still be spent."""
        return self.scope.cap - self.spent

    @property
    def last(self) -> tuple[str, int, str]:
        """Scope, number and hash that the next entry is linked to."""
        return self.scope.name, self.seq, self.head

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
    seq, head, time = account.seq, account.head, account.time
    spent, back = account.spent, list(account.steps_back)
    for entry in entries:
        _require_link(entry, account.scope, seq, head)
        try:
            said = entry.said
            if entry.kind == "approved":
                approved[entry.subject] = entry
            else:
                held = _next_state(releases.get(entry.subject), entry, said)
                releases[entry.subject] = held
                spent = _spend(spent, held, account.scope)
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
        return Held(said["plan"], entry.charge, entry.kind, (entry,))
    return replace(held, state=entry.kind, entries=(*held.entries, entry))


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
