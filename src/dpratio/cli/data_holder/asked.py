"""What a command that would release is given: a plan, its data, and their ledger."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dpratio.checks import require
from dpratio.cli.data_holder.ledger import open_ledger
from dpratio.cli.options import LEDGER
from dpratio.cli.studies import (
    as_written,
    is_plan,
    plan_of,
    read_study,
    read_terms,
    table_of,
)
from dpratio.errors import LedgerRefused

if TYPE_CHECKING:
    from dpratio.curator.ledger.ledger import Ledger
    from dpratio.plan.price import AnyPlan
    from dpratio.terms.study import Study


@dataclass(frozen=True, slots=True)
class Account:
    """Which ledger a command names, and which scope in it; or that it keeps none."""

    location: str
    scope: str | None
    anchor: Path | None
    spool: Path | None
    no_ledger: bool

    def require_one(self, release_id: str | None = None) -> None:
        """Refuse a ledger beside the word that none is kept."""
        named = self.location != LEDGER or self.scope or self.anchor or release_id
        rule = "--no-ledger and a ledger contradict each other"
        require(not (self.no_ledger and named), rule, "both", "Say one of them.")

    def open(self) -> "Ledger | None":
        """Open the ledger; None where none is kept."""
        if self.no_ledger:
            return None
        return open_ledger(self.location, self.anchor, spool=self.spool)


@dataclass(frozen=True, slots=True)
class Asked:
    """A plan, the table to read, its source as the study has it, and its scope."""

    plan: "AnyPlan"
    table: object
    source: object
    scope: str | None

    def require_free(self, book: "Ledger | None") -> None:
        """Refuse data that were named aside of a study where studies are approved.

        Raises:
            LedgerRefused: When the scope demands approval.
        """
        if book is None or self.source is not None:
            return
        held = book.account(self.scope).scope
        if held.needs_approval:
            raise LedgerRefused(
                f"scope '{held.name}' admits approved studies only, with the data they "
                "name: neither a plan alone nor --data. Release the study that was "
                "approved, or ask for a new approval with `dpratio ledger approve`."
            )


def asked_of(
    study: Path, aside: object, account: Account, period: str | None = None
) -> Asked:
    """Read a study or a plan; what is named aside of it takes the place of its data."""
    if not is_plan(study):
        given = replace(read_study(study), period=period)
        return asked_for(given, plan_of(given), aside, account)
    require(period is None, "a plan has no period, a study has", period)
    table = table_of(None) if aside is None else aside
    _, plan = read_terms(study)
    return Asked(plan, table, None, account.scope)


def asked_for(
    given: "Study", plan: "AnyPlan", aside: object, account: Account
) -> Asked:
    """Ask with a plan that was made of a study."""
    table = table_of(given) if aside is None else as_written(aside, given)
    if account.no_ledger:
        return Asked(plan, table, None, account.scope)
    own = given.data if aside is None else None
    return Asked(plan, table, own, account.scope or given.scope)
