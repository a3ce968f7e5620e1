"""Rolling up and merging: sums of disjoint cells add, and so does their noise."""

import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dpratio.checks import require
from dpratio.plan.plan import Plan
from dpratio.release.added_cost import added_up, dearest
from dpratio.release.release import (
    MADE_BY,
    NoiseLayer,
    Release,
    ReleasedPart,
    layers_add_up,
    require_part,
    require_release,
)
from dpratio.terms.dimensions import (
    Cell,
    Dimension,
    Key,
    Keys,
    ScoreBins,
    distinct,
)
from dpratio.terms.groups import Groups

__all__ = ["merge", "roll_up"]

Coarser = Mapping[Key, Key] | Callable[[Key], Key]


def roll_up(
    release: Release,
    to: Sequence[str] = (),
    *,
    part: int = 0,
    into: Mapping[str, Coarser] | None = None,
) -> Release:
    """Add cells up into coarser ones: from states to the nation, from days to all.

    Args:
        release: A release with groups.
        to: The group columns to keep; the others are added over. None of them gives
            the whole.
        part: Which part of a release with several, counted from 0.
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
        >>> print(dpr.estimate_ratios(dpr.roll_up(release)).summary())
        score is 8.8 % above label, 95 % interval 7.1 % to 10.5 %; ...
        >>> halves = {"north": "up", "east": "up", "south": "down", "west": "down"}
        >>> dpr.roll_up(release, ["region"], into={"region": halves}).parts[0].keys
        ('up', 'down')
    """
    require_release(release)
    require_part(part, release)
    given = release.parts[part]
    groups = given.groups
    hint = "The whole table is one cell already, or no key was found."
    rule = "there are no groups to roll up"
    require(len(given.values) and groups is not None, rule, None, hint)
    _require_one_cell_each(release.plan)
    keep = [to] if isinstance(to, str) else list(to)
    _require_columns(keep, list(into or {}), groups)  # type: ignore[arg-type]
    cells = [_coarser(key, groups, keep, into or {}) for key in given.keys]  # type: ignore[arg-type]
    places = {cell: at for at, cell in enumerate(dict.fromkeys(cells))}
    codes = np.array([places[cell] for cell in cells], dtype=np.int64)
    rolled = ReleasedPart(
        groups=_groups(groups, keep, list(places), into or {}),  # type: ignore[arg-type]
        values=_added(given.values, codes, len(places)),
        noise=tuple(_rolled(layer, codes, len(places)) for layer in given.noise),
    )
    return Release(
        id=_derived_id("roll_up", [release], repr((part, keep, cells))),
        plan=_only(release.plan, part, rolled.groups),
        parts=(rolled,),
        made_by=MADE_BY,
        is_simulated=release.is_simulated,
        sources=release.sources or (release.id,),
        ledger_heads=release.all_heads,
        cost_if_disjoint=release.cost_if_disjoint,
        origin=release.origin,
    )


def merge(releases: Sequence[Release], *, units_are_disjoint: bool = False) -> Release:
    """Add releases of the same plan about different people: sites, months, waves.

    Args:
        releases: Two releases or more, of the same terms and cells.
        units_are_disjoint: Say True. It is your promise that nobody, no row and no
            person, is in two of the releases; nothing in them could tell. Intervals
            rest on it.

    Returns:
        One release about all of them. Nothing is spent. Its cost is the sum of their
        costs; ``cost_if_disjoint`` is the largest epsilon and the largest delta, which
        is what anybody pays who is in one of them only, as promised.

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
    given = list(releases) if isinstance(releases, list | tuple) else []
    enough = len(given) > 1 and all(isinstance(each, Release) for each in given)
    require(enough, "two releases or more are merged", len(given))
    first = given[0]
    for other in given[1:]:
        _require_alike(first, other)
    sources = [name for each in given for name in (each.sources or (each.id,))]
    hint = "The same people would count twice."
    rule = "releases that are merged must not share a source"
    require(len(set(sources)) == len(sources), rule, _repeated(sources), hint)
    hint = (
        "Say units_are_disjoint=True if that is so: it is your promise. Otherwise plan "
        "one release over all rows."
    )
    rule = "releases add up only where no row and no person is in two of them"
    require(units_are_disjoint is True, rule, units_are_disjoint, hint)
    parts = tuple(
        ReleasedPart(
            groups=same[0].groups,
            values=_total([each.values for each in same]),
            noise=layers_add_up([layer for each in same for layer in each.noise]),
        )
        for same in zip(*(each.parts for each in given), strict=True)
    )
    ordered = sorted(sources)
    return Release(
        id=_derived_id("merge", [], repr((ordered, [_shape(each) for each in parts]))),
        plan=added_up([each.plan for each in given]),
        parts=parts,
        made_by=MADE_BY,
        is_simulated=any(each.is_simulated for each in given),
        sources=tuple(ordered),
        ledger_heads=tuple(sorted({head for each in given for head in each.all_heads})),
        cost_if_disjoint=dearest(given),
        origin=_origins(given),
    )


def _require_one_cell_each(plan: Plan) -> None:
    """Squares of (unit, cell) totals are no squares of unit totals."""
    hint = "Plan the coarser level itself: make_plan(…, groups=[…, the coarser one])."
    rule = "cells that share units cannot be rolled up"
    require(plan.unit.most_groups == 1, rule, plan.unit.most_groups, hint)


def _require_columns(keep: list[str], mapped: list[str], groups: Groups) -> None:
    hint = f"Groups are by: {', '.join(groups.columns)}."
    unknown = [name for name in keep if name not in groups.columns]
    require(not unknown, "an unknown level to roll up to", unknown, hint)
    strange = [name for name in mapped if name not in keep]
    hint = "Name the columns that are mapped among those that are kept."
    require(not strange, "a mapped column is not kept", strange, hint)


def _coarser(
    key: Cell, groups: Groups, keep: list[str], into: Mapping[str, Coarser]
) -> tuple[Key, ...]:
    values = key if isinstance(key, tuple) else (key,)
    named = dict(zip(groups.columns, values, strict=True))
    return tuple(_mapped(named[name], name, into) for name in keep)


def _mapped(key: Key, name: str, into: Mapping[str, Coarser]) -> Key:
    if name not in into:
        return key
    rule = into[name]
    if callable(rule):
        return rule(key)
    hint = "Map every key of the column."
    require(key in rule, f"a key of '{name}' is not mapped", key, hint)
    return rule[key]


def _groups(
    groups: Groups,
    keep: list[str],
    cells: list[tuple[Key, ...]],
    into: Mapping[str, Coarser],
) -> Groups | None:
    """Give the coarser cells; bins and periods that are kept stay what they are."""
    if not keep:
        return None
    finer = {each.column: each for each in groups.dimensions}
    dimensions: list[Dimension] = []
    for at, name in enumerate(keep):
        own = finer[name]
        if name in into:
            hint = "Leave the column out to add over its bins."
            rule = "bins cannot be mapped to other keys"
            require(not isinstance(own, ScoreBins), rule, name, hint)
            own = Keys(name, distinct(cell[at] for cell in cells))
        dimensions.append(own)
    places = [{key: at for at, key in enumerate(each.values)} for each in dimensions]
    listed = [
        tuple(place[key] for place, key in zip(places, cell, strict=True))
        for cell in cells
    ]
    crossed = Groups.cross(*dimensions)
    whole = itertools.product(*(range(len(each.values)) for each in dimensions))
    same = len(listed) == crossed.count and all(
        cell == place for cell, place in zip(listed, whole, strict=True)
    )
    return crossed if same else crossed.only(listed)


def _added(values: np.ndarray, codes: np.ndarray, cells: int) -> np.ndarray:
    """Add rows of whole numbers by cell; refuse sums beyond 64 bits."""
    bound = np.abs(values.astype(np.float64)).sum(axis=0).max(initial=0.0)
    require(bound < 2.0**62, "sums that large cannot be added in 64 bits", bound)
    total = np.zeros((cells, values.shape[1]), dtype=np.int64)
    np.add.at(total, codes, values)
    return total


def _total(values: list[np.ndarray]) -> np.ndarray:
    stacked = np.concatenate(values)
    codes = np.tile(np.arange(len(values[0])), len(values))
    return _added(stacked, codes, len(values[0]))


def _rolled(layer: NoiseLayer, codes: np.ndarray, cells: int) -> NoiseLayer:
    counts = np.zeros(cells, dtype=np.int64)
    np.add.at(counts, codes, np.broadcast_to(layer.counts, codes.shape))
    return replace(layer, counts=counts)


def _require_alike(first: Release, other: Release) -> None:
    """Refuse releases that did not measure the same."""
    hint = "Make all releases from one plan; only the budget may differ."
    names = ("bounds", "unit", "strategy", "answers")
    for name in names:
        same = getattr(first.plan, name) == getattr(other.plan, name)
        require(same, "releases that are merged must agree", f"another {name}", hint)
    ratios = [[part.ratio for part in each.plan.parts] for each in (first, other)]
    require(ratios[0] == ratios[1], "releases must ask the same", "another ratio", hint)
    sums = [
        [[(one.summand, one.step) for one in part.sums] for part in each.plan.parts]
        for each in (first, other)
    ]
    rule = "releases that are merged must hold the same sums"
    require(sums[0] == sums[1], rule, "other sums", hint)
    cells = [[part.groups for part in each.parts] for each in (first, other)]
    rule = "releases that are merged must have the same cells"
    require(cells[0] == cells[1], rule, "other groups", hint)


def _only(plan: Plan, part: int, groups: Groups | None) -> Plan:
    """Give a plan of one part, over other groups, with what belongs to it."""
    kept = replace(plan.parts[part], partition=0)
    columns = {*kept.ratio.columns}
    if groups is not None:
        columns |= {
            each.column for each in groups.dimensions if isinstance(each, ScoreBins)
        }
    totals = {
        name: each
        for name, each in plan.unit.totals.items()
        if name in kept.ratio.totals
    }
    return replace(
        plan,
        bounds={name: each for name, each in plan.bounds.items() if name in columns},
        unit=replace(plan.unit, totals=totals),
        partitions=(groups,),
        parts=(kept,),
        found=tuple(plan.private_keys),
    )


def _origins(releases: Sequence[Release]) -> str | None:
    """Name every system whose sums were merged."""
    named = {each.origin for each in releases if each.origin is not None}
    return " and ".join(sorted(named)) if named else None


def _shape(part: ReleasedPart) -> tuple[object, ...]:
    """Say what tells one merged part from another, the integers aside."""
    layers = [
        (each.mechanism, each.scales, each.counts.tolist()) for each in part.noise
    ]
    return part.groups, layers


def _repeated(names: list[str]) -> str:
    return next((name for name in names if names.count(name) > 1), "")


def _derived_id(verb: str, releases: Sequence[Release], detail: str) -> str:
    """Name what is derived by what it is derived from: the same twice is the same."""
    text = repr((verb, [each.id for each in releases], detail))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
