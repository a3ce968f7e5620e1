"""The coverage command: the paper, the one-query width, or a study, simulated."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpratio.checks import require
from dpratio.cli import options
from dpratio.cli.output import Output, progress_bar
from dpratio.cli.studies import plan_of, read_study
from dpratio.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpratio.plan.plan import Plan
    from dpratio.simulation.population import DrawPeople
    from dpratio.tabular import Tabular
    from dpratio.terms.study import Study


def coverage(  # noqa: PLR0913 (one command, one simulation)
    target: Annotated[
        str,
        typer.Argument(
            metavar="STUDY", help="A study, a TOML file; or 'paper' or 'limit'."
        ),
    ],
    reps: Annotated[
        int | None,
        typer.Option(help="Repetitions per cell; 1,000, or 20,000 for limit."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the simulation.")] = None,
    n: Annotated[
        list[int] | None,
        typer.Option(help="study: people per sample; repeat for more."),
    ] = None,
    epsilon: Annotated[
        list[str] | None, typer.Option(help="study: instead of the study's epsilon.")
    ] = None,
    mechanism: Annotated[
        list[str] | None, typer.Option(help="study: instead of the study's.")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="study: a method, or 'public'; repeat for more."),
    ] = None,
    link: Annotated[
        list[str] | None, typer.Option(help="study: ratio or log; repeat for both.")
    ] = None,
    level: Annotated[
        float | None, typer.Option(help="study: confidence level.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(help="study: a ratio to test against, or 'same' for an A/A run."),
    ] = None,
    json_file: options.JsonFile = None,
    csv_file: options.CsvFile = None,
    chart_file: options.ChartFile = None,
    force: options.Replace = False,
    layout: options.Format = "table",
    wide: options.Wide = False,
) -> None:
    """Simulate how often intervals cover: the paper's settings, or your own.

    ``limit`` compares widths with the one-query width, in the paper's settings.
    """
    own: dict[str, Any] = {
        "n": n,
        "epsilon": epsilon,
        "mechanism": mechanism,
        "method": method,
        "link": link,
        "level": level,
        "against": against,
    }
    output = Output(layout, json_file, csv_file, chart_file, force=force, wide=wide)
    with progress_bar("Simulating") as report:
        run: dict[str, Any] = {"rng": seed, "report": report}
        if reps is not None:
            run["repetitions"] = reps
        if target in {"paper", "limit"}:
            _refuse(target, own)
            result = _reproduce(run) if target == "paper" else _measure_one_query(run)
        else:
            result = _simulate(Path(target), run, **own)
    output.write_files(result)
    output.print_table(result)
    output.say(_closing_lines(result))


def _refuse(target: str, given: dict[str, Any]) -> None:
    """Refuse options that would be ignored."""
    for name, value in given.items():
        if value is not None:
            raise InvalidInput(
                f"--{name} does not apply to '{target}', only to a study. Leave it out."
            )


def _reproduce(run: dict[str, Any]) -> "Tabular":
    from dpratio.simulation.paper.agreement import compare_tables
    from dpratio.simulation.paper.paper import published_cells, reproduce_paper

    return compare_tables(reproduce_paper(**run), published_cells())


def _measure_one_query(run: dict[str, Any]) -> "Tabular":
    from dpratio.simulation.coverage.one_query import measure_one_query

    return measure_one_query(**run)


def _simulate(  # noqa: PLR0913 (the options of a study)
    file: Path,
    run: dict[str, Any],
    *,
    n: "Sequence[int] | None",
    epsilon: "Sequence[str] | None",
    mechanism: "Sequence[str] | None",
    method: "Sequence[str] | None",
    link: "Sequence[str] | None",
    level: float | None,
    against: str | None,
) -> "Tabular":
    from dpratio.simulation.coverage.coverage import measure_coverage
    from dpratio.simulation.forecast.guessed import guessed_population

    if not n:
        raise InvalidInput("a simulation of a study needs n, got none. Try --n 5000.")
    study = read_study(file)
    plans = _plans(study, epsilon, mechanism)
    if study.population is None:
        raise InvalidInput(
            "a simulation needs a guessed population, got none. Add a table "
            "[population] to the study, with numerator = { mean = 0.5, sd = 0.2 }, "
            "per and, for weighted ratios, weight alike."
        )
    (question,) = plans[0].measurements
    population = guessed_population(study.population, plans[0].box(question))
    return measure_coverage(
        population,
        plans,
        n=n,
        methods=method or ["public", "analytical", "pivot"],
        links=link or ["ratio"],
        level=0.95 if level is None else level,
        against=_against(against, population),
        **run,
    )


def _plans(
    study: "Study", epsilons: "Sequence[str] | None", mechanisms: "Sequence[str] | None"
) -> "list[Plan]":
    from fractions import Fraction

    from dpratio.terms.budget import Budget

    budgets = [Budget(each, study.budget.delta) for each in epsilons or []]
    asked = {each.ratio: each for each in study.questions}
    rule = "a simulation is about one ratio, as the guessed population is"
    require(len(asked) == 1, rule, len(asked), "Simulate a study for each.")
    totals = [dict(each.totals) for each in study.questions]
    rule = "a simulation is about one kind of totals, as the guessed population is"
    require(totals.count(totals[0]) == len(totals), rule, "questions with others")
    whole = tuple(
        replace(each, groups=None, name="", budget_share=Fraction(1))
        for each in asked.values()
    )
    return [
        plan_of(replace(study, questions=whole, budget=budget, mechanism=mechanism))
        for budget in budgets or [study.budget]
        for mechanism in mechanisms or [study.mechanism]
    ]


def _against(
    given: str | None, population: "DrawPeople"
) -> "float | DrawPeople | None":
    if given is None:
        return None
    if given == "same":
        return population
    try:
        return float(given)
    except ValueError:
        raise InvalidInput(
            f"--against is a ratio or 'same', got '{given}'. Try --against 1."
        ) from None


def _closing_lines(result: "Tabular") -> list[str]:
    from dpratio.simulation.paper.agreement import PaperTables

    if not isinstance(result, PaperTables):
        return []
    return ["", f"{result.agreeing} of {len(result.comparisons)} cells agree"]
