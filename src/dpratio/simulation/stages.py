"""Simulated releases in two stages: each repetition finds a guess of its own.

Repetitions that found the same guess are released together, so that a simulation runs
the planner once for each guess and the analyst's code as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpratio.arrays import Floats, Integers
from dpratio.plan.measurement import TOTALS, Measurement
from dpratio.plan.plan import Plan
from dpratio.plan.realise import found_guesses, realise
from dpratio.plan.sensitivity.joint import mixture_of
from dpratio.plan.sensitivity.sums import MeasuredSum, contrast_of
from dpratio.plan.settle import cells_of
from dpratio.release.release import Release
from dpratio.simulation.simulate import simulate_release


@dataclass(frozen=True, slots=True)
class Part:
    """Repetitions that were measured alike: their places, exact sums and release."""

    places: Integers
    exact: Floats
    release: Release


def counted_question(plan: Plan, question: Measurement) -> Measurement:
    """Give the question whose sums are added up: of two stages the raw ones."""
    if plan.stage is None:
        return question
    raw = plan.layout(question).raw_grid
    sums = tuple(
        MeasuredSum(*each, 1.0)
        for each in zip(raw.summands, raw.steps, raw.sensitivities, strict=True)
    )
    return question.around(0.0, sums)


def simulate_parts(
    sums: Floats, plan: Plan, question: Measurement, rng: np.random.Generator
) -> list[Part]:
    """Put noise on exact sums, repetitions × sums of `counted_question`.

    Each repetition stands for one group of the question, and all its groups are taken
    to be alike: the totals of a first stage are as many times one group's.
    """
    stage = plan.stage
    if stage is None:
        places = np.arange(len(sums))
        return [Part(places, sums, simulate_release(sums, plan, question, rng))]
    at = plan.measurements.index(question)
    groups = cells_of(question.groups) or 1
    found: dict[object, list[int]] = {}
    totals = _totals(groups * sums[:, :TOTALS], stage.firsts[at], rng)
    # Nothing is found for the other questions, and they are not asked for.
    asked_for = [
        [(0, 0)] * at + [both] + [(0, 0)] * len(plan.measurements[at + 1 :])
        for both in totals
    ]
    for place, each in enumerate(asked_for):
        found.setdefault(found_guesses(plan, each)[at], []).append(place)
    plain = replace(plan, stage=None)
    parts = []
    for listed in found.values():
        places = np.array(listed)
        asked = realise(plan, asked_for[listed[0]])[at]
        mixed = _mixed(sums[places], plan, asked)
        parts.append(Part(places, mixed, simulate_release(mixed, plain, asked, rng)))
    return parts


def _totals(
    exact: Floats, first: Sequence[MeasuredSum], rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Draw the noisy totals of every repetition, in cells."""
    steps = np.array([each.step for each in first])
    scales = np.array([each.scale for each in first])
    noise = rng.laplace(scale=scales, size=exact.shape)
    noisy = np.rint(exact / steps) + np.rint(noise)
    return [tuple(int(each) for each in row) for row in noisy]


def _mixed(sums: Floats, plan: Plan, question: Measurement) -> Floats:
    """Mix raw sums into those of a question, in the units of the data."""
    grid, raw = plan.layout(question).grid, plan.layout(question).raw_grid
    weights = np.zeros((len(grid.steps), len(raw.steps)))
    contrast = contrast_of(question.ratio, question.basis)
    for row, each in enumerate(mixture_of(grid, raw, contrast)):
        for at, weight in each.weights.items():
            weights[row, at] = weight / each.divisor
    weights *= np.array(grid.steps)[:, None] / np.array(raw.steps)
    mixed: Floats = sums @ weights.T
    return mixed
