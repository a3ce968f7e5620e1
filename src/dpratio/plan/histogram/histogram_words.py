"""A plan of histograms in sentences."""

from dpratio.plan.histogram.group_counts import GroupCounts
from dpratio.plan.histogram.histograms import BinCounts, counted_in, counted_of
from dpratio.plan.plan_terms import PlanTerms
from dpratio.plan.plan_words import describe_bounds, describe_epsilon, describe_unit
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.terms.budget import decimal_text

__all__ = ["describe_histogram", "describe_histograms"]


def describe_histogram(plan: PlanTerms, question: PlannedQuestion) -> str:
    """Say what one histogram counts, on which public cells."""
    asked, unit = counted_of(plan, question), plan.unit
    if isinstance(asked, BinCounts):
        who = "rows" if unit.column is None else f"each {unit.column}"
        return (
            f"{who} by {asked.name}, in {asked.within.count:,} declared cells "
            "between its bounds"
        )
    ladder = asked.ladder
    if isinstance(asked, GroupCounts):
        within = " and ".join(asked.within.columns)
        return (
            f"each {unit.column} once, by how many of {asked.within.count:,} declared "
            f"groups of {within} they are in, in cells between powers of two"
        )
    counted = f"rows by {asked.name}"
    if unit.column is not None:
        counted = f"totals of {asked.name}, one for each {unit.column}"
        if asked.within is not None:
            within = " and ".join(asked.within.columns)
            counted += f" in each of {asked.within.count:,} declared groups of {within}"
    return (
        f"{counted}, in {len(ladder.labels)} cells from 2^{ladder.lowest} to "
        f"2^{ladder.highest} on each side of zero, {ladder.steps} for each power of two"
    )


def describe_histograms(plan: PlanTerms) -> list[str]:
    """Say what is counted, who is protected and at what price."""
    asked = [f"Counted: {describe_histogram(plan, each)}." for each in plan.questions]
    counted = [counted_of(plan, each) for each in plan.questions]
    most = max(counted_in(plan.unit, each).most_groups for each in counted)
    moved = "each moves one cell of every histogram by 1"
    if most > 1:
        moved = f"each moves {most:,} counts of every histogram by 1"
    if plan.unit.neighbours == "change-one":
        moved += ", and as many back"
    in_bins = any(isinstance(each, BinCounts) for each in counted)
    answers = "how many lie beyond any bound, and a bound to choose"
    if in_bins:
        answers = f"bins of as many {plan.unit.people} each"
    cost = f"Cost: epsilon {decimal_text(plan.budget.epsilon)}, delta 0."
    return [
        *asked,
        describe_bounds(plan.bounds),
        *describe_unit(plan),
        f"Histograms, mechanism {plan.mechanism}; {moved}. {cost}",
        *describe_epsilon(plan.budget.epsilon, plan.unit),
        f"Answers: {answers}.",
    ]
