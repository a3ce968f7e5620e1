"""From a study without bounds to a plan of histograms that tell where they lie."""

from collections.abc import Iterator, Sequence

from dpratio.checks import require
from dpratio.plan.histogram.group_counts import groups_called, ladder_of_groups
from dpratio.plan.histogram.histograms import called
from dpratio.plan.histogram.ladder import Ladder
from dpratio.plan.plan import Plan
from dpratio.plan.plan_counts import Wanted, plan_counts
from dpratio.plan.plan_terms import settle_partition
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.question import Partition, Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

__all__ = ["limits_of", "may_group", "plan_bounds"]

_LIMITS = (2.0**-20, 2.0**40)
# Totals are rounded row by row, so their limits lie nearer to each other.
_LIMITS_OF_TOTALS = (2.0**-8, 2.0**32)

# The name of what is counted, its ratio, and the groups in which totals are made.
_Asked = tuple[str, Ratio, Partition]


def plan_bounds(
    study: Study,
    *,
    budget: Budget,
    columns: Sequence[str] | None = None,
    limits: tuple[float, float] | None = None,
    most_groups: bool = False,
) -> Plan:
    """Plan noisy histograms of a study's columns, from which bounds are proposed.

    Args:
        study: What will be asked; its own budget is left alone.
        budget: What the histograms may cost together: an epsilon.
        columns: Which columns to look at; with ids, which totals. By default those
            for which the study gives no bounds.
        limits: The sizes between which cells are told apart, on each side of zero.
            They must hold every bound that the study gives for these columns. By
            default 2^-20 and 2^40; with ids 2^-8 and 2^32, and no further apart.
        most_groups: Whether to count people by how many declared groups they are in,
            too, for `propose_groups`: one more histogram for each list of groups.

    Returns:
        A plan for `release_sums`; `propose_bounds` reads what it releases.

    Raises:
        InvalidInput: When a term breaks a rule.

    Example:
        >>> import dpratio as dpr
        >>> study = dpr.Study(
        ...     dpr.Ratio("spent", per="orders"),
        ...     bounds={"orders": dpr.Bounds(0, 4)},
        ...     budget=dpr.Budget(epsilon=1),
        ... )
        >>> plan = plan_bounds(study, budget=dpr.Budget("0.1"))
        >>> [question.name for question in plan.questions], plan.questions[0].scales
        (['spent'], [10.0])
    """
    require(isinstance(study, Study), "study must be a Study", type(study).__name__)
    hint = "Write budget=Budget(epsilon=0.1)."
    require(isinstance(budget, Budget), "budget must be a Budget", budget, hint)
    rule = "histograms need no delta"
    require(budget.delta == 0, rule, str(budget.delta), "Leave delta out.")
    limits = limits_of(study) if limits is None else limits
    pair = isinstance(limits, tuple | list) and len(limits) == len(_LIMITS)
    require(pair, "outer limits are two positive numbers, the smaller first", limits)
    ladder = Ladder.between(*limits)
    asked = _asked(study, columns, may_be_none=most_groups)
    for name, _, _ in asked:
        _require_within(study, name, ladder)
    rule = "most_groups must be true or false"
    require(isinstance(most_groups, bool), rule, most_groups)
    grouped = _grouped(study) if most_groups else []
    return _plan_of(study, budget, ladder, asked, grouped)


def may_group(study: Study) -> bool:
    """Tell whether a study leaves open in how many of its groups a person counts."""
    unit = study.unit
    return unit.column is not None and unit.most_groups == 1 and bool(_many(study))


def _many(study: Study) -> list[tuple[Ratio, Groups]]:
    """List the groups of which a person may be in several, each once, with a ratio."""
    found: dict[Groups, Ratio] = {}
    for each in study.questions:
        groups = each.groups
        # Bins that are a number are none yet.
        if isinstance(groups, Groups) and groups.count != 1:
            found.setdefault(groups, each.ratio)
    return [(ratio, groups) for groups, ratio in found.items()]


def _grouped(study: Study) -> list[tuple[Ratio, Groups]]:
    rule = "most_groups is proposed for people with ids, in declared groups"
    hint = "Leave most_groups out."
    found = _many(study) if study.unit.column is not None else []
    require(found, rule, study.unit.column, hint)
    name = groups_called(_ids_of(study))
    taken = any(name in each.ratio.totals for each in study.questions)
    require(not taken, f"no total is called '{name}'", name, "Rename the column.")
    return found


def _ids_of(study: Study) -> str:
    return str(study.unit.column)


def limits_of(study: Study) -> tuple[float, float]:
    """Give the outer limits of a study's histograms where nobody says others."""
    return _LIMITS if study.unit.column is None else _LIMITS_OF_TOTALS


def _asked(
    study: Study, columns: Sequence[str] | None, *, may_be_none: bool
) -> list[_Asked]:
    """List what is counted, each once: columns of rows, or totals in their groups."""
    every: list[_Asked] = []
    for name, ratio, groups in _askable(study):
        # A total is the same in every ratio that gives it the same weight.
        same = (name, ratio.weight, groups)
        if all(same != (one, other.weight, at) for one, other, at in every):
            every.append((name, ratio, groups))
    given = study.bounds if study.unit.column is None else _given_totals(study)
    names = list(dict.fromkeys(name for name, _, _ in every))
    if columns is None:
        wanted = [name for name in names if name not in given]
        hint = f"Say which to look at: columns={names[:1]!r}."
        rule = "a study that has all of its bounds needs none"
        require(wanted or may_be_none, rule, names, hint)
    else:
        listed = isinstance(columns, list | tuple) and len(columns) > 0
        hint = f"Write columns={names[:1]!r}."
        require(listed, "columns must be a list of names", columns, hint)
        wanted = list(columns)
        unknown = [name for name in wanted if name not in names]
        hint = f"There are: {', '.join(names)}."
        rule = "histograms are of columns, or with ids of totals, of the study"
        require(not unknown, rule, unknown, hint)
    return [each for each in every if each[0] in wanted]


def _askable(study: Study) -> Iterator[_Asked]:
    if study.unit.column is not None:
        for each in study.questions:
            for name in each.ratio.totals:
                yield name, each.ratio, each.groups
        return
    # A column is what it is, whichever ratio it stands in.
    ratios = [each.ratio for each in study.questions]
    for name in dict.fromkeys(name for ratio in ratios for name in ratio.columns):
        yield name, next(ratio for ratio in ratios if name in ratio.columns), None


def _given_totals(study: Study) -> set[str]:
    """Name the totals of which every question that adds them up has bounds."""
    asked = {name for each in study.questions for name in each.ratio.totals}
    return asked - {
        name
        for each in study.questions
        for name in each.ratio.totals
        if name not in _unit_of(study, each).totals
    }


def _unit_of(study: Study, question: Question) -> PrivacyUnit:
    return study.unit.of_question(question.totals)


def _require_within(study: Study, name: str, ladder: Ladder) -> None:
    """Refuse outer limits that exclude a bound that was declared."""
    declared = (
        [study.bounds.get(name)]
        if study.unit.column is None
        else [_unit_of(study, each).totals.get(name) for each in study.questions]
    )
    largest = 2.0**ladder.highest
    rule = f"the outer limits must hold the bounds of '{name}' that the study gives"
    fits = all(each is None or each.reach <= largest for each in declared)
    hint = "Widen the limits, or leave the bounds out."
    require(fits, rule, f"2^{ladder.highest}", hint)


def _plan_of(
    study: Study,
    budget: Budget,
    ladder: Ladder,
    asked: list[_Asked],
    grouped: list[tuple[Ratio, Groups]],
) -> Plan:
    bounds = _row_bounds(study, ladder, asked, grouped)
    wanted = []
    for each in asked:
        name, ratio, groups = each
        within = settle_partition(groups, bounds)
        cells, named = Groups(name, ladder.labels), _called(name, ratio, within, asked)
        wanted.append(Wanted(named, ratio, cells, within))
    for ratio, groups in grouped:
        held, name = groups.within(bounds), groups_called(_ids_of(study))
        named = called(name, None, held)[-1 if len(grouped) > 1 else 0]
        cells = Groups(name, ladder_of_groups(held).labels)
        wanted.append(Wanted(named, ratio, cells, held, counts_groups=True))
    has_ids = study.unit.column is not None
    totals = {name: ladder.outer for name, _, _ in asked} if has_ids else {}
    return plan_counts(study, budget, wanted, bounds=bounds, totals=totals)


def _called(name: str, ratio: Ratio, within: Partition, asked: list[_Asked]) -> str:
    """Call a histogram by what it counts, in full where there are several of it."""
    several = sum(each == name for each, _, _ in asked) > 1
    return called(name, ratio.weight, within)[-1 if several else 0]


def _row_bounds(
    study: Study,
    ladder: Ladder,
    asked: list[_Asked],
    grouped: list[tuple[Ratio, Groups]],
) -> dict[str, Bounds]:
    """Bound every column that is read: as declared where people are added up."""
    if study.unit.column is None:
        return {name: ladder.outer for name, _, _ in asked}
    bounds: dict[str, Bounds] = {}
    for name, ratio, _ in asked:
        is_numerator = name == ratio.totals[0]
        taken = (ratio.numerator, ratio.minus) if is_numerator else (ratio.per,)
        for column in (*taken, ratio.weight):
            if column is not None:
                bounds[column] = study.bounds.get(column, ladder.outer)
    for ratio, _ in grouped:
        bounds[ratio.numerator] = study.bounds.get(ratio.numerator, ladder.outer)
    for groups in [*(each for _, _, each in asked), *(each for _, each in grouped)]:
        for each in groups.score_bins if isinstance(groups, Groups) else ():
            hint = f"Add bounds for '{each.column}'."
            known = each.column in study.bounds
            require(known, "a binned column needs bounds", each.column, hint)
            bounds[each.column] = study.bounds[each.column]
    return bounds
