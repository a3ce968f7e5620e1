"""The forecast command: what a study will give, before any data."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpratio.checks import require
from dpratio.cli import options
from dpratio.cli.output import Output
from dpratio.cli.studies import as_question, described, plan_of, read_study

if TYPE_CHECKING:
    from dpratio.tabular import Tabular


def forecast(  # noqa: PLR0913 (one command, one planner)
    study: options.StudyFile,
    n: Annotated[
        list[int] | None, typer.Option(help="People per answer; repeat for more.")
    ] = None,
    epsilon: Annotated[
        list[str] | None, typer.Option(help="Budgets to try; repeat for more.")
    ] = None,
    width: Annotated[
        float | None, typer.Option(help="Say which n or epsilon gives this width.")
    ] = None,
    looks: Annotated[
        int | None,
        typer.Option(help="Say what so many looks cost one person, and their width."),
    ] = None,
    calibration: Annotated[
        float | None,
        typer.Option(
            help="Say how often the test of calibration finds labels that are so many "
            "times as frequent as scores say (1.25 for instance), by kind of plan."
        ),
    ] = None,
    against: Annotated[
        float | None,
        typer.Option(help="The ratio to test against; by default the guess of it."),
    ] = None,
    power: Annotated[float, typer.Option(help="Power of 'detectable'.")] = 0.8,
    question: options.WhichQuestion = None,
    level: options.Level = 0.95,
    json_file: options.JsonFile = None,
    csv_file: options.CsvFile = None,
    chart_file: options.ChartFile = None,
    force: options.Replace = False,
    layout: options.Format = "table",
    wide: options.Wide = False,
) -> None:
    """Forecast widths, power and needed people. Opens no data, costs nothing."""
    from dpratio.plan.make_plan import EXPECTED_PEOPLE
    from dpratio.simulation.forecast.forecast import forecast as foresee
    from dpratio.terms.budget import Budget

    asked = as_question(question)
    output = Output(layout, json_file, csv_file, chart_file, force=force, wide=wide)
    given = read_study(study)
    plan = plan_of(given)
    sizes = n or [given.n or EXPECTED_PEOPLE]
    budgets = [Budget(each).epsilon for each in epsilon or []]
    population = described(given, asked)
    terms: dict[str, Any] = {
        "population": population,
        "level": level,
        "question": asked,
    }
    result: Tabular
    if calibration is not None:
        from dpratio.simulation.forecast.calibration_power import calibration_power

        rule = (
            "--calibration is a question of its own, with one --n and without --looks, "
            "--width, --epsilon, --chart"
        )
        others = (looks, width, epsilon, chart_file)
        alone = len(sizes) == 1 and all(each is None for each in others)
        require(alone, rule, "more")
        result = calibration_power(plan, n=sizes[0], often=calibration, question=asked)
    elif looks is not None:
        from dpratio.simulation.forecast.looks import forecast_looks

        rule = "--looks is a question of its own, without --width, --epsilon, --chart"
        alone = width is None and not budgets and chart_file is None
        require(alone, rule, "both")
        result = forecast_looks(plan, looks=looks, n=sizes, **terms)
    else:
        result = foresee(
            plan,
            n=sizes,
            epsilon=budgets or None,
            against=against,
            power=power,
            **terms,
        )
    lines = []
    if width is not None:
        from dpratio.simulation.forecast.needed import Need

        lines = ["", *Need.of(plan, width=width, **terms).said(sizes)]
    output.answer(result)
    output.say(lines)
