"""One unit of a guessed population, reduced to moments of what is added up."""

import functools
import math
from dataclasses import dataclass, replace

import numpy as np

from dpratio.analyst.ratio.interval import Signs
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.sums.moments import exact_moments
from dpratio.arrays import Floats
from dpratio.checks import require
from dpratio.plan.measurement import (
    Measurement,
    pick_question,
    questions_in_words,
)
from dpratio.plan.plan import Plan
from dpratio.simulation.forecast.guessed import guessed_population
from dpratio.simulation.population import DrawPeople, People
from dpratio.simulation.simulate import view_of
from dpratio.simulation.stages import counted_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.population import Population

_PEOPLE = 2**17
_SEED = 20_221


@dataclass(frozen=True, slots=True)
class UnitMoments:
    """Mean and covariance of one unit's summands, and the moments behind a ratio.

    ``squares`` are E(ws)², E(ws·wy) and E(wy)². ``is_positive`` says that neither
    column can be negative.
    """

    mean: Floats
    root: Floats
    ratio: float
    denominator: float
    squares: tuple[float, float, float]
    is_positive: bool

    @property
    def residual(self) -> float:
        """E(w(s − r·y))² at the ratio r of these people."""
        return self.square_at(self.ratio, self.ratio)

    def square_at(self, ratio: float, tested: float) -> float:
        """Give E(w(s − r·y))² at a tested r, for such people with another ratio.

        Their numerator is as many times larger, or where it can be negative, larger by
        as many denominators.
        """
        times, more = ratio / self.ratio if self.ratio else 1.0, -tested
        if not self.is_positive:
            times, more = 1.0, ratio - self.ratio - tested
        of_s, of_both, of_y = self.squares
        return times**2 * of_s + 2 * times * more * of_both + more**2 * of_y

    def sums(self, n: int, draws: int, rng: np.random.Generator) -> Floats:
        """Draw sums of n people, which are nearly normal."""
        normal = rng.standard_normal((draws, len(self.mean)))
        drawn: Floats = n * self.mean + math.sqrt(n) * normal @ self.root.T
        return drawn

    def public_width(self, n: float, level: float) -> float:
        """Give the width without noise for many people."""
        spread = math.sqrt(self.residual / n) / abs(self.denominator)
        return 2 * normal_quantile(level) * spread


def population_of(
    plan: Plan, population: Population | DrawPeople | None
) -> Population | DrawPeople | None:
    """Give the guess, or the one that a plan in two stages holds of its one ratio."""
    ratios = {str(each.ratio) for each in plan.measurements}
    is_guessed = len(ratios) == 1 and all(
        plan.layout(each).is_described for each in plan.measurements
    )
    if population is not None or plan.stage is None or not is_guessed:
        return population
    return plan.stage.population


def questions_of(
    plan: Plan, which: str | int | None, population: Population | DrawPeople | None
) -> list[tuple[Measurement, Population | DrawPeople | None]]:
    """Give the question that is named, or all, each with the guess if about its totals.

    The guess of a plan is about the unit's totals, and None goes with questions that
    have others. Whoever names the question speaks of its own.

    Raises:
        InvalidInput: When the plan asks several ratios and none of them is named.
    """
    if which is not None:
        return [(pick_question(plan.measurements, which), population)]
    ratios = {str(each.ratio) for each in plan.measurements}
    rule = "a guess is about the columns of one ratio"
    hint = f"Say {questions_in_words(plan.measurements, plan.measurements)}."
    require(population is None or len(ratios) == 1, rule, len(ratios), hint)
    return [
        (each, population if plan.layout(each).is_described else None)
        for each in plan.measurements
    ]


def unit_moments(
    plan: Plan, asked: Measurement, population: Population | DrawPeople
) -> UnitMoments:
    """Reduce a guessed population to the moments of one unit's summands."""
    question = counted_question(plan, asked)
    bounds = plan.box(question)
    known = isinstance(population, Population) or callable(population)
    require(
        known, "population must be a Population, people to draw or None", population
    )
    if isinstance(population, Population):
        invented, ratio = _invent(population, tuple(bounds.items()))
    else:
        invented, ratio = _draw_people(population)
    view = view_of(plan, question)
    each = view.sums(_at_true_ratio(view.change(invented), ratio))
    mean, spread = each.mean(axis=0), np.cov(each, rowvar=False)
    values, vectors = np.linalg.eigh(spread)
    # Moments are linear in what is added up: mean and covariance give them all.
    second = spread * (1 - 1 / len(each)) + np.outer(mean, mean)
    moments = exact_moments(np.eye(len(mean)), question)
    top, bottom = (float(moments[name] @ mean) for name in ("ws", "wy"))
    pairs = (("ws", "ws"), ("ws", "wy"), ("wy", "wy"))
    squares = [float(moments[a] @ second @ moments[b]) for a, b in pairs]
    return UnitMoments(
        mean=mean,
        root=vectors * np.sqrt(np.maximum(values, 0.0)),
        ratio=top / bottom,
        denominator=bottom,
        squares=(squares[0], squares[1], squares[2]),
        is_positive=Signs.of(bounds).is_positive,
    )


@functools.lru_cache(maxsize=4)
def _invent(
    population: Population, bounds: tuple[tuple[str, Bounds], ...]
) -> tuple[People, float | None]:
    """Invent people who fit a guess: the same for every budget that is tried."""
    return _draw_people(guessed_population(population, dict(bounds)))


def _draw_people(population: DrawPeople) -> tuple[People, float | None]:
    """Draw people, always the same, and say what ratio they are meant to have."""
    drawn = population(np.random.default_rng(_SEED), _PEOPLE, 1)
    return drawn, getattr(population, "ratio", None)


def _at_true_ratio(people: People, ratio: float | None) -> People:
    """Undo what chance put between the ratio of invented people and the true one."""
    if ratio is None:
        return people
    return replace(people, score=people.score * (ratio / _ratio_of(people)))


def _ratio_of(people: People) -> float:
    """Give the ratio of the weighted sums of all people."""
    weight = 1.0 if people.weight is None else people.weight
    return float((weight * people.score).sum() / (weight * people.label).sum())
