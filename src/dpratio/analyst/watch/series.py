"""Releases in order of time, taken apart into looks: the groups of one period each.

Releases that do not belong together are refused: another question, unit or set of
groups, the same release twice, periods that overlap or go back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from dpratio.analyst.ratio.interval import Signs
from dpratio.analyst.sums.moments import Moments, moments_of
from dpratio.analyst.sums.variance import choose_variance
from dpratio.analyst.tables.facets import key_text
from dpratio.checks import require
from dpratio.plan.measurement import pick_question
from dpratio.release.release import Release, ReleasedQuestion, require_release
from dpratio.terms.groups import Groups, Periods


@dataclass(frozen=True, slots=True)
class Look:
    """One period: its name and the moments of every group."""

    period: str
    moments: Moments
    reach: Signs
    variance: str


@dataclass(frozen=True, slots=True)
class Series:
    """All looks, in order of time.

    ``labels`` name the groups, by column; ``every`` is the kind of the periods, or ""
    where each release is a period. ``differing`` says what differs between releases
    and is allowed to.
    """

    looks: tuple[Look, ...]
    labels: Mapping[str, Sequence[Any]]
    every: str
    releases: tuple[Release, ...]
    question: ReleasedQuestion
    differing: tuple[str, ...]

    @property
    def groups(self) -> int:
        """How many groups there are; 1 without groups."""
        return len(self.looks[0].moments.values)

    @property
    def is_disjoint_as_planned(self) -> bool:
        """Whether the plan itself counts each person in one period only."""
        unit = self.releases[0].plan.unit
        alone = len(self.releases) == 1 and not self.releases[0].sources
        return alone and unit.column is not None and unit.most_groups == 1


def series_of(
    releases: Release | Sequence[Release] | Mapping[str, Release],
    *,
    question: str | int | None,
    variance: str | None,
) -> Series:
    """Take releases apart into looks.

    Raises:
        InvalidInput: When releases do not belong together; the message says why.
    """
    named = _named(releases)
    chosen = {
        name: pick_question(each.questions, question) for name, each in named.items()
    }
    first, *others = named
    for name in others:
        _require_alike(named[first], named[name], name)
        _require_same_unit(named[first], named[name], name)
        _require_same_question(chosen[first], chosen[name], name)
    _require_once(named)
    looks: list[Look] = []
    spans: list[tuple[Any, Any]] = []
    every = ""
    for name, release in named.items():
        asked = chosen[name]
        moments = moments_of(release, asked)
        reach = Signs.of(release.measured.box(asked.measurement))
        form = choose_variance(moments, variance)
        periods = _periods(asked.groups)
        if periods is None:
            looks.append(Look(name, moments, reach, form))
            continue
        every = periods.every
        spans.append((periods.first, periods.last))
        places = _places(asked.groups)
        looks += [
            Look(key_text(day, every), moments.only(row), reach, form)
            for day, row in zip(periods.values, places, strict=True)
        ]
    _require_in_order(spans, list(named))
    kept = tuple(named.values())
    differing = _differing(kept, tuple(chosen.values()))
    rest = _rest(chosen[first].groups)
    return Series(tuple(looks), rest, every, kept, chosen[first], differing)


def _named(
    releases: Release | Sequence[Release] | Mapping[str, Release],
) -> dict[str, Release]:
    """Name the releases: as they were named, or by their number."""
    if isinstance(releases, Release):
        return {"1": releases}
    hint = "Read them first: [read_release(path) for path in paths]."
    known = isinstance(releases, Mapping | list | tuple) and len(releases) > 0
    require(known, "releases must be one release, or a list of them", releases, hint)
    given = (
        releases
        if isinstance(releases, Mapping)
        else {str(at): each for at, each in enumerate(releases, 1)}
    )
    for each in given.values():
        require_release(each)
    return {str(name): each for name, each in given.items()}


def _require_alike(first: Release, other: Release, name: str) -> None:
    """Refuse releases of which some people are invented."""
    rule = "invented people and others are not watched together"
    same = first.is_simulated == other.is_simulated
    require(same, rule, f"both, with {name}")


def _require_same_unit(first: Release, other: Release, name: str) -> None:
    hint = "Watch releases of one study; budgets, guesses and bounds may differ."
    rule = "releases that are watched together must be about the same unit"
    units = [each.measured.unit for each in (first, other)]
    counted = {(each.column, each.most_groups) for each in units}
    require(len(counted) == 1, rule, f"another unit in {name}", hint)


def _require_same_question(
    first: ReleasedQuestion, other: ReleasedQuestion, name: str
) -> None:
    hint = "Say question=… where releases hold several."
    rule = "releases that are watched together must ask the same"
    ratios = [
        replace(each.ratio, guess=None, guess_is="close") for each in (first, other)
    ]
    require(ratios[0] == ratios[1], rule, f"another ratio in {name}", hint)
    kinds = [_periods(each.groups) for each in (first, other)]
    every = [None if each is None else (each.column, each.every) for each in kinds]
    rule = "releases that are watched together must have the same periods or none"
    require(every[0] == every[1], rule, f"others in {name}")
    rule = "releases that are watched together must have the same groups"
    hint = "Where keys were found privately they differ: roll_up to what all have."
    same = _rest(first.groups) == _rest(other.groups)
    require(same, rule, f"others in {name}", hint)


def _require_once(named: Mapping[str, Release]) -> None:
    """Refuse the same sums twice, as themselves or inside others."""
    seen: dict[str, str] = {}
    rule = "a release must be watched once, alone or as part of another"
    for name, each in named.items():
        for one in each.sources or (each.id,):
            require(one not in seen, rule, [seen.get(one), name])
            seen[one] = name


def _require_in_order(spans: Sequence[tuple[Any, Any]], names: Sequence[str]) -> None:
    rule = "periods of releases must follow each other in time and not overlap"
    hint = (
        "Put the releases in order. Where the newest holds all periods again, watch it "
        "alone."
    )
    for at, (before, after) in enumerate(pairwise(spans)):
        given = [names[at], names[at + 1]]
        require(before[1] < after[0], rule, given, hint)


def _periods(groups: Groups | None) -> Periods | None:
    """Give the one dimension of periods, if there is one."""
    dimensions = () if groups is None else groups.dimensions
    found = [each for each in dimensions if isinstance(each, Periods)]
    rule = "a question that is watched has one column of periods at most"
    require(len(found) < 2, rule, [each.column for each in found])  # noqa: PLR2004
    return found[0] if found else None


def _places(groups: Groups | None) -> Any:  # noqa: ANN401 (periods × groups)
    """Give the places of every group's cell, period by period."""
    dimensions = () if groups is None else groups.dimensions
    sizes = [each.size for each in dimensions]
    at = next(n for n, each in enumerate(dimensions) if isinstance(each, Periods))
    cells = np.moveaxis(np.arange(np.prod(sizes)).reshape(sizes), at, 0)
    return cells.reshape(sizes[at], -1)


def _rest(groups: Groups | None) -> dict[str, list[Any]]:
    """Name the groups without their periods, by column."""
    if groups is None:
        return {}
    kept = [each for each in groups.dimensions if not isinstance(each, Periods)]
    if not kept:
        return {}
    cells = (
        groups.keys if len(kept) == len(groups.dimensions) else Groups.cross(*kept).keys
    )
    if len(kept) == 1:
        return {kept[0].column: list(cells)}
    return {
        each.column: [cell[at] for cell in cells]  # type: ignore[index]
        for at, each in enumerate(kept)
    }


def _differing(
    releases: Sequence[Release], chosen: Sequence[ReleasedQuestion]
) -> tuple[str, ...]:
    """Say what differs and may: a ratio of clipped values follows its bounds."""
    within = [
        (
            release.measured.bounds,
            {**release.measured.unit.totals, **question.measurement.question.totals},
        )
        for release, question in zip(releases, chosen, strict=True)
    ]
    apart = any(each != within[0] for each in within)
    said = (
        "Bounds differ between releases: ratios are those of clipped values, and move "
        "where bounds do."
    )
    return (said,) if apart else ()
