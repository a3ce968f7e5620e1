"""The coverage command: published tables, limit, or a study, simulated."""

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
    from dpratio.simulation.population import Population
    from dpratio.tabular import Tabular
    from dpratio.terms.study import Study

__all__ = ["coverage"]

FIXED = ("paper", "limit")


def coverage(  # noqa: PLR0913 (one command, one bench)
    target: Annotated[
        str,
        typer.Argument(
            metavar="STUDY",
            help="A study, a TOML file; or 'paper' or 'limit'.",
        ),
    ],
    reps: Annotated[
        int | None,
        typer.Option(help="Repetitions per cell; 1,000, or 20,000 for the limit."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the simulation.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; by default one per processor.")
    ] = None,
    table: Annotated[
        list[int] | None, typer.Option(help="paper: only this table, 1 to 4.")
    ] = None,
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
    """Simulate how often intervals cover: the paper, the limit, or your own setting."""
    _require_used(
        target,
        paper={"--table": table},
        study={
            "--n": n,
            "--epsilon": epsilon,
            "--mechanism": mechanism,
            "--method": method,
            "--link": link,
            "--level": level,
            "--against": against,
        },
    )
    if target not in FIXED and not n:
        raise InvalidInput("a simulation of a study needs n, got none. Try --n 5000.")
    output = Output(layout, json_file, csv_file, chart_file, force=force, wide=wide)
    with progress_bar("Simulating") as report:
        given_reps = {} if reps is None else {"repetitions": reps}
        run = {**given_reps, "rng": seed, "workers": workers, "report": report}
        if target == "paper":
            result = _reproduce(table, run)
        elif target == "limit":
            from dpratio.simulation.coverage.limit import measure_limit

            result = measure_limit(**run)
        else:
            given = read_study(Path(target))
            result = _simulate(
                given,
                {
                    "plan": _plans(given, epsilon, mechanism),
                    "n": n or [],
                    "methods": method or ["public", "analytical", "pivot"],
                    "links": link or ["ratio"],
                    "level": 0.95 if level is None else level,
                    **run,
                },
                against,
            )
    output.write_files(result)
    output.print_table(result)
    output.say(_closing_lines(result))


def _require_used(target: str, **told: dict[str, object]) -> None:
    """Refuse options that would be ignored."""
    own = target if target in FIXED else "study"
    words = {"study": "a study"}
    for of, given in told.items():
        for name, value in given.items():
            if value is not None and of != own:
                raise InvalidInput(
                    f"{name} does not apply to '{target}', only to "
                    f"{words.get(of, of)}. Leave it out."
                )


def _reproduce(tables: "Sequence[int] | None", run: dict[str, Any]) -> "Tabular":
    from dpratio.simulation.paper.agreement import compare_tables
    from dpratio.simulation.paper.paper import TABLES, published_cells, reproduce_paper

    cells = reproduce_paper(tables=tables or TABLES, **run)
    return compare_tables(cells, published_cells())


def _simulate(study: "Study", terms: dict[str, Any], against: str | None) -> "Tabular":
    from dpratio.simulation.coverage.coverage import measure_coverage
    from dpratio.simulation.forecast.guessed import guessed_population

    if study.guess is None:
        raise InvalidInput(
            "a simulation needs a guessed population, got none. Add a table "
            "[population] to the study, with numerator = { mean = 0.5, sd = 0.2 }, "
            "per and, for weighted ratios, weight alike."
        )
    first = terms["plan"][0]
    (question,) = first.questions
    bounds = first.box(question)
    population = guessed_population(study.guess, bounds)
    return measure_coverage(population, against=_against(against, population), **terms)


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
        replace(each, groups=None, name="", share=Fraction(1))
        for each in asked.values()
    )
    return [
        plan_of(replace(study, questions=whole, budget=budget, mechanism=mechanism))
        for budget in budgets or [study.budget]
        for mechanism in mechanisms or [study.mechanism]
    ]


def _against(
    given: str | None, population: "Population"
) -> "float | Population | None":
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
