"""From counts of one event under two tables to a lower bound on the privacy loss.

An event that is likelier under one table than the claimed noise allows refutes the
claim. Counts become bounds on chances by Clopper & Pearson (1934), whose error is at
most what is stated, for every sample size. docs/methods/audit.md has the formulas.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dpratio.plan.laws import LAPLACE, NoiseLaw
from dpratio.simulation.audit.law import laplace_divergence

# How often each bound may be wrong.
RISK = 1e-6


@dataclass(frozen=True, slots=True)
class Counts:
    """How often an event was seen in samples of the first and the second table.

    ``at`` is the logarithm of the ratio of chances at which the event begins.
    """

    at: float
    first: int
    second: int
    samples: int

    def bounds(self, risk: float) -> tuple[float, float]:
        """Give the least chance under the first table, the largest under the second.

        Both hold together but for the risk.
        """
        least, _ = proportion_bounds(self.first, self.samples, risk / 2)
        _, most = proportion_bounds(self.second, self.samples, risk / 2)
        return least, most


def proportion_bounds(hits: int, trials: int, risk: float) -> tuple[float, float]:
    """Bound a chance from below and from above, each wrong at most at the risk.

    Example:
        >>> [round(each, 4) for each in proportion_bounds(0, 10, 0.025)]
        [0.0, 0.3085]
    """
    from scipy.special import betainccinv, betaincinv

    # Clopper & Pearson (1934), as quantiles of beta laws.
    lower = float(betaincinv(hits, trials - hits + 1, risk)) if hits else 0.0
    missed = trials - hits
    upper = float(betainccinv(hits + 1, missed, risk)) if missed else 1.0
    return lower, upper


def least_mu(counts: Sequence[Counts], risk: float = RISK) -> float:
    """Bound from below how far apart two Gaussian tables lie, in units of noise.

    No test of μ-Gaussian privacy has Φ⁻¹(power) − Φ⁻¹(size) above μ: Dong, Roth & Su
    (2022), section 2.2.
    """
    from scipy.special import ndtri

    bounds = [each.bounds(risk / len(counts)) for each in counts]
    shown = [
        float(ndtri(power) - ndtri(size))
        for power, size in bounds
        if power > 0 and size < 1
    ]
    return max([0.0, *shown])


def least_epsilon(
    shape: Sequence[float], counts: Sequence[Counts], risk: float = RISK
) -> float:
    """Bound from below how far apart two Laplace tables lie, added up over sums.

    Args:
        shape: The parts of the sums in it; they add up to 1.
        counts: Events, each with its threshold.
        risk: How often the bound may be too high.
    """
    parts = [each for each in shape if each > 0]

    def shown(each: Counts) -> float:
        power, size = each.bounds(risk / len(counts))
        return _largest_below(
            power - size * math.exp(each.at),
            lambda total: laplace_divergence([total * s for s in parts], each.at),
        )

    return max(shown(each) for each in counts)


def largest_scale(
    law: NoiseLaw, *, beyond: float, hits: int, trials: int, risk: float = RISK
) -> float:
    """Bound from above the scale of noise that is seldom larger than ``beyond``.

    Args:
        law: The law of the noise.
        beyond: A distance from the exact sum, in units of the planned scale.
        hits: How many noises were larger in size.
        trials: How many there were.
        risk: How often the bound may be too low.

    Returns:
        The scale in units of the planned one: below 1 the noise is too small.

    Example:
        >>> 1 < largest_scale(LAPLACE, beyond=1.0, hits=368, trials=1_000) < 1.4
        True
    """
    from scipy.special import ndtri

    _, most = proportion_bounds(hits, trials, risk)
    tail = -math.log(most) if law == LAPLACE else -float(ndtri(most / 2))
    return beyond / tail if tail > 0 else math.inf


_TOLERANCE = 1e-9


def _largest_below(value: float, rising: Callable[[float], float]) -> float:
    """Give nearly the largest distance at which a divergence is below a value.

    Divergences rise to 1, and no bound of a chance reaches it.
    """
    from scipy.optimize import brentq

    if rising(0.0) >= value:
        return 0.0
    far = 1.0
    while rising(far) < value:
        far *= 2
    root = brentq(lambda each: rising(each) - value, 0.0, far, xtol=_TOLERANCE)
    return max(0.0, float(root) - _TOLERANCE)
