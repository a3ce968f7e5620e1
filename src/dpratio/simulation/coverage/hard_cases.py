"""Where the paper was never tried: small samples, far ratios, rare labels and more.

Each case is simulated beside the non-private Fieller interval. An interval may cover a
little less than its level, or than Fieller's does there, and no less than that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from dpratio.checks import require, require_one_of
from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.bench import Bench, CoverageRow
from dpratio.simulation.coverage.by_status import StatusTable, told
from dpratio.simulation.coverage.hard_people import RareLabels, SurprisingLabels
from dpratio.simulation.coverage.limit import LAWS, REPETITIONS, paper_plan
from dpratio.simulation.crew import crew_of
from dpratio.simulation.population import PaperPopulation
from dpratio.simulation.progress import Report, silent, stages
from dpratio.terms.ratio import Ratio

__all__ = ["CASES", "TOLERANCE", "Case", "measure_cases"]

TOLERANCE = 0.008
METHODS = ("pivot", "fieller")


@dataclass(frozen=True, slots=True)
class Case:
    """One population at some sizes, budgets and levels."""

    population: PaperPopulation | RareLabels | SurprisingLabels
    sizes: tuple[int, ...] = (5_000,)
    epsilons: tuple[float, ...] = (1.0,)
    levels: tuple[float, ...] = (0.95,)
    weights: tuple[bool, ...] = (False, True)
    strategies: tuple[str, ...] = ("focused",)
    guess_is: str = "close"


CASES = {
    "small_samples": Case(PaperPopulation(1.1), sizes=(200, 500, 1_000)),
    "ratio_half": Case(PaperPopulation(0.5), epsilons=(0.2, 1.0)),
    "ratio_two": Case(PaperPopulation(2.0), epsilons=(0.2, 1.0)),
    "ratio_two_unknown": Case(
        PaperPopulation(2.0), epsilons=(0.2, 1.0), guess_is="unknown"
    ),
    "rare_labels": Case(RareLabels(0.02), sizes=(1_000, 5_000, 20_000)),
    "weak_denominator": Case(PaperPopulation(1.1), sizes=(50, 90), epsilons=(0.2,)),
    "weights_follow_labels": Case(
        SurprisingLabels(), weights=(True,), strategies=("focused", "joint")
    ),
    "levels": Case(PaperPopulation(1.1), levels=(0.8, 0.99), epsilons=(0.2, 1.0)),
}


def measure_cases(
    names: Sequence[str] = tuple(CASES),
    *,
    repetitions: int = REPETITIONS,
    rng: int | None = None,
    workers: int | None = None,
    report: Report = silent,
) -> StatusTable:
    """Simulate named cases with the default interval, beside Fieller's without noise.

    Args:
        names: Names of `CASES`.
        repetitions: Samples per setting, at least 2.
        rng: Seed; the same seed gives the same figures whatever the workers.
        workers: Processes; by default one per processor.
        report: Called with steps done and steps in all.

    Returns:
        One row per setting. ``floor`` is the least coverage that is allowed;
        ``denominator_sds`` the expected denominator in units of its noise.
    """
    require(names, "at least one case is needed", list(names))
    for name in names:
        require_one_of(name, CASES, "case")
    tasks = [
        (name, *each)
        for name in names
        for each in product(CASES[name].weights, CASES[name].sizes, CASES[name].levels)
    ]
    rows: list[dict[str, Any]] = []
    with crew_of(workers) as crew:
        for (name, weighted, n, level), step in zip(
            tasks, stages(report, len(tasks)), strict=True
        ):
            case = CASES[name]
            plans = _plans(case, n, weighted=weighted)
            bench = Bench(plans, [n], METHODS, ("ratio",), level, repetitions)
            people, truth = case.population, case.population.ratio
            found = bench.measure(people, crew, truth=truth, rng=rng, report=step)
            pairs = zip(found[::2], found[1::2], strict=True)
            rows += [_figures(name, *pair, weighted=weighted) for pair in pairs]
    return StatusTable(tuple(rows))


def _plans(case: Case, n: int, *, weighted: bool) -> list[Plan]:
    return [
        paper_plan(
            mechanism,
            epsilon,
            weighted=weighted,
            n=n,
            strategy=strategy,
            ratio=Ratio("score", per="label", guess=1.0, guess_is=case.guess_is),
        )
        for strategy, mechanism, epsilon in product(
            case.strategies, LAWS, case.epsilons
        )
    ]


def _figures(
    name: str, noisy: CoverageRow, fieller: CoverageRow, *, weighted: bool
) -> dict[str, Any]:
    plan, judged = noisy.plan, noisy.judged
    return {
        "case": name,
        "strategy": plan.strategy,
        "mechanism": next(law for law in LAWS if LAWS[law] == plan.mechanism),
        "weighted": weighted,
        "n": noisy.n,
        "epsilon": float(plan.budget.epsilon),
        "level": noisy.level,
        "width": judged.width.mean,
        "width_fieller": fieller.judged.width.mean,
        "coverage": judged.coverage,
        "coverage_error": judged.coverage_error,
        "coverage_fieller": fieller.judged.coverage,
        "floor": min(noisy.level, fieller.judged.coverage) - TOLERANCE,
        "unbounded": judged.unbounded,
        "denominator_sds": noisy.denominator_sds,
    } | told(noisy.statuses)
