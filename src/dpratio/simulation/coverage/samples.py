"""Repeated samples of a population: their sums, and the noise put on them in blocks."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.analyst.sums.moments import Moments, exact_moments
from dpratio.arrays import Floats, Integers
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.simulation.crew import Crew
from dpratio.simulation.population import Population
from dpratio.simulation.simulate import Seeds, simulate_sums, view_of
from dpratio.simulation.stages import Part, counted_question, simulate_parts

__all__ = [
    "Asked",
    "Block",
    "Sample",
    "blocks_of",
    "draw_blocks",
    "moments_without_noise",
]

Asked = tuple[Plan, PlannedQuestion]

# Noise is drawn for so many repetitions at once, whatever the workers.
_REPETITIONS_IN_A_BLOCK = 1_000


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


@dataclass(frozen=True, slots=True)
class Block:
    """Exact sums of some repetitions of one question, and the seed of their noise."""

    asked: int
    sums: Floats
    seed: Seeds

    def with_noise(self, asked: Sequence[Asked]) -> Sample:
        """Release the sums."""
        rng = np.random.Generator(np.random.SFC64(self.seed))
        return Sample(tuple(simulate_parts(self.sums, *asked[self.asked], rng)))


def blocks_of(repetitions: int) -> int:
    """Give the number of blocks that repetitions are cut into."""
    return -(-repetitions // _REPETITIONS_IN_A_BLOCK)


def draw_blocks(
    population: Population,
    asked: Sequence[Asked],
    *,
    size: int,
    repetitions: int,
    seeds: Seeds,
    crew: Crew,
    tick: Callable[[], object],
) -> list[Block]:
    """Draw samples of one size, and cut their sums into blocks, question by question.

    Questions share their people; noise they do not.
    """
    people, *noise = seeds.spawn(1 + len(asked))
    counted = [(plan, counted_question(plan, each)) for plan, each in asked]
    sums = simulate_sums(
        population,
        {_sums_of(*each): view_of(*each) for each in counted},
        count=size,
        repetitions=repetitions,
        seeds=people,
        crew=crew,
        tick=tick,
    )
    blocks = []
    for index, each in enumerate(counted):
        exact = sums[_sums_of(*each)]
        own = [noise[index], *noise[index].spawn(blocks_of(repetitions) - 1)]
        starts = range(0, repetitions, _REPETITIONS_IN_A_BLOCK)
        blocks += [
            Block(index, exact[start : start + _REPETITIONS_IN_A_BLOCK], seed)
            for start, seed in zip(starts, own, strict=True)
        ]
    return blocks


def moments_without_noise(part: Part) -> Moments:
    """Give the moments of the sums before noise was put on them."""
    (question,) = part.release.questions
    return exact_moments(part.exact, part.release.plan, question.asked)


def _sums_of(plan: Plan, question: PlannedQuestion) -> Hashable:
    """Name what is added up: plans that differ in noise alone share their sums."""
    bounds = tuple(plan.box(question).values())
    summands = tuple(each.summand for each in question.sums)
    return bounds, summands, plan.contrast(question)
