"""What a comparison is about: a question of a release, its groups, and both sides."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpratio.analyst.comparison.designs import (
    REST,
    Places,
    find_question,
    names_of,
    places_of,
    sides_of,
)
from dpratio.analyst.comparison.hypothesis import AgainstValue, Between, Hypothesis
from dpratio.analyst.ratio.at_estimate import AtEstimate
from dpratio.analyst.ratio.interval import Signs
from dpratio.analyst.ratio.statistic import Statistic, silenced_statistic
from dpratio.analyst.sums.moments import Moments, moments_of
from dpratio.analyst.sums.noise import Noise, noise_of, side_by_side
from dpratio.analyst.sums.variance import choose_variance
from dpratio.analyst.tables.labels import says_little
from dpratio.analyst.tables.options import is_finite_number
from dpratio.arrays import Floats
from dpratio.checks import require
from dpratio.release.release import (
    NoisySums,
    Release,
    ReleasedQuestion,
    require_release,
)

# Any λ is valid. Beyond these the bound gains little, and an estimate of V that noise
# made tiny would make the other side's share huge.
_LEAST, _MOST = 0.1, 10.0


def bounded_between(contest: Between) -> Between:
    """Give the comparison of groups that may share people, row by row.

    Example:
        Of equal variances each is doubled: (√V + √V)² = 2V + 2V.
    """
    first = contest.first.only(contest.places[0])
    second = contest.second.only(contest.places[1])
    own, other = (_spread(each, contest.link) for each in (first, second))
    with np.errstate(divide="ignore", invalid="ignore"):
        lean = np.sqrt(other / own)
    lean = np.clip(np.where(np.isfinite(lean), lean, 1.0), _LEAST, _MOST)
    rows = np.arange(len(lean))
    return replace(
        contest,
        first=_widened(first, 1 + lean),
        second=_widened(second, 1 + 1 / lean),
        places=(rows, rows),
    )


def _spread(statistic: Statistic, link: str) -> Floats:
    """Give the sampling variance of each ratio, or of its logarithm, and its doubt.

    A λ of noisy estimates alone would follow the noise, and the bound with it: the root
    of a noisy V is too small on average.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        here = AtEstimate.of(statistic)
        sampling, _ = here.variances()
        unsure = sampling + np.sqrt(here.held.doubt) / statistic.denominator**2
        return unsure if link == "difference" else unsure / here.ratio**2


def _widened(statistic: Statistic, times: Floats) -> Statistic:
    return replace(statistic, sampling=statistic.sampling.times(times))


@dataclass(frozen=True, slots=True)
class ComparisonTarget:
    """A question of a release, the statistic of its groups, and those named."""

    release: Release
    question: ReleasedQuestion
    groups: tuple[Any, ...]
    statistic: Statistic
    variance: str

    @classmethod
    def of(
        cls,
        release: Release,
        groups: Sequence[Any],
        *,
        question: str | int | None,
        variance: str | None,
        is_one_sided: bool = False,
    ) -> "ComparisonTarget":
        """Find the question that is asked about, and test its ratios."""
        require_release(release)
        chosen = find_question(release, groups, question)
        moments = moments_of(release, chosen)
        form = choose_variance(moments, variance)
        signs = Signs.of(release.measured.box(chosen.measurement))
        statistic = replace(
            silenced_statistic(moments, form, lowest=signs.lowest),
            denominator_is_positive=signs.denominator_is_positive,
            is_one_sided=is_one_sided,
        )
        return cls(release, chosen, tuple(groups), statistic, form)

    def named(self, places: Places) -> list[Any]:
        """Name some groups of the question."""
        names = names_of(self.question)
        return [names[at] for at in places.tolist()]

    @property
    def asked(self) -> str:
        """What is compared, as in "revenue per visit"."""
        return " per ".join(self.question.ratio.totals)

    @property
    def column(self) -> str:
        """What the groups are groups of, where their keys alone say little."""
        groups = self.question.groups
        columns = () if groups is None else groups.columns
        told = len(columns) == 1 and any(map(says_little, self.question.keys))
        return columns[0] if told else ""

    def hypothesis(
        self, design: str, reference: float | None, link: str
    ) -> tuple[Hypothesis, tuple[list[Any], list[Any] | None], bool]:
        """Set up what is compared, and name both sides.

        The last value tells whether they may share people.
        """
        if reference is not None:
            _require_reference(reference, link)
            require(
                design == "pairs", "a reference takes the place of a design", design
            )
            places = places_of(self.question, self.groups)
            value = AgainstValue(self.statistic.only(places), float(reference), link)
            return value, (self.named(places), None), False
        sides = sides_of(self.release, self.question, self.groups, design)
        first = self.named(sides.first)
        if not sides.is_rest:
            second = self.named(sides.second)
            both = (sides.first, sides.second)
            contest = Between(self.statistic, self.statistic, both, link)
            if sides.is_shared:
                contest = bounded_between(contest)
            return contest, (first, second), sides.is_shared
        rest = self._rest_of(sides.second)
        others = replace(
            silenced_statistic(rest, self.variance, lowest=self.statistic.lowest),
            denominator_is_positive=self.statistic.denominator_is_positive,
            is_one_sided=self.statistic.is_one_sided,
        )
        both = (sides.first, np.arange(len(first)))
        rests = [REST] * len(first)
        return Between(self.statistic, others, both, link), (first, rests), False

    def _rest_of(self, places: Places) -> Moments:
        """Give the moments of everyone outside each of some groups."""
        moments = moments_of(self.release, self.question)
        values = moments.values.sum(axis=0) - moments.values[places]
        noise = side_by_side([_rest(sums, places) for sums in self.question.sums])
        return Moments(moments.names, values, moments.matrix, noise)


def _rest(sums: NoisySums, places: Places) -> Noise:
    """Add up the noise of everyone outside each of some groups."""
    layers = []
    for layer in sums.noise:
        counts = np.broadcast_to(layer.counts, (len(sums.values),))
        outside = counts.sum() - counts[places]
        layers.append(replace(layer, counts=tuple(outside.tolist())))
    return noise_of(tuple(layers), np.array(sums.steps))


def _require_reference(reference: float, link: str) -> None:
    usable = is_finite_number(reference)
    require(usable, "reference must be a finite number", reference, "1 is usual.")
    positive = link == "difference" or reference > 0
    rule = f"link '{link}' needs a reference above 0"
    require(positive, rule, reference, "Use link 'difference'.")
