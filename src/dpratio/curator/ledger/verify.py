"""Looking over a whole ledger: chain, bytes, anchor, and heads found in releases.

Floor: curator. Imports: errors, release, and the rest of this folder.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from dpratio.curator.ledger.account import Account
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.watch import Watched
from dpratio.errors import DpratioError
from dpratio.release.release import Release

__all__ = ["Findings", "verify_ledger"]


@dataclass(frozen=True, slots=True)
class Findings:
    """What was looked at, what is wrong, and what is worth knowing."""

    checked: tuple[str, ...]
    wrong: tuple[str, ...]
    notes: tuple[str, ...]

    def lines(self) -> list[str]:
        """Say everything in sentences."""
        return [
            *(f"Checked: {each}" for each in self.checked),
            *(f"Note: {each}" for each in self.notes),
            *(f"WRONG: {each}" for each in self.wrong),
            "The ledger is sound." if not self.wrong else "The ledger is NOT sound.",
        ]


def verify_ledger(ledger: Ledger, releases: Iterable[Release] = ()) -> Findings:
    """Follow every chain, compare kept bytes, and look for heads in the chains.

    Args:
        ledger: The ledger; with its anchor, where it has one.
        releases: Published releases: the head that each carries must be in the ledger.

    Raises:
        LedgerFailed: When the ledger cannot be read at all.
    """
    checked: list[str] = []
    wrong = list(ledger.watch.store.damages())
    notes: list[str] = []
    accounts: list[Account] = []
    all_followed = True
    with ledger.watch.reading() as watched:
        for name in watched.tables.scope_names():
            try:
                account = watched.follow(name)
            except DpratioError as error:
                wrong.append(str(error))
                all_followed = False
                continue
            accounts.append(account)
            notes += _clock_notes(account)
            checked.append(
                f"scope '{name}', {account.seq} entries, head {account.head}."
            )
            wrong += _wrong_bytes(watched, account)
            if account.scope.is_anchored:
                wrong += _wrong_heads(watched, account)
                checked.append(f"scope '{name}' against its anchor.")
        if all_followed:
            wrong += _unowned(watched, accounts)
        for release in releases:
            checked.append(f"release {release.id}.")
            wrong += _wrong_release(accounts, release)
    return Findings(tuple(checked), tuple(wrong), tuple(notes))


def _clock_notes(account: Account) -> list[str]:
    return [
        f"the clock went back before entry {seq} of scope '{account.scope.name}'; "
        "entries are ordered by number, so nothing is lost."
        for seq in account.steps_back
    ]


def _wrong_bytes(watched: Watched, account: Account) -> list[str]:
    """Compare the bytes of every sealed release with what was sealed."""
    wrong = []
    for release_id, held in account.releases.items():
        seal = held.said("sealed")
        if seal:
            try:
                watched.tables.artifact(release_id, seal["sha256"])
            except DpratioError as error:
                wrong.append(str(error))
    return wrong


def _wrong_heads(watched: Watched, account: Account) -> list[str]:
    """Compare every line of the anchor, not just the newest."""
    return [
        f"entry {head.seq} of scope '{head.scope}' is not the one in the anchor."
        for head in watched.heads
        if head.scope == account.scope.name
        and watched.hash_at(account, head.seq) != head.hash
    ]


def _unowned(watched: Watched, accounts: list[Account]) -> list[str]:
    """Find bytes that no entry speaks of."""
    owned = {
        release_id
        for account in accounts
        for release_id, held in account.releases.items()
        if held.said("sealed")
    }
    return [
        f"the bytes of release {each} were never sealed."
        for each in watched.tables.artifact_ids()
        if each not in owned
    ]


def _wrong_release(accounts: list[Account], release: Release) -> list[str]:
    """Look for the head that a release carries, at its own entry."""
    if release.sources:
        return [f"release {release.id} was made from others; give those instead."]
    if release.ledger_head is None:
        return [f"release {release.id} was made without a ledger."]
    for account in accounts:
        held = account.releases.get(release.id)
        if held is not None:
            heads = [each.hash for each in held.entries if each.kind == "opened"]
            if release.ledger_head in heads:
                return []
    rule = f"release {release.id} carries a head that is not in this ledger"
    return [f"{rule}: it is an old copy, was edited, or is another one."]
