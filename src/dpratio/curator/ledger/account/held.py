"""One release in the ledger, and the steps it may take."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.entry import Entry

# What may come after what; a release that is not there has state "".
AFTER = {
    "charge": "",
    "opened": "charge",
    "sealed": "opened",
    "published": "sealed",
    "void": "charge",
}
# The state of a release one of whose lines was set aside: nothing may follow it.
SET_ASIDE = "set aside"


@dataclass(frozen=True, slots=True)
class Held:
    """One release in the ledger: its plan, its charge, and how far it came.

    ``source`` is what was read, as written, and where it lies; empty in ledgers of
    before. One is ``lapsed`` where lines after it may have been lost: perhaps noise was
    drawn for it, so nobody draws again.
    """

    plan: str
    charge: Charge
    state: str
    entries: tuple[Entry, ...]
    source: tuple[str, str] = ("", "")
    lapsed: bool = False

    def said(self, kind: str) -> Mapping[str, str]:
        """What was said when it came to a state; empty where it did not."""
        return next((each.said for each in self.entries if each.kind == kind), {})

    @property
    def read_on(self) -> str:
        """The day in UTC when data were opened; until then that of the charge."""
        steps = [each for each in self.entries if each.kind in {"charge", "opened"}]
        return steps[-1].time[:10]


def next_state(held: Held | None, entry: Entry, said: Mapping[str, str]) -> Held:
    """Move a release on; KeyError where the step is not one that may follow."""
    state = "" if held is None else held.state
    if AFTER[entry.kind] != state:
        raise KeyError(entry.kind)
    if held is None:
        return Held(said["plan"], entry.charge, entry.kind, (entry,), pair_of(said))
    return replace(held, state=entry.kind, entries=(*held.entries, entry))


def pair_of(said: Mapping[str, str]) -> tuple[str, str]:
    """Give a source and its place; both empty in ledgers of before."""
    return said.get("source", ""), said.get("place", "")
