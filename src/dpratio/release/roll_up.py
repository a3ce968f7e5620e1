"""Rolling up: sums of disjoint groups add, and so does their noise."""

import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dpratio.arrays import Integers
from dpratio.checks import require
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import choose_question
from dpratio.release.noisy_sums import NoiseLayer, NoisySums, added_rows
from dpratio.release.release import (
    MADE_BY,
    Release,
    ReleasedQuestion,
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
from dpratio.terms.question import default_name
from dpratio.terms.unit import PrivacyUnit

__all__ = ["derived_id", "roll_up"]

Coarser = Mapping[Key, Key] | Callable[[Key], Key]


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
    keep = [to] if isinstance(to, str) else list(to)
    wanted = {*keep, *(into or {})}
    given = choose_question(
        release.questions, question, lambda each: _has(each, wanted)
    )
    groups = given.groups
    hint = "The whole table is one cell already, or no key was found."
    rule = "there are no groups to roll up"
    require(len(given.values) and groups is not None, rule, None, hint)
    _require_one_cell_each(release.measured.unit)
    _require_columns(keep, list(into or {}), groups)  # type: ignore[arg-type]
    cells = [_coarser(key, groups, keep, into or {}) for key in given.keys]  # type: ignore[arg-type]
    places = {cell: at for at, cell in enumerate(dict.fromkeys(cells))}
    codes = np.array([places[cell] for cell in cells], dtype=np.int64)
    place = [each is given for each in release.questions].index(True)
    coarse = _groups(groups, keep, list(places), into or {})  # type: ignore[arg-type]
    plan = _only(release.measured, given, coarse, place)
    own, *beside = (_rolled(sums, codes, len(places)) for sums in given.sums)
    rolled = ReleasedQuestion(
        plan.questions[0], coarse, own.values, own.noise, beside=tuple(beside)
    )
    return Release(
        id=derived_id("roll_up", [release], repr((place, keep, cells))),
        plan=plan,
        questions=(rolled,),
        made_by=MADE_BY,
        is_simulated=release.is_simulated,
        sources=release.sources or (release.id,),
        ledger_heads=release.all_heads,
        cost_if_disjoint=release.cost_if_disjoint,
        origin=release.origin,
    )


def _has(question: ReleasedQuestion, columns: set[str]) -> bool:
    return question.groups is not None and columns <= {*question.groups.columns}


def _require_one_cell_each(unit: PrivacyUnit) -> None:
    """Squares of (unit, cell) totals are no squares of unit totals."""
    hint = "Plan the coarser level itself: make_plan(…, groups=[…, the coarser one])."
    rule = "cells that share units cannot be rolled up"
    require(unit.most_groups == 1, rule, unit.most_groups, hint)


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


def _rolled(sums: NoisySums, codes: Integers, cells: int) -> NoisySums:
    """Add up cells, and the draws of noise that lie on them."""
    return NoisySums(
        *sums.kind,
        added_rows(sums.values, codes, cells),
        tuple(_rolled_layer(layer, codes, cells) for layer in sums.noise),
    )


def _rolled_layer(layer: NoiseLayer, codes: Integers, cells: int) -> NoiseLayer:
    counts = np.zeros(cells, dtype=np.int64)
    np.add.at(counts, codes, np.broadcast_to(layer.counts, codes.shape))
    return replace(layer, counts=counts)


def _only(
    plan: Plan, question: ReleasedQuestion, groups: Groups | None, place: int
) -> Plan:
    """Give a plan of one question, over other groups, with what belongs to it."""
    before = default_name(question.ratio, plan.partitions[question.asked.partition])
    name = "" if question.name == before else question.name
    kept = replace(question.asked, partition=0, name=name)
    columns = {*kept.ratio.columns}
    if groups is not None:
        columns |= {each.column for each in groups.score_bins}
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
        questions=(kept,),
        found=tuple(plan.private_keys),
        stage=None if plan.stage is None else plan.stage.only(place),
    )


def derived_id(verb: str, releases: Sequence[Release], detail: str) -> str:
    """Name what is derived by what it is derived from: the same twice is the same."""
    text = repr((verb, [each.id for each in releases], detail))
    return hashlib.sha256(text.encode()).hexdigest()[:32]
