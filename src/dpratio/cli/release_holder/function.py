"""The command of functions of sums: means, totals, lifts, variances."""

from typing import TYPE_CHECKING, Annotated

import typer

from dpratio.checks import require, require_one_of
from dpratio.cli import options
from dpratio.cli.output import Output
from dpratio.cli.studies import as_question, read_given_release

if TYPE_CHECKING:
    from dpratio.analyst.function.function_of_sums import FunctionOfSums
    from dpratio.release.release import Release
    from dpratio.terms.groups import Key

_OF_A_COLUMN = (
    *("mean", "total", "variance", "difference_of_means", "lift"),
    *("relative_risk", "odds_ratio"),
)
_OF_BOTH = (
    *("ratio_of_ratios", "correlation", "slope"),
    *("calibration_intercept", "brier_score"),
)


def function(  # noqa: PLR0913 (one command, one answer)
    release: options.ReleaseFile,
    name: Annotated[
        str,
        typer.Argument(
            metavar="FUNCTION", help=f"{', '.join((*_OF_A_COLUMN, *_OF_BOTH))}."
        ),
    ],
    of: Annotated[
        str | None,
        typer.Option(help="Of what: numerator or per; of shares also ratio."),
    ] = None,
    arms: Annotated[
        tuple[str, str] | None,
        typer.Option(help="For a lift or the like: two keys of one group column."),
    ] = None,
    question: options.WhichQuestion = None,
    method: Annotated[str, typer.Option(help="pivot, delta or monte_carlo.")] = "pivot",
    level: options.Level = 0.95,
    draws: Annotated[int, typer.Option(help="Redraws of monte_carlo.")] = 1000,
    seed: Annotated[int | None, typer.Option(help="Seed of monte_carlo.")] = None,
    chart_file: options.ChartFile = None,
    force: options.Replace = False,
    layout: options.Format = "table",
    wide: options.Wide = False,
) -> None:
    """Estimate means, totals, lifts or variances with intervals from a release."""
    from dpratio.analyst.function.estimate_function import estimate_function

    output = Output(layout, chart=chart_file, force=force, wide=wide)
    wanted = _function(name, of)
    read = read_given_release(release)
    first, second = (None, None) if arms is None else arms
    found = estimate_function(
        read,
        wanted,
        arms=None if arms is None else (_key(read, first), _key(read, second)),
        question=as_question(question),
        method=method,
        level=level,
        draws=draws,
        rng=seed,
    )
    output.answer(found)


def _function(name: str, of: str | None) -> "FunctionOfSums":
    from dpratio.analyst.function import functions

    require_one_of(name, (*_OF_A_COLUMN, *_OF_BOTH), "function")
    made: FunctionOfSums
    if name in _OF_BOTH:
        require(of is None, f"{name} is about both columns", of, "Leave --of out.")
        made = getattr(functions, name)()
    else:
        made = getattr(functions, name)(*(() if of is None else (of,)))
    return made


def _key(release: "Release", word: str | None) -> "Key":
    """Turn a word into a key of a group column; numbers and days are written so."""
    for each in release.questions:
        for dimension in () if each.groups is None else each.groups.dimensions:
            for key in dimension.values:
                if str(key) == word:
                    return key
    return str(word)
