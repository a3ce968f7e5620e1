"""From a study to counts that tell whether its data are written as it says.

Each number column is counted on a ladder around its declared bounds, with a cell for
what is no number; each column of groups by its declared keys. All of it is public.
"""

import math
from collections.abc import Iterator, Mapping

from dpratio.checks import require
from dpratio.plan.histogram.histograms import called, keys_called
from dpratio.plan.histogram.ladder import Ladder
from dpratio.plan.plan import Plan
from dpratio.plan.plan_counts import Wanted, plan_counts
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Dimension, Keys, Periods, ScoreBins, distinct
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study

__all__ = ["plan_check"]

_LEAST, _MOST = -89, 90


def plan_check(study: Study, *, budget: Budget) -> Plan:
    """Plan noisy counts of what can be read, and of what has each declared key.

    Args:
        study: What will be asked, with all of its bounds; its budget is left alone.
        budget: What the counts may cost together: an epsilon.

    Returns:
        A plan for `release_sums`; `read_check` reads what it releases. Keys that are
        to be found, and periods without an end, are not counted.

    Raises:
        InvalidInput: When a term breaks a rule.

    Guarantee:
        It is a plan of histograms, priced as one. Proof: docs/proofs/histogram.md.
    """
    require(isinstance(study, Study), "study must be a Study", type(study).__name__)
    hint = "Write budget=Budget(epsilon=0.05)."
    require(isinstance(budget, Budget), "budget must be a Budget", budget, hint)
    rule = "counts need no delta"
    require(budget.delta == 0, rule, str(budget.delta), "Leave delta out.")
    _require_bounds(study)
    numbers = dict(_numbers(study))
    ladders = {name: _ladder(study, name, numbers) for name, _ in numbers}
    wanted = []
    for (name, weight), ratio in numbers.items():
        several = sum(name == other for other, _ in numbers) > 1
        title = called(name, weight, None)[-1 if several else 0]
        cells = Groups(name, ladders[name].labels)
        wanted.append(Wanted(title, ratio, cells, _most_groups(study, cells)))
    for ratio, each in _dimensions(study):
        cells = Groups.cross(each)
        most = _most_groups(study, cells)
        wanted.append(Wanted(keys_called(each), ratio, cells, most))
    outer = {name: each.outer for name, each in ladders.items()}
    return plan_counts(
        study,
        budget,
        wanted,
        bounds=_bounds(study, outer, [each.ratio for each in wanted]),
        totals={} if study.unit.column is None else outer,
    )


def _most_groups(study: Study, groups: Groups) -> int:
    """Give how often a unit is counted: in as many as any question has of its keys."""
    columns = {each.column for each in groups.dimensions}
    most = [
        each.most_groups
        for each in study.questions
        if each.most_groups is not None
        and isinstance(each.groups, Groups)
        and columns & {one.column for one in each.groups.dimensions}
    ]
    return max([study.unit.most_groups, *most])


def _require_bounds(study: Study) -> None:
    hint = "Declare them, or find them with `dpratio bounds`."
    for each in study.questions:
        for name in each.ratio.columns:
            rule = f"a check needs the bounds of '{name}'"
            require(name in study.bounds, rule, "none", hint)
        for name in each.ratio.totals if study.unit.column is not None else ():
            rule = f"a check needs the bounds of one person's total of '{name}'"
            require(name in _totals(study, each), rule, "none", hint)


def _totals(study: Study, question: Question) -> Mapping[str, Bounds]:
    """Give the bounds of totals as a question has them, or the unit."""
    return study.unit.of_question(question.totals, None).totals


def _numbers(study: Study) -> Iterator[tuple[tuple[str, str | None], Ratio]]:
    """List columns, or totals with their weight, and a ratio that each stands in."""
    for each in study.questions:
        ratio = each.ratio
        names = ratio.columns if study.unit.column is None else ratio.totals
        for name in names:
            if name == ratio.per and study.bounds[name].is_one:
                continue  # It is counted, and no column.
            weight = None if study.unit.column is None else ratio.weight
            yield (name, weight), ratio


def _ladder(
    study: Study, name: str, numbers: dict[tuple[str, str | None], Ratio]
) -> Ladder:
    """Give the cells around the bounds of a column, or of a total and its rows."""
    if study.unit.column is None:
        return _around(study.bounds[name].reach)
    reaches = [
        _totals(study, each)[name].reach
        for each in study.questions
        if name in each.ratio.totals
    ]
    for (other, weight), ratio in numbers.items():
        if other == name:
            is_top = name == ratio.totals[0]
            taken = (ratio.numerator, ratio.minus) if is_top else (ratio.per,)
            rows = sum(study.bounds[one].reach for one in taken if one is not None)
            reaches.append(rows * (study.bounds[weight].reach if weight else 1.0))
    return _around(max(reaches))


def _around(reach: float) -> Ladder:
    """Give cells of which the last begins above a bound, not further than twice it."""
    highest = min(max(math.frexp(reach)[1], _LEAST), _MOST)
    return Ladder(highest - 1, highest)


def _dimensions(study: Study) -> list[tuple[Ratio, Dimension]]:
    """List columns of groups with all of their declared keys, each once."""
    found: dict[tuple[str, ...], tuple[Ratio, Dimension]] = {}
    for question in study.questions:
        groups, ratio = question.groups, question.ratio
        if not isinstance(groups, Groups) or groups.open_periods:
            continue
        for each in groups.within(study.bounds).dimensions:
            if each.column in ratio.columns:
                continue  # Bins of a column that is counted already.
            known = (type(each).__name__, keys_called(each))
            held = found.get(known, (ratio, each))[1]
            if isinstance(each, Keys) and isinstance(held, Keys):
                found[known] = (
                    ratio,
                    Keys(each.column, distinct([*held.values, *each.values])),
                )
            elif isinstance(each, Periods) and isinstance(held, Periods):
                ends = min(held.first, each.first), max(held.last, each.last)  # type: ignore[type-var]
                found[known] = ratio, Periods(each.column, each.every, *ends)  # type: ignore[arg-type]
            else:
                found.setdefault(known, (ratio, each))
    return list(found.values())


def _bounds(
    study: Study, outer: dict[str, Bounds], ratios: list[Ratio]
) -> dict[str, Bounds]:
    """Bound every column that is read: as declared where people are added up."""
    binned = {
        each.column: study.bounds[each.column]
        for _, each in _dimensions(study)
        if isinstance(each, ScoreBins)
    }
    if study.unit.column is None:
        return {**outer, **binned}
    columns = [name for ratio in ratios for name in ratio.columns]
    read = {name: study.bounds[name] for name in columns}
    return {**{n: b for n, b in read.items() if not b.is_one}, **binned}
