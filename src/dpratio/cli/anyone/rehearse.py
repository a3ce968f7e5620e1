"""The rehearse command: answers that a study may give, before anything is spent."""

from pathlib import Path
from typing import Annotated

import typer

from dpratio.cli import options
from dpratio.cli.output import Output
from dpratio.cli.studies import as_question, described, plan_of, read_study


def rehearse(  # noqa: PLR0913 (one command, one rehearsal)
    study: options.StudyFile,
    n: Annotated[int | None, typer.Option(help="People per answer.")] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="A budget to try instead of the study's.")
    ] = None,
    answers: Annotated[int, typer.Option(help="How many answers are drawn.")] = 20,
    seed: Annotated[int, typer.Option(help="Another one draws other answers.")] = 1,
    question: options.WhichQuestion = None,
    level: options.Level = 0.95,
    json_file: options.JsonFile = None,
    csv_file: options.CsvFile = None,
    chart_file: Annotated[
        Path | None,
        typer.Option("--html", "--chart", help="Draw to .html or .svg."),
    ] = None,
    force: options.Replace = False,
    layout: options.Format = "table",
) -> None:
    """Rehearse a study: answers it may give, beside an invented truth. Costs nothing.

    The people are those that the study's population table describes. No data are
    opened.
    """
    from dpratio.plan.make_plan import EXPECTED_PEOPLE
    from dpratio.simulation.forecast.rehearse import rehearse as draw_answers
    from dpratio.simulation.forecast.simulated_widths import replan
    from dpratio.terms.budget import Budget

    output = Output(layout, json_file, csv_file, chart_file, force=force)
    given, asked = read_study(study), as_question(question)
    plan, people = plan_of(given), n or given.n or EXPECTED_PEOPLE
    if epsilon is not None:
        plan = replan(plan, Budget(epsilon).epsilon, people, given.population)
    found = draw_answers(
        plan,
        n=people,
        population=described(given, asked),
        question=asked,
        answers=answers,
        level=level,
        seed=seed,
    )
    output.answer(found)
