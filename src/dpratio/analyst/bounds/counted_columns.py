"""Which histogram counted a column, or a total, of the questions of a release."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dpratio.checks import require
from dpratio.plan.histogram.found_bounds import bounding, is_search, noisy_of
from dpratio.plan.histogram.histograms import Histogram, histogram_of
from dpratio.plan.histogram.propose import Noisy
from dpratio.plan.plan import Plan
from dpratio.plan.strategy.layout import HISTOGRAM
from dpratio.release.release import Release, ReleasedQuestion
from dpratio.terms.bounds import Bounds

__all__ = ["CountedColumn", "Histograms", "counted_columns", "histograms_of"]

_HINT = "Give the release of `dpratio bounds` that is of the same people."


@dataclass(frozen=True, slots=True)
class CountedColumn:
    """A column, or total, that was clipped and that a histogram counted unclipped.

    ``letter`` is s or y, or m for what is taken off s. ``widest`` are the widest bounds
    that a plan lets it have, where it looks for bounds itself. ``weights`` are the
    least and the largest weight of a number in the sum. The sum ``is_part`` of what was
    counted where people are left out of it, or put into groups.
    """

    letter: str
    name: str
    noisy: Noisy
    bounds: Bounds
    widest: Bounds | None
    weights: tuple[float, float]
    is_part: bool


@dataclass(frozen=True, slots=True)
class Histograms:
    """The plan of some histograms, and the noisy counts of each."""

    plan: Plan
    counts: Sequence[Sequence[int]]


def histograms_of(release: Release, given: Release | None) -> Histograms | None:
    """Give the histograms of a release: its own, or those of another one.

    Raises:
        InvalidInput: When what is given holds none, or is not of the same people.
    """
    held = release if given is None else given
    if given is not None:
        _require_same(release, given)
    if held.searched is not None and held.plan.search is not None:
        return Histograms(held.plan.search.histograms, held.searched.counts)
    if given is None:
        return None
    counts = [each.values[:, 0].tolist() for each in held.questions]
    return Histograms(held.plan, counts)


def _require_same(release: Release, given: object) -> None:
    rule = "histograms must be a release that counted columns on powers of two"
    known = isinstance(given, Release) and not given.sources
    counted = known and (
        given.searched is not None  # type: ignore[attr-defined]
        or (given.plan.strategy == HISTOGRAM and is_search(given.plan))  # type: ignore[attr-defined]
    )
    require(counted, rule, type(given).__name__, _HINT)
    other: Release = given  # type: ignore[assignment]  # refused above
    merged = len(release.sources) > 1
    rule = "people of several releases were not counted in one histogram"
    require(not merged, rule, len(release.sources), "Estimate each of them by itself.")
    rule = "histograms and sums must both be of real people, or both of invented ones"
    alike = release.is_simulated == other.is_simulated
    require(alike, rule, "one of each", _HINT)
    rule = "histograms must count the unit that the sums protect"
    units = release.plan.unit.column, other.plan.unit.column
    require(units[0] == units[1], rule, units[1], _HINT)
    plan = release.measured
    named = {
        each.proposed.release_id
        for each in (*plan.bounds.values(), *plan.unit.totals.values())
        if each.proposed is not None
    }
    rule = "bounds of this release name the histograms that proposed them"
    require(not named or other.id in named, rule, other.id, f"Give {sorted(named)}.")


def counted_columns(
    release: Release, question: ReleasedQuestion, histograms: Histograms
) -> list[CountedColumn]:
    """List what of a question may have been cut, and was counted unclipped."""
    return list(_columns(release, question, histograms))


def _columns(
    release: Release, question: ReleasedQuestion, histograms: Histograms
) -> Iterator[CountedColumn]:
    plan, held, ratio = release.measured, histograms.plan, question.ratio
    is_part = question.groups is not None or bool(release.sources)
    counted = [
        (histogram_of(held, each), each, counts)
        for each, counts in zip(held.questions, histograms.counts, strict=True)
        if each in bounding(held)
    ]
    widest = {**release.plan.bounds, **release.plan.unit.totals}
    widest = {name: each for name, each in widest.items() if each.to_find}
    weights = (1.0, 1.0)
    of_people = plan.unit.column is not None
    if of_people:
        named = dict(zip("sy", ratio.totals, strict=True))
        bounds = plan.unit_of(question.asked).totals
    else:
        named = {at: name for at, name in ratio.letters.items() if at != "w"}
        bounds = plan.bounds
        if ratio.weight is not None:
            weight = plan.bounds[ratio.weight]
            weights = (weight.lower, weight.upper)
    for letter, name in named.items():
        if name not in bounds or not bounds[name].can_cut:
            continue
        for histogram, asked, counts in counted:
            same = not of_people or _is_same_total(release, question, histogram, held)
            if histogram.name == name and same:
                noisy = noisy_of(held, asked, counts)
                yield CountedColumn(
                    letter,
                    name,
                    noisy,
                    bounds[name],
                    widest.get(name),
                    weights,
                    is_part,
                )
                break


def _is_same_total(
    release: Release, question: ReleasedQuestion, histogram: Histogram, held: Plan
) -> bool:
    """Tell whether people's totals were made alike: weighted, grouped and bounded."""
    plan, letters = release.measured, histogram.letters
    within = plan.partitions[question.asked.partition]
    rows = all(
        (held.bounds[name].lower, held.bounds[name].upper)
        == (plan.bounds[name].lower, plan.bounds[name].upper)
        for name in letters.values()
        if name in plan.bounds
    )
    return (
        rows
        and letters.get("w") == question.ratio.weight
        and histogram.within == within
    )
