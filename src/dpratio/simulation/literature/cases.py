"""Where the methods are tried: whose ratio, how many people, which budget."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.hard_people import RareLabels
from dpratio.simulation.coverage.limit import LAWS, paper_plan
from dpratio.simulation.coverage.real_people import real_people
from dpratio.simulation.coverage.real_tables import real_plan
from dpratio.simulation.coverage.samples import blocks_of, draw_blocks
from dpratio.simulation.crew import Crew
from dpratio.simulation.literature import clamped, two_by_two
from dpratio.simulation.literature.rivals import (
    DEFAULT,
    STRATEGIES,
    AnswerSums,
    Way,
)
from dpratio.simulation.literature.timed import Found, join, timed
from dpratio.simulation.paper.paper import EPSILONS, SIZES, TRUTH
from dpratio.simulation.population import PaperPopulation, Population
from dpratio.simulation.simulate import Seeds

__all__ = ["CASES", "SETTINGS", "Run", "Setting"]

REAL_SIZES = (300, 2_000, 10_000)
REAL_EPSILONS = (0.2, 1.0)
TABLES = ((0.1, 0.05), (0.3, 0.2))
TABLE_SIZES = (200, 1_000, 5_000)
# Whose denominators are weak, and how many of them there are.
WEAK: tuple[tuple[str, PaperPopulation | RareLabels, int], ...] = (
    ("ratio 1.1", PaperPopulation(1.1), 100),
    ("ratio 2", PaperPopulation(2.0), 100),
    ("ratio 5", PaperPopulation(5.0), 300),
    ("rare labels", RareLabels(0.02), 1_000),
    ("rare labels", RareLabels(0.02), 3_000),
)
CUT_SIZES, CUT_EPSILONS = (500, 2_000), (1.0, 4.0)
_RUNS_AT_ONCE = 500
_PEOPLE_IN_AN_ANSWER = 5_000


@dataclass(frozen=True, slots=True)
class Setting:
    """One cell of a case: what is asked of whom, and the truth."""

    case: str
    people: str
    mechanism: str
    n: int
    epsilon: float
    truth: float
    lowest: float


@dataclass(frozen=True, slots=True)
class Run:
    """How often, how surely and by whom; shared by all cases."""

    repetitions: int
    level: float
    draws: int
    crew: Crew


Answers = Iterator[tuple[Setting, Mapping[Way, Found]]]


def paper(run: Run, seeds: Seeds) -> Answers:
    """Answer in the 32 settings of the paper."""
    for weighted, n in product((False, True), SIZES):
        plans = {
            Setting(
                "paper",
                "weighted" if weighted else "unweighted",
                law,
                n,
                epsilon,
                TRUTH,
                0.0,
            ): [
                paper_plan(law, epsilon, weighted=weighted, n=n, strategy=each)
                for each in STRATEGIES
            ]
            for law, epsilon in product(LAWS, EPSILONS)
        }
        yield from _of_sums(PaperPopulation(TRUTH), n, plans, run, seeds)


def real(run: Run, seeds: Seeds) -> Answers:
    """Answer about six populations; nobody guesses their ratio."""
    for (name, people), n in product(real_people().items(), REAL_SIZES):
        box = people.bounds
        is_positive = min(box["s"].lower, box["y"].lower) >= 0
        lowest = 0.0 if is_positive else -np.inf
        plans = {
            Setting("real", name, "laplace", n, epsilon, people.ratio, lowest): [
                real_plan(people, epsilon, None, each) for each in STRATEGIES
            ]
            for epsilon in REAL_EPSILONS
        }
        yield from _of_sums(people, n, plans, run, seeds)


def weak(run: Run, seeds: Seeds) -> Answers:
    """Answer where the denominator is hard to tell from zero, or far from the guess."""
    for name, people, n in WEAK:
        plans = {
            Setting("weak", name, "laplace", n, epsilon, people.ratio, 0.0): [
                paper_plan("laplace", epsilon, weighted=False, n=n, strategy=each)
                for each in STRATEGIES
            ]
            for epsilon in REAL_EPSILONS
        }
        yield from _of_sums(people, n, plans, run, seeds)


def tables(run: Run, seeds: Seeds) -> Answers:
    """Answer the log relative risk of 2 × 2 tables."""
    for risks, n, epsilon in product(TABLES, TABLE_SIZES, REAL_EPSILONS):
        cell = two_by_two.Risks(n, *risks)
        label = f"{risks[0]:g} per {risks[1]:g}"
        setting = Setting("tables", label, "laplace", n, epsilon, cell.truth, -np.inf)
        yield (
            setting,
            _in_blocks(partial(_answer_table, cell, epsilon, run.level), run, seeds),
        )


def cut(run: Run, seeds: Seeds) -> Answers:
    """Answer the mean of people whom bounds cut; the truth is that of the uncut."""
    for n, epsilon in product(CUT_SIZES, CUT_EPSILONS):
        people = clamped.Clamped(n, epsilon)
        setting = Setting("cut", "normal", "laplace", n, epsilon, people.mean, -np.inf)
        work = partial(_answer_cut, people, run.level, run.draws)
        yield setting, _in_blocks(work, run, seeds)


# How many settings each case has.
SETTINGS = {
    "paper": 2 * len(SIZES) * len(LAWS) * len(EPSILONS),
    "real": 6 * len(REAL_SIZES) * len(REAL_EPSILONS),
    "weak": len(WEAK) * len(REAL_EPSILONS),
    "tables": len(TABLES) * len(TABLE_SIZES) * len(REAL_EPSILONS),
    "cut": len(CUT_SIZES) * len(CUT_EPSILONS),
}
CASES: dict[str, Callable[[Run, Seeds], Answers]] = {
    "paper": paper,
    "real": real,
    "weak": weak,
    "tables": tables,
    "cut": cut,
}


def _of_sums(
    population: Population,
    n: int,
    plans: Mapping[Setting, list[Plan]],
    run: Run,
    seeds: Seeds,
) -> Answers:
    """Answer several settings of the same people."""
    asked = tuple(
        (plan, plan.questions[0]) for every in plans.values() for plan in every
    )
    blocks = draw_blocks(
        population,
        asked,
        size=n,
        repetitions=run.repetitions,
        seeds=seeds.spawn(1)[0],
        crew=run.crew,
        tick=int,
    )
    found = run.crew.do(
        AnswerSums(asked, run.level, run.draws),
        blocks,
        people=run.repetitions * len(asked) * _PEOPLE_IN_AN_ANSWER,
    )
    each = blocks_of(run.repetitions) * len(STRATEGIES)
    for at, setting in enumerate(plans):
        yield setting, _joined(found[at * each : (at + 1) * each])


def _in_blocks(
    work: Callable[[tuple[int, Seeds]], Mapping[Way, Found]], run: Run, seeds: Seeds
) -> Mapping[Way, Found]:
    starts = range(0, run.repetitions, _RUNS_AT_ONCE)
    tasks = [
        (min(_RUNS_AT_ONCE, run.repetitions - start), seed)
        for start, seed in zip(starts, seeds.spawn(len(starts)), strict=True)
    ]
    people = run.repetitions * _PEOPLE_IN_AN_ANSWER
    return _joined(run.crew.do(work, tasks, people=people))


def _answer_table(
    cell: two_by_two.Risks, epsilon: float, level: float, task: tuple[int, Seeds]
) -> dict[Way, Found]:
    runs, seed = task
    rng = np.random.default_rng(seed)
    quantile = normal_quantile(level)
    exact = two_by_two.draw_counts(cell, runs, rng)
    noisy = exact + rng.laplace(scale=1 / epsilon, size=exact.shape)
    counts = partial(two_by_two.noisy_counts, noisy, epsilon, quantile)
    ways: dict[Way, Callable[[], Any]] = {
        Way(DEFAULT, "focused"): partial(
            two_by_two.default, exact, epsilon, quantile, rng
        ),
        Way("plug_in", "counts"): partial(counts, corrected=False),
        Way("noisy_counts", "counts"): partial(counts, corrected=True),
        Way(DEFAULT, "counts"): partial(
            two_by_two.from_counts, noisy, epsilon, quantile
        ),
    }
    return {way: timed(answer) for way, answer in ways.items()}


def _answer_cut(
    people: clamped.Clamped,
    level: float,
    draws: int,
    task: tuple[int, Seeds],
) -> dict[Way, Found]:
    runs, seed = task
    rng = np.random.default_rng(seed)
    values = people.draw(runs, rng)
    sums = clamped.noisy_sums(values, people, rng)
    wide = replace(people, lower=-3.0, upper=5.0)
    ours, given = partial(clamped.default_mean, values), (sums, people, level, draws)
    ways: dict[Way, Callable[[], Any]] = {
        Way(DEFAULT, "focused"): partial(ours, people, level, rng),
        Way(DEFAULT, "uncut"): partial(ours, wide, level, rng),
        Way("bootstrap", "three"): partial(clamped.pivotal_mean, *given, rng),
        Way("debiased", "three"): partial(clamped.debiased_mean, *given, rng),
    }
    return {way: timed(answer) for way, answer in ways.items()}


def _joined(blocks: Sequence[Mapping[Way, Found]]) -> dict[Way, Found]:
    ways = {way: None for block in blocks for way in block}
    return {way: join([each[way] for each in blocks if way in each]) for way in ways}
