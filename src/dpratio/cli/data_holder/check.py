"""The command that finds out whether a release would start."""

from typing import Annotated

import typer

from dpratio.cli.data_holder.asked import Account, asked_of
from dpratio.cli.data_holder.ledger import DEFAULT, Anchor, By, Location, Scope
from dpratio.cli.options import (
    Data,
    Engine,
    Format,
    Last,
    Period,
    PlanFile,
    Spool,
    Table,
    View,
    Where,
)
from dpratio.cli.output import Output
from dpratio.cli.studies import table_aside
from dpratio.cli.words import in_options

__all__ = ["check"]


def check(  # noqa: PLR0913 (what a release is given)
    study: PlanFile,
    schema: Annotated[
        bool,
        typer.Option("--schema", help="Open the schema of the data, too; no row."),
    ] = False,
    data: Data = None,
    table: Table = None,
    view: View = None,
    where: Where = None,
    location: Location = DEFAULT,
    scope: Scope = None,
    anchor: Anchor = None,
    no_ledger: Annotated[
        bool, typer.Option("--no-ledger", help="As if no account were kept.")
    ] = False,
    last: Last = None,
    period: Period = None,
    by: By = "",
    spool: Spool = None,
    engine: Engine = "auto",
    layout: Format = "table",
) -> None:
    """Find out whether a release would start. Charges nothing, reads no row."""
    from dpratio.curator.preflight import check_release

    output = Output(layout)
    account = Account(location, scope, anchor, spool, no_ledger)
    asked = asked_of(study, table_aside(data, table, view, where), account, period)
    account.require_one()
    book = account.open()
    asked.require_free(book)
    found = check_release(
        asked.table,
        asked.plan,
        ledger=book,
        scope=asked.scope,
        source=asked.source,
        last=last,
        by=by,
        engine=engine,
        opens=schema,
    )
    if schema:
        output.print_table(found)
        output.say([""])
    told = [in_options(each) for each in found.said()]
    output.say([*told, "Nothing was charged, and no row was read."])
