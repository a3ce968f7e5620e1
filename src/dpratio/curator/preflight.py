"""Everything that a release checks before its charge, without the charge.

Only the schema is opened, as a release opens it, and the ledger is only read. The cost
that a database estimates for the query is not shown: it comes from statistics of the
rows, and what is printed here may end up in the log of a scheduler.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from dpratio.curator.charged_release import ChargedRelease
from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.accounting import LOSS_NAMES, Charge
from dpratio.curator.ledger.admission.admit import show_exact
from dpratio.curator.ledger.admission.charging import rehearse
from dpratio.curator.ledger.history import describe_left
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.measure import connect, look_at
from dpratio.curator.reading.statement import KeyCount, Reading, kind_of_key
from dpratio.curator.statements import require_ids_of_view
from dpratio.plan.price import AnyPlan, price
from dpratio.tabular import Tabular


@dataclass(frozen=True, slots=True)
class Preflight(Tabular):
    """The columns and the account of a release that could start.

    ``columns_read`` are those that the plan names: each with the type that it has and
    what it is read as. Without a ledger there is no account. ``notice`` is what to know
    of the same release, where it was drawn before.
    """

    columns_read: tuple[tuple[str, str, str], ...]
    account: Account | None = None
    charge: Charge | None = None
    notice: str = ""

    def columns(self) -> dict[str, list[str]]:
        """One row for each column of the plan."""
        columns = map(list, zip(*self.columns_read, strict=True))
        return dict(zip(("column", "type", "read as"), columns, strict=True))

    def sentences(self) -> list[str]:
        """What would happen, in sentences."""
        if self.notice:
            return [self.notice]
        if self.account is None or self.charge is None:
            return ["No ledger was asked."]
        scope, charge = self.account.scope, self.charge
        loss = LOSS_NAMES[scope.accounting]
        costs = f"{loss} {show_exact(charge.loss)}, delta {show_exact(charge.delta)}"
        return [
            f"Scope '{scope.name}' would admit it, at {costs}.",
            describe_left(self.account),
        ]


def check_release(
    table: object,
    plan: AnyPlan,
    *,
    ledger: Ledger | None,
    scope: str | None = None,
    source: object = None,
    by: str = "",
) -> Preflight:
    """Return what a release would read and cost: no charge, nothing but the schema.

    Arguments are as for `release_sums`.

    Raises:
        DpratioError: What the release would raise before its charge.
    """
    price(plan)
    require_ids_of_view(table, plan.unit)
    if ledger is not None:
        ledger.account(scope)  # An unknown scope is named first, as in a release.
    opened = connect(table)
    read = {
        (column, role): (column, schema[column].name, role)
        for question, schema in look_at(opened, plan)
        for column, role in _roles(question)
    }
    account, charge, notice = None, None, ""
    if ledger is not None:
        release = ChargedRelease(ledger, plan, "", scope, by, is_first=True)
        described = release.source_of(table, opened, source)
        notice = release.searched(lambda: described).notice
        if not notice:
            ledger.spool.require_usable()
            account, charge = rehearse(
                ledger.watch, plan, described, scope=scope, by=by
            )
    return Preflight(tuple(read.values()), account, charge, notice)


def _roles(question: Reading | KeyCount) -> Iterator[tuple[str, str]]:
    """Yield every column that is read, with what it is read as."""
    for column in question.numbers:
        yield column, "numbers"
    if isinstance(question, KeyCount):
        yield question.column, f"{question.kind} keys"
    else:
        for index, column in question.first.key_columns.items():
            yield column, f"{kind_of_key(question.first.dimensions[index])} keys"
    if question.unit is not None:
        yield question.unit.column, "ids"
