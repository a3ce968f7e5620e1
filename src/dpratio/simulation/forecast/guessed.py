"""A population made to fit a guess: Beta columns joined by a Gaussian copula.

Means, standard deviations and correlations are those of the guess; binary columns are
Bernoulli.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpratio.arrays import Floats
from dpratio.checks import require
from dpratio.simulation.population import People
from dpratio.terms.bounds import Bounds
from dpratio.terms.population import MeanSd, Population

_KNOTS = 2**12
_STRONGEST = 0.999


@dataclass(frozen=True, slots=True, eq=False)
class GuessedPopulation:
    """A population whose columns are quantile functions of correlated normals.

    ``root`` times independent normals gives those of numerator, per and weight.
    """

    ratio: float
    numerator: Floats
    per: Floats
    weight: Floats | None
    root: Floats

    def __call__(
        self, rng: np.random.Generator, repetitions: int, count: int
    ) -> People:
        """Invent people."""
        shape = (repetitions, count)
        shared, own = rng.standard_normal((2, *shape))
        root = self.root
        other = root[1, 0] * shared + root[1, 1] * own
        weight = None
        if self.weight is not None:
            third = root[2, 0] * shared + root[2, 1] * own
            third += root[2, 2] * rng.standard_normal(shape)
            weight = _at(self.weight, third)
        return People(_at(self.numerator, shared), _at(self.per, other), weight)


def guessed_population(
    population: Population, bounds: Mapping[str, Bounds]
) -> GuessedPopulation:
    """Make a population that fits a guess.

    Args:
        population: Means, standard deviations and correlations.
        bounds: Bounds of ``s``, ``y`` and, for weighted ratios, ``w``.

    Returns:
        A population for `measure_coverage`.

    Raises:
        InvalidInput: When no population within the bounds has these moments.

    Example:
        >>> import dpratio as dpr, numpy as np
        >>> score, label = dpr.MeanSd(0.5, 0.2), dpr.MeanSd(0.4)
        >>> population = dpr.Population(score, label, correlation=0.3)
        >>> bounds = {"s": dpr.Bounds(0, 1), "y": dpr.Bounds.binary()}
        >>> population = dpr.simulation.guessed_population(population, bounds)
        >>> population(np.random.default_rng(1), 1, 1000).score.shape
        (1, 1000)
    """
    weighted = "w" in bounds
    hint = "Guess a weight if the ratio has one, and only then."
    fits = weighted == (population.weight is not None)
    require(
        fits, "the guess and the ratio disagree about weights", population.weight, hint
    )
    numerator = _quantiles(population.numerator, bounds["s"], "numerator")
    per = _quantiles(population.per, bounds["y"], "per")
    weight = None
    if population.weight is not None:
        weight = _quantiles(population.weight, bounds["w"], "weight")
    latent = np.eye(3)
    latent[1, 0] = _latent_correlation(numerator, per, population.correlation)
    if weight is not None and population.weights_follow:
        latent[2, 0] = _latent_correlation(
            numerator, weight, population.weight_with_numerator
        )
        latent[2, 1] = _latent_correlation(per, weight, population.weight_with_per)
    return GuessedPopulation(population.ratio, numerator, per, weight, _root(latent))


def _root(latent: Floats) -> Floats:
    """Give the lower root of a matrix of correlations, of which the lower half counts.

    Raises:
        InvalidInput: When no three variables are correlated so.
    """
    possible = float(np.linalg.eigvalsh(latent).min()) > 0
    given = [round(float(latent[at]), 2) for at in ((1, 0), (2, 0), (2, 1))]
    rule = "the three guessed correlations do not go together"
    hint = "Bring them nearer to 0."
    require(possible, rule, f"{given} between normal variables", hint)
    root: Floats = np.linalg.cholesky(latent).astype(np.float64)
    return root


def _quantiles(population: MeanSd, bounds: Bounds, name: str) -> Floats:
    """Tabulate the column as a function of a normal variable."""
    from scipy.special import betaincinv, ndtr, ndtri

    sd = population.spread_within(bounds, name)
    if bounds.is_binary:
        return np.array([ndtri(1 - population.mean)], dtype=np.float64)
    width = bounds.upper - bounds.lower
    share, spread = (population.mean - bounds.lower) / width, sd / width
    size = share * (1 - share) / spread**2 - 1
    tails = ndtr(np.linspace(-6, 6, _KNOTS))
    inside = betaincinv(share * size, (1 - share) * size, tails)
    quantiles: Floats = bounds.lower + width * np.asarray(inside, dtype=np.float64)
    return quantiles


def _at(column: Floats, normal: Floats) -> Floats:
    """Evaluate a tabulated column; a single knot is the threshold of a binary one."""
    if len(column) == 1:
        return np.asarray(normal > column[0], dtype=np.float64)
    place = np.clip((normal + 6) * ((_KNOTS - 1) / 12), 0, _KNOTS - 1 - 1e-9)
    knot = place.astype(np.int64)
    part = place - knot
    return np.asarray(column[knot] * (1 - part) + column[knot + 1] * part)


def _latent_correlation(one: Floats, other: Floats, wanted: float) -> float:
    """Find the correlation of the normals that gives two columns theirs."""
    from scipy.optimize import brentq
    from scipy.special import ndtri

    normal = np.asarray(ndtri((np.arange(2**15) + 0.5) / 2**15), dtype=np.float64)
    first, second = _at(one, normal), _at(other, normal)

    def reached(latent: float) -> float:
        product = (first * _mean_given(other, normal, latent)).mean()
        moved = product - first.mean() * second.mean()
        return float(moved / (first.std() * second.std()))

    low, high = reached(-_STRONGEST), reached(_STRONGEST)
    rule = f"these columns can only be correlated from {low:.2f} to {high:.2f}"
    require(low <= wanted <= high, rule, wanted, "Guess another correlation.")
    found = brentq(
        lambda latent: reached(latent) - wanted, -_STRONGEST, _STRONGEST, xtol=1e-6
    )
    return float(found)


def _mean_given(column: Floats, normal: Floats, latent: float) -> Floats:
    """Give the mean of a column where the other column's normal is known."""
    from scipy.special import ndtr

    left = math.sqrt(1 - latent**2)
    if len(column) == 1:
        return np.asarray(ndtr((latent * normal - column[0]) / left), dtype=np.float64)
    nodes, weights = np.polynomial.hermite_e.hermegauss(64)
    mean = np.zeros_like(normal)
    for node, weight in zip(nodes, weights / weights.sum(), strict=True):
        mean += weight * _at(column, latent * normal + left * node)
    return mean
