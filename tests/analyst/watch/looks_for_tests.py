"""Releases of one question, look after look, of invented people."""

from functools import cache

import numpy as np

from analyst.simulated import Setting
from dpratio.analyst.ratio.statistic import Statistic, statistic_of
from dpratio.analyst.sums.moments import moments_of
from dpratio.analyst.sums.variance import choose_variance
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.simulation.forecast.unit_moments import UnitMoments, unit_moments
from dpratio.simulation.population import PaperPopulation
from dpratio.simulation.simulate import simulate_release

__all__ = ["looks_of", "statistic_at"]

RATIO = 1.05


@cache
def _setting(setting: Setting, ratio: float) -> tuple[Plan, UnitMoments]:
    plan = setting.plan
    return plan, unit_moments(plan, plan.measurements[0], PaperPopulation(ratio))


def looks_of(
    setting: Setting,
    looks: int,
    groups: int,
    *,
    seed: int = 1,
    ratios: tuple[float, ...] = (RATIO,),
) -> list[Release]:
    """Releases whose groups are repetitions; the last ratio lasts to the end."""
    rng = np.random.default_rng(seed)
    found = []
    for at in range(looks):
        ratio = ratios[min(at, len(ratios) - 1)]
        plan, unit = _setting(setting, ratio)
        sums = unit.sums(setting.people, groups, rng)
        found.append(simulate_release(sums, plan, plan.measurements[0], rng))
    return found


def statistic_at(release: Release) -> Statistic:
    """The test of every group of a release."""
    moments = moments_of(release)
    return statistic_of(moments, choose_variance(moments, None), lowest=0.0)
