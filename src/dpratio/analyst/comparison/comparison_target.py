"""What a comparison is about: a question of a release, its groups, and both sides."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

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
from dpratio.checks import refuse, require, require_one_of
from dpratio.errors import InvalidInput
from dpratio.plan.measurement import questions_in_words
from dpratio.release.release import (
    NoisySums,
    Release,
    ReleasedQuestion,
    require_release,
)
from dpratio.terms.ratio import Ratio

DESIGNS = {
    "pairs": "every pair of the named groups, or of all",
    "baseline": "each other group against the one that is named",
    "rest": "each named group, or each of all, against all others together",
}
REST = "(rest)"

Places = NDArray[np.int64]

_MOST_PAIRS = 5_000_000
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Sides:
    """Places of the cells on both sides; with ``is_rest`` the second are the rests.

    With ``is_shared`` one unit may lie on both sides.
    """

    first: Places
    second: Places
    is_rest: bool
    is_shared: bool = False


def find_question(
    release: Release, groups: Sequence[Any], which: object
) -> ReleasedQuestion:
    """Find the question of a release that holds the groups.

    Raises:
        InvalidInput: When there are several, or none; or when several are named.
    """
    if which is not None:
        if isinstance(which, list | tuple):
            _refuse_two_questions(release, which)
        return release.question(which)  # type: ignore[arg-type]  # checked there
    keys = [set(each.keys) for each in release.questions]
    holding = [
        question
        for question, own in zip(release.questions, keys, strict=True)
        if all(_cell(key) in own for key in groups)
    ]
    if len(holding) != 1:
        _refuse_groups(release, groups, keys, holding)
    return holding[0]


def places_of(question: ReleasedQuestion, groups: Sequence[Any]) -> Places:
    """Give the places of the named cells, or of all."""
    if not groups:
        return np.arange(len(question.values))
    places = {key: at for at, key in enumerate(question.keys)}
    for key in groups:
        if _cell(key) not in places:
            _refuse_unknown(key, list(places))
    found = [places[_cell(key)] for key in groups]
    rule = "a group must be named only once"
    require(len(set(found)) == len(found), rule, list(groups))
    return np.array(found, dtype=np.int64)


def sides_of(
    release: Release, question: ReleasedQuestion, groups: Sequence[Any], design: str
) -> Sides:
    """Choose what is compared with what.

    Raises:
        InvalidInput: When there are too few or too many groups, or when the others
            together may hold one person several times.
    """
    require_one_of(design, DESIGNS, "design")
    is_shared = release.measured.unit.most_groups > 1
    places = places_of(question, groups)
    count = len(question.values)
    hint = "Against a number, say reference=1 for instance."
    require(count > 1, "a comparison needs two groups", count, hint)
    if design == "rest":
        require_disjoint(release)
        return Sides(places, places, is_rest=True)
    if design == "baseline":
        rule = "design 'baseline' must name one group, with which others are compared"
        require(len(groups) == 1, rule, len(groups))
        others = np.delete(np.arange(count), places[0])
        named = np.repeat(places, len(others))
        return Sides(others, named, is_rest=False, is_shared=is_shared)
    hint = "With one group say design='baseline' or design='rest'."
    require(len(places) > 1, "pairs need two groups", list(groups), hint)
    pairs = len(places) * (len(places) - 1) // 2
    hint = "Name fewer groups, or say design='baseline'."
    require(pairs <= _MOST_PAIRS, "there are too many pairs", pairs, hint)
    one, two = np.triu_indices(len(places), 1)
    return Sides(places[one], places[two], is_rest=False, is_shared=is_shared)


def require_disjoint(release: Release) -> None:
    """Refuse to take groups together that may share people."""
    most = release.measured.unit.most_groups
    rule = "groups that may share people cannot be taken together"
    hint = (
        f"One {release.plan.unit.column} lies in up to {most} of them. Compare them "
        "by pairs or with a baseline, which is allowed; plan with "
        "PrivacyUnit(…, most_groups=1); or plan the paired difference: "
        "Ratio('a', minus='b', per=…), with one column for each."
    )
    require(most == 1, rule, f"most_groups={most}", hint)


def names_of(question: ReleasedQuestion) -> list[Any]:
    """Name the cells: keys of one column as they are, of several joined."""
    return [
        ", ".join(str(each) for each in key) if isinstance(key, tuple) else key
        for key in question.keys
    ]


def _cell(key: object) -> Any:  # noqa: ANN401 (a key of any kind)
    return tuple(key) if isinstance(key, list) else key


def _refuse_groups(
    release: Release,
    groups: Sequence[Any],
    keys: list[set[Any]],
    holding: list[ReleasedQuestion],
) -> NoReturn:
    """Say why no single question answers: several do, they overlap, or none does."""
    if holding:
        which = questions_in_words(release.questions, holding)
        if not groups:
            raise InvalidInput(f"this release has several questions. Say {which}.")
        raise InvalidInput(
            "several questions of this release hold these groups; say which: "
            f"{which}. {_paired_plan(release)}"
        )
    strange = [key for key in groups if not any(_cell(key) in own for own in keys)]
    if not strange:
        _refuse_overlap(list(groups))
    held = [name for each in release.questions for name in each.keys]
    _refuse_unknown(strange[0], held)


def _refuse_two_questions(release: Release, which: Sequence[Any]) -> NoReturn:
    chosen = [release.question(each) for each in which]
    if any(each.planned.groups != chosen[0].planned.groups for each in chosen):
        _refuse_overlap([each.name for each in chosen])
    rule = "two questions about the same people are not independent"
    refuse(rule, list(which), _paired_plan(release))


def _refuse_overlap(given: list[Any]) -> NoReturn:
    rule = "groups of different partitions may hold the same people"
    hint = (
        "Compare cells of one partition, or plan one that tells them apart: "
        "Groups.cross(…). For two columns of the same rows plan "
        "Ratio('a', minus='b', per=…)."
    )
    refuse(rule, given, hint)


def _refuse_unknown(key: object, keys: list[Any]) -> NoReturn:
    names = [str(each) for each in keys[:1000]]
    # A month is the beginning of its first day; as text a far one may look closer.
    begun = [name for name in names if str(key) and name.startswith(str(key))]
    close = begun or difflib.get_close_matches(str(key), names, n=1)
    meant = f"Did you mean '{close[0]}'? " if close else ""
    few = ", ".join(names[:_MOST_NAMED]) + (", …" if len(keys) > _MOST_NAMED else "")
    refuse("no such group", key, f"{meant}Groups are: {few}.")


def _paired_plan(release: Release) -> str:
    """Name the plan that compares two numerators on the same people."""
    ratios = list(
        dict.fromkeys(question.ratio for question in release.plan.measurements)
    )
    one, two = ratios[0], ratios[-1]
    same = (one.per, one.weight) == (two.per, two.weight)
    differ = one.numerator != two.numerator and one.minus is two.minus is None
    shown = "Ratio('a', minus='b', per=…)"
    if same and differ:
        shown = _written(one, two)
    return (
        f"To compare two questions on the same people plan their difference: {shown}."
    )


def _written(one: Ratio, two: Ratio) -> str:
    weight = "" if one.weight is None else f", weight={one.weight!r}"
    return f"Ratio({one.numerator!r}, minus={two.numerator!r}, per={one.per!r}{weight})"


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
