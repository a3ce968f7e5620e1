"""Looking over a whole ledger: chain, bytes, anchor, and heads found in releases."""

import html
from collections.abc import Iterable
from dataclasses import dataclass

from dpratio.curator.ledger.account import Account, Held
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.watch import Watch, Watched
from dpratio.errors import DpratioError, LedgerRefused
from dpratio.release.files import release_from_bytes
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

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in self.lines())


def verify_ledger(ledger: Ledger, releases: Iterable[Release] = ()) -> Findings:
    """Follow every chain, compare kept bytes, and look for heads in the chains.

    Args:
        ledger: The ledger; with its anchor, where it has one.
        releases: Published releases: the head that each carries must be in the ledger.

    Returns:
        What was found, as sentences; sound where there is no damage.

    Raises:
        LedgerFailed: When the ledger cannot be read at all.

    Example:
        >>> import dpratio as dpr
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     ledger = dpr.Ledger(f"{folder}/budget.db")
        ...     _ = ledger.open_scope(dpr.Scope("people", dpr.Budget(epsilon=3)))
        ...     print(dpr.verify_ledger(ledger).lines()[-1])
        The ledger is sound.
    """
    checked: list[str] = []
    wrong = list(ledger.watch.store.damages())
    notes: list[str] = []
    accounts: list[Account] = []
    all_followed = True
    # Nothing that was seen before is taken for granted.
    with Watch(ledger.watch.store, ledger.watch.anchor).reading() as watched:
        names = watched.tables.scope_names()
        wrong += _lost_scopes(watched, names)
        for name in names:
            try:
                account = watched.follow(name)
            except LedgerRefused:
                raise  # Its anchor was not named: nothing can be said yet.
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
            if any(head.scope == name for head in watched.heads):
                wrong += _wrong_heads(watched, account)
                checked.append(f"scope '{name}' against its anchor.")
        if all_followed:
            wrong += _unowned(watched, accounts)
        for release in releases:
            checked.append(f"release {release.id}.")
            wrong += _wrong_release(watched, accounts, release)
    return Findings(tuple(checked), tuple(wrong), tuple(notes))


def _lost_scopes(watched: Watched, names: list[str]) -> list[str]:
    """Find scopes that entries or the anchor speak of and that are not there."""
    known = watched.tables.charged_scopes() | {head.scope for head in watched.heads}
    return [
        f"scope '{name}' was removed, or the ledger is an old copy."
        for name in sorted(known - set(names))
    ]


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


def _wrong_release(
    watched: Watched, accounts: list[Account], release: Release
) -> list[str]:
    """Look for the head that a release carries, and compare it with what was sealed."""
    if release.sources:
        return [f"release {release.id} was made from others; give those instead."]
    if release.ledger_head is None:
        return [f"release {release.id} was made without a ledger."]
    for account in accounts:
        held = account.releases.get(release.id)
        if held is not None:
            heads = [each.hash for each in held.entries if each.kind == "opened"]
            if release.ledger_head in heads:
                return _wrong_content(watched, held, release)
    rule = f"release {release.id} carries a head that is not in this ledger"
    return [f"{rule}: it is an old copy, was edited, or is another one."]


def _wrong_content(watched: Watched, held: Held, release: Release) -> list[str]:
    """Compare a published release with the bytes that were sealed."""
    seal = held.said("sealed")
    if seal:
        try:
            content = watched.tables.artifact(release.id, seal["sha256"])
            if release_from_bytes(content, seal["format"]) == release:
                return []
        except DpratioError as error:
            return [str(error)]
    return [f"release {release.id} is not what was sealed under its id."]
