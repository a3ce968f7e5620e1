"""Following a chain line by line: what each line changes, and when it may not come.

A line that cannot be followed stops everybody, unless the owner has set it aside on the
record. That gives nothing back: what it may have cost counts as spent.
"""

import hashlib
import json
from collections import ChainMap, Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from dpratio.curator.ledger.account.accounting import Charge, short
from dpratio.curator.ledger.account.approval import Approval, approval_of, who
from dpratio.curator.ledger.account.entry import KINDS, OFFICERS, Entry
from dpratio.curator.ledger.account.held import (
    AFTER,
    SET_ASIDE,
    Held,
    next_state,
    pair_of,
)
from dpratio.curator.ledger.account.place import place_from_text
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.account.source_description import description_from_text
from dpratio.curator.ledger.account.totals import within
from dpratio.errors import DocumentRefused

# What `Walk.take` raises when a line cannot be followed.
UNSOUND = (DocumentRefused, ValueError, KeyError)
# A charge binds its source to the scope; one that is given back does not.
_BINDS = {"charge": 1, "void": -1}


@dataclass(frozen=True, slots=True)
class Aside:
    """A line that could not be followed, and the line that set it aside."""

    entry: Entry
    by: Entry

    def words(self) -> str:
        """Say which line it is, who wrote it, and who set it aside when and why."""
        day, why = self.by.time[:10], self.by.said["why"]
        return (
            f"line {self.entry.seq} of scope '{self.by.scope}', written by "
            f"{who(self.entry)}, cannot be followed; {who(self.by)} set it aside on "
            f"{day}: {why}. What it may have cost is spent."
        )


@dataclass(slots=True)
class Walk:
    """Where following stands; each line changes it in place, or not at all."""

    scope: Scope
    seq: int
    head: str
    time: str
    spent: Charge
    releases: ChainMap[str, Held]
    approved: dict[str, Approval]
    sources: Counter[tuple[str, str]]
    allowed: dict[tuple[str, str], Entry]
    steps_back: list[int]
    aside: dict[int, Aside]
    recovered: list[Entry]
    ended: Entry | None
    # Lines that were passed over, until a later line sets them aside.
    pending: dict[int, Entry] = field(default_factory=dict)

    def take(self, entry: Entry) -> None:
        """Add a line; one of UNSOUND where it does not follow."""
        if not self._is_linked(entry):
            raise ValueError(entry.seq)
        said = entry.said
        self._require_open(entry)
        if entry.kind not in {*AFTER, "withdrawn"}:
            _require_subject(entry, said)
        if "source" in said and pair_of(said) not in self.sources:
            _require_source(said)
        if entry.kind in OFFICERS:
            self._note(entry, said)
        elif entry.kind == "quarantined":
            self._confirm(entry, said)
        elif entry.kind == "recovered":
            self._write_off(entry)
        elif entry.kind in AFTER:
            self._step(entry, said)
        self.ended = entry if entry.kind == "closed" else self.ended
        self._go_on(entry)

    def _note(self, entry: Entry, said: Mapping[str, str]) -> None:
        """Take what an officer wrote."""
        if entry.kind == "approved":
            self.approved[entry.subject] = approval_of(entry)
        elif entry.kind == "withdrawn":
            given = self.approved[entry.subject]
            self.approved[entry.subject] = replace(given, withdrawal=entry)
        else:
            self.allowed[pair_of(said)] = entry

    @property
    def is_used(self) -> bool:
        """Whether anything was charged, approved, allowed or lost."""
        lines = (self.releases, self.approved, self.allowed, self.aside)
        return any(lines) or bool(self.recovered)

    def set_aside(self, entry: Entry) -> None:
        """Pass over a line that does not follow, at the most that it may have cost.

        Guarantee:
            What is spent never gets less, and a release that the line speaks of gets
            nothing back. Proof: docs/proofs/ledger.md.
        """
        if (entry.scope, entry.seq) != (self.scope.name, self.seq + 1):
            raise ValueError(entry.seq)
        cost = self._cost_at_most(entry)
        held = self.releases.get(entry.subject)
        if held is not None:
            self.releases[entry.subject] = replace(held, state=_state(held, entry))
        elif entry.kind == "charge":
            self.releases[entry.subject] = Held("", cost, SET_ASIDE, (entry,))
        given = self.approved.get(entry.subject)
        if entry.kind == "withdrawn" and given is not None:
            self.approved[entry.subject] = replace(given, withdrawal=entry)
        is_known = self._is_linked(entry) and entry.kind in KINDS
        if entry.kind == "recovered" or not is_known:
            # Which release it spoke of cannot be told, so it may have been any.
            self._strand()
        self.spent += cost
        self.pending[entry.seq] = entry
        self._go_on(entry)

    def _write_off(self, entry: Entry) -> None:
        """Count what was lost as spent; a cap that is used up stays so."""
        lost = entry.charge
        if min(lost.loss, lost.delta) < 0:
            raise ValueError(entry.seq)
        self.spent = within(self.spent + lost, self.scope.cap)
        self.recovered.append(entry)
        self._strand()

    def _strand(self) -> None:
        """Leave what lost lines may have opened, drawn or withdrawn."""
        begun = {"charge": "stranded", "opened": "opened"}
        self.releases.update(
            {
                release_id: replace(held, state=begun[held.state], lapsed=True)
                for release_id, held in self.releases.items()
                if held.state in begun
            }
        )
        self.approved.clear()

    def _require_open(self, entry: Entry) -> None:
        """Raise KeyError where no line may follow.

        A scope that was opened by mistake is closed for good, and only while nothing
        was charged, approved, allowed, lost or set aside there.
        """
        if self.ended is not None or (entry.kind == "closed" and self.is_used):
            raise KeyError(entry.kind)

    def _is_linked(self, entry: Entry) -> bool:
        before = (self.scope.name, self.seq + 1, self.head)
        linked = (entry.scope, entry.seq, entry.previous) == before
        return linked and entry.hash == entry.wanted_hash

    def _go_on(self, entry: Entry) -> None:
        if entry.time < self.time:
            self.steps_back.append(entry.seq)
        self.seq, self.head = entry.seq, entry.hash
        self.time = max(self.time, entry.time)

    def _step(self, entry: Entry, said: Mapping[str, str]) -> None:
        """Move a release on, and count what it costs."""
        held = next_state(self.releases.get(entry.subject), entry, said)
        spent = _spend(self.spent, held, self.scope)
        count = _BINDS.get(entry.kind, 0)
        if count:
            self._use(held.entries[0], count)
        self.releases[entry.subject] = held
        self.spent = spent
        self.sources[held.source] += count

    def _use(self, charge: Entry, count: int) -> None:
        """Count a charge under its approval; ValueError where that does not admit it.

        Charges of before named no approval. A scope whose approvals come from others
        has none of those.
        """
        said = charge.said
        if "approval" not in said:
            if self.scope.approvals_by_others:
                raise ValueError(charge.seq)
            return
        given = self.approved[said["approval"]]
        if count > 0:
            terms = given.entry.said
            same = all(terms[name] == said[name] for name in ("plan", "source"))
            time = max(self.time, charge.time)
            met = given.limit_met(time)
            own = self.scope.approvals_by_others and not given.is_by_other(
                charge.session, said["by"]
            )
            if not same or met or own:
                raise ValueError(charge.seq)
        self.approved[said["approval"]] = given.charged(count)

    def _cost_at_most(self, entry: Entry) -> Charge:
        """Give what a line that cannot be followed may have cost.

        A charge counts in full. A line that was edited, or of a kind that is not known,
        may have cost all that is left.
        """
        left = self.scope.cap - self.spent
        rest = Charge(max(left.loss, Fraction(0)), max(left.delta, Fraction(0)))
        if not self._is_linked(entry) or entry.kind not in KINDS:
            return rest
        if entry.kind not in {"charge", "recovered"}:
            return Charge(Fraction(0), Fraction(0))
        try:
            charge = entry.charge
        except DocumentRefused:
            return rest
        return rest if min(charge.loss, charge.delta) < 0 else charge

    def _confirm(self, entry: Entry, said: Mapping[str, str]) -> None:
        """Take the line that sets another aside; it says what counts as spent now."""
        there = self.pending[int(said["line"])]
        named = there.row_hash == said["row"]
        stated = short(self.spent)
        if not named or entry.charge != stated:
            raise ValueError(entry.seq)
        self.aside[there.seq] = Aside(self.pending.pop(there.seq), entry)
        self.spent = stated


def named_aside(entries: Iterable[Entry]) -> set[tuple[str, str]]:
    """Give the numbers and hashes of the lines that others set aside."""
    named = set()
    for entry in entries:
        if entry.kind == "quarantined":
            try:
                named.add((entry.said["line"], entry.said["row"]))
            except DocumentRefused:
                continue
    return named


def subject_of(said: Mapping[str, str], seq: int) -> str:
    """Name what is approved, allowed or set aside by its content and its number."""
    content = json.dumps([seq, sorted(said.items())], separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()


def _require_subject(entry: Entry, said: Mapping[str, str]) -> None:
    """Hold a name to its content; approvals of before are named by their plan."""
    is_old = entry.kind == "approved" and "source" not in said
    if not is_old and entry.subject != subject_of(said, entry.seq):
        raise ValueError(entry.kind)


def _require_source(said: Mapping[str, str]) -> None:
    """Read a source, once; DocumentRefused where it cannot be read."""
    description_from_text(said["source"])
    if "place" in said:
        place_from_text(said["place"])


def _state(held: Held, entry: Entry) -> str:
    """Give the state of a release after a line of it was set aside.

    What was sealed stays so, and can be had again; all else ends here.
    """
    if held.state not in {"sealed", "published"}:
        return SET_ASIDE
    return "published" if entry.kind == "published" else held.state


def _spend(spent: Charge, held: Held, scope: Scope) -> Charge:
    if held.state == "charge":
        after = spent + held.charge
        if min(held.charge.loss, held.charge.delta) < 0 or not after.fits(scope.cap):
            raise ValueError(held.state)
        return after
    return spent - held.charge if held.state == "void" else spent
