"""How well intervals do on any population, plan and method: coverage, width, power.

Floor: study. Imports: analyst, plan, judge, population, progress, simulate.
"""

import math
import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpratio.analyst.estimate import METHODS, estimate_ratios
from dpratio.analyst.moments import Floats, exact_moments, moments_of
from dpratio.analyst.pivot_of import pivot_of
from dpratio.analyst.pivot_set import pivot_set
from dpratio.analyst.variance import choose_variance
from dpratio.analyst.wald import SCALES, normal_quantile, wald
from dpratio.checks import require, require_one_of
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.study.judge import Judgement, judge
from dpratio.study.population import Population
from dpratio.study.progress import Progress, Report, silent
from dpratio.study.simulate import (
    Seeds,
    View,
    chunks_of,
    clip_people,
    in_parallel,
    simulate_release,
    simulate_sums,
)
from dpratio.tabular import Tabular
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import decimal_text

__all__ = ["WITHOUT_NOISE", "CoverageRow", "CoverageTable", "measure_coverage"]

# Intervals from exact sums, to compare with: the delta method's, and Fieller's.
WITHOUT_NOISE = ("public", "fieller")


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One plan, size, method and scale, and how its intervals did."""

    plan: Plan
    n: int
    method: str
    scale: str
    level: float
    judged: Judgement
    rejected: float | None
    denominator_sds: float


@dataclass(frozen=True, slots=True)
class CoverageTable(Tabular):
    """One row per plan, size, method and scale.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release()).plan
        >>> dpr.measure_coverage(dpr.PaperPopulation(), plan, n=500, rng=1).rows[0].n
        500
    """

    rows: tuple[CoverageRow, ...]

    def columns(self) -> dict[str, list[Any]]:
        """Figures of every row; ``rejected`` is there when a test was asked for."""
        rows = [_figures_of(row) for row in self.rows]
        return {name: [row[name] for row in rows] for name in rows[0]}


@dataclass(frozen=True, slots=True)
class _Sample:
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
class _Answer:
    """Estimates of all repetitions, on their scale."""

    centre: Floats
    lower: Floats
    upper: Floats
    se: Floats


def measure_coverage(  # noqa: PLR0913 (keyword-only options of a bench)
    population: Population,
    plan: Plan | Sequence[Plan],
    *,
    n: int | Sequence[int],
    truth: float | None = None,
    methods: Sequence[str] = ("pivot",),
    scales: Sequence[str] = ("ratio",),
    level: float = 0.95,
    repetitions: int = 1_000,
    rng: int | None = None,
    workers: int | None = None,
    against: float | Population | None = None,
    report: Report = silent,
) -> CoverageTable:
    """Simulate releases and see how often, and how narrowly, intervals cover.

    Args:
        population: A function of (generator, repetitions, people) that gives
            `People`; its values are clipped to the plan's bounds.
        plan: One plan or several; their noise is simulated.
        n: People per sample, one size or several.
        truth: The true ratio; by default the population's ``ratio``.
        methods: Methods of `estimate_ratios`, or ``"public"`` and ``"fieller"`` for
            intervals without noise, of the delta method or by inverting the test.
        scales: ``"ratio"``, ``"log"`` or both.
        level: Confidence level.
        repetitions: Samples per row, at least 2.
        rng: Seed; the same seed gives the same table whatever the workers.
        workers: Threads; by default one per processor.
        against: A ratio: how often the interval excludes it, the size or power of the
            test against it. A population: how often its ratio is found to differ
            from this one's; the same population gives an A/A run.
        report: Called with steps done and steps in all.

    Returns:
        One row per plan, size, method and scale.

    Raises:
        InvalidInput: When an option breaks a rule.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release()).plan
        >>> found = dpr.measure_coverage(dpr.PaperPopulation(), plan, n=2_000, rng=1)
        >>> found.to_dicts()[0]["coverage"]
        0.953
    """
    plans = [plan] if isinstance(plan, Plan) else list(plan)
    sizes = [n] if isinstance(n, int) else list(n)
    ratio = _true_ratio(population, truth)
    threads = (os.cpu_count() or 1) if workers is None else workers
    _require_counts(plans, sizes, repetitions, threads)
    for method in methods:
        require_one_of(method, (*METHODS, *WITHOUT_NOISE), "method")
    for scale in scales:
        require_one_of(scale, SCALES, "scale")
    tasks = [(size, index) for size in sizes for index in range(len(plans))]
    arms = [population, against] if callable(against) else [population]
    steps = len(arms) * len(sizes) * chunks_of(repetitions) + len(tasks)
    progress = Progress(report, steps)
    bench = _Bench(plans, sizes, repetitions, threads, progress)
    samples = [
        bench.draw(arm, seeds)
        for arm, seeds in zip(arms, Seeds(rng).spawn(len(arms)), strict=True)
    ]

    def work(task: tuple[int, int]) -> list[CoverageRow]:
        rows = []
        for method in methods:
            for scale in scales:
                answers = [
                    _answer(each[task], method, scale, level) for each in samples
                ]
                true = math.log(ratio) if scale == "log" else ratio
                first = answers[0]
                judged = judge(first.lower, first.upper, truth=true, level=level)
                rejected = _rejected(answers, against, scale, level)
                rows.append(
                    CoverageRow(
                        plans[task[1]],
                        task[0],
                        method,
                        scale,
                        level,
                        judged,
                        rejected,
                        samples[0][task].denominator_sds,
                    )
                )
        progress.tick()
        return rows

    done = in_parallel(work, tasks, threads)
    return CoverageTable(tuple(row for rows in done for row in rows))


@dataclass(frozen=True, slots=True)
class _Bench:
    """What is simulated: every plan at every size."""

    plans: list[Plan]
    sizes: list[int]
    repetitions: int
    threads: int
    progress: Progress

    def draw(
        self, population: Population, seeds: Seeds
    ) -> dict[tuple[int, int], _Sample]:
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
                samples[size, index] = _Sample(exact, release)
        return samples


def _sums_of(plan: Plan) -> Hashable:
    """Name what a plan adds up: plans that differ in noise alone share their sums."""
    bounds = tuple(_box(plan).values())
    summands = tuple(each.summand for each in plan.sums)
    return bounds, summands, plan.contrast(plan.parts[0])


def _view_of(plan: Plan) -> View:
    products = [each.summand.factors for each in plan.sums]
    contrast = plan.contrast(plan.parts[0])
    return View(lambda people: clip_people(people, _box(plan)), products, contrast)


def _box(plan: Plan) -> dict[str, Bounds]:
    return plan.box(plan.parts[0])


def _true_ratio(population: Population, truth: float | None) -> float:
    ratio = getattr(population, "ratio", None) if truth is None else truth
    hint = "Give truth=…, or a population with an attribute 'ratio'."
    require(ratio is not None, "the true ratio must be known", truth, hint)
    return float(ratio)  # type: ignore[arg-type]  # required above


def _answer(sample: _Sample, method: str, scale: str, level: float) -> _Answer:
    if method in WITHOUT_NOISE:
        return _answer_without_noise(sample, method, scale, level)
    # The redraws of a method may repeat; seeding by the release keeps them apart.
    seed = int(sample.release.id[:8], 16)
    given = estimate_ratios(
        sample.release, method=method, scale=scale, level=level, rng=seed
    )
    if scale == "log":
        ends = (given.log_ratio, given.log_ci_lower, given.log_ci_upper)
        centre, lower, upper = (np.asarray(end, dtype=np.float64) for end in ends)
        return _Answer(centre, lower, upper, given.se)
    return _Answer(given.ratio, given.ci_lower, given.ci_upper, given.se)


def _answer_without_noise(
    sample: _Sample, method: str, scale: str, level: float
) -> _Answer:
    plan = sample.release.plan
    moments = exact_moments(sample.exact, plan)
    variance = choose_variance(moments, None)
    answer = wald(
        moments,
        "no_correction",
        (scale,),
        draws=2,
        rng=np.random.default_rng(0),  # Not drawn from: nothing is noisy.
        variance=variance,
    )[scale]
    with np.errstate(invalid="ignore", divide="ignore"):
        se = np.sqrt(answer.sampling)
        if method == "public":
            return _Answer(answer.centre, *answer.ends(level), se)
        pivot = pivot_of(moments, normal_quantile(level), variance)
        low = [each.lower for letter, each in _box(plan).items() if letter in "sy"]
        found = pivot_set(pivot, 0.0 if min(low) >= 0 else -np.inf)
        ends = (found.lower, found.upper)
        lower, upper = (np.log(end) if scale == "log" else end for end in ends)
        return _Answer(answer.centre, lower, upper, se)


def _rejected(
    answers: Sequence[_Answer],
    against: float | Population | None,
    scale: str,
    level: float,
) -> float | None:
    """Give the share of repetitions in which the test of equality rejects."""
    first = answers[0]
    if against is None:
        return None
    with np.errstate(invalid="ignore"):
        if callable(against):
            # Miao & Li (2022), section 2.4: variances of disjoint samples add.
            gap = np.abs(first.centre - answers[1].centre)
            reach = normal_quantile(level) * np.hypot(first.se, answers[1].se)
            return float((gap > reach).mean())
        at = math.log(against) if scale == "log" else against
        return float(((at < first.lower) | (at > first.upper)).mean())


def _require_counts(
    plans: Sequence[Plan], sizes: Sequence[int], repetitions: int, threads: int
) -> None:
    require(plans, "at least one plan is needed", plans)
    counted = bool(sizes) and all(isinstance(n, int) and n >= 1 for n in sizes)
    require(counted, "n must be at least 1", sizes)
    enough = isinstance(repetitions, int) and repetitions >= 2  # noqa: PLR2004
    require(enough, "repetitions must be at least 2", repetitions)
    require(threads >= 1, "workers must be at least 1", threads)


def _figures_of(row: CoverageRow) -> dict[str, Any]:
    judged = row.judged
    figures: dict[str, Any] = {
        "strategy": row.plan.strategy,
        "mechanism": row.plan.mechanism,
        "epsilon": float(row.plan.budget.epsilon),
        "delta": decimal_text(row.plan.delta),
        "n": row.n,
        "method": row.method,
        "scale": row.scale,
        "level": row.level,
        "width": judged.width.mean,
        "width_median": judged.width.median,
        "coverage": judged.coverage,
        "coverage_error": judged.coverage_error,
        "score": judged.score.mean,
        "unbounded": judged.unbounded,
    }
    if row.rejected is not None:
        figures["rejected"] = row.rejected
    return figures
