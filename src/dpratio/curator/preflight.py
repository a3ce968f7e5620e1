"""Everything that a release checks before its charge, without the charge.

Only the schema is opened, as a release opens it, and the ledger is only read. The cost
that a database estimates for the query is not shown: it comes from statistics of the
rows, and what is printed here may end up in the log of a scheduler.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from dpratio.curator.asked_again import asked_before
from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.accounting import LOSS_NAMES, Charge
from dpratio.curator.ledger.account.source import source_of
from dpratio.curator.ledger.admission.admit import show_exact
from dpratio.curator.ledger.admission.charging import rehearse
from dpratio.curator.ledger.history import describe_left
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.measure import connect, look_at
from dpratio.curator.reading.statement import KeyCount, Reading, kind_of_key
from dpratio.curator.release_sums import require_named
from dpratio.curator.warehouse.origin import origin_of
from dpratio.plan.price import AnyPlan, price
from dpratio.tabular import Tabular


@dataclass(frozen=True, slots=True)
class Preflight(Tabular):
    """What a release would find: columns, engine, account; for the curator alone.

    ``columns_read`` are those that the plan names: each with the type that it has and
    what it is read as. Without a ledger there is no account. ``again`` says that the
    same was released before.
    """

    columns_read: tuple[tuple[str, str, str], ...]
    engine: str
    account: Account | None = None
    charge: Charge | None = None
    again: str = ""

    def columns(self) -> dict[str, list[str]]:
        """One row for each column of the plan."""
        names = ("column", "type", "read as")
        return {
            name: [row[at] for row in self.columns_read]
            for at, name in enumerate(names)
        }

    def said(self) -> list[str]:
        """What would happen, in sentences."""
        lines = [f"Engine: {self.engine}."]
        if self.again:
            return [*lines, self.again]
        if self.account is None or self.charge is None:
            return [*lines, "No ledger was asked."]
        scope, charge = self.account.scope, self.charge
        loss = LOSS_NAMES[scope.accounting]
        costs = f"{loss} {show_exact(charge.loss)}, delta {show_exact(charge.delta)}"
        return [
            *lines,
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
    engine: str = "auto",
) -> Preflight:
    """Find out whether a release would start: no charge, nothing but the schema.

    Args:
        table: As for `release_sums`, and so are the others.
        plan: What would be measured.
        ledger: The ledger that would be charged; None where no account is kept.
        scope: The dataset's scope.
        source: The source as the study has it.
        by: Who would ask.
        engine: The engine that would read.

    Returns:
        What was found, where the release would start.

    Raises:
        DpratioError: What the release would raise before its charge.
    """
    price(plan)
    if ledger is not None:
        ledger.account(scope)  # A scope that is not there is told first, as always.
    opened = connect(table, engine)
    looks = look_at(opened, plan, engine)
    read = {}
    for asked, _, types in looks:
        for column, role in _roles(asked):
            read[column, role] = (column, types[column].name, role)
    account, charge, again = None, None, ""
    if ledger is not None:
        found = source_of(table, source, origin=origin_of(opened))
        require_named(ledger, found)
        before = asked_before(ledger, plan, lambda: found, scope)
        again = "" if before is None else before.words
        if not again:
            ledger.spool.require_usable()
            account, charge = rehearse(ledger.watch, plan, found, scope=scope, by=by)
    return Preflight(tuple(read.values()), looks[0][1], account, charge, again)


def _roles(asked: Reading | KeyCount) -> Iterator[tuple[str, str]]:
    """Say of every column that is read what it is read as."""
    for column in asked.numbers:
        yield column, "numbers"
    if isinstance(asked, KeyCount):
        yield asked.column, f"{asked.kind} keys"
    else:
        for at, column in asked.first.key_columns.items():
            yield column, f"{kind_of_key(asked.first.dimensions[at])} keys"
    if asked.unit is not None:
        yield asked.unit.column, "ids"
