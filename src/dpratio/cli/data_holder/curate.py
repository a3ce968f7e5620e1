"""Commands of the data holder: plan, release."""

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpratio.checks import require_one_of
from dpratio.cli import options
from dpratio.cli.data_holder.asked import Account, asked_of
from dpratio.cli.data_holder.bounds import say_again
from dpratio.cli.output import Output, say
from dpratio.cli.signals import exit_code_of
from dpratio.cli.studies import read_terms, require_known_kind, table_aside

if TYPE_CHECKING:
    from dpratio.curator.ledger.account.accounting import Charge

Stage = Callable[[str], None]
Known = dict[str, Any]


@contextmanager
def shown_stages(*, verbose: bool) -> Iterator[Stage]:
    """Show what a release does: with times on a terminal, else if asked and without."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _line if verbose else _nothing
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=not verbose) as bar:

        def show(stage: str) -> None:
            for each in bar.tasks:
                bar.update(each.id, total=1, completed=1)
            bar.add_task(stage, total=None)

        yield show
        for each in bar.tasks:
            bar.update(each.id, total=1, completed=1)


def _line(stage: str) -> None:
    sys.stderr.write(f"dpratio: {stage}\n")
    sys.stderr.flush()


def _nothing(_stage: str) -> None:
    """Show nothing."""


@contextmanager
def closing_line(*, wanted: bool) -> Iterator[Known]:
    """Print one line of JSON when a run ends, however it does.

    Yields:
        What is known of the run, to be filled in: its ``id`` and its ``ledger``, and
        whether the release is ``given_again``.
    """
    run: Known = {"id": None, "ledger": None, "given_again": False}
    try:
        yield run
    except BaseException as error:
        if wanted:
            typer.echo(_closing(run, exit_code_of(error)))
        raise
    if wanted:
        typer.echo(_closing(run, 0))


def _closing(run: Known, code: int) -> str:
    """Say how a run ended; nothing of it depends on data."""
    from dpratio.curator.ledger.standing import standing_of

    line: dict[str, Any] = dict.fromkeys(
        ("id", "scope", "status", "given_again", "drawn_on", "spent", "left")
    )
    name, book = run["id"], run["ledger"]
    line["id"] = name
    line["given_again"] = run["given_again"]
    line["status"] = "not charged" if code else "written"
    if book is not None and name is not None:
        standing = standing_of(book, name)
        line["status"] = standing.status
        account = standing.account
        if account is not None:
            accounting = account.scope.accounting
            line["scope"] = account.scope.name
            held = account.releases[name]
            line["drawn_on"] = held.read_on if held.said("sealed") else None
            line["spent"] = _amounts(held.charge, accounting)
            line["left"] = _amounts(account.left, accounting)
    return json.dumps(line | {"exit_code": code})


def _amounts(charge: "Charge", accounting: str) -> dict[str, str]:
    from dpratio.curator.ledger.account.accounting import LOSS_NAMES
    from dpratio.curator.ledger.admission.admit import show_exact

    loss = LOSS_NAMES[accounting]
    return {loss: show_exact(charge.loss), "delta": show_exact(charge.delta)}


if TYPE_CHECKING:
    from dpratio.curator.ledger.ledger import Ledger
    from dpratio.plan.plan import Plan
    from dpratio.terms.study import Study


def plan(
    study: options.PlanFile,
    layout: options.Format = "table",
    wide: options.Wide = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the plan, priced and complete."),
    ] = None,
    sql: Annotated[
        str | None,
        typer.Option(help="Print its statements for duckdb, postgres or spark."),
    ] = None,
) -> None:
    """Show what a study would release, at what noise and cost. Opens no data."""
    from dpratio.curator.sql.show import plan_sql
    from dpratio.plan.plan import Plan
    from dpratio.plan.words import NOT_COVERED
    from dpratio.release.files import plan_hash, require_place, write_plan
    from dpratio.show.plan_text import plan_to_json, plan_to_markdown

    output = Output(layout, wide=wide)
    if out is not None:
        require_place(out, "plan", replace=True)
    given, made = read_terms(study)
    if sql is not None:
        typer.echo(plan_sql(made, sql))
        return
    notes = []
    if given is not None and isinstance(made, Plan):
        notes = _notes(given, made)
    written = {"json": plan_to_json, "markdown": plan_to_markdown}.get(layout)
    if written is None:
        output.say([*made.summary(), ""])
        output.print_table(made)
        missing = [f"Not covered: {each}" for each in NOT_COVERED]
        output.say(["", *notes, *([""] if notes else []), *missing])
    else:
        typer.echo(written(made, notes))
    if out is not None:
        write_plan(made, out)
    output.say(["", f"Plan {plan_hash(made)}{f' written to {out}' if out else ''}."])


def release(  # noqa: PLR0913 (one command, one door)
    study: options.PlanFile,
    out: options.ReleaseOut,
    data: options.Data = None,
    table: options.Table = None,
    where: options.Where = None,
    location: options.Location = options.LEDGER,
    scope: options.Scope = None,
    anchor: options.Anchor = None,
    no_ledger: options.NoLedger = False,
    release_id: Annotated[
        str | None,
        typer.Option(
            "--id",
            help="Its id, or any text that names this run: the same one again goes on "
            "where it stopped, and is charged once.",
        ),
    ] = None,
    new_draw: options.NewDraw = False,
    period: options.Period = None,
    by: options.By = "",
    spool: options.Spool = None,
    force: options.Force = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say each stage when it begins.")
    ] = False,
    layout: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="table; or json, one line for schedulers, however it ends.",
        ),
    ] = "table",
) -> None:
    """Release the noisy sums of a study into a file, charged to the ledger.

    Asked again for the same study, data, scope and period, it gives the release
    that was sealed then: that is free, and the data are not looked at.
    """
    from dpratio.curator.release_sums import Listeners, Request, carry_out

    require_one_of(layout, ("table", "json"), "format")
    as_json = layout == "json"
    with closing_line(wanted=as_json) as run, shown_stages(verbose=verbose) as stage:
        account = Account(location, scope, anchor, spool, no_ledger)
        asked = asked_of(study, table_aside(data, table, where), account, period)
        account.require_one(release_id)
        require_known_kind(out)
        run["ledger"] = book = account.open()

        def named(release_id: str) -> None:
            run["id"] = None if book is None else release_id

        def again(notice: str) -> None:
            run["given_again"] = True
            say_again(notice)

        asked.require_free(book)
        request = Request(
            asked.table,
            asked.plan,
            book,
            scope=asked.scope,
            source=asked.source,
            release_id=release_id,
            new_draw=new_draw,
            out=out,
            replace=force,
            by=by,
        )
        released = carry_out(request, Listeners(stage, named, again))
        run["id"] = released.id
    if not as_json:
        given = released.id if run["given_again"] else None
        said = _account_words(book, asked.scope, given)
        say(str(released), f"Written to {out}.", *said)


def _account_words(
    book: "Ledger | None", scope: str | None, again: str | None
) -> list[str]:
    """Say whether a release was given again, and what is left after it."""
    from dpratio.curator.ledger.history import describe_left

    if book is None:
        return ["No account was kept: --no-ledger."]
    account = book.account(scope)
    left = f"Scope '{account.scope.name}'. {describe_left(account)}"
    if again is None:
        return [left]
    day = account.releases[again].read_on
    said = (
        f"Given again as it was drawn on {day}, for free. Rows that were added or "
        f"changed since {day} are not in it."
    )
    return [said, left]


def _notes(study: "Study", plan: "Plan") -> list[str]:
    """Say where bounds come from, and what to expect of the people of the study."""
    from dpratio.plan.words import describe_delta

    origins = [
        f"Bounds of {name} come from: {words}"
        for name, words in study.bounds_from.items()
    ]
    said = describe_delta(plan.delta, plan.unit)
    known = describe_delta(plan.delta, plan.unit, study.n)
    return [*origins, *_expectations(study, plan), *(known if not said else [])]


def _expectations(study: "Study", plan: "Plan") -> list[str]:
    """Say how wide the intervals of each question will be, for whom it expects."""
    from dpratio.plan.make_plan import EXPECTED_PEOPLE
    from dpratio.simulation.forecast.forecast import forecast
    from dpratio.simulation.forecast.promise import promised_range, worth_of_delta

    n = study.n or EXPECTED_PEOPLE
    many = f"{n:,} {plan.unit.people}"
    several = len(plan.measurements) > 1
    # A guess is about the columns of one ratio, whatever is guessed of its value.
    one = len({str(each.ratio) for each in plan.measurements}) == 1
    population = study.population if one else None
    advice = (
        "nobody described them. A table [population] in the study gives one figure."
        if study.population is None
        else "the study's guess is about the totals of [unit]."
        if one
        else "the study's guess is about one ratio of several. "
        "`dpratio forecast --question 1` uses it for the first."
    )
    lines = []
    for at, question in enumerate(plan.measurements, 1):
        named = f", {question.name}" if several else ""
        said = f"Expected{named}: intervals"
        if population is not None and plan.layout(question).is_described:
            (row,) = forecast(plan, n=n, population=population, question=at).rows
            lines.append(
                f"{said} {_widths(row.width)} for {many} per answer "
                f"({row.width_public:.3g} without noise), with the study's guess."
            )
        elif plan.study.strategy == "focused":
            found = promised_range(plan, question, n).widths
            lines.append(
                f"{said} {_widths(found.lowest, found.highest)} for {many} per "
                f"answer, by what they are like: {advice}"
            )
        else:
            lines.append(
                f"{said} of unknown width. What {plan.study.strategy} sums give hangs "
                f"on the {plan.unit.people}, and {advice}"
            )
    gain = worth_of_delta(study, plan, n)
    if gain:
        lines.append(
            f"A delta of 1e-6 beside epsilon would make them some {gain:.0%} narrower: "
            "delta = 1e-6 in the study's budget."
        )
    return [*lines[:-1], f"{lines[-1]} `dpratio forecast` shows more."]


def _widths(low: float, high: float | None = None) -> str:
    """Say how wide intervals are; where most have no end, say that."""
    if math.isinf(low):
        return "mostly without an end"
    if high is None:
        return f"about {low:.3g} wide"
    if math.isinf(high):
        return f"from {low:.2g} wide to without an end"
    return f"{low:.2g} to {high:.2g} wide"
