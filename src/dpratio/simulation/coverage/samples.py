"""Repeated samples of a population, of every size and under every plan."""

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.sums.moments import Moments, exact_moments, moments_of
from dpratio.arrays import Integers
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.simulation.population import Population
from dpratio.simulation.progress import Progress
from dpratio.simulation.simulate import (
    Seeds,
    View,
    clip_people,
    simulate_sums,
)
from dpratio.simulation.stages import Part, counted_question, simulate_parts

__all__ = ["Bench", "Sample", "moments_without_noise"]


@dataclass(frozen=True, slots=True)
class Sample:
    """Repeated samples of one size under one plan: exact sums, and their release.

    They come in parts, one where the plan has one stage.
    """

    parts: tuple[Part, ...]

    @property
    def places(self) -> Integers:
        """The place of each repetition, in the order of the parts."""
        return np.concatenate([part.places for part in self.parts])

    @property
    def denominator_sds(self) -> float:
        """The mean denominator in units of its noise."""
        found = [_denominator_sds(part) for part in self.parts]
        sizes = [len(part.places) for part in self.parts]
        return float(np.average(found, weights=sizes))


def moments_without_noise(part: Part) -> Moments:
    """Give the moments of the sums before noise was put on them."""
    (question,) = part.release.questions
    return exact_moments(part.exact, part.release.plan, question.asked)


def _denominator_sds(part: Part) -> float:
    noisy = moments_of(part.release, part.release.questions[0])
    noise = float(noisy.noise_covariance("wy", "wy")[0])
    mean = moments_without_noise(part)["wy"].mean()
    return float(abs(mean) / math.sqrt(noise))


@dataclass(frozen=True, slots=True)
class Bench:
    """What is simulated: every question of every plan at every size."""

    asked: list[tuple[Plan, PlannedQuestion]]
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
            people, *noise = seed.spawn(1 + len(self.asked))
            sums = simulate_sums(
                population,
                {_sums_of(*each): _view_of(*each) for each in self.asked},
                count=size,
                repetitions=self.repetitions,
                seeds=people,
                workers=self.threads,
                tick=self.progress.tick,
            )
            for index, (plan, question) in enumerate(self.asked):
                rng = np.random.Generator(np.random.SFC64(noise[index]))
                exact = sums[_sums_of(plan, question)]
                parts = simulate_parts(exact, plan, question, rng)
                samples[size, index] = Sample(tuple(parts))
        return samples


def _sums_of(plan: Plan, asked: PlannedQuestion) -> Hashable:
    """Name what is added up: plans that differ in noise alone share their sums."""
    question = counted_question(plan, asked)
    bounds = tuple(plan.box(question).values())
    summands = tuple(each.summand for each in question.sums)
    return bounds, summands, plan.contrast(question)


def _view_of(plan: Plan, asked: PlannedQuestion) -> View:
    question = counted_question(plan, asked)
    products = [each.summand.factors for each in question.sums]
    box, contrast = plan.box(question), plan.contrast(question)
    return View(lambda people: clip_people(people, box), products, contrast)
