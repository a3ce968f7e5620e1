"""What a plan of histograms must hold, and how far one unit moves all of them.

A histogram counts rows, or the totals of people in each group, on a `Ladder`; or rows,
or people, by the bins of one column. It is a question like any other: its groups are
the cells of the ladder, or the bins, and its one sum is Σ 1.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from dpratio.checks import require
from dpratio.plan.calibration.calibrate import LARGEST_SCALE, SMALLEST_SCALE
from dpratio.plan.histogram.group_counts import GroupCounts, groups_called
from dpratio.plan.histogram.ladder import Ladder, ladder_of
from dpratio.plan.plan_terms import PlanTerms
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.sensitivity.box import row_box
from dpratio.plan.sensitivity.measured import MeasuredSum
from dpratio.plan.sensitivity.sums import Summand
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import MOST_BINS, Keys, ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.question import Partition, is_plain
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit

__all__ = [
    "COUNT",
    "FEWEST_CELLS",
    "BinCounts",
    "Counted",
    "Histogram",
    "called",
    "counted_in",
    "counted_of",
    "grid_of",
    "histogram_of",
    "moves_of",
]

# Rows are counted one by one: no lattice is finer than a person.
COUNT = Summand("w", ())
_STEP, _ONE = 1.0, 1
_HINT = "Make it with plan_bounds."
FEWEST_CELLS = 16
# One row reaches so many outer limits at most: fewer than 2^53 cells of a total.
_LARGEST_ROW = 2.0
# Rows are rounded to 2^(highest - 51) before they are added up: 2,000 of them in a
# person's total move it by less than half of 2^lowest.
_WIDEST_TOTALS = 40


@dataclass(frozen=True, slots=True)
class Histogram:
    """What is counted: a column or a total by its name, on a ladder, within groups.

    ``letters`` are the columns that it is made of, as those of a numerator: s, and w
    and m where totals are weighted or something is taken off.
    """

    name: str
    ladder: Ladder
    letters: dict[str, str]
    within: Groups | None


@dataclass(frozen=True, slots=True)
class BinCounts:
    """What is counted by bins: rows, or people, whose numerator is a number.

    ``letters`` are the column that must be a number, as s; ``within`` the bins.
    """

    name: str
    letters: dict[str, str]
    within: Groups


Counted = Histogram | BinCounts | GroupCounts


def called(name: str, weight: str | None, within: Partition) -> list[str]:
    """List what a histogram may be called, from short to long: all of it is true."""
    columns = " and ".join(getattr(within, "columns", ()))
    weighted = [""] if weight is None else ["", f" weighted by {weight}"]
    grouped = [f" by {columns}"] if columns else []
    return [f"{name}{one}{other}" for other in ["", *grouped] for one in weighted]


def histogram_of(plan: PlanTerms, question: PlannedQuestion) -> Histogram:
    """Say what a question of a plan of histograms counts.

    Raises:
        InvalidInput: When it is no histogram of a column or a total of its ratio, or
            its name says that it counts something else.
    """
    found = _found(plan, question)
    known = called(found.name, found.letters.get("w"), found.within)
    rule = f"a histogram of '{found.name}' must be called so"
    require(question.name in known, rule, question.name, _HINT)
    return found


def counted_of(plan: PlanTerms, question: PlannedQuestion) -> Counted:
    """Say what a question counts: on a ladder, by bins, or groups of people.

    Raises:
        InvalidInput: When it is none of them, or its name says something else.
    """
    groups = _partition(plan, question.partition)
    keyed, ratio = groups.dimensions[0], question.ratio
    is_ladder = isinstance(keyed, Keys) and ladder_of(keyed.values) is not None
    if is_ladder and keyed.column not in ratio.totals and plan.unit.column is not None:
        return _groups_of(plan, question, ladder_of(keyed.values))  # type: ignore[arg-type]
    alone = len(groups.dimensions) == 1 and groups.listed is None
    if not isinstance(keyed, ScoreBins) or not alone:
        return histogram_of(plan, question)
    name = keyed.column
    rule = f"counts by the bins of '{name}' must be called so"
    require(question.name == name, rule, question.name, _HINT)
    rule = "bins are counted over the whole table"
    require(question.within is None, rule, question.within, _HINT)
    return BinCounts(name, {"s": ratio.numerator}, groups)


def _groups_of(
    plan: PlanTerms, question: PlannedQuestion, ladder: Ladder
) -> GroupCounts:
    """Count each person once, by how many of the declared groups they are in."""
    name = groups_called(str(plan.unit.column))
    keyed = _partition(plan, question.partition).dimensions[0].column
    rule = "a histogram of people is about a total of its ratio, or their groups"
    require(keyed == name, rule, keyed, _HINT)
    rule = "groups of people are counted among those that are declared"
    require(question.within is not None, rule, question.within, _HINT)
    within = _partition(plan, question.within)  # type: ignore[arg-type]  # refused above
    known = called(name, None, within)
    rule = f"a histogram of '{name}' must be called so"
    require(question.name in known, rule, question.name, _HINT)
    return GroupCounts(name, ladder, {"s": question.ratio.numerator}, within)


def _found(plan: PlanTerms, question: PlannedQuestion) -> Histogram:
    groups = _partition(plan, question.partition)
    single = len(groups.dimensions) == 1 and groups.listed is None
    keys = groups.dimensions[0]
    plain = single and isinstance(keys, Keys)
    ladder = ladder_of(keys.values) if plain else None
    rule = "a histogram counts the cells of its grid, all of them in order"
    require(ladder is not None, rule, keys.column, _HINT)
    ratio, name = question.ratio, keys.column
    if plan.unit.column is None:
        rule = "a histogram of rows is about a column of its ratio"
        require(name in ratio.columns, rule, name, _HINT)
        rule = "rows are counted over the whole table"
        require(question.within is None, rule, question.within, _HINT)
        return Histogram(name, ladder, {"s": name}, None)  # type: ignore[arg-type]
    rule = "a histogram of people is about a total of its ratio"
    require(name in ratio.totals, rule, name, _HINT)
    is_numerator = name == ratio.totals[0]
    given = {
        "s": ratio.numerator if is_numerator else ratio.per,
        "w": ratio.weight,
        "m": ratio.minus if is_numerator else None,
    }
    letters = {letter: column for letter, column in given.items() if column is not None}
    within = None
    if question.within is not None:
        within = _partition(plan, question.within)
    return Histogram(name, ladder, letters, within)  # type: ignore[arg-type]


def grid_of(plan: PlanTerms) -> ScoreBins | None:
    """Give the grid of a plan that looks for bins; None where it does not.

    Cells are equal, from end to end of the bounds: edges that were chosen by hand
    would come back as if they had been found.
    """
    if len(plan.questions) != 1:
        return None
    counted = counted_of(plan, plan.questions[0])
    if not isinstance(counted, BinCounts):
        return None
    (grid,) = counted.within.score_bins
    if not FEWEST_CELLS <= grid.size <= MOST_BINS:
        return None
    bounds = plan.bounds[grid.column]
    return grid if ScoreBins(grid.column, grid.size).within(bounds) == grid else None


def moves_of(plan: PlanTerms) -> list[Fraction]:
    """Check every rule of a plan of histograms; give what each of them costs.

    Returns:
        How far one unit moves the cells of each histogram, in units of their noise.

    Raises:
        InvalidInput: When a term breaks a rule.

    Guarantee:
        A release of the plan is the composition of as many answers as there are
        histograms, each private at the epsilon that is returned for it.
        Proof: docs/proofs/histogram.md.
    """
    _require_plain(plan)
    histograms = [counted_of(plan, each) for each in plan.questions]
    _require_terms(plan, histograms)
    for question in plan.questions:
        _require_count(question)
    return [
        counted_in(plan.unit, each).cells_moved / Fraction(question.sums[0].scale)
        for each, question in zip(histograms, plan.questions, strict=True)
    ]


def counted_in(unit: PrivacyUnit, histogram: Counted) -> PrivacyUnit:
    """Give the unit as a histogram counts it, in so many of its cells at most.

    A row has one bin, and a person counts in as many of them as in groups. Counted by
    their groups, a person is in one cell, however many groups there are.
    """
    is_once = isinstance(histogram, GroupCounts)
    return replace(unit, most_groups=1) if is_once else unit


def _require_plain(plan: PlanTerms) -> None:
    require(isinstance(plan.budget, Budget), "budget must be a Budget", plan.budget)
    require(isinstance(plan.unit, PrivacyUnit), "unit must be a PrivacyUnit", plan.unit)
    rule = "histograms have Laplace noise, declared groups and one stage"
    require(plan.mechanism == "laplace", rule, plan.mechanism, _HINT)
    require(plan.stage is None, rule, "a first stage", _HINT)
    require(not plan.found, rule, "keys that are found", _HINT)
    require(plan.questions, "at least one histogram is asked for", 0, _HINT)
    for each in plan.questions:
        plan.unit_of(each)  # It refuses what cannot be totals.
        rule = "the totals of a histogram reach its outer limits"
        require(not each.totals, rule, list(each.totals), _HINT)
        require(isinstance(each.ratio, Ratio), "ratio must be a Ratio", each.ratio)
        require(each.answers == ("ratio",), "a histogram has no answers", each.answers)
    names = [each.name for each in plan.questions]
    named = all(map(is_plain, names)) and len(set(names)) == len(names)
    require(named, "questions must differ in name", names)


def _partition(plan: PlanTerms, at: int) -> Groups:
    known = type(at) is int and 0 <= at < len(plan.partitions)
    require(known, "each histogram belongs to a partition of the plan", at, _HINT)
    groups = plan.partitions[at]
    rule, hint = "totals are counted in groups that are declared", "Declare the keys."
    declared = isinstance(groups, Groups)
    require(declared, rule, getattr(groups, "columns", None), hint)
    return groups  # type: ignore[return-value]  # refused above


def _require_terms(plan: PlanTerms, histograms: list[Counted]) -> None:
    """Hold bounds, totals and groups to those that the histograms need, and no more."""
    asked = [(each.name, each.within, each.letters.get("w")) for each in histograms]
    once = all(each not in asked[:at] for at, each in enumerate(asked))
    require(
        once, "each histogram is asked for once", [each.name for each in histograms]
    )
    own = [each.partition for each in plan.questions]
    within = {each.within for each in plan.questions if each.within is not None}
    # Engines answer a partition for all of its questions at once, as if they were sums
    # of the same cells; histograms are not.
    rule = "each histogram has a partition of its own"
    alone = len(set(own)) == len(own) and within.isdisjoint(own)
    require(alone, rule, own, _HINT)
    rule = "every partition of the plan belongs to a histogram"
    used = within.union(own)
    require(len(used) == len(plan.partitions), rule, len(plan.partitions), _HINT)
    totals = {}
    wanted: set[str] = set()
    for each in histograms:
        columns = list(each.letters.values())
        keyed = [] if each.within is None else list(each.within.columns)
        rule = "ids cannot be a column of the ratio, or a group"
        require(plan.unit.column not in {*columns, *keyed}, rule, plan.unit.column)
        wanted |= {*columns, *_binned(each)}
        if plan.unit.column is not None and isinstance(each, Histogram):
            totals[each.name] = each.ladder.outer
    rule = "bounds are given for just the columns that are counted"
    fits = set(plan.bounds) == wanted and _are_bounds(plan.bounds)
    require(fits, rule, sorted(map(str, plan.bounds)), _HINT)
    for each in histograms:
        if each.within is not None:
            settled = each.within.within(plan.bounds) == each.within
            require(settled, "a plan states the edges of its bins", "a number of bins")
    rule = "the totals of a histogram reach its outer limits"
    require(plan.unit.totals == totals, rule, list(plan.unit.totals), _HINT)
    for each, question in zip(histograms, plan.questions, strict=True):
        if isinstance(each, Histogram):
            _require_reach(plan, each, question)


def _binned(histogram: Counted) -> list[str]:
    bins = () if histogram.within is None else histogram.within.score_bins
    return [each.column for each in bins]


def _are_bounds(bounds: object) -> bool:
    return all(isinstance(each, Bounds) for each in bounds.values())  # type: ignore[attr-defined]


def _require_reach(
    plan: PlanTerms, histogram: Histogram, question: PlannedQuestion
) -> None:
    """Keep one row within what its cells hold."""
    outer = histogram.ladder.outer
    if plan.unit.column is None:
        rule = "the bounds of a histogram are its outer limits"
        given = plan.bounds[histogram.name]
        require(given == outer, rule, [given.lower, given.upper], _HINT)
        return
    low, high = histogram.ladder.lowest, histogram.ladder.highest
    rule = f"the outer limits of totals must lie within a factor 2^{_WIDEST_TOTALS}"
    hint = f"Give narrower limits, such as (2.0**{high - _WIDEST_TOTALS}, 2.0**{high})."
    require(high - low <= _WIDEST_TOTALS, rule, f"2^{low} to 2^{high}", hint)
    letters = histogram.letters
    row = plan.bounds[letters["s"]].reach
    if "m" in letters:
        # A plan of histograms has no bounds of a denominator that is counted.
        bounds = {question.ratio.per: Bounds.ones(), **plan.bounds}
        row = row_box(question.ratio, bounds)["s"].reach
    row *= plan.bounds[letters["w"]].reach if "w" in letters else 1.0
    rule = f"one row of '{histogram.name}' may not exceed its outer limit far"
    hint = "Widen the outer limits, or declare narrower bounds of the column."
    require(row <= outer.reach * _LARGEST_ROW, rule, row / outer.reach, hint)


def _require_count(question: PlannedQuestion) -> None:
    single = isinstance(question.sums, tuple) and len(question.sums) == 1
    require(single, "a histogram has one sum, the number of those in a cell", "others")
    counted = question.sums[0]
    expected = MeasuredSum(COUNT, _STEP, _ONE, counted.scale)
    rule = "a histogram counts one by one"
    exact = type(counted.sensitivity) is int and type(counted.scale) is float
    require(counted == expected and exact, rule, counted.step, _HINT)
    rule = "the noise of a histogram is too small or too large"
    require(SMALLEST_SCALE <= counted.scale <= LARGEST_SCALE, rule, counted.scale)
