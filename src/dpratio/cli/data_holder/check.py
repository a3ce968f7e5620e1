"""The command that finds out whether a release would start."""

from typing import Annotated

import typer

from dpratio.cli import options
from dpratio.cli.data_holder.asked import Account, asked_of
from dpratio.cli.output import Output
from dpratio.cli.studies import table_aside
from dpratio.cli.words import in_options


def check(  # noqa: PLR0913 (what a release is given)
    study: options.PlanFile,
    data: options.Data = None,
    table: options.Table = None,
    where: options.Where = None,
    location: options.Location = options.LEDGER,
    scope: options.Scope = None,
    anchor: options.Anchor = None,
    no_ledger: Annotated[
        bool, typer.Option("--no-ledger", help="As if no account were kept.")
    ] = False,
    period: options.Period = None,
    by: options.By = "",
    spool: options.Spool = None,
    layout: options.Format = "table",
    wide: options.Wide = False,
) -> None:
    """Find out whether a release would start. Opens the schema; charges nothing."""
    from dpratio.curator.preflight import check_release

    output = Output(layout, wide=wide)
    account = Account(location, scope, anchor, spool, no_ledger)
    asked = asked_of(study, table_aside(data, table, where), account, period)
    account.require_one()
    book = account.open()
    asked.require_free(book)
    found = check_release(
        asked.table,
        asked.plan,
        ledger=book,
        scope=asked.scope,
        source=asked.source,
        by=by,
    )
    output.print_table(found)
    output.say([""])
    told = [in_options(line) for line in found.sentences()]
    output.say([*told, "Nothing was charged, and no row was read."])
