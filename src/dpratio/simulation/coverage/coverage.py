"""How well intervals do on any population, plan and method: coverage, width, power."""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpratio.analyst.ratio.estimate import METHODS
from dpratio.analyst.ratio.wald import SCALES
from dpratio.checks import require, require_one_of
from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.answers import WITHOUT_NOISE, answer_of, share_rejected
from dpratio.simulation.coverage.samples import Bench
from dpratio.simulation.judge import Judgement, judge
from dpratio.simulation.population import Population
from dpratio.simulation.progress import Progress, Report, silent
from dpratio.simulation.simulate import Seeds, chunks_of, in_parallel
from dpratio.tabular import Tabular, columns_of
from dpratio.terms.budget import decimal_text

__all__ = ["CoverageRow", "CoverageTable", "measure_coverage"]


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One question, size, method and scale, and how its intervals did."""

    plan: Plan
    question: str
    n: int
    method: str
    scale: str
    level: float
    judged: Judgement
    rejected: float | None
    denominator_sds: float


@dataclass(frozen=True, slots=True)
class CoverageTable(Tabular):
    """One row per question of every plan, size, method and scale.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release(), question=1).plan
        >>> people = dpr.simulation.PaperPopulation()
        >>> dpr.simulation.measure_coverage(people, plan, n=500, rng=1).rows[0].n
        500
    """

    rows: tuple[CoverageRow, ...]

    def columns(self) -> dict[str, list[Any]]:
        """Figures of every row; ``rejected`` is there when a test was asked for."""
        columns = columns_of([_figures_of(row) for row in self.rows])
        names = [row.question for row in self.rows]
        return {"question": names} | columns if len(set(names)) > 1 else columns


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
        One row per question of every plan, size, method and scale. The population
        stands for the people of each question.

    Raises:
        InvalidInput: When an option breaks a rule.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release(), question=1).plan
        >>> people = dpr.simulation.PaperPopulation()
        >>> found = dpr.simulation.measure_coverage(people, plan, n=2_000, rng=1)
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
    asked = [(each, question) for each in plans for question in each.questions]
    tasks = [(size, index) for size in sizes for index in range(len(asked))]
    arms = [population, against] if callable(against) else [population]
    steps = len(arms) * len(sizes) * chunks_of(repetitions) + len(tasks)
    progress = Progress(report, steps)
    bench = Bench(asked, sizes, repetitions, threads, progress)
    samples = [
        bench.draw(arm, seeds)
        for arm, seeds in zip(arms, Seeds(rng).spawn(len(arms)), strict=True)
    ]

    def work(task: tuple[int, int]) -> list[CoverageRow]:
        rows = []
        for method in methods:
            for scale in scales:
                answers = [
                    answer_of(each[task], method, scale, level) for each in samples
                ]
                true = math.log(ratio) if scale == "log" else ratio
                first = answers[0]
                judged = judge(first.lower, first.upper, truth=true, level=level)
                rejected = share_rejected(answers, against, scale, level)
                rows.append(
                    CoverageRow(
                        asked[task[1]][0],
                        asked[task[1]][1].name,
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


def _true_ratio(population: Population, truth: float | None) -> float:
    ratio = getattr(population, "ratio", None) if truth is None else truth
    hint = "Give truth=…, or a population with an attribute 'ratio'."
    require(ratio is not None, "the true ratio must be known", truth, hint)
    return float(ratio)  # type: ignore[arg-type]  # required above


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
