"""How often a test of calibration will find labels that are too frequent, by plan.

Plans for ratios, for means and for the test spend the same budget differently. People
are invented, released under each and tested; no data are read and nothing is spent.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpratio.analyst.curve.calibration_test import calibration_test
from dpratio.analyst.sums.moments import moments_of
from dpratio.arrays import Floats
from dpratio.checks import require
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.measurement import Measurement, pick_question
from dpratio.plan.plan import Plan
from dpratio.simulation.population import DrawPeople, People
from dpratio.simulation.simulate import simulate_release, sum_products, view_of
from dpratio.tabular import Tabular
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, ScoreBins
from dpratio.terms.ratio import Ratio

_ANSWERS = (("ratio",), ("ratio", "means"), ("ratio", "calibration"))
_SEED = 20_226
_LEVEL = 0.05
_MOST_PEOPLE = 10**6
_AT_ONCE = 200_000


@dataclass(frozen=True, slots=True)
class CalibrationPower(Tabular):
    """Shares of samples that a test at 0.05 rejects, one row per plan.

    ``size`` is that of calibrated people, ``power`` that of people whose labels are
    ``often`` times as frequent; both are shares of ``samples``.

    Example:
        >>> CalibrationPower(2000, 1.25, 400, ("ratio",), (0.05,), (0.8,)).to_dicts()
        [{'answers': 'ratio', 'n': 2000, 'often': 1.25, 'size': 0.05, 'power': 0.8}]
    """

    n: int
    often: float
    samples: int
    answers: tuple[str, ...]
    size: tuple[float, ...]
    power: tuple[float, ...]

    def columns(self) -> dict[str, list[Any]]:
        """One row per plan; the first is the plan that was asked about."""
        count = len(self.answers)
        return {
            "answers": list(self.answers),
            "n": [self.n] * count,
            "often": [self.often] * count,
            "size": list(self.size),
            "power": list(self.power),
        }

    def precision(self) -> dict[str, list[float]]:
        """The standard error of each share; one sample less or more at least."""
        return {
            name: [
                math.sqrt(max(share * (1 - share), 1 / self.samples) / self.samples)
                for share in shares
            ]
            for name, shares in (("size", self.size), ("power", self.power))
        }

    def notes(self) -> list[str]:
        """Say what the columns mean, and which plan finds most."""
        best = self.answers[self.power.index(max(self.power))]
        error = math.sqrt(0.25 / self.samples)
        return [
            (
                f"Test of calibration at {_LEVEL:g} with {self.n:,} people in all bins "
                "together, by what a plan of this budget answers. No data were read "
                "and nothing was spent."
            ),
            (
                "size: share of calibrated samples that is rejected; power: share of "
                f"those whose labels are {self.often:g} times as frequent as scores "
                f"say. {self.samples:,} samples of invented people, standard error "
                f"{error:.2g} or less."
            ),
            f"They are found most often by a plan that answers {best}.",
        ]


def calibration_power(
    plan: Plan,
    *,
    n: int,
    often: float = 1.25,
    population: DrawPeople | None = None,
    question: str | int | None = None,
    samples: int = 1_000,
) -> CalibrationPower:
    """Say which power a test of calibration has under a plan, and under others.

    Args:
        plan: Over bins of its score; the other plans have its terms.
        n: People in all bins together.
        often: How many times as frequent as the score says labels are.
        population: Draws scores and weights; by default people are spread evenly over
            the bins, and weights are exponential.
        question: Which question, by its name or its number from 1.
        samples: How many samples are invented.

    Raises:
        InvalidInput: When an option breaks a rule, or the plan has no bins of the
            score.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.make_plan(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        ...     groups=dpr.ScoreBins("score", 5),
        ...     budget=dpr.Budget(0.2),
        ... )
        >>> found = dpr.simulation.calibration_power(plan, n=1_000, samples=200)
        >>> [row["answers"] for row in found.to_dicts()]
        ['ratio', 'ratio, means', 'ratio, calibration']
    """
    counted = type(n) is int and 1 <= n <= _MOST_PEOPLE
    require(counted, "n must be a whole number up to a million", n)
    usable = isinstance(often, int | float) and 0 < often <= 100  # noqa: PLR2004
    require(usable, "often must lie between 0 and 100", often)
    enough = type(samples) is int and 1 <= samples <= 10**5
    require(enough, "samples must be a whole number up to 100,000", samples)
    unit = plan.unit.column
    require(unit is None, "the test of calibration is about rows", unit)
    asked = pick_question(
        plan.measurements, question, lambda each: bool(_bins_in(each))
    )
    bins = _bins_of(asked)
    plans = _variants(plan, asked)
    people = population or _Spread(plan, asked, bins)
    found = [
        _rejected(plans, people, bins, n, factor, samples) for factor in (1.0, often)
    ]
    said = tuple(", ".join(each.measurements[0].question.answers) for each in plans)
    return CalibrationPower(n, float(often), samples, said, *map(tuple, found))


def _bins_of(question: Measurement) -> ScoreBins:
    """Give the bins of the score."""
    found, score = _bins_in(question), question.ratio.numerator
    hint = f"Plan with groups=ScoreBins('{score}', 10)."
    require(found, "the test of calibration needs bins of the score", score, hint)
    return found[0]


def _bins_in(question: Measurement) -> list[ScoreBins]:
    groups, score = question.groups, question.ratio.numerator
    dimensions = groups.dimensions if isinstance(groups, Groups) else ()
    binned = [each for each in dimensions if isinstance(each, ScoreBins)]
    return [each for each in binned if each.column == score]


def _variants(plan: Plan, question: Measurement) -> list[Plan]:
    """Give the plan of one question, and others of the same terms and budget."""
    bins = Groups.cross(_bins_of(question))
    others = [each for each in _ANSWERS if each != question.question.answers]
    whole = plan.budget.epsilon, plan.budget.delta
    share = question.question.budget_share
    made: list[Plan] = []
    for answers in (question.question.answers, *others):
        try:
            made.append(
                make_plan(
                    _tested(question.ratio, answers),
                    bounds=plan.bounds,
                    budget=Budget(*(share * cost for cost in whole)),
                    unit=plan.unit,
                    groups=bins,
                    answers=answers,
                    strategy=plan.study.strategy,
                    mechanism=plan.law.name,
                    stage=0,
                    clipping=plan.study.clipping,
                )
            )
        except InvalidInput:
            require(made, "this plan has no test of calibration", question.name)
    return made


def _tested(ratio: Ratio, answers: tuple[str, ...]) -> Ratio:
    """Give the ratio its guess: the test is of the ratio 1."""
    return replace(ratio, guess=1.0) if "calibration" in answers else ratio


@dataclass(frozen=True, slots=True)
class _Spread:
    """People spread evenly over bins and within them, with exponential weights."""

    plan: Plan
    question: Measurement
    bins: ScoreBins

    def __call__(
        self, rng: np.random.Generator, repetitions: int, count: int
    ) -> People:
        shape, edges = (repetitions, count), np.array(self.bins.edges)
        place = rng.integers(len(edges) - 1, size=shape)
        score = edges[place] + rng.random(shape) * np.diff(edges)[place]
        box = self.plan.box(self.question)
        weight = None
        if "w" in box:
            middle = (box["w"].lower + box["w"].upper) / 3
            weight = rng.exponential(middle, size=shape)
        return People(score, score, weight)


def _rejected(
    plans: list[Plan],
    population: DrawPeople,
    bins: ScoreBins,
    n: int,
    often: float,
    samples: int,
) -> list[float]:
    """Give the share of samples that are rejected, under every plan."""
    rng = np.random.default_rng(_SEED)
    block = max(1, _AT_ONCE // n)
    sums: list[list[Floats]] = [[] for _ in plans]
    for start in range(0, samples, block):
        drawn = population(rng, min(block, samples - start), n)
        labels = rng.random(drawn.score.shape) < often * drawn.score
        people = replace(drawn, label=labels.astype(np.float64))
        for at, plan in enumerate(plans):
            sums[at].append(_summed(plan, people, bins))
    return [
        _share(plan, np.concatenate(each), bins, rng)
        for plan, each in zip(plans, sums, strict=True)
    ]


def _summed(plan: Plan, people: People, bins: ScoreBins) -> Floats:
    """Add up by sample and bin: samples × bins × sums."""
    view = view_of(plan, plan.measurements[0])
    given = view.change(people)
    edges = np.array(bins.edges)
    place = np.searchsorted(edges, given.score, side="right") - 1
    place[given.score == edges[-1]] = len(edges) - 2
    products = [factors or ("w",) for factors in view.products]
    by_bin = []
    for at in range(len(edges) - 1):
        inside = place == at
        # Whoever is elsewhere counts as nothing in every sum.
        own = People(
            given.score * inside,
            given.label * inside,
            inside * (1.0 if given.weight is None else given.weight),
            None if given.cut is None else given.cut * inside,
        )
        by_bin.append(sum_products(own, products, view.contrast))
    return np.stack(by_bin, axis=1)


def _share(
    plan: Plan, sums: Floats, bins: ScoreBins, rng: np.random.Generator
) -> float:
    """Put noise on sums, test every sample, and give the share that is rejected."""
    question, (samples, count, _) = plan.measurements[0], sums.shape
    release = simulate_release(sums.reshape(samples * count, -1), plan, question, rng)
    lower, upper = (
        np.tile(each, samples) for each in (bins.edges[:-1], bins.edges[1:])
    )
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = calibration_test(
            moments_of(release),
            plan.box(question),
            np.repeat(np.arange(samples), count),
            samples,
            (np.array(lower), np.array(upper)),
        )
    return float((found.pvalue < _LEVEL).mean())
