"""Commands of the curator and the officer: init, show, verify, approve and more."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpratio.checks import refuse, require
from dpratio.cli import options
from dpratio.cli.output import Output, say
from dpratio.cli.studies import read_given_release, read_study, read_terms, table_of
from dpratio.errors import LedgerFailed

if TYPE_CHECKING:
    from dpratio.curator.ledger.ledger import Ledger
    from dpratio.terms.study import Study

ledger = typer.Typer(
    help="What has been spent on each dataset; for the curator alone.",
    no_args_is_help=True,
)

Source = Annotated[
    str | None,
    typer.Option(help="The name of a table in memory, where the study names no data."),
]
ReleaseId = Annotated[
    str, typer.Argument(metavar="RELEASE_ID", help="A release id, or its text.")
]


@ledger.command()
def init(  # noqa: PLR0913 (the terms of a scope)
    epsilon: Annotated[str, typer.Option(help="Cap of epsilon, for ever.")],
    delta: Annotated[str, typer.Option(help="Cap of delta, for ever.")] = "0",
    scope: Annotated[str, typer.Option(help="A name for the dataset.")] = "main",
    dataset: Annotated[str, typer.Option(help="What the data are, in words.")] = "",
    accounting: Annotated[
        str,
        typer.Option(help="basic (a few releases), zcdp or gdp (many; gdp: Gaussian)."),
    ] = "basic",
    unit: Annotated[
        str | None, typer.Option(help="Column of ids; single rows by default.")
    ] = None,
    neighbours: Annotated[
        str, typer.Option(help="add-or-remove-one or change-one.")
    ] = "add-or-remove-one",
    largest_delta: Annotated[
        str | None, typer.Option(help="Largest delta of a single release.")
    ] = None,
    approval: Annotated[
        bool, typer.Option("--approval", help="Only approved studies may run.")
    ] = False,
    by_others: Annotated[
        bool,
        typer.Option(
            "--approvals-by-others", help="Nobody runs what they approved themselves."
        ),
    ] = False,
    location: options.Location = options.LEDGER,
    anchor: options.Anchor = None,
) -> None:
    """Register a dataset and its caps. A cap cannot be raised later.

    No study is read: --unit and --neighbours must be those of the studies to come.
    """
    from dpratio.checks import to_exact
    from dpratio.curator.ledger.account.scope import Scope as Terms
    from dpratio.curator.ledger.history import describe
    from dpratio.terms.budget import Budget

    given = None if largest_delta is None else to_exact(largest_delta, "largest_delta")
    terms = Terms(
        scope,
        Budget(epsilon, delta),
        accounting=accounting,
        unit=unit,
        neighbours=neighbours,
        dataset=dataset,
        largest_delta=given,
        needs_approval=approval or by_others,
        approvals_by_others=by_others,
    )
    account = open_ledger(location, anchor, is_new=True).open_scope(terms)
    say(*describe(account))


@ledger.command()
def show(  # noqa: PLR0913 (one question, many ways to ask it)
    scope: options.Scope = None,
    plan: Annotated[
        Path | None, typer.Option(help="Say what this study or plan would cost.")
    ] = None,
    source: Source = None,
    location: options.Location = options.LEDGER,
    anchor: options.Anchor = None,
    chart_file: options.ChartFile = None,
    force: options.Replace = False,
    layout: options.Format = "table",
    wide: options.Wide = False,
) -> None:
    """Show what is spent and left, the history, and what a next release could cost."""
    from dpratio.curator.ledger.account.source import written_source
    from dpratio.curator.ledger.history import describe_plan

    output = Output(layout, chart=chart_file, force=force, wide=wide)
    given, asked = (None, None) if plan is None else read_terms(plan)
    data = source if given is None or given.data is None else given.data
    written = None if data is None else written_source(data)
    history = open_ledger(location, anchor).history(scope)
    output.write_files(history)
    lines = history.said()
    if asked is not None:
        lines.append(describe_plan(history.account, asked, written))
    output.say([*lines, ""])
    if history.account.releases or layout != "table":
        output.print_table(history)
    else:
        output.say(["Nothing has been released."])


@ledger.command()
def verify(
    releases: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RELEASE", help="Published releases to look for."),
    ] = None,
    location: options.Location = options.LEDGER,
    anchor: options.Anchor = None,
    spool: options.Spool = None,
) -> None:
    """Look over chain, bytes, anchor, spool, and heads found in releases."""
    from dpratio.curator.ledger.verify import verify_ledger

    read = [read_given_release(path) for path in releases or []]
    findings = verify_ledger(open_ledger(location, anchor, spool=spool), read)
    say(*findings.lines()[:-1])
    if findings.wrong:
        raise LedgerFailed(
            f"{findings.lines()[-1]} Release nothing until it is understood."
        )
    say(findings.lines()[-1])


@ledger.command()
def backup(
    target: Annotated[
        Path, typer.Argument(metavar="TARGET", help="A file that is not there yet.")
    ],
    location: options.Location = options.LEDGER,
    anchor: options.Anchor = None,
) -> None:
    """Copy the ledger's file while others may use it, and verify the copy."""
    from dpratio.curator.ledger.backup import backup_ledger

    backup_ledger(open_ledger(location, anchor), target)
    say(f"Copied to {target}, and verified. Never go on with an old copy.")


@ledger.command()
def void(
    release_id: ReleaseId,
    by: options.By = "",
    location: options.Location = options.LEDGER,
    anchor: options.Anchor = None,
) -> None:
    """Give a charge back whose data were never opened."""
    from dpratio.release.release import id_of

    name = id_of(release_id)
    open_ledger(location, anchor).void(name, by=by)
    say(f"Release {name} is void; its charge is given back.")


@ledger.command()
def approve(  # noqa: PLR0913 (the terms of an approval)
    study: options.PlanFile,
    source: Source = None,
    most: Annotated[
        int | None, typer.Option(help="For how many releases; any number by default.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="The last day in UTC, such as 2026-12-31.")
    ] = None,
    scope: options.Scope = None,
    by: Annotated[str, typer.Option(help="Who approves, for the history.")] = "",
    yes: Annotated[
        bool,
        typer.Option("--yes", help="On a terminal, do not ask."),
    ] = False,
    location: options.Location = options.LEDGER,
    anchor: options.Anchor = None,
) -> None:
    """Approve a study with its data, so that a scope that demands it admits them.

    It shows what is approved, and what is left; on a terminal it asks.
    """
    from dpratio.curator.ledger.account.source import written_source
    from dpratio.curator.ledger.record import budget_facts
    from dpratio.release.files import plan_hash

    given, read = read_terms(study)
    data = _data_of(given, source)
    # Whoever answers compares the hash with the plan, and sees which data it is.
    told = f"plan {plan_hash(read)}, with {written_source(data)}."
    book = open_ledger(location, anchor)
    kept = scope or (None if given is None else given.scope)
    facts = [
        f"{name}: {text}." for name, text in budget_facts(book.account(kept), read)
    ]
    say(*read.summary(), "", *facts, "")
    if sys.stdin.isatty() and not yes:
        say(f"To approve: {told}")
        typer.confirm("Approve it?", abort=True)
    book.approve(read, source=data, most=most, until=until, scope=kept, by=by)
    say(f"Approved: {told}")


@ledger.command("allow-source")
def allow_source(
    study: Annotated[
        Path | None, typer.Argument(metavar="[STUDY]", help="The study, a TOML file.")
    ] = None,
    source: Source = None,
    scope: options.Scope = None,
    by: Annotated[str, typer.Option(help="Who allows it, for the history.")] = "",
    location: options.Location = options.LEDGER,
    anchor: options.Anchor = None,
) -> None:
    """Allow data that a scope would refuse: another scope's, or declared otherwise."""
    from dpratio.curator.ledger.account.source import written_source

    given = None if study is None else read_study(study)
    named = _data_of(given, source)
    own = None if given is None else given.data
    table = named if own is None else table_of(given)
    kept = scope or (None if given is None else given.scope)
    open_ledger(location, anchor).allow_source(table, source=own, scope=kept, by=by)
    say(f"Allowed, on the record: {written_source(named)}.")


def _data_of(study: "Study | None", named: str | None) -> object:
    """Give the data that a study names, or the name of a table in memory."""
    own = None if study is None else study.data
    rule = "a study that names its data needs no --source"
    require(own is None or named is None, rule, named, "Leave it out.")
    if own is None and named is None:
        refuse(
            "what is approved or allowed must name its data",
            None,
            "Give the study with its [data]; of a table in memory, its name with "
            "--source.",
        )
    return named if own is None else own


def open_ledger(
    location: str,
    anchor: Path | None,
    *,
    spool: Path | None = None,
    is_new: bool = False,
) -> "Ledger":
    """Open a ledger; a file that is not there is made by init alone."""
    from dpratio.curator.ledger.ledger import Ledger
    from dpratio.curator.ledger.store.sqlite import SqliteStore

    made = Ledger(location, anchor=anchor, spool=spool)
    store = made.watch.store
    if not is_new and isinstance(store, SqliteStore) and not store.path.exists():
        raise LedgerFailed(
            f"there is no ledger '{location}'. Make one with `dpratio ledger init`, or "
            "name it with --ledger. To release without an account, say --no-ledger."
        )
    return made
