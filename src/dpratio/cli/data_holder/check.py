"""The command that finds out whether a release would start."""

from typing import Annotated

import typer

from dpratio.checks import require
from dpratio.cli.data_holder.curate import require_free
from dpratio.cli.data_holder.ledger import (
    DEFAULT,
    Anchor,
    By,
    Location,
    Scope,
    open_ledger,
)
from dpratio.cli.options import (
    Data,
    Engine,
    Format,
    PlanFile,
    Spool,
    Table,
    View,
    Where,
)
from dpratio.cli.output import Output
from dpratio.cli.studies import (
    is_plan,
    plan_of,
    read_any_plan,
    read_study,
    table_aside,
    table_of,
)

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
    by: By = "",
    spool: Spool = None,
    engine: Engine = "auto",
    layout: Format = "table",
) -> None:
    """Find out whether a release would start. Charges nothing, reads no row."""
    from dpratio.curator.preflight import check_release

    output = Output(layout)
    given = None if is_plan(study) else read_study(study)
    made = read_any_plan(study) if given is None else plan_of(given)
    aside = table_aside(data, table, view, where)
    read = table_of(given, study.parent) if aside is None else aside
    named = location != DEFAULT or scope or anchor
    rule = "--no-ledger and a ledger contradict each other"
    require(not (no_ledger and named), rule, "both", "Say one of them.")
    kept = scope or (None if given is None or no_ledger else given.scope)
    book = None if no_ledger else open_ledger(location, anchor, spool=spool)
    own = None if given is None or aside is not None else given.data
    if book is not None and own is None:
        require_free(book, kept)
    found = check_release(
        read,
        made,
        ledger=book,
        scope=kept,
        source=None if book is None else own,
        by=by,
        engine=engine,
        opens=schema,
    )
    if schema:
        output.print_table(found)
        output.say([""])
    output.say([*found.said(), "Nothing was charged, and no row was read."])
