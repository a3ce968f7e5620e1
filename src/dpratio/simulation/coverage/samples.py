"""Repeated samples of a population: their sums, and the noise put on them in blocks."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.arrays import Floats
from dpratio.plan.measurement import Measurement
from dpratio.plan.plan import Plan
from dpratio.simulation.population import DrawPeople
from dpratio.simulation.simulate import Seeds, simulate_sums, view_of
from dpratio.simulation.stages import Part, counted_question, simulate_parts

Asked = tuple[Plan, Measurement]

# Noise is drawn for so many repetitions at once.
_REPETITIONS_IN_A_BLOCK = 1_000


@dataclass(frozen=True, slots=True)
class Block:
    """Exact sums of some repetitions of one question, and the seed of their noise."""

    plan: Plan
    question: Measurement
    sums: Floats
    seed: Seeds

    def with_noise(self) -> list[Part]:
        """Release the sums, in parts; one where the plan has one stage."""
        rng = np.random.Generator(np.random.SFC64(self.seed))
        return simulate_parts(self.sums, self.plan, self.question, rng)


def blocks_of(repetitions: int) -> int:
    """Give the number of blocks that repetitions are cut into."""
    return -(-repetitions // _REPETITIONS_IN_A_BLOCK)


def draw_blocks(
    population: DrawPeople,
    asked: Sequence[Asked],
    *,
    size: int,
    repetitions: int,
    seeds: Seeds,
    tick: Callable[[], object],
) -> list[list[Block]]:
    """Draw samples of one size, and cut the sums of each question into blocks.

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
        tick=tick,
    )
    blocks = []
    starts = range(0, repetitions, _REPETITIONS_IN_A_BLOCK)
    for each, same, seed in zip(asked, counted, noise, strict=True):
        exact = sums[_sums_of(*same)]
        own = [seed, *seed.spawn(blocks_of(repetitions) - 1)]
        blocks.append(
            [
                Block(*each, exact[start : start + _REPETITIONS_IN_A_BLOCK], seed)
                for start, seed in zip(starts, own, strict=True)
            ]
        )
    return blocks


def _sums_of(plan: Plan, question: Measurement) -> Hashable:
    """Name what is added up: plans that differ in noise alone share their sums."""
    bounds = tuple(plan.box(question).values())
    summands = tuple(each.summand for each in question.sums)
    return bounds, summands, plan.contrast(question)
