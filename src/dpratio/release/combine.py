"""Combining releases: sums of disjoint groups or people add, and their noise too."""

import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from dpratio.arrays import Integers
from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.histograms import Histogram, HistogramPlan
from dpratio.plan.laws import GAUSSIAN, LAPLACE, LAWS
from dpratio.plan.measurement import Measurement, pick_question
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.sums import CUT
from dpratio.release.external import ExternalSums
from dpratio.release.release import (
    MADE_BY,
    NoiseLayer,
    NoisySums,
    Release,
    ReleasedQuestion,
    kind_of,
    require_release,
)
from dpratio.terms.budget import Budget
from dpratio.terms.groups import (
    Dimension,
    Groups,
    Key,
    Keys,
    PrivateKeys,
    ScoreBins,
    distinct,
)
from dpratio.terms.question import default_name
from dpratio.terms.study import MEASURED, UNMEASURED

Coarser = Mapping[Key, Key] | Callable[[Key], Key]
_Held = Plan | HistogramPlan | ExternalSums


def merge(releases: Sequence[Release], *, units_are_disjoint: bool = False) -> Release:
    """Add releases of one question about different people: sites, months, waves.

    Sums around the same guess add up. Sums around other guesses, given or found by
    first stages, are kept side by side, and answers add up what they say.

    Args:
        releases: Two releases or more, of the same terms and cells; budgets and
            guesses may differ. How many people bounds cut is added up where all of
            them counted it, and left out where one did not.
        units_are_disjoint: Must be True. You promise that no row and no person is in
            two of the releases; nothing in them can show it, and intervals rest on it.

    Returns:
        One release about all of them. Nothing is spent. Its cost is the sum of their
        costs; ``cost_if_disjoint`` is the largest epsilon and the largest delta, which
        is what a person pays who is in only one of them, as promised.

    Raises:
        InvalidInput: When the promise is missing, or releases share a source or differ
            in what was measured; the message gives the reason.

    Guarantee:
        The stated cost is at least the sum of what was charged for the releases, so it
        holds for people who are in all of them. Proof: docs/proofs/derived.md.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.make_plan(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        ...     budget=dpr.Budget(epsilon=1),
        ... )
        >>> table = {"score": [0.2, 0.9] * 500, "label": [0, 1] * 500}
        >>> sites = [dpr.release_sums(table, plan, ledger=None) for _ in range(2)]
        >>> both = dpr.merge(sites, units_are_disjoint=True)
        >>> both.plan.epsilon, both.cost_if_disjoint
        (Fraction(2, 1), Budget(epsilon=1, delta=0))
    """
    parts = list(releases) if isinstance(releases, list | tuple) else []
    if len(parts) < 2 or not all(isinstance(part, Release) for part in parts):  # noqa: PLR2004
        raise InvalidInput(
            f"merging needs two releases or more, got {show_given(releases)}.",
            field="releases",
        )
    plans: list[_Held] = [
        part.plan if isinstance(part.plan, HistogramPlan) else part.measured
        for part in parts
    ]
    if not all(isinstance(p, Plan) and p.study.clipping == MEASURED for p in plans):
        plans = [_without_cuts(plan) for plan in plans]
    terms, *others = map(_terms, plans, parts)
    for name in terms:
        if any(other[name] != terms[name] for other in others):
            raise InvalidInput(
                f"releases that are merged must have the same {name}. Make all "
                "releases from one plan; only budget and guess may differ.",
                field=name,
            )
    sources = sorted(name for release in parts for name in _sources(release))
    for name, following in itertools.pairwise(sources):
        if name == following:
            raise InvalidInput(
                f"releases that are merged must not share a source, got {name}. "
                "The same people would count twice.",
                field="releases",
            )
    if units_are_disjoint is not True:
        raise InvalidInput(
            "releases add up only if no row and no person is in two of them. Say "
            "units_are_disjoint=True if that is so: it is your promise. Otherwise plan "
            "one release over all rows.",
            field="units_are_disjoint",
        )
    plan = _added_plan(plans)
    questions = tuple(
        _added_question(planned, same)
        for planned, *same in zip(
            plan.measurements, *(release.questions for release in parts), strict=True
        )
    )
    costs = [release.cost_if_disjoint or release.cost for release in parts]
    dearest = Budget(
        max(cost.epsilon for cost in costs), max(cost.delta for cost in costs)
    )
    shapes = [_shape(question) for question in questions]
    made_from: tuple[object, ...] = ("merge", [], repr((sources, shapes)))
    return _derived(made_from, parts, plan, questions, dearest)


def roll_up(
    release: Release,
    to: Sequence[str] = (),
    *,
    question: str | int | None = None,
    into: Mapping[str, Coarser] | None = None,
) -> Release:
    """Add cells up into coarser ones: from states to the nation, from days to all.

    Args:
        release: A release with groups.
        to: The group columns to keep; the others are added over. None of them gives
            the whole.
        question: Which question of a release with several: its name, or its number
            from 1.
        into: By column, a mapping from its keys to coarser ones, or a function: from
            counties to states, for instance.

    Returns:
        A release of the coarser cells. Nothing is spent: it is post-processing.

    Raises:
        InvalidInput: When a column is not a group, a key is not mapped, or units may
            lie in several of the cells that would be added.

    Example:
        >>> import dpratio as dpr
        >>> release = dpr.example_release()
        >>> print(dpr.estimate_ratios(dpr.roll_up(release, question=1)).summary())
        score is 8.9 % above label, 95 % interval 7.5 % to 10.5 %; ...
        >>> halves = {"north": "up", "east": "up", "south": "down", "west": "down"}
        >>> halves = dpr.roll_up(release, "region", into={"region": halves})
        >>> halves.questions[0].keys
        ('up', 'down')
    """
    require_release(release)
    keep, into = [to] if isinstance(to, str) else list(to), into or {}
    wanted = {*keep, *into}
    finer = pick_question(
        release.questions,
        question,
        lambda part: part.groups is not None and wanted <= {*part.groups.columns},
    )
    groups = finer.groups
    if groups is None or not groups.count:
        raise InvalidInput(
            "there are no groups to roll up. The whole table is one cell already, or "
            "no key was found.",
            field="question",
        )
    _require_columns(keep, into, groups)
    most_groups = release.measured.unit.most_groups
    if most_groups > 1:
        # Squares of (unit, cell) totals are no squares of unit totals.
        raise InvalidInput(
            f"cells that share units cannot be rolled up, got {most_groups} groups of "
            "a unit. Plan the coarser level itself: "
            "make_plan(…, groups=[…, the coarser one]).",
            field="release",
        )
    columns = [groups.columns.index(name) for name in keep]
    cells = [
        tuple(
            _mapped(cell[column], name, into)
            for column, name in zip(columns, keep, strict=True)
        )
        for cell in (key if isinstance(key, tuple) else (key,) for key in groups.keys)
    ]
    places = {cell: place for place, cell in enumerate(dict.fromkeys(cells))}
    codes = np.array([places[cell] for cell in cells], dtype=np.int64)
    coarse = _coarser_groups(groups, keep, list(places), into)
    number = [part is finer for part in release.questions].index(True)
    plan = _only(release.measured, finer.measurement, coarse, number)
    sums = tuple(_added([part], codes) for part in finer.sums)
    rolled = ReleasedQuestion(plan.measurements[0], coarse, sums)
    made_from = ("roll_up", [release.id], repr((number, keep, cells)))
    return _derived(made_from, [release], plan, (rolled,), release.cost_if_disjoint)


def _derived(
    made_from: tuple[object, ...],
    releases: Sequence[Release],
    plan: _Held,
    questions: tuple[ReleasedQuestion, ...],
    cost_if_disjoint: Budget | None,
) -> Release:
    """Return a release that is named by what it is made from."""
    return Release(
        id=hashlib.sha256(repr(made_from).encode()).hexdigest()[:32],
        plan=plan,
        questions=questions,
        made_by=MADE_BY,
        is_simulated=any(release.is_simulated for release in releases),
        sources=tuple(sorted(source for part in releases for source in _sources(part))),
        ledger_heads=tuple(
            sorted({head for release in releases for head in release.all_heads})
        ),
        cost_if_disjoint=cost_if_disjoint,
    )


def _sources(release: Release) -> tuple[str, ...]:
    return release.sources or (release.id,)


def _added(parts: Sequence[NoisySums], codes: Integers | None = None) -> NoisySums:
    """Add up sums of one kind and their noise: by cell, or each cell by its code."""
    values = np.concatenate([sums.values for sums in parts])
    bound = np.abs(values.astype(np.float64)).sum(axis=0).max(initial=0.0)
    if bound >= 2.0**62:
        raise InvalidInput("sums that large cannot be added in 64 bits.")
    rows = len(parts[0].values)
    places = np.arange(rows) if codes is None else codes
    total = np.zeros((int(places.max(initial=-1)) + 1, values.shape[1]), dtype=np.int64)
    np.add.at(total, np.tile(places, len(parts)), values)
    draws: dict[tuple[str, tuple[float, ...]], Integers] = {}
    for layer in (layer for sums in parts for layer in sums.noise):
        counts = np.array(layer.counts, dtype=np.int64)
        if codes is not None:
            by_code = np.zeros(len(total), dtype=np.int64)
            np.add.at(by_code, codes, np.broadcast_to(counts, codes.shape))
            counts = by_code
        law = layer.law.name, layer.scales
        draws[law] = draws.get(law, np.zeros(1, dtype=np.int64)) + counts
    noise = [
        NoiseLayer(LAWS[name], scales, tuple(draws[name, scales].tolist()))
        for name, scales in sorted(draws)
    ]
    return replace(parts[0], values=total, noise=tuple(noise))


# --- Merging --------------------------------------------------------------------------


def _without_cuts(plan: _Held) -> _Held:
    """Leave out the counts of those whom bounds cut: the last sum of a question."""
    if not isinstance(plan, Plan):
        return plan
    measurements = [
        replace(item, sums=tuple(part for part in item.sums if part.summand != CUT))
        for item in plan.measurements
    ]
    study = replace(plan.study, clipping=UNMEASURED)
    return replace(plan, study=study, measurements=tuple(measurements))


def _terms(plan: _Held, release: Release) -> dict[str, object]:
    """Return what releases that are merged must share, by its name."""
    planned: Sequence[Measurement | Histogram] = plan.measurements
    return {
        "bounds": plan.bounds,
        "unit": plan.unit,
        "strategy": plan.study.strategy if isinstance(plan, Plan) else type(plan),
        "ratios": [
            replace(item.ratio, guess=None, guess_is="close") for item in planned
        ],
        "totals": [
            item.question.totals for item in planned if isinstance(item, Measurement)
        ],
        "sums": [[part.summand for part in item.sums] for item in planned],
        "groups": [question.groups for question in release.questions],
        # The cells are the same, whatever is counted in them.
        "counts": [
            replace(item, scale=1.0) for item in planned if isinstance(item, Histogram)
        ],
        # Nothing tells both of two values that were clipped around two guesses.
        "guess, with a residual bound": [
            question.ratio.residual_bound and question.sums[0].contrast
            for question in release.questions
        ],
    }


def _added_plan(plans: Sequence[_Held]) -> _Held:
    """Return a plan that states what somebody pays who is in all of the releases.

    Its noise is that of one of them; the epsilon and delta of the others come on top,
    and so do the keys that they found.

    Raises:
        InvalidInput: When the costs are too large together to be stated.

    Guarantee:
        Epsilon and delta of the result are at least the sums of those of the plans,
        however the plans were added up before. Proof: docs/proofs/derived.md.
    """
    # Chosen by what adding leaves alone, so that the order does not matter.
    first = max(plans, key=_rank)
    epsilon = sum((plan.epsilon for plan in plans), Fraction(0))
    delta = sum((plan.delta for plan in plans), Fraction(0))
    if isinstance(first, ExternalSums):
        origins = {plan.origin for plan in plans if isinstance(plan, ExternalSums)}
        origin = " and ".join(sorted(origins))
        return replace(first, origin=origin, claimed=Budget(epsilon, delta))
    ours = [plan for plan in plans if not isinstance(plan, ExternalSums)]
    titles = {plan.title for plan in ours}
    first = first.titled(first.title if len(titles) == 1 else None)
    if first.law == LAPLACE:
        # A delta that was allowed and not needed is not spent, and stays allowed.
        delta = max(delta, *(plan.budget.delta for plan in ours))
    budget = Budget(epsilon, delta)
    if isinstance(first, HistogramPlan):
        return replace(first, budget=budget)
    # Keys were found for each release, and paid for each time.
    paid = [
        keys for plan in ours if isinstance(plan, Plan) for keys in plan.private_keys
    ]
    for groups in first.study.partitions:
        if isinstance(groups, PrivateKeys):
            paid.remove(groups)
    # The classical formula ends at epsilon 1. The law of the noise is the same.
    law = LAPLACE if first.law == LAPLACE else GAUSSIAN
    study = replace(first.study, budget=budget, mechanism=law.name)
    return replace(first, study=study, bought=tuple(sorted(paid, key=repr)))


def _rank(plan: _Held) -> tuple[bool, str]:
    stage = plan.stage if isinstance(plan, Plan) else None
    return plan.law != LAPLACE, repr((plan.measurements, stage))


def _added_question(
    planned: Measurement | Histogram, parts: Sequence[ReleasedQuestion]
) -> ReleasedQuestion:
    """Add up a question; sums around other guesses than its own stand after them."""
    kinds: dict[object, list[NoisySums]] = {}
    for sums in (sums for part in parts for sums in part.sums):
        counted = _first(sums, len(planned.sums))
        kinds.setdefault(counted.kind, []).append(counted)
    ordered = sorted(kinds, key=lambda kind: (kind != kind_of(planned), repr(kind)))
    added = [
        # A running sum over many guesses leaves those alone that did not grow.
        kinds[kind][0] if len(kinds[kind]) == 1 else _added(kinds[kind])
        for kind in ordered
    ]
    return ReleasedQuestion(planned, parts[0].groups, tuple(added))


def _first(sums: NoisySums, count: int) -> NoisySums:
    """Return the first sums, with their noise."""
    if len(sums.steps) == count:
        return sums
    noise = tuple(replace(layer, scales=layer.scales[:count]) for layer in sums.noise)
    return NoisySums(sums.contrast, sums.steps[:count], sums.values[:, :count], noise)


def _shape(question: ReleasedQuestion) -> tuple[object, ...]:
    """Return what tells one merged question from another, the integers aside."""
    layers = [
        [(layer.law.name, layer.scales, list(layer.counts)) for layer in sums.noise]
        for sums in question.sums
    ]
    kinds = [sums.kind for sums in question.sums[1:]]
    return question.groups, layers[0], *zip(kinds, layers[1:], strict=True)


# --- Rolling up -----------------------------------------------------------------------


def _require_columns(
    keep: list[str], into: Mapping[str, Coarser], groups: Groups
) -> None:
    for name in keep:
        if name not in groups.columns:
            raise InvalidInput(
                f"an unknown level to roll up to, got '{name}'. Groups are by: "
                f"{', '.join(groups.columns)}.",
                field="to",
            )
    for name in into:
        if name not in keep:
            raise InvalidInput(
                f"a mapped column is not kept, got '{name}'. Name the columns that "
                "are mapped among those that are kept.",
                field="into",
            )


def _mapped(key: Key, name: str, into: Mapping[str, Coarser]) -> Key:
    if name not in into:
        return key
    rule = into[name]
    if callable(rule):
        return rule(key)
    if key not in rule:
        raise InvalidInput(
            f"a key of '{name}' is not mapped, got {show_given(key)}. Map every key of "
            "the column.",
            field="into",
        )
    return rule[key]


def _coarser_groups(
    groups: Groups,
    keep: list[str],
    cells: list[tuple[Key, ...]],
    into: Mapping[str, Coarser],
) -> Groups | None:
    """Return the coarser cells; bins and periods that are kept stay what they are."""
    if not keep:
        return None
    dimensions: list[Dimension] = []
    for index, name in enumerate(keep):
        dimension = groups.dimensions[groups.columns.index(name)]
        if name in into:
            if isinstance(dimension, ScoreBins):
                raise InvalidInput(
                    f"bins cannot be mapped to other keys, got '{name}'. Leave the "
                    "column out to add over its bins.",
                    field="into",
                )
            dimension = Keys(name, distinct(cell[index] for cell in cells))
        dimensions.append(dimension)
    if groups.listed is None:
        return Groups.cross(*dimensions)
    return Groups(keep, cells)  # Those that are listed are keys.


def _only(
    plan: Plan | ExternalSums, planned: Measurement, groups: Groups | None, number: int
) -> Plan | ExternalSums:
    """Return a plan of one question, over other groups, with what belongs to it."""
    bins = () if groups is None else groups.score_bins
    columns = {*planned.ratio.columns, *(dimension.column for dimension in bins)}
    bounds = {name: plan.bounds[name] for name in plan.bounds if name in columns}
    if isinstance(plan, ExternalSums):
        return replace(plan, groups=groups, bounds=bounds)
    usual = default_name(planned.ratio, planned.groups)
    name = "" if planned.name == usual else planned.name
    totals = {
        name: bounds
        for name, bounds in plan.unit.totals.items()
        if name in planned.ratio.totals
    }
    question = replace(planned.question, groups=groups, name=name)
    study = replace(
        plan.study,
        questions=(question,),
        bounds=bounds,
        unit=replace(plan.unit, totals=totals),
    )
    return Plan(
        study,
        (replace(planned, question=question),),
        bought=tuple(plan.private_keys),
        stage=plan.stage
        and replace(plan.stage, firsts=plan.stage.firsts[number : number + 1]),
    )
