"""What a server keeps beside the lines: caps, and what was spent after each line.

The functions of the server check charges against them, so they must be what the terms
and the lines say.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.entry import Entry, exact_text
from dpratio.curator.ledger.store.server import ask
from dpratio.curator.ledger.store.tables import Tables
from dpratio.errors import DocumentRefused

__all__ = ["totals_after", "wrong_totals"]


def totals_after(entries: Iterable[Entry]) -> Iterator[tuple[str, str]]:
    """Give the loss and delta that are spent after each line of a scope.

    A line that sets another aside says what counts as spent, if that is more.
    """
    spent = Charge(Fraction(0), Fraction(0))
    charged: dict[str, Charge] = {}
    for entry in entries:
        if entry.kind == "charge":
            charged[entry.subject] = entry.charge
            spent += entry.charge
        elif entry.kind == "void":
            spent -= charged[entry.subject]
        elif entry.kind == "quarantined":
            stated = entry.charge
            loss, delta = max(spent.loss, stated.loss), max(spent.delta, stated.delta)
            spent = Charge(loss, delta)
        yield exact_text(spent.loss), exact_text(spent.delta)


def wrong_totals(connection: Any) -> list[str]:  # noqa: ANN401 (psycopg is optional)
    """Find scopes whose caps or totals on the server are not what they must be.

    A scope whose chain is broken is left to those who follow chains.
    """
    tables = Tables(lambda sql, values: ask(connection, sql, values), schema="dpratio.")
    wrong = []
    for name, loss, delta in ask(
        connection, "SELECT name, loss, delta FROM dpratio.scope"
    ):
        scope = tables.scope(str(name))
        wanted = scope and (exact_text(scope.cap.loss), exact_text(scope.cap.delta))
        if wanted != (loss, delta):
            wrong.append(f"the caps of scope '{name}' on the server are not its terms.")
        query = (
            "SELECT spent_loss, spent_delta FROM dpratio.entry WHERE scope = ?"
            " ORDER BY seq"
        )
        kept = [tuple(row) for row in ask(connection, query, (name,))]
        try:
            summed = list(totals_after(tables.entries(str(name), 0)))
        except (KeyError, DocumentRefused):
            continue
        if kept != summed:
            wrong.append(f"what scope '{name}' has spent is not the sum of its lines.")
    return wrong
