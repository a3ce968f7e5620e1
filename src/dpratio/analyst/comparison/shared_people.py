"""Comparing groups that may share people: the largest variance that sharing can give.

If nothing is known about who is in both, the sampling error of a₁T₁ − a₂T₂ has at most
the variance (a₁√V₁ + a₂√V₂)², by Cauchy and Schwarz. For every λ > 0 that is at most (1
+ λ)a₁²V₁ + (1 + 1/λ)a₂²V₂, with equality at λ = a₂√V₂/(a₁√V₁). So both sides get these
larger variances and are compared as if they were independent; their noise is
independent. docs/methods/comparisons.md derives and simulates it.
"""

from dataclasses import replace

import numpy as np

from dpratio.analyst.comparison.hypothesis import Between
from dpratio.analyst.ratio.at_estimate import AtEstimate
from dpratio.analyst.ratio.statistic import Statistic
from dpratio.arrays import Floats

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
