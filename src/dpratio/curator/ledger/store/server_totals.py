"""What a server keeps beside the lines: caps, and what was spent after each line.

The functions of the server check charges against them, so they must be what the terms
and the lines say.
"""

from typing import Any

from dpratio.curator.ledger.account.entry import exact_text
from dpratio.curator.ledger.account.totals import totals_after
from dpratio.curator.ledger.store.server import ask
from dpratio.curator.ledger.store.tables import Tables
from dpratio.errors import DocumentRefused

__all__ = ["wrong_totals"]


def wrong_totals(connection: Any) -> list[str]:  # noqa: ANN401 (psycopg is optional)
    """Find scopes whose caps or totals on the server are not what they must be.

    A scope whose chain is broken is left to those who follow chains.
    """
    tables = Tables(lambda sql, values: ask(connection, sql, values), schema="dpratio.")
    wrong = []
    caps = ask(connection, "SELECT name, loss, delta FROM dpratio.scope")
    for scope in filter(None, [tables.scope(str(name)) for name, _, _ in caps]):
        name, cap = scope.name, scope.cap
        wanted = (name, exact_text(cap.loss), exact_text(cap.delta))
        if wanted not in [tuple(row) for row in caps]:
            wrong.append(f"the caps of scope '{name}' on the server are not its terms.")
        query = (
            "SELECT spent_loss, spent_delta FROM dpratio.entry WHERE scope = ?"
            " ORDER BY seq"
        )
        kept = [tuple(row) for row in ask(connection, query, (name,))]
        try:
            summed = list(totals_after(tables.entries(name, 0), cap))
        except (KeyError, DocumentRefused):
            continue
        if kept != summed:
            wrong.append(f"what scope '{name}' has spent is not the sum of its lines.")
    return wrong
