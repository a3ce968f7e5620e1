"""Commands of the data holder: plan, release."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpratio.checks import require_one_of
from dpratio.cli import options
from dpratio.cli.data_holder.asked import Account, asked_of
from dpratio.cli.data_holder.bounds import say_again
from dpratio.cli.data_holder.running import closing_line, shown_stages
from dpratio.cli.output import Output, say
from dpratio.cli.studies import read_terms, require_known_kind, table_aside

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
) -> None:
    """Show what a study would release, at what noise and cost. Opens no data."""
    from dpratio.plan.plan import Plan
    from dpratio.release.files import plan_hash, require_place, write_plan
    from dpratio.show.plan_text import plan_to_json, plan_to_markdown

    output = Output(layout, wide=wide)
    if out is not None:
        require_place(out, "plan", replace=True)
    given, made = read_terms(study)
    notes = []
    if given is not None and isinstance(made, Plan):
        notes = _notes(given, made)
    written = {"json": plan_to_json, "markdown": plan_to_markdown}.get(layout)
    if written is None:
        output.say([*made.summary(), ""])
        output.print_table(made)
        missing = [f"Not covered: {each}" for each in made.not_covered]
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
    engine: options.Engine = "auto",
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
    from dpratio.curator.release_sums import release_sums

    require_one_of(layout, ("table", "json"), "format")
    as_json = layout == "json"
    with closing_line(wanted=as_json) as run, shown_stages(verbose=verbose) as stage:
        account = Account(location, scope, anchor, spool, no_ledger)
        asked = asked_of(study, table_aside(data, table, where), account, period)
        account.require_one(release_id)
        require_known_kind(out)
        run["ledger"] = book = account.open()

        def named(name: str, words: str) -> None:
            run["given_again"] = run["id"] is not None  # It is told a second time.
            run["id"] = name
            say_again(name, words)

        asked.require_free(book)
        released = release_sums(
            asked.table,
            asked.plan,
            ledger=book,
            scope=asked.scope,
            source=asked.source,
            release_id=release_id,
            new_draw=new_draw,
            out=out,
            replace=force,
            by=by,
            engine=engine,
            on_stage=stage,
            on_id=named,
        )
        run["id"] = released.id
    if not as_json:
        again = released.id if run["given_again"] else None
        said = _account_words(book, asked.scope, again)
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
    from dpratio.plan.settle import is_described
    from dpratio.plan.strategy.people import EXPECTED_PEOPLE
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
        if population is not None and is_described(plan.study, question.question):
            (row,) = forecast(plan, n=n, population=population, question=at).rows
            lines.append(
                f"{said} {_widths(row.width)} for {many} per answer "
                f"({row.width_public:.3g} without noise), with the study's guess."
            )
        elif plan.strategy == "focused":
            found = promised_range(plan, question, n).widths
            lines.append(
                f"{said} {_widths(found.lowest, found.highest)} for {many} per "
                f"answer, by what they are like: {advice}"
            )
        else:
            lines.append(
                f"{said} of unknown width. What {plan.strategy} sums give hangs on the "
                f"{plan.unit.people}, and {advice}"
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
