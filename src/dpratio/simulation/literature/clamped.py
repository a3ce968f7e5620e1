"""The mean of people whose values are cut: the setting of the debiased bootstrap.

Values are normal and clamped to bounds that are too tight; the mean of the uncut values
is asked for. Released are the number of people, the sum and the sum of squares, each
with a third of epsilon. Ferrando, Wang & Sheldon (2022) take the clamped mean and
variance for those of the model; Wang, Chang & Awan (2025) look for the model whose
clamped moments are those released. Our default is about clamped values and says so.
"""

from dataclasses import dataclass
from math import comb

import numpy as np

from dpratio.analyst.ratio.delta import Spread
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.arrays import Floats
from dpratio.plan.make_plan import make_plan
from dpratio.simulation.literature.bootstrap import ends_of
from dpratio.simulation.literature.interval import Interval
from dpratio.simulation.literature.model import root_of
from dpratio.simulation.population import People
from dpratio.simulation.simulate import simulate_release, view_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

__all__ = [
    "Clamped",
    "clamped_moments",
    "debiased_mean",
    "default_mean",
    "model_of",
    "noisy_sums",
    "pivotal_mean",
]

_STEPS = 30
_NARROWEST, _WIDEST = 0.02, 5.0
_ROWS_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Clamped:
    """Normal people, the bounds that cut them, and what their sums may cost."""

    n: int
    epsilon: float = 1.0
    mean: float = 1.0
    sd: float = 1.0
    lower: float = 0.0
    upper: float = 1.5

    def draw(self, runs: int, rng: np.random.Generator) -> Floats:
        """Draw values, runs × people."""
        return rng.normal(self.mean, self.sd, (runs, self.n))

    @property
    def scales(self) -> Floats:
        """The Laplace scales of the three sums, a third of epsilon each."""
        most = max(abs(self.lower), abs(self.upper))
        return 3 / self.epsilon * np.array([1.0, most, most**2])


def noisy_sums(values: Floats, people: Clamped, rng: np.random.Generator) -> Floats:
    """Release count, sum and sum of squares: 3 × runs."""
    runs, count = values.shape
    cut = np.clip(values, people.lower, people.upper)
    exact = np.array([np.full(runs, count), cut.sum(1), (cut**2).sum(1)])
    return exact + rng.laplace(scale=people.scales[:, None], size=exact.shape)


def clamped_moments(mean: Floats, sd: Floats, people: Clamped) -> Floats:
    """Give E x, …, E x⁴ of clamped normal values: 4 × rows.

    With φ and Φ at the bounds, E zᵏ inside is (k − 1)·E zᵏ⁻² less what zᵏ⁻¹φ grows by.
    """
    from scipy.special import ndtr

    low, high = (people.lower - mean) / sd, (people.upper - mean) / sd
    below, above = ndtr(low), ndtr(-high)
    at = [np.exp(-(end**2) / 2) / np.sqrt(2 * np.pi) for end in (low, high)]
    inside = [1 - below - above, at[0] - at[1]]
    for power in (2, 3, 4):
        grown = high ** (power - 1) * at[1] - low ** (power - 1) * at[0]
        inside.append((power - 1) * inside[power - 2] - grown)
    middle = [
        sum(
            comb(power, part) * mean ** (power - part) * sd**part * inside[part]
            for part in range(power + 1)
        )
        for power in (1, 2, 3, 4)
    ]
    return np.array(
        [
            each + people.lower**power * below + people.upper**power * above
            for power, each in enumerate(middle, start=1)
        ]
    )


def model_of(sums: Floats, people: Clamped) -> tuple[Floats, Floats]:
    """Find the model whose clamped moments are those released: Newton's method.

    Noise may leave moments that no model has. Steps are limited to one standard
    deviation, means to the bounds and as much again on each side, standard deviations
    to 0.02 to 5 times the range.
    """
    count = np.maximum(sums[0], 1.0)
    first, second = sums[1] / count, sums[2] / count
    span = people.upper - people.lower
    mean = np.clip(first, people.lower, people.upper)
    log_sd = np.full_like(mean, np.log(span / 2))
    step = 1e-5
    for _ in range(_STEPS):
        sd = np.exp(log_sd)
        one, two = clamped_moments(mean, sd, people)[:2]
        moved = clamped_moments(mean + step * sd, sd, people)[:2]
        wider = clamped_moments(mean, sd * np.exp(step), people)[:2]
        a, b = (moved - (one, two)) / step
        c, d = (wider - (one, two)) / step
        whole = a * d - b * c
        whole = np.where(np.abs(whole) < 1e-12, 1e-12, whole)  # noqa: PLR2004
        off = (first - one, second - two)
        by_mean = (d * off[0] - c * off[1]) / whole
        by_sd = (a * off[1] - b * off[0]) / whole
        mean = mean + np.clip(by_mean, -1, 1) * sd
        mean = np.clip(mean, people.lower - span, people.upper + span)
        log_sd = log_sd + np.clip(by_sd, -1, 1)
        log_sd = np.clip(log_sd, np.log(_NARROWEST * span), np.log(_WIDEST * span))
    return mean, np.exp(log_sd)


def debiased_mean(
    sums: Floats, people: Clamped, level: float, draws: int, rng: np.random.Generator
) -> Interval:
    """Give the indirect estimate less the quantiles of its drawn errors."""
    mean, sd = model_of(sums, people)
    ends = []
    for at in range(0, len(mean), _ROWS_AT_ONCE):
        rows = slice(at, at + _ROWS_AT_ONCE)
        model = sums[0, rows], mean[rows], sd[rows]
        again = _redraw(model, people, draws, rng)
        errors = model_of(again, people)[0].reshape(draws, -1) - mean[rows]
        ends.append(ends_of(errors, level))
    low, high = np.concatenate(ends, axis=1)
    return Interval(mean, mean - high, mean - low)


def pivotal_mean(
    sums: Floats, people: Clamped, level: float, draws: int, rng: np.random.Generator
) -> Interval:
    """Give the clamped mean less the quantiles of drawn errors."""
    count = np.maximum(sums[0], 1.0)
    mean = sums[1] / count
    span = people.upper - people.lower
    least = (_NARROWEST * span) ** 2
    sd = np.sqrt(np.maximum(sums[2] / count - mean**2, least))
    again = _redraw((sums[0], mean, sd), people, draws, rng)
    drawn = again[1] / np.maximum(again[0], 1.0)
    low, high = ends_of(drawn.reshape(draws, -1) - mean, level)
    return Interval(mean, mean - high, mean - low)


def default_mean(
    values: Floats, people: Clamped, level: float, rng: np.random.Generator
) -> Interval:
    """Give our default: the mean of clamped values."""
    plan = make_plan(
        Ratio("value", per="rows"),
        bounds={"value": Bounds(people.lower, people.upper)},
        budget=Budget(people.epsilon),
        mechanism="laplace",
    )
    (question,) = plan.questions
    exact = view_of(plan, question).sums(People(values, np.ones_like(values)))
    given = estimate_ratios(simulate_release(exact, plan, question, rng), level=level)
    return Interval(given.ratio, given.ci_lower, given.ci_upper)


def _redraw(
    model: tuple[Floats, Floats, Floats],
    people: Clamped,
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    """Draw noisy sums from a model: 3 × (draws · rows). Sums of people are normal."""
    count, mean, sd = model
    one, two, three, four = clamped_moments(mean, sd, people)
    size = np.maximum(count, 1.0)
    shape = (draws, len(mean))
    spread = np.maximum(two - one**2, 0.0)
    root = root_of(Spread(spread, four - two**2, three - one * two))
    first, second = rng.standard_normal((2, *shape))
    sums = np.array(
        [
            np.broadcast_to(size, shape),
            size * one + np.sqrt(size) * root.top * first,
            size * two + np.sqrt(size) * (root.mixed * first + root.last * second),
        ]
    )
    noise = rng.laplace(scale=people.scales[:, None, None], size=sums.shape)
    return (sums + noise).reshape(3, -1)
