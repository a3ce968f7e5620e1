"""The command that finds out whether a release would start, and could be read.

Plain, it charges nothing. With ``--rows`` it is a small release of its own.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from dpratio.checks import refuse, require
from dpratio.cli import options
from dpratio.cli.data_holder.asked import Account, Asked, asked_of
from dpratio.cli.data_holder.bounds import say_again
from dpratio.cli.output import Output
from dpratio.cli.studies import table_aside
from dpratio.cli.words import in_options

if TYPE_CHECKING:
    from dpratio.curator.ledger.ledger import Ledger

__all__ = ["check"]


def check(  # noqa: PLR0913 (what a release is given)
    study: options.PlanFile,
    schema: Annotated[
        bool,
        typer.Option("--schema", help="Open the schema of the data, too; no row."),
    ] = False,
    rows: Annotated[
        bool,
        typer.Option(
            "--rows",
            help="Read rows, too: noisy counts of what can be read. Charged.",
        ),
    ] = False,
    epsilon: Annotated[
        str | None, typer.Option(help="What --rows costs: 0.05 if nothing is said.")
    ] = None,
    new_draw: options.NewDraw = False,
    data: options.Data = None,
    table: options.Table = None,
    view: options.View = None,
    where: options.Where = None,
    location: options.Location = options.LEDGER,
    scope: options.Scope = None,
    anchor: options.Anchor = None,
    no_ledger: Annotated[
        bool, typer.Option("--no-ledger", help="As if no account were kept.")
    ] = False,
    last: options.Last = None,
    period: options.Period = None,
    by: options.By = "",
    spool: options.Spool = None,
    engine: options.Engine = "auto",
    layout: options.Format = "table",
    wide: options.Wide = False,
) -> None:
    """Find out whether a release would start. Charges nothing without --rows."""
    from dpratio.curator.preflight import check_release

    output = Output(layout, wide=wide)
    if rows:
        given = " ".join(["--schema"] * schema + ["--last"] * (last is not None))
        require(not given, "--rows goes without --schema and --last", given)
    else:
        given = " ".join(
            ["--epsilon"] * (epsilon is not None) + ["--new-draw"] * new_draw
        )
        require(not given, "--epsilon and --new-draw go with --rows", given)
    account = Account(location, scope, anchor, spool, no_ledger)
    asked = asked_of(study, table_aside(data, table, view, where), account, period)
    account.require_one()
    book = account.open()
    asked.require_free(book)
    if rows:
        price = "0.05" if epsilon is None else epsilon
        _count_rows(asked, book, price, output, (new_draw, by, engine))
        return
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


def _count_rows(
    asked: Asked,
    book: "Ledger | None",
    epsilon: str,
    output: Output,
    door: tuple[bool, str, str],
) -> None:
    """Release noisy counts of what can be read, and say what is likely wrong."""
    from dpratio.analyst.bounds.read_check import read_check
    from dpratio.curator.release_sums import release_sums
    from dpratio.plan.check.plan_check import plan_check
    from dpratio.terms.budget import Budget

    hint = "Give the study that the plan was made from."
    given, (new_draw, by, engine) = asked.study, door
    if given is None:
        refuse("--rows goes with a study", "a plan", hint)
    released = release_sums(
        asked.table,
        plan_check(given, budget=Budget(epsilon)),
        ledger=book,
        scope=asked.scope,
        source=asked.source,
        new_draw=new_draw,
        by=by,
        engine=engine,
        on_id=say_again,
    )
    found = read_check(released, given)
    output.print_table(found)
    output.say(["", *found.said(), "", f"{released}"])
