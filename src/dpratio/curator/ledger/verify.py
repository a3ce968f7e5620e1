"""Looking over a whole ledger: chain, bytes, prices, anchor, heads in releases."""

import html
from collections.abc import Iterable
from dataclasses import dataclass

from dpratio.codec import parse_json
from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.accounting import charge_of
from dpratio.curator.ledger.account.held import SET_ASIDE, Held
from dpratio.curator.ledger.admission.anchor import Head
from dpratio.curator.ledger.admission.lost import current_heads
from dpratio.curator.ledger.admission.watch import (
    MOST_BEHIND,
    Watch,
    Watched,
    describe_end,
)
from dpratio.curator.ledger.history import describe_loss
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.spool import Spool
from dpratio.errors import DpratioError, LedgerFailed, LedgerRefused
from dpratio.plan.price import AnyPlan, Cost, price
from dpratio.release.files import checksum, plan_hash, release_from_bytes
from dpratio.release.release import Release
from dpratio.strict import Node


@dataclass(frozen=True, slots=True)
class Priced:
    """What the ledger calls a plan, and what it costs."""

    hashed: str
    cost: Cost


def require_paid(
    held: Held,
    release_id: str,
    accounting: str,
    content: bytes,
    known: dict[str, Priced],
) -> None:
    """Refuse sealed bytes of another release or plan, or that cost more than charged.

    Args:
        held: The release as the chain has it.
        release_id: Its id.
        accounting: How its scope adds up.
        content: What was sealed.
        known: Plans that were priced before, by the checksum of how they are written.
    """
    try:
        found, head, priced = _read(content, known)
    except (DpratioError, ValueError, KeyError):
        found, head, priced = "", None, None
    heads = [each.hash for each in held.entries if each.kind == "opened"]
    if priced is None or (found, priced.hashed) != (release_id, held.plan):
        raise LedgerFailed(
            f"what was sealed as release {release_id} is no release, or one of another "
            "id or plan."
        )
    if [head] != heads:
        raise LedgerFailed(
            f"what was sealed as release {release_id} carries another head."
        )
    if not charge_of(priced.cost, accounting).fits(held.charge):
        raise LedgerFailed(f"release {release_id} was charged less than it costs.")


def _read(content: bytes, known: dict[str, Priced]) -> tuple[str, str | None, Priced]:
    """Read id, head and price; a plan that was read before is not priced again.

    What a second stage measured stands outside the plan: all of it is read every time.
    """
    key = ""
    document = Node(parse_json(content.decode())).entries()
    # A second stage is its own release's, and is read again each time.
    if "stage" not in document["plan"].entries():
        key = checksum({"plan": document["plan"].value})
        if key in known:
            head = document.get("ledger_head")
            ledger = None if head is None else head.text()
            return document["id"].text(), ledger, known[key]
    release = release_from_bytes(content)
    plan: AnyPlan = release.plan  # type: ignore[assignment]  # others have no hash
    priced = Priced(plan_hash(plan), price(plan))
    if key:
        known[key] = priced
    return release.id, release.ledger_head, priced


@dataclass(frozen=True, slots=True)
class Findings:
    """What was looked at, what is wrong, worth knowing, and set aside."""

    checked: tuple[str, ...]
    wrong: tuple[str, ...]
    notes: tuple[str, ...]
    aside: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """Say everything in sentences."""
        return [
            *(f"Checked: {each}" for each in self.checked),
            *(f"Note: {each}" for each in self.notes),
            *(f"Quarantined: {each}" for each in self.aside),
            *(f"WRONG: {each}" for each in self.wrong),
            self._verdict(),
        ]

    def _verdict(self) -> str:
        if self.wrong:
            return "The ledger is NOT sound."
        if self.aside:
            lines = "1 line" if len(self.aside) == 1 else f"{len(self.aside):,} lines"
            return f"The ledger is sound but for {lines} in quarantine."
        return "The ledger is sound."

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in self.lines())


def verify_ledger(ledger: Ledger, releases: Iterable[Release] = ()) -> Findings:
    """Follow every chain, compare kept bytes and prices, and look for heads.

    Args:
        ledger: The ledger; with its anchor, if it has one.
        releases: Published releases: the head that each carries must be in the ledger.

    Returns:
        What was found, as sentences; sound if there is no damage.

    Raises:
        LedgerFailed: When the ledger cannot be read at all.

    Example:
        >>> import dpratio as dpr
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     ledger = dpr.Ledger(f"{folder}/budget.db")
        ...     _ = ledger.open_scope(dpr.Scope("people", dpr.Budget(epsilon=3)))
        ...     print(dpr.ledgers.verify_ledger(ledger).lines()[-1])
        The ledger is sound.
    """
    checked: list[str] = []
    wrong = list(ledger.watch.store.damages())
    notes: list[str] = []
    aside: list[str] = []
    accounts: list[Account] = []
    known: dict[str, Priced] = {}
    all_followed = True
    # Nothing that was seen before is taken for granted.
    with Watch(ledger.watch.store, ledger.watch.anchor).reading() as watched:
        names = watched.tables.scope_names()
        heads = watched.watch.heads(watched.mark)
        wrong += _lost_scopes(watched, names, heads)
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
            aside += [each.words() for each in account.aside.values()]
            notes += [describe_loss(account, entry) for entry in account.recovered]
            if account.ended is not None:
                notes.append(describe_end(account.ended))
            checked.append(
                f"scope '{name}', {account.seq} entries, head {account.head}."
            )
            wrong += _wrong_bytes(watched, account, known)
            anchored = {head.seq for head in current_heads(heads, account)}
            if anchored:
                holes, behind = _anchor_words(account, anchored)
                wrong, notes = wrong + holes, notes + behind
                checked.append(f"scope '{name}' against its anchor.")
        if all_followed:
            wrong += _unowned(watched, accounts)
        notes += _waiting(ledger.spool, accounts)
        for release in releases:
            checked.append(f"release {release.id}.")
            wrong += wrong_release(watched, accounts, release)
    return Findings(tuple(checked), tuple(wrong), tuple(notes), tuple(aside))


def _lost_scopes(
    watched: Watched, names: list[str], heads: Iterable[Head]
) -> list[str]:
    """Find scopes that entries or the anchor speak of and that are not there."""
    known = watched.tables.charged_scopes() | {head.scope for head in heads}
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


def _waiting(spool: Spool, accounts: list[Account]) -> list[str]:
    """Say what was drawn for releases of this ledger and is yet to be sealed."""
    return [
        f"what was drawn for release {each} waits in the spool of this machine. Ask "
        "for the release again by its id."
        for each in spool.waiting()
        if any(
            each in account.releases and not account.releases[each].said("sealed")
            for account in accounts
        )
    ]


def _wrong_bytes(
    watched: Watched, account: Account, known: dict[str, Priced]
) -> list[str]:
    """Compare what was sealed with its hash, and what it costs with its charge."""
    wrong = []
    for release_id, held in account.releases.items():
        seal = held.said("sealed")
        if held.charge.loss <= 0 and held.state != SET_ASIDE:
            wrong.append(f"release {release_id} was charged nothing.")
        if seal:
            try:
                content = watched.tables.artifact(release_id, seal["sha256"])
                accounting = account.scope.accounting
                require_paid(held, release_id, accounting, content, known)
            except DpratioError as error:
                wrong.append(str(error))
    return wrong


def _anchor_words(account: Account, anchored: set[int]) -> tuple[list[str], list[str]]:
    """Say which entries the anchor lacks: in the middle, and at the end."""
    name, newest = account.scope.name, max(anchored)
    holes = sorted(set(range(newest)) - anchored)
    wrong, notes = [], []
    if holes:
        wrong.append(
            f"the anchor lacks {len(holes)} lines of scope '{name}', the first about "
            f"entry {holes[0]}: lines were removed."
        )
    behind = account.seq - newest
    words = f"the anchor is {behind} entries behind scope '{name}'"
    if behind > MOST_BEHIND:
        wrong.append(f"{words}: it was truncated, or is an old copy.")
    elif behind:
        notes.append(f"{words}; the next entry brings it up to date.")
    return wrong, notes


def _unowned(watched: Watched, accounts: list[Account]) -> list[str]:
    """Find bytes that no entry speaks of."""
    owned = {
        release_id
        for account in accounts
        for release_id, held in account.releases.items()
        if held.state == SET_ASIDE or held.said("sealed")
    }
    return [
        f"the bytes of release {each} were never sealed."
        for each in watched.tables.artifact_ids()
        if each not in owned
    ]


def wrong_release(
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
            if release_from_bytes(content) == release:
                return []
        except DpratioError as error:
            return [str(error)]
    return [f"release {release.id} is not what was sealed under its id."]
