"""Thousands of invented samples as cells of one release, for tests of coverage."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from analyst.given import given_plan, noiseless
from dpratio.plan.laws import LAPLACE
from dpratio.plan.plan import Plan
from dpratio.release.release import Release, fresh_question
from dpratio.simulation.population import PaperPopulation
from dpratio.simulation.simulate import clip_people, sum_products
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, ScoreBins

__all__ = ["binned_sums", "curves_release", "paper_sums", "plan_for", "with_noise"]

Floats = NDArray[np.float64]
BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(1 / 3, 3)}


@cache
def plan_for(
    strategy: str,
    mechanism: str,
    epsilon: float,
    people: int,
    *,
    weighted: bool,
    bins: int = 0,
) -> Plan:
    """A plan over score and label for means, or for spread where it is joint."""
    bounds = {name: each for name, each in BOUNDS.items() if weighted or name != "w"}
    spread = strategy == "joint" and not bins
    return given_plan(
        bounds,
        Budget(str(epsilon), "1e-6"),
        answers=("ratio", "spread" if spread else "means"),
        strategy=strategy,
        mechanism=mechanism,
        n=max(people // max(bins, 1), 1),
        groups=Groups.cross(ScoreBins("s", bins)) if bins else None,
    )


def paper_sums(
    plan: Plan, people: int, samples: int, seed: int, *, poisson: bool = False
) -> Floats:
    """The sums of samples of the paper's population, whose number may vary."""
    question = plan.measurements[0]
    products = [each.summand.factors for each in question.sums]
    rng, population = np.random.default_rng(seed), PaperPopulation(1.1)
    found, at_once = [], max(1, 300_000 // people)
    for start in range(0, samples, at_once):
        drawn = population(rng, min(at_once, samples - start), people)
        given = clip_people(drawn, plan.box(question))
        if poisson:
            # Few of many are there, so that their number varies like Poisson's.
            there = rng.random(given.score.shape) < 0.02
            given = replace(given, score=given.score * there, label=given.label * there)
        found.append(sum_products(given, products, plan.layout(question).contrast))
    return np.concatenate(found)


def binned_sums(
    plan: Plan,
    people: int,
    samples: int,
    seed: int,
    shift: Callable[[Floats], Floats],
) -> Floats:
    """Sums by sample and bin: scores Beta(2, 2), labels likely as score plus shift."""
    question = plan.measurements[0]
    contrast, rng = plan.layout(question).contrast, np.random.default_rng(seed)
    bins = question.groups.count  # type: ignore[union-attr]
    products = [each.summand.factors for each in question.sums]
    sums = np.zeros((samples, bins, len(products)))
    at_once = max(1, 200_000 // people)
    for start in range(0, samples, at_once):
        count = min(at_once, samples - start)
        shape = (count, people)
        # The median of three uniforms is Beta(2, 2).
        one, two, three = rng.random((3, *shape))
        low, high = np.minimum(one, two), np.maximum(one, two)
        score = np.maximum(low, np.minimum(high, three))
        likely = np.clip(score + shift(score), 0, 1)
        columns = {"s": score, "y": (rng.random(shape) < likely) * 1.0}
        weight = np.ones(shape)
        if "w" in plan.box(question):
            weight = np.clip(rng.exponential(size=shape), 1 / 3, 3)
            columns["w"] = weight
        if contrast is not None:
            columns["z"] = weight * (columns["s"] - columns["y"])
            columns["h"] = weight * (columns["s"] + columns["y"])
        place = np.minimum((score * bins).astype(int), bins - 1)
        codes = (np.arange(count)[:, None] * bins + place).ravel()
        for at, factors in enumerate(products):
            product = np.ones(shape)
            for factor in factors:
                product = product * columns[factor]
            added = np.bincount(codes, product.ravel(), count * bins)
            sums[start : start + count, :, at] = added.reshape(count, bins)
    return sums


def curves_release(plan: Plan, sums: Floats, *, noise: bool = True) -> Release:
    """Release sums by run and bin: a curve over bins of the score for each run."""
    runs, bins, _ = sums.shape
    scores = ScoreBins("s", bins).within(BOUNDS["s"])
    groups = Groups.cross(Keys("run", range(runs)), scores)
    return with_noise(plan, sums.reshape(runs * bins, -1), groups, 5, noise=noise)


def with_noise(
    plan: Plan, sums: Floats, groups: Groups, seed: int, *, noise: bool = True
) -> Release:
    """Put noise on exact sums, cells × sums; or none at all."""
    if not noise:
        plan = noiseless(plan)
    plan = plan.over(groups)
    (question,) = plan.measurements
    rng = np.random.default_rng(seed)
    steps = np.array([each.step for each in question.sums])
    draw = rng.laplace if plan.law == LAPLACE else rng.normal
    drawn = draw(scale=np.array(question.scales), size=sums.shape)
    cells = (np.rint(sums / steps) + np.rint(drawn)).astype(np.int64)
    fresh = fresh_question(plan.law, question, groups, cells)
    return Release("0" * 32, plan, (fresh,), "a test", is_simulated=True)
