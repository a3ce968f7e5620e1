"""The account of a scope: its entries, followed from the first to the last.

Nothing else is trusted. What is spent, what is left and where each release stands
follow from the chain alone. A chain that breaks a rule is refused.
"""

from collections import ChainMap, Counter
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Generic, NoReturn, TypeVar, cast

from dpratio.curator.ledger.account.accounting import LOSS_NAMES, Charge
from dpratio.curator.ledger.account.approval import Approval
from dpratio.curator.ledger.account.entry import Entry
from dpratio.curator.ledger.account.following import (
    UNSOUND,
    Aside,
    Walk,
    named_aside,
)
from dpratio.curator.ledger.account.held import Held
from dpratio.curator.ledger.account.scope import Scope
from dpratio.errors import LedgerFailed

_LONGEST_TOP = 512

Value = TypeVar("Value")


class Layers(Mapping[str, Value], Generic[Value]):
    """What was there, and what changed since; neither is ever changed itself."""

    __slots__ = ("_base", "_new", "_top")

    def __init__(
        self, base: Mapping[str, Value], top: Mapping[str, Value] | None = None
    ) -> None:
        self._base = base
        self._top = top or {}
        self._new = [name for name in self._top if name not in base]

    def changed(self, changes: Mapping[str, Value]) -> "Layers[Value]":
        """Give the mapping with some values changed or added.

        Example:
            >>> Layers({"a": 1}).changed({"b": 2, "a": 3})["a"]
            3
        """
        top = {**self._top, **changes}
        if len(top) <= _LONGEST_TOP:
            return Layers(self._base, top)
        return Layers({**self._base, **top})

    def __getitem__(self, name: str) -> Value:
        return self._top[name] if name in self._top else self._base[name]

    def __contains__(self, name: object) -> bool:
        return name in self._top or name in self._base

    def __iter__(self) -> Iterator[str]:
        yield from self._base
        yield from self._new

    def __len__(self) -> int:
        return len(self._base) + len(self._new)

    def __repr__(self) -> str:
        return f"Layers({dict(self)!r})"


@dataclass(frozen=True, slots=True)
class Account:
    """Where a scope stands after its last entry.

    ``sources`` are those that releases were charged for, with how many; ``allowed``
    those that somebody allowed by name. Each is a description and a place, as text.
    ``aside`` are lines that could not be followed and that the owner set aside.
    ``recovered`` are the lines that wrote lost ones off; ``ended`` is the line that
    closed a scope that was opened by mistake.
    """

    scope: Scope
    seq: int
    head: str
    time: str
    spent: Charge
    releases: Layers[Held] = field(default_factory=lambda: Layers({}))
    approved: Mapping[str, Approval] = field(default_factory=dict)
    sources: Mapping[tuple[str, str], int] = field(default_factory=dict)
    allowed: Mapping[tuple[str, str], Entry] = field(default_factory=dict)
    steps_back: tuple[int, ...] = ()
    aside: Mapping[int, Aside] = field(default_factory=dict)
    recovered: tuple[Entry, ...] = ()
    ended: Entry | None = None
    # Who would write the next entry, as a server knows them.
    writer: str = field(default="", compare=False)

    @property
    def left(self) -> Charge:
        """What may still be spent."""
        return self.scope.cap - self.spent

    @property
    def is_used(self) -> bool:
        """Whether anything was charged, approved, allowed or lost."""
        return _walk_from(self).is_used

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
    lines = list(entries)
    named, walk = named_aside(lines), _walk_from(account)
    for entry in lines:
        try:
            walk.take(entry)
        except UNSOUND:
            if (str(entry.seq), entry.row_hash) not in named:
                _refuse(entry)
            _pass_over(walk, entry)
    for entry in walk.pending.values():
        _refuse(entry)
    return replace(
        account,
        seq=walk.seq,
        head=walk.head,
        time=walk.time,
        spent=walk.spent,
        releases=account.releases.changed(walk.releases.maps[0]),
        approved=MappingProxyType(walk.approved),
        sources=MappingProxyType(_bound(walk.sources)),
        allowed=MappingProxyType(walk.allowed),
        steps_back=tuple(walk.steps_back),
        aside=MappingProxyType(walk.aside),
        recovered=tuple(walk.recovered),
        ended=walk.ended,
    )


def unfollowed(account: Account, entries: Iterable[Entry]) -> tuple[list[Entry], Walk]:
    """Find the lines that cannot be followed and that nobody has set aside.

    Returns:
        These lines, and where the account would stand with all of them set aside.

    Raises:
        LedgerFailed: When a line has not the number that comes next.
    """
    walk = _walk_from(account)
    for entry in entries:
        try:
            walk.take(entry)
        except UNSOUND:
            _pass_over(walk, entry)
    return list(walk.pending.values()), walk


def _pass_over(walk: Walk, entry: Entry) -> None:
    try:
        walk.set_aside(entry)
    except UNSOUND:
        _refuse(entry)


def _walk_from(account: Account) -> Walk:
    return Walk(
        scope=account.scope,
        seq=account.seq,
        head=account.head,
        time=account.time,
        spent=account.spent,
        releases=ChainMap(
            dict[str, Held](), cast("MutableMapping[str, Held]", account.releases)
        ),
        approved=dict(account.approved),
        sources=Counter(account.sources),
        allowed=dict(account.allowed),
        steps_back=list(account.steps_back),
        aside=dict(account.aside),
        recovered=list(account.recovered),
        ended=account.ended,
    )


def _bound(sources: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    """Keep the sources that a charge still stands for, and that were written down."""
    return {at: count for at, count in sources.items() if count and at[0]}


def _refuse(entry: Entry) -> NoReturn:
    raise LedgerFailed(
        f"the ledger was edited, damaged or rolled back: entry {entry.seq} of scope "
        f"'{entry.scope}' does not follow from those before it. Release nothing; find "
        "the last sound copy, and compare with `dpratio ledger verify`. If somebody "
        "wrote this line past the library, its owner sets it aside with `dpratio "
        "ledger quarantine`."
    ) from None
