"""Repeated samples of a population, of every size and under every plan."""

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.sums.moments import exact_moments, moments_of
from dpratio.arrays import Floats
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.simulation.population import Population
from dpratio.simulation.progress import Progress
from dpratio.simulation.simulate import (
    Seeds,
    View,
    clip_people,
    simulate_release,
    simulate_sums,
)
from dpratio.terms.bounds import Bounds

__all__ = ["Bench", "Sample", "box_of"]


@dataclass(frozen=True, slots=True)
class Sample:
    """Repeated samples of one size under one plan: exact sums, and their release."""

    exact: Floats
    release: Release

    @property
    def denominator_sds(self) -> float:
        """The mean denominator in units of its noise."""
        noise = float(moments_of(self.release).noise_covariance("wy", "wy")[0])
        mean = exact_moments(self.exact, self.release.plan)["wy"].mean()
        return float(abs(mean) / math.sqrt(noise))


@dataclass(frozen=True, slots=True)
class Bench:
    """What is simulated: every plan at every size."""

    plans: list[Plan]
    sizes: list[int]
    repetitions: int
    threads: int
    progress: Progress

    def draw(
        self, population: Population, seeds: Seeds
    ) -> dict[tuple[int, int], Sample]:
        """Draw samples of a population and put noise on their sums."""
        samples = {}
        for size, seed in zip(self.sizes, seeds.spawn(len(self.sizes)), strict=True):
            people, *noise = seed.spawn(1 + len(self.plans))
            sums = simulate_sums(
                population,
                {_sums_of(plan): _view_of(plan) for plan in self.plans},
                count=size,
                repetitions=self.repetitions,
                seeds=people,
                workers=self.threads,
                tick=self.progress.tick,
            )
            for index, plan in enumerate(self.plans):
                rng = np.random.Generator(np.random.SFC64(noise[index]))
                exact = sums[_sums_of(plan)]
                release = simulate_release(exact, plan, rng)
                samples[size, index] = Sample(exact, release)
        return samples


def _sums_of(plan: Plan) -> Hashable:
    """Name what a plan adds up: plans that differ in noise alone share their sums."""
    bounds = tuple(box_of(plan).values())
    summands = tuple(each.summand for each in plan.sums)
    return bounds, summands, plan.contrast(plan.parts[0])


def _view_of(plan: Plan) -> View:
    products = [each.summand.factors for each in plan.sums]
    contrast = plan.contrast(plan.parts[0])
    return View(lambda people: clip_people(people, box_of(plan)), products, contrast)


def box_of(plan: Plan) -> dict[str, Bounds]:
    """Give the bounds of what one unit puts into the first part of a plan."""
    return plan.box(plan.parts[0])
