"""The command that compares ratios of a release: pairs, margins, homogeneity."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpratio.checks import require
from dpratio.cli import options
from dpratio.cli.output import Output
from dpratio.cli.studies import as_question, read_given_release

if TYPE_CHECKING:
    from dpratio.release.release import Release, ReleasedQuestion
    from dpratio.tabular import Tabular


def compare(  # noqa: PLR0913 (one command, one answer)
    release: options.ReleaseFile,
    groups: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="GROUP",
            help="Groups by key; of several columns joined by ', '; months as 2026-01.",
        ),
    ] = None,
    design: Annotated[
        str,
        typer.Option(
            help="pairs; baseline: others against the one named; rest: each against "
            "all others together."
        ),
    ] = "pairs",
    reference: Annotated[
        float | None, typer.Option(help="Compare each ratio with this value.")
    ] = None,
    lower: Annotated[
        float | None, typer.Option(help="Lower margin: is every ratio above it?")
    ] = None,
    upper: Annotated[
        float | None, typer.Option(help="Upper margin: is every ratio below it?")
    ] = None,
    homogeneity: Annotated[
        bool, typer.Option("--homogeneity", help="Is there one ratio for all groups?")
    ] = False,
    link: Annotated[
        list[str] | None,
        typer.Option(help="difference, lift or log_ratio; may be repeated."),
    ] = None,
    null: Annotated[float, typer.Option(help="The hypothesis, on the scale.")] = 0.0,
    alternative: Annotated[
        str, typer.Option(help="two-sided, greater or less.")
    ] = "two-sided",
    level: options.Level = 0.95,
    adjust: Annotated[
        str,
        typer.Option(help="none, bonferroni, holm or benjamini_hochberg."),
    ] = "none",
    question: options.WhichQuestion = None,
    variance: options.Variance = None,
    chart_file: options.ChartFile = None,
    force: options.Replace = False,
    layout: options.Format = "table",
    wide: options.Wide = False,
) -> None:
    """Compare ratios of groups, with intervals and p-values, from a release."""
    from dpratio.analyst.comparison.compare import compare_ratios
    from dpratio.analyst.comparison.equivalence import assess_equivalence
    from dpratio.analyst.comparison.homogeneity import assess_homogeneity

    output = Output(layout, chart=chart_file, force=force, wide=wide)
    margins = lower is not None or upper is not None
    hint = "Ask one thing at a time."
    asked = [homogeneity, margins, reference is not None]
    rule = "homogeneity, margins and a reference are different questions"
    require(sum(asked) <= 1, rule, sum(asked), hint)
    read = read_given_release(release)
    named = keys_named(read, groups or [])
    place = as_question(question)
    answer: Tabular
    if homogeneity:
        answer = assess_homogeneity(read, *named, question=place, variance=variance)
    elif margins:
        answer = assess_equivalence(
            read,
            *named,
            lower=lower,
            upper=upper,
            level=level,
            adjust=adjust,
            question=place,
            variance=variance,
        )
    else:
        answer = compare_ratios(
            read,
            *named,
            design=design,
            reference=reference,
            link=link or None,
            null=null,
            alternative=alternative,
            level=level,
            adjust=adjust,
            question=place,
            variance=variance,
        )
    output.answer(answer)


def keys_named(release: "Release", words: Sequence[str]) -> list[Any]:
    """Turn words into keys: numbers, dates and several columns are written as shown.

    A month is also known without its first day: 2026-01.
    """
    from dpratio.analyst.comparison.comparison_target import names_of

    known: dict[str, Any] = {}
    for each in release.questions:
        for name, key in zip(names_of(each), each.keys, strict=True):
            known.setdefault(str(name), key)
        known |= _months(each)
    return [known.get(word, word) for word in words]


def _months(question: "ReleasedQuestion") -> dict[str, Any]:
    """Give months without their first day, where months are all that keys are."""
    from dpratio.terms.groups import Periods

    dimensions = () if question.groups is None else question.groups.dimensions
    if len(dimensions) != 1 or not isinstance(dimensions[0], Periods):
        return {}
    if dimensions[0].every != "month":
        return {}
    return {f"{key:%Y-%m}": key for key in question.keys}
