"""How near the default comes to the one-query width, cell by cell of the paper.

That is the width which one query at the whole budget would give, as if the variance
were known for free: 2k·√(V + σ₁²)/Y. It is a yardstick: docs/methods/limit.md.
"""

import math
from dataclasses import dataclass
from itertools import product
from operator import attrgetter, itemgetter
from typing import Any, ClassVar

from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.ratio.wald import LINKS
from dpratio.plan.laws import LAPLACE
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.coverage import CoverageRow, measure_coverage
from dpratio.simulation.paper.paper import (
    DELTA,
    EPSILONS,
    LEVEL,
    SIZES,
    TRUTH,
    Published,
    paper_question,
    published_cells,
)
from dpratio.simulation.population import HEAVIEST, LIGHTEST, PaperPopulation
from dpratio.simulation.progress import Report, silent, stages
from dpratio.tabular import Tabular, columns_of
from dpratio.terms.budget import Budget
from dpratio.terms.study import UNMEASURED

LAWS = {"gaussian": "analytic_gaussian", "laplace": "laplace"}
REPETITIONS = 20_000
_SETTING = ("mechanism", "link", "weighted", "n", "epsilon")


@dataclass(frozen=True, slots=True)
class OneQueryTable(Tabular):
    """One row per cell and link: width over that of one query, coverage, score."""

    spare: ClassVar = (
        "score*",
        "*_paper",
        "width_public",
        "coverage_error",
        "one_query_width",
        "unbounded",
        "width",
    )

    rows: tuple[dict[str, Any], ...]

    def columns(self) -> dict[str, list[Any]]:
        """The figures of every cell."""
        return columns_of(self.rows)


def measure_one_query(
    *,
    strategy: str = "focused",
    repetitions: int = REPETITIONS,
    rng: int | None = None,
    report: Report = silent,
) -> OneQueryTable:
    """Simulate a strategy and the default interval in the 32 settings of the paper.

    Args:
        strategy: ``"focused"``, ``"joint"`` or ``"even"``.
        repetitions: Samples per setting, at least 2.
        rng: Seed; the same seed gives the same figures.
        report: Called with steps done and steps in all.
    """
    views = list(product((False, True), SIZES))
    rows: list[dict[str, Any]] = []
    for (weighted, n), step in zip(views, stages(report, len(views)), strict=True):
        plans = [
            paper_plan(law, epsilon, weighted=weighted, n=n, strategy=strategy)
            for law, epsilon in product(LAWS, EPSILONS)
        ]
        found = measure_coverage(
            PaperPopulation(TRUTH),
            plans,
            n=n,
            links=LINKS,
            repetitions=repetitions,
            rng=rng,
            report=step,
        )
        rows += [_figures(row, weighted=weighted) for row in found.rows]
    return OneQueryTable(tuple(sorted(rows, key=itemgetter(*_SETTING))))


def paper_plan(
    mechanism: str,
    epsilon: float,
    *,
    weighted: bool,
    n: int,
    strategy: str = "focused",
) -> Plan:
    """Plan a setting of the paper with any strategy."""
    asked, bounds = paper_question(weighted=weighted)
    return make_plan(
        asked,
        bounds=bounds,
        budget=Budget(epsilon, DELTA),
        strategy=strategy,
        mechanism=LAWS[mechanism],
        n=n,
        clipping=UNMEASURED,
    )


def one_query_width(plan: Plan, n: int, *, noise: float = 1.0) -> float:
    """Give the width of one query at the whole budget, for the paper's population.

    Per person E(s − 1.1y)² = 1/4 and E y = 1/2.2; weights are Exponential(1), clipped.
    ``noise`` multiplies the noise: 0 gives the width without privacy.
    """
    weight, square, heaviest = 1.0, 1.0, 1.0
    (question,) = plan.measurements
    if question.ratio.weight is not None:
        (low, high), heaviest = (LIGHTEST, HEAVIEST), HEAVIEST
        weight = low + math.exp(-low) - math.exp(-high)
        square = low**2 + 2 * (
            (low + 1) * math.exp(-low) - (high + 1) * math.exp(-high)
        )
    deviation = (
        noise
        * heaviest
        / plan.law.about_largest_ratio(plan.budget.epsilon, plan.budget.delta)
    )
    if plan.law == LAPLACE:
        deviation *= math.sqrt(2)
    spread = math.sqrt(n * square / 4 + deviation**2)
    return 2 * normal_quantile(LEVEL) * spread / (n * weight * 0.5 / TRUTH)


def _figures(row: CoverageRow, *, weighted: bool) -> dict[str, Any]:
    plan, judged = row.plan, row.judged
    mechanism = next(name for name, law in LAWS.items() if law == plan.law.name)
    epsilon = float(plan.budget.epsilon)
    unit = TRUTH if row.link == "log" else 1.0
    one_query = one_query_width(plan, row.n) / unit
    paper = _published(mechanism, epsilon, row, weighted=weighted)
    return {
        "mechanism": mechanism,
        "link": row.link,
        "weighted": weighted,
        "n": row.n,
        "epsilon": epsilon,
        "width": judged.width.mean,
        "one_query_width": one_query,
        "width_over_one_query": judged.width.mean / one_query,
        "coverage": judged.coverage,
        "coverage_error": judged.coverage_error,
        "score": judged.score.mean,
        "score_one_query": _normal_score(one_query),
        "score_paper": min(each.score for each in paper.values()),
        "width_paper": paper["analytical"].width,
        "width_public": one_query_width(plan, row.n, noise=0.0) / unit,
        "unbounded": judged.unbounded,
    }


def _normal_score(width: float) -> float:
    """Give the expected interval score of a normal interval of this width."""
    quantile = normal_quantile(LEVEL)
    density = math.exp(-(quantile**2) / 2) / math.sqrt(2 * math.pi)
    return 4 / (1 - LEVEL) * density * width / (2 * quantile)


def _published(
    mechanism: str, epsilon: float, row: CoverageRow, *, weighted: bool
) -> dict[str, Published]:
    """Give the published figures of a setting, by the paper's methods."""
    setting = (mechanism, row.link, weighted, row.n, epsilon)
    return {
        cell.method: figures
        for cell, figures in published_cells().items()
        if attrgetter(*_SETTING)(cell) == setting
    }
