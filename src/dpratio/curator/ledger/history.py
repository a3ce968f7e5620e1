"""An account for reading: what is spent, what is left, what came when.

For the curator alone: who asked for what, and when, is nobody else's business.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.accounting import (
    LOSS_NAMES,
    charge_of,
    epsilon_of_loss,
    gaussian_epsilon,
    pure_epsilon,
)
from dpratio.curator.ledger.account.approval import Approval, who
from dpratio.curator.ledger.account.entry import Entry
from dpratio.curator.ledger.account.held import SET_ASIDE, Held
from dpratio.curator.ledger.account.source import salted_hash
from dpratio.curator.ledger.account.source_description import (
    SourceDescription,
    description_from_text,
)
from dpratio.curator.ledger.admission.admit import admit, show_charge, show_exact
from dpratio.curator.ledger.admission.watch import describe_end
from dpratio.curator.ledger.store import clock
from dpratio.errors import LedgerRefused
from dpratio.plan.price import AnyPlan, price
from dpratio.release.files import plan_hash
from dpratio.tabular import Tabular

_NO_RELEASE = ""  # stands for an id that is not in the ledger yet
_STATES = {
    "charge": "charged, not begun",
    "opened": "spent, not sealed",
    "sealed": "sealed, not published",
    "published": "published",
    "void": "voided",
    SET_ASIDE: "spent, set aside",
    "stranded": "spent: lost, perhaps begun",
}


def describe(account: Account) -> list[str]:
    """Say in sentences where a scope stands, and what the next release could cost."""
    scope, spent = account.scope, account.spent
    loss = LOSS_NAMES[scope.accounting]
    caps = f"epsilon {show_exact(scope.budget.epsilon)}, delta "
    caps += show_exact(scope.budget.delta)
    whom = "single rows" if scope.unit is None else f"all rows of one '{scope.unit}'"
    about = f" ({scope.dataset})" if scope.dataset else ""
    lines = [
        f"Scope '{scope.name}'{about}: {whom}, {scope.neighbours}.",
        f"Caps: {caps}; {_accounting_words(account)}.",
        f"Spent: {loss} {show_exact(spent.loss)}, {_spent_delta(account)}.",
        describe_left(account),
        f"The next release: {_next_words(account)}.",
    ]
    if scope.largest_delta is not None:
        largest = show_exact(scope.largest_delta)
        lines.append(f"No release may have a delta above {largest}.")
    if scope.needs_approval:
        lines += _approvals(account)
    if account.allowed:
        said = [description_from_text(at[0]) for at in account.allowed]
        lines.append(f"Allowed besides: {'; '.join(map(str, said))}.")
    lines += [f"Set aside: {each.words()}" for each in account.aside.values()]
    if scope.is_anchored:
        lines.append("Its heads are anchored outside.")
    lines += [describe_loss(account, entry) for entry in account.recovered]
    if account.ended is not None:
        lines.append(f"Closed for good: {describe_end(account.ended)}")
    if account.steps_back:
        numbers = ", ".join(str(each) for each in account.steps_back)
        lines.append(
            f"The clock went back before entry {numbers}; the order is that of numbers."
        )
    return lines


def describe_loss(account: Account, entry: Entry) -> str:
    """Say what a line wrote off as spent, and why."""
    said, lost = entry.said, show_charge(entry.charge, account.scope.accounting)
    after = f", after entry {said['lost_seq']} was lost" if said["lost_seq"] else ""
    return (
        f"Written off as spent in entry {entry.seq} of scope '{entry.scope}'{after}: "
        f"{lost}; by {said['by']}, {entry.time}: {said['why']}."
    )


def describe_left(account: Account) -> str:
    """Say what may still be spent."""
    return f"Left: {show_charge(account.left, account.scope.accounting)}."


def describe_plan(
    account: Account, plan: AnyPlan, written: SourceDescription | None = None
) -> str:
    """Say what a plan would cost here, and how often it fits."""
    cost, left = price(plan), account.left
    charge = charge_of(cost, account.scope.accounting)
    times = [
        math.floor(rest / part)
        for rest, part in ((left.loss, charge.loss), (left.delta, charge.delta))
        if part
    ]
    costs = show_charge(charge, account.scope.accounting)
    try:
        admit(
            account,
            _NO_RELEASE,
            plan,
            cost,
            plan_hash(plan),
            time=clock.time_now(),
            written=written,
        )
    except LedgerRefused as error:
        return f"This plan costs {costs}, and would be refused: {error}"
    often = "once" if min(times) == 1 else f"{min(times):,} times"
    return f"This plan costs {costs}: it fits {often}."


@dataclass(frozen=True, slots=True)
class History(Tabular):
    """The account of a scope as sentences and a table; for the curator alone."""

    spare: ClassVar = ("source_hash", "plan", "source", "by")

    account: Account

    def columns(self) -> dict[str, list[Any]]:
        """One row per release, in the order they were charged."""
        loss = LOSS_NAMES[self.account.scope.accounting]
        held = self.account.releases.items()
        rows = [_row(release_id, each) for release_id, each in held]
        asked = ("plan", "by", "source", "source_hash")
        names = ("charged", "release", "state", loss, "delta", *asked)
        return {name: [row[at] for row in rows] for at, name in enumerate(names)}

    def shown(self) -> dict[str, list[str]]:
        """The table for people: days and minutes, in UTC; `told` has every second."""
        table = super(History, self).shown()
        times = [each[: len("2026-01-31T12:30")] for each in table["charged"]]
        return table | {"charged": [each.replace("T", " ") for each in times]}

    def said(self) -> list[str]:
        """Where the scope stands, and what the next release could cost."""
        return describe(self.account)


def _row(release_id: str, held: Held) -> list[Any]:
    first = held.entries[0]
    charge = held.charge
    # A charge that nobody can read was set aside; what it says is not shown.
    is_read = bool(held.plan)
    return [
        first.time,
        release_id,
        _STATES[held.state],
        show_exact(charge.loss),
        show_exact(charge.delta),
        held.plan[:12],
        _asker(first) if is_read else "",
        *(_source(held) if is_read else ("", "")),
    ]


def _asker(charge: Entry) -> str:
    name = charge.said["by"]
    return f"{name} ({charge.session})" if charge.session else name


def _source(held: Held) -> tuple[str, str]:
    """Show what was read, and the hash of it that the release carries."""
    said = held.said("charge")
    if "source" not in said:
        return "", ""
    written = description_from_text(said["source"])
    return str(written), salted_hash(written, said["salt"])[:12]


def _approvals(account: Account) -> list[str]:
    """Return a line for every approval, and where it stands."""
    approved = account.approved.values()
    by_others = account.scope.approvals_by_others
    whose = "Only studies that somebody else approved run" if by_others else ""
    first = f"{whose or 'Only approved studies run'}: {len(approved)} so far."
    now = max(account.time, clock.time_now())
    return [first, *(_approval(each, now) for each in approved)]


def _approval(given: Approval, now: str) -> str:
    """Say of one approval what it is of, by whom, its limits, and where it stands."""
    said = given.entry.said
    source = description_from_text(said["source"])
    limits = [] if given.most is None else [f"{given.used} of {given.most:,} used"]
    limits += [] if given.until is None else [f"until {given.until}"]
    stands = given.limit_met(now)
    return (
        f"Approval on line {given.entry.seq}: plan {said['plan'][:12]} with {source}, "
        f"by {who(given.entry)}; {', '.join([*limits, stands or 'open'])}."
    )


def _accounting_words(account: Account) -> str:
    if account.scope.accounting == "basic":
        return "epsilon and delta add up"
    cap, taken = account.scope.cap, account.scope.converted
    return (
        f"{LOSS_NAMES[account.scope.accounting]} adds up to {show_exact(cap.loss)}, "
        f"with delta {show_exact(taken)} set aside for the conversion"
    )


def _spent_delta(account: Account) -> str:
    """Say which delta is spent, and what the loss amounts to."""
    spent, taken = account.spent, account.scope.converted
    said = f"delta {show_exact(spent.delta)}"
    if account.scope.accounting == "basic":
        return said
    accounting = account.scope.accounting
    epsilon = epsilon_of_loss(accounting, float(spent.loss), float(taken))
    total = show_exact(taken + spent.delta)
    return f"{said}; together epsilon {epsilon:.4g} at delta {total}"


def _next_words(account: Account) -> str:
    left, taken = account.left, account.scope.converted
    accounting = account.scope.accounting
    if accounting == "basic":
        delta = show_exact(left.delta)
        return f"up to epsilon {show_exact(left.loss)} and delta {delta}"
    pure = pure_epsilon(accounting, float(left.loss))
    gaussian = gaussian_epsilon(accounting, float(left.loss), float(taken))
    return (
        f"Gaussian noise up to about epsilon {gaussian:.4g} at delta "
        f"{show_exact(taken)}, or Laplace noise up to epsilon {pure:.4g} and more, sum "
        "by sum"
    )
