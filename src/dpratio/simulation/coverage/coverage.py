"""How well intervals do on any population, plan and method: coverage, width, power."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dpratio.checks import require
from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.bench import Bench, CoverageRow
from dpratio.simulation.crew import crew_of
from dpratio.simulation.population import Population
from dpratio.simulation.progress import Report, silent
from dpratio.tabular import Tabular, columns_of
from dpratio.terms.budget import decimal_text

__all__ = ["CoverageRow", "CoverageTable", "measure_coverage"]


@dataclass(frozen=True, slots=True)
class CoverageTable(Tabular):
    """One row per question of every plan, size, method and link.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release(), question=1).plan
        >>> people = dpr.simulation.PaperPopulation()
        >>> dpr.simulation.measure_coverage(people, plan, n=500, rng=1).rows[0].n
        500
    """

    spare: ClassVar = (
        "width_median",
        "score*",
        "coverage_error",
        "delta",
        "level",
        "unbounded",
        "strategy",
    )

    rows: tuple[CoverageRow, ...]

    def columns(self) -> dict[str, list[Any]]:
        """Figures of every row; ``rejected`` is there when a test was asked for.

        ``unbounded`` is the share of intervals that lack an end; they count as
        covering.
        """
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
    links: Sequence[str] = ("ratio",),
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
        links: ``"ratio"``, ``"log"`` or both.
        level: Confidence level.
        repetitions: Samples per row, at least 2.
        rng: Seed; the same seed gives the same table whatever the workers.
        workers: Processes; by default one per processor. A small simulation has one.
            So has a population that another process cannot import, such as a lambda or
            a function of a notebook.
        against: A ratio: how often the interval excludes it, the size or power of the
            test against it. A population: how often its ratio is found to differ
            from this one's; the same population gives an A/A run.
        report: Called with steps done and steps in all.

    Returns:
        One row per question of every plan, size, method and link. The population
        stands for the people of each question.

    Raises:
        InvalidInput: When an option breaks a rule.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.roll_up(dpr.example_release(), question=1).plan
        >>> people = dpr.simulation.PaperPopulation()
        >>> found = dpr.simulation.measure_coverage(people, plan, n=2_000, rng=1)
        >>> found.to_dicts()[0]["coverage"]
        0.958
    """
    bench = Bench(
        [plan] if isinstance(plan, Plan) else list(plan),
        [n] if isinstance(n, int) else list(n),
        methods,
        links,
        level,
        repetitions,
    )
    with crew_of(workers) as crew:
        rows = bench.measure(
            population,
            crew,
            truth=_true_ratio(population, truth),
            rng=rng,
            against=against,
            report=report,
        )
    return CoverageTable(rows)


def _true_ratio(population: Population, truth: float | None) -> float:
    ratio = getattr(population, "ratio", None) if truth is None else truth
    hint = "Give truth=…, or a population with an attribute 'ratio'."
    require(ratio is not None, "the true ratio must be known", truth, hint)
    return float(ratio)  # type: ignore[arg-type]  # required above


def _figures_of(row: CoverageRow) -> dict[str, Any]:
    judged = row.judged
    figures: dict[str, Any] = {
        "strategy": row.plan.strategy,
        "mechanism": row.plan.mechanism,
        "epsilon": float(row.plan.budget.epsilon),
        "delta": decimal_text(row.plan.delta),
        "n": row.n,
        "method": row.method,
        "link": row.link,
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
