"""What the ledger says of one release, for whoever must check it.

It names people and budgets, so it is given only where somebody hands the ledger over.
It never says where data lie.
"""

from dataclasses import dataclass

from dpratio.curator.ledger.account.account import Account, new_account, unfollowed
from dpratio.curator.ledger.account.accounting import charge_of, to_enter
from dpratio.curator.ledger.account.approval import who
from dpratio.curator.ledger.account.entry import Entry
from dpratio.curator.ledger.admission.admit import show_charge
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import wrong_release
from dpratio.errors import LedgerRefused
from dpratio.plan.price import AnyPlan, price
from dpratio.release.release import Release

_DAY = len("2026-12-31")
_MINUTES = len("2026-12-31T23:59")
_TOO_MUCH = "it would be refused: it costs more than is left"


@dataclass(frozen=True, slots=True)
class Record:
    """Who asked for a release, who approved it, and what was spent and left then.

    ``asked``, ``approved`` and ``sealed`` say who, and when in UTC. ``spent`` and
    ``left`` are those right after the release was charged.
    """

    scope: str
    dataset: str
    asked: tuple[str, str]
    approved: tuple[str, str] | None
    sealed: str
    cap: str
    charged: str
    spent: str
    left: str

    def header(self) -> list[tuple[str, str]]:
        """Give what a report says below its heading, as names and texts."""
        return [
            ("Data", self.dataset or self.scope),
            ("Released", self.sealed[:_DAY]),
            ("Asked by", self.asked[0]),
        ]

    def facts(self) -> list[tuple[str, str]]:
        """Give everything, as names and texts."""
        approved = "no approval was needed"
        if self.approved is not None:
            approved = f"{self.approved[1]}, by {self.approved[0]}"
        return [
            ("Scope", self.scope),
            *([("Data", self.dataset)] if self.dataset else []),
            ("Asked", f"{self.asked[1]}, by {self.asked[0]}"),
            ("Approved", approved),
            ("Sealed", self.sealed),
            ("Cap of the scope", self.cap),
            ("Charged", self.charged),
            ("Spent by then, with this release", self.spent),
            ("Left by then", self.left),
        ]


def record_of(ledger: Ledger, release: Release) -> Record:
    """Look a release up in its ledger.

    Raises:
        LedgerRefused: When it is not there, or is not what was sealed.
        LedgerFailed: When the ledger was edited, damaged or rolled back.
    """
    with ledger.watch.reading() as watched:
        account, held = watched.held(release.id)
        wrong = wrong_release(watched, [account], release)
        if wrong:
            raise LedgerRefused(f"{wrong[0]} Give the ledger of this release.")
        lines = watched.tables.entries(account.scope.name, 0)
    first = held.entries[0]
    until = [each for each in lines if each.seq <= first.seq]
    # Lines that were set aside later are passed over: the whole was followed above.
    _, then = unfollowed(new_account(account.scope), until)
    scope, accounting = account.scope, account.scope.accounting
    given = account.approved.get(first.said.get("approval", ""))
    sealed = next(each for each in held.entries if each.kind == "sealed")
    return Record(
        scope=scope.name,
        dataset=scope.dataset,
        asked=_signed(first),
        approved=None if given is None else _signed(given.entry),
        sealed=_time(sealed),
        cap=show_charge(scope.cap, accounting),
        charged=show_charge(held.charge, accounting),
        spent=show_charge(then.spent, accounting),
        left=show_charge(scope.cap - then.spent, accounting),
    )


def budget_facts(account: Account, plan: AnyPlan) -> list[tuple[str, str]]:
    """Say what a scope has, what a plan would cost there, and what would be left."""
    scope, left = account.scope, account.left
    accounting = scope.accounting
    charge = to_enter(charge_of(price(plan), accounting), account.spent)
    after = show_charge(left - charge, accounting) if charge.fits(left) else _TOO_MUCH
    return [
        ("Scope", scope.name),
        *([("Data", scope.dataset)] if scope.dataset else []),
        ("Cap of the scope", show_charge(scope.cap, accounting)),
        ("Spent", show_charge(account.spent, accounting)),
        ("Left now", show_charge(left, accounting)),
        ("One release of this plan costs", show_charge(charge, accounting)),
        ("Left after one", after),
    ]


def _signed(entry: Entry) -> tuple[str, str]:
    return who(entry), _time(entry)


def _time(entry: Entry) -> str:
    return f"{entry.time[:_MINUTES].replace('T', ' ')} UTC"
