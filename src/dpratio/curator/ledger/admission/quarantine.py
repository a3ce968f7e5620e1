"""Setting aside lines that nobody can follow, on the record, by the owner.

Such a line stops its scope, and charges of new data in all others. Setting it aside
gives nothing back, and no line that can be followed is ever set aside.
"""

from collections.abc import Iterable
from dataclasses import replace

from dpratio.checks import require
from dpratio.curator.ledger.account.account import follow, unfollowed
from dpratio.curator.ledger.account.accounting import short
from dpratio.curator.ledger.account.entry import Entry, link
from dpratio.curator.ledger.account.following import subject_of
from dpratio.curator.ledger.account.scope import require_words
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.curator.ledger.store import clock
from dpratio.errors import LedgerRefused


def quarantine(
    watch: Watch,
    lines: Iterable[int],
    *,
    why: str,
    scope: str | None,
    by: str,
) -> list[str]:
    """Set lines of a scope aside; arguments as for `Ledger.quarantine`.

    Returns:
        What was set aside, as sentences.

    Guarantee:
        What is spent is afterwards no less than before, and at least the cost of every
        line that was set aside. Proof: docs/proofs/ledger.md.
    """
    require_words(by, "by")
    require_words(why, "why")
    require(why.strip(), "a line is set aside for a reason", why, "Give it with --why.")
    wanted = list(lines)
    whole = all(type(each) is int for each in wanted)
    require(whole, "lines are numbers of lines of the ledger", wanted)
    with watch.writing() as watched:
        name = watched.choose(scope)
        known, entries = watched.lines_of(name)
        junk, walk = unfollowed(known, entries)
        _require_all(name, wanted, junk)
        at = replace(known, seq=walk.seq, head=walk.head)
        watched.require_anchor(at, {each.seq: each.hash for each in entries})
        before = (name, walk.seq, walk.head, watched.tables.writer)
        now, added = clock.time_now(), list[Entry]()
        for each in junk:
            event = {"by": by, "why": why, "line": str(each.seq), "row": each.row_hash}
            entry = link(
                before,
                time=now,
                subject=subject_of(event, before[1] + 1),
                kind="quarantined",
                charge=short(walk.spent),
                event=event,
            )
            added.append(entry)
            before = (name, entry.seq, entry.hash, watched.tables.writer)
        account = follow(known, [*entries, *added])
        watched.append_lines(account, added)
    return [account.aside[each.seq].words() for each in junk]


def _require_all(name: str, wanted: Iterable[int], junk: Iterable[Entry]) -> None:
    """Refuse to set aside a line that can be followed, or to leave one that cannot."""
    numbers = [each.seq for each in junk]
    sound = sorted(set(wanted) - set(numbers))
    if sound:
        raise LedgerRefused(
            f"line {sound[0]} of scope '{name}' can be followed, is set aside already, "
            "or is not there: what it says stays. Only what nobody can follow is set "
            "aside."
        )
    left = set(numbers) - set(wanted)
    if left or not numbers:
        listed = " ".join(str(each) for each in numbers) or "none"
        raise LedgerRefused(
            f"name all lines of scope '{name}' that cannot be followed, and no others: "
            f"{listed}."
        )
