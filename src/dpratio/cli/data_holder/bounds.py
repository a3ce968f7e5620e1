"""The command that finds bounds: noisy histograms, and what they propose."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpratio.cli import options
from dpratio.cli.data_holder.asked import Account, asked_for
from dpratio.cli.output import Output
from dpratio.cli.studies import read_study, table_aside
from dpratio.cli.words import in_options

if TYPE_CHECKING:
    from dpratio.plan.histograms import HistogramPlan
    from dpratio.release.release import Release
    from dpratio.terms.study import Study


def require_one_kind(
    bins: int | None,
    columns: Sequence[str] | None,
    *,
    cells: int | None,
    others: Iterable[object],
) -> None:
    """Refuse options of bounds where bins are asked for, and the other way round."""
    from dpratio.analyst.bounds.propose_bins import require_quantiles
    from dpratio.checks import require

    if bins is None:
        require(cells is None, "--cells needs --bins", cells, "Write --bins 10.")
        return
    require_quantiles(bins)
    one = columns is not None and len(columns) == 1
    hint = "Write --column score --bins 10."
    require(one, "--bins needs one --column", columns, hint)
    plain = all(each is None for each in others)
    rule = "--smallest, --largest and --groups are for bounds"
    require(plain, rule, "--bins", "Leave them out.")


def grid_plan(
    study: "Study", columns: Sequence[str] | None, epsilon: str, cells: int | None
) -> "HistogramPlan":
    """Plan the histogram of the one column that is named."""
    from dpratio.plan.histograms import CELLS, plan_bins
    from dpratio.terms.budget import Budget

    (column,) = columns or ()
    wanted = CELLS if cells is None else cells
    return plan_bins(study, column, budget=Budget(epsilon), cells=wanted)


def say_bins(output: Output, released: "Release", asked: int, out: Path) -> None:
    """Print the bins, and the line that a study takes."""
    from dpratio.analyst.bounds.propose_bins import propose_bins

    found = propose_bins(released, asked)
    output.answer(found)
    lines = found.lines()
    if lines:
        place = f'[groups] of the study, beside column = "{found.column}"'
        output.say(["", f"To take them, write into {place}:"])
        output.say_as_is(lines)
    output.say(["", f"{released} Written to {out}."])


if TYPE_CHECKING:
    from dpratio.release.release import Release

_TOGETHER = (
    "Each line is for all groupings of the study, and as wide as the widest of them "
    "needs. Narrower totals of one grouping stand as `totals` beside its groups: write "
    "them by judgement, or find them with a study that has these groups alone."
)


def bounds(  # noqa: PLR0913 (one command, one door)
    study: options.StudyFile,
    out: options.ReleaseOut,
    epsilon: Annotated[
        str, typer.Option(help="What the histograms may cost, beside the study.")
    ],
    column: Annotated[
        list[str] | None,
        typer.Option(help="Which column or total; by default those without bounds."),
    ] = None,
    smallest: Annotated[
        float | None,
        typer.Option(help="Sizes below it lie around 0: 2^-20, with ids 2^-8."),
    ] = None,
    largest: Annotated[
        float | None,
        typer.Option(help="Sizes from it on lie beyond: 2^40, with ids 2^32."),
    ] = None,
    bins: Annotated[
        int | None,
        typer.Option(help="Propose so many bins of one column, at its quantiles."),
    ] = None,
    cells: Annotated[
        int | None, typer.Option(help="With --bins: cells of the grid, 128.")
    ] = None,
    groups: Annotated[
        bool | None,
        typer.Option(
            "--groups/--no-groups",
            help="Propose most_groups too; by default where a study leaves it out.",
        ),
    ] = None,
    data: options.Data = None,
    table: options.Table = None,
    where: options.Where = None,
    location: options.Location = options.LEDGER,
    scope: options.Scope = None,
    anchor: options.Anchor = None,
    no_ledger: options.NoLedger = False,
    period: options.Period = None,
    new_draw: options.NewDraw = False,
    by: options.By = "",
    spool: options.Spool = None,
    force: options.Force = False,
    layout: options.Format = "table",
    wide: options.Wide = False,
    chart: options.ChartFile = None,
) -> None:
    """Find bounds, or bins: release noisy histograms, and say what they propose."""
    from dpratio.analyst.bounds.propose_bounds import propose_bounds
    from dpratio.curator.release_sums import Listeners, Request, carry_out
    from dpratio.plan.histograms import may_group, plan_bounds
    from dpratio.terms.budget import Budget

    output = Output(layout, chart=chart, force=force, wide=wide)
    given = replace(read_study(study), period=period)
    require_one_kind(bins, column, cells=cells, others=(smallest, largest, groups))
    if bins is None:
        plan = plan_bounds(
            given,
            budget=Budget(epsilon),
            columns=column,
            limits=(smallest, largest),
            most_groups=may_group(given) and not column if groups is None else groups,
        )
    else:
        plan = grid_plan(given, column, epsilon, cells)
    account = Account(location, scope, anchor, spool, no_ledger)
    account.require_one()
    asked = asked_for(given, plan, table_aside(data, table, where), account)
    book = account.open()
    asked.require_free(book)
    request = Request(
        asked.table,
        plan,
        book,
        scope=asked.scope,
        source=asked.source,
        new_draw=new_draw,
        out=out,
        replace=force,
        by=by,
    )
    released = carry_out(request, Listeners(again=say_again))
    if bins is not None:
        say_bins(output, released, bins, out)
        return
    found = propose_bounds(released, budget=given.budget)
    if found.rows:
        output.answer(found)
    lines = found.lines()
    if lines:
        place = "[bounds]" if given.unit.column is None else "[unit.totals]"
        output.say(["", f"To take them, write into {place} of the study:"])
        output.say_as_is(lines)
        if len(found.rows) > len({each.found.counted for each in found.rows}):
            output.say(["", _TOGETHER])
    _say_groups(output, released, has_totals=bool(lines))
    output.say(["", str(released), f"Written to {out}."])


def _say_groups(output: Output, released: "Release", *, has_totals: bool) -> None:
    """Print limits on the groups of a person, where they were counted."""
    from dpratio.analyst.bounds.propose_groups import propose_groups

    if not any(item.histogram.counts_groups for item in released.questions):
        return
    found = propose_groups(released)
    for each in found:
        output.say(["", *each.said(), ""])
        output.print_table(each)
        if each.lines():
            place = "[unit]" if len(found) == 1 else f"the groups of {each.within}"
            output.say(["", f"To take it, write into {place} of the study:"])
            output.say_as_is(each.lines())
    if has_totals and any(each.lines() for each in found):
        said = "Bounds of totals hold for the most_groups that the study has now. "
        output.say(["", f"{said}If you take another, look for them again."])


def say_again(words: str) -> None:
    """Say on the side that a release is given again, and what a new draw costs."""
    if words:
        typer.echo(in_options(words), err=True)
