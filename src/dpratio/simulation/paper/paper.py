"""The four tables of the paper, cell by cell, beside what was published.

Miao & Li (2022): n = 5,000 and 10,000, with and without weights, epsilon 0.2 to 4,
Gaussian and Laplace noise, ratio and log ratio. Invented people are shared between
epsilons, mechanisms and links; noise is not.
"""

import csv
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import resources
from itertools import product

import numpy as np

from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.ratio.wald import LINKS, wald
from dpratio.analyst.sums.moments import Moments, exact_moments, moments_of
from dpratio.arrays import Floats
from dpratio.checks import require
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.simulation.judge import Judgement, judge
from dpratio.simulation.population import HEAVIEST, LIGHTEST, PaperPopulation, People
from dpratio.simulation.progress import Progress, Report, silent
from dpratio.simulation.simulate import (
    Seeds,
    View,
    simulate_release,
    simulate_sums,
    steps_of,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import UNMEASURED

SIZES = (5_000, 10_000)
EPSILONS = (0.2, 0.5, 1.0, 4.0)
DELTA = 1e-6
LEVEL = 0.95
DRAWS = 200
TRUTH = 1.1
NOISY_METHODS = ("no_correction", "monte_carlo", "analytical")
MECHANISMS = {"gaussian": "classical_gaussian", "laplace": "laplace"}
PAPER_REPETITIONS = 1_000


@dataclass(frozen=True, slots=True)
class Cell:
    """Which cell of which table; public cells have no epsilon."""

    table: int
    mechanism: str
    link: str
    weighted: bool
    n: int
    epsilon: float | None
    method: str


@dataclass(frozen=True, slots=True)
class Published:
    """The three figures of a cell, as printed."""

    width: float
    coverage: float
    score: float


@dataclass(frozen=True, slots=True)
class Setting:
    """One simulation: it fills the cells of both links and three methods."""

    mechanism: str
    weighted: bool
    n: int
    epsilon: float

    @property
    def plan(self) -> Plan:
        """The plan whose noise is simulated."""
        asked, bounds = paper_question(weighted=self.weighted)
        return make_plan(
            asked,
            bounds=bounds,
            budget=Budget(self.epsilon, DELTA),
            strategy="even",
            mechanism=MECHANISMS[self.mechanism],
            clipping=UNMEASURED,
        )


def paper_question(*, weighted: bool) -> tuple[Ratio, dict[str, Bounds]]:
    """Give what the paper asks, and the bounds of its columns."""
    bounds = {"score": Bounds(0, 1), "label": Bounds.binary()}
    if not weighted:
        return Ratio("score", per="label"), bounds
    asked = Ratio("score", per="label", weight="weight")
    return asked, bounds | {"weight": Bounds(LIGHTEST, HEAVIEST)}


def published_cells() -> dict[Cell, Published]:
    """Read the 208 published cells that ship with the package."""
    file = resources.files("dpratio.simulation.paper") / "data" / "published.csv"
    with file.open(encoding="utf-8") as lines:
        return {
            Cell(
                int(row["table"]),
                row["mechanism"],
                row["link"],
                row["weighted"] == "1",
                int(row["n"]),
                float(row["epsilon"]) if row["epsilon"] else None,
                row["method"],
            ): Published(*(float(row[name]) for name in ("width", "coverage", "score")))
            for row in csv.DictReader(lines)
        }


def reproduce_paper(
    *,
    repetitions: int = PAPER_REPETITIONS,
    rng: int | None = None,
    report: Report = silent,
) -> dict[Cell, Judgement]:
    """Simulate the cells of the paper's tables.

    Args:
        repetitions: Samples per cell, at least 2.
        rng: Seed; the same seed gives the same figures.
        report: Called with steps done and steps in all.

    Returns:
        One judgement per published cell, in published order.
    """
    whole = isinstance(repetitions, int) and repetitions >= 2  # noqa: PLR2004
    require(whole, "repetitions must be at least 2", repetitions)
    people_seeds, noise_seeds = Seeds(rng).spawn(2)
    settings = [
        Setting(*each) for each in product(MECHANISMS, (False, True), SIZES, EPSILONS)
    ]
    progress = Progress(report, steps_of(repetitions) + len(settings))
    sums = _invent_sums(repetitions, people_seeds, progress.tick)
    noisy = {}
    for setting, seeds in zip(settings, noise_seeds.spawn(len(settings)), strict=True):
        exact = sums[setting.weighted, setting.n]
        for way, judged in _judge_setting(setting, exact, seeds).items():
            noisy[setting, *way] = judged
        progress.tick()
    return {
        cell: _judge_public(cell, sums)
        if cell.epsilon is None
        else noisy[_setting_of(cell), cell.link, cell.method]
        for cell in published_cells()
    }


def _invent_sums(
    repetitions: int, seeds: Seeds, tick: Callable[[], None]
) -> dict[tuple[bool, int], Floats]:
    views: dict[tuple[bool, int], View] = {}
    for weighted, n in product((False, True), SIZES):
        plan = Setting("laplace", weighted, n, 1.0).plan
        (question,) = plan.measurements
        products = [each.summand.factors for each in question.sums]
        views[weighted, n] = View(partial(_seen, n=n, weighted=weighted), products)
    return simulate_sums(
        PaperPopulation(TRUTH),
        views,
        count=max(SIZES),
        repetitions=repetitions,
        seeds=seeds,
        tick=tick,
    )


def _seen(people: People, *, n: int, weighted: bool) -> People:
    first = people.first(n)
    return first if weighted else first.without_weight()


def _judge_setting(
    setting: Setting, exact: Floats, seeds: Seeds
) -> dict[tuple[str, str], Judgement]:
    plan = setting.plan
    rng = np.random.Generator(np.random.SFC64(seeds))
    release = simulate_release(exact, plan, plan.measurements[0], rng)
    moments = moments_of(release, release.questions[0])
    return {
        (link, method): judgement
        for method in NOISY_METHODS
        for link, judgement in _judge_method(moments, method, rng).items()
    }


def _judge_public(cell: Cell, sums: dict[tuple[bool, int], Floats]) -> Judgement:
    plan = Setting("laplace", cell.weighted, cell.n, 1.0).plan
    moments = exact_moments(sums[cell.weighted, cell.n], plan.measurements[0])
    rng = np.random.default_rng(0)  # Not drawn from: nothing is noisy.
    return _judge_method(moments, "no_correction", rng)[cell.link]


def _judge_method(
    moments: Moments, method: str, rng: np.random.Generator
) -> dict[str, Judgement]:
    quantile = normal_quantile(LEVEL)
    answers = wald(moments, method, LINKS, draws=DRAWS, rng=rng)
    truths = {"ratio": TRUTH, "log": math.log(TRUTH)}
    return {
        link: judge(*answer.ends(quantile), truth=truths[link], level=LEVEL)
        for link, answer in answers.items()
    }


def _setting_of(cell: Cell) -> Setting:
    return Setting(cell.mechanism, cell.weighted, cell.n, cell.epsilon or math.nan)
