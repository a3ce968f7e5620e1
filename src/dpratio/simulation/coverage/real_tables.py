"""How the default does on tables people really have, beside the limit and the paper.

Plans are made as a new user makes them: bounds and a budget, no guess of the people,
and no guess of the ratio or one that is half too high. docs/methods/limit.md has the
table.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.bench import Bench, CoverageRow
from dpratio.simulation.coverage.by_status import StatusTable, told
from dpratio.simulation.coverage.real_people import RealPeople, real_people
from dpratio.simulation.crew import crew_of
from dpratio.simulation.progress import Report, silent, stages
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import UNMEASURED

__all__ = ["measure_real", "real_plan"]

REPETITIONS = 10_000
SIZES = (500, 2_000, 10_000)
EPSILONS = (0.2, 1.0, 4.0)
LEVEL = 0.95
# Of the guess of the ratio: none, or the usual one and a half times.
GUESSES = (None, 1.5)


def measure_real(
    names: Sequence[str] | None = None,
    *,
    sizes: Sequence[int] = SIZES,
    epsilons: Sequence[float] = EPSILONS,
    repetitions: int = REPETITIONS,
    rng: int | None = None,
    workers: int | None = None,
    report: Report = silent,
) -> StatusTable:
    """Simulate the default on six populations.

    Returns:
        One row per population, size, epsilon and guess: median width over the
        one-query limit, coverage, the share of unbounded answers, and the same of the
        paper's method; ``coverage_public`` is that of Fieller's interval without
        noise.
    """
    tasks = list(product(names or tuple(real_people()), sizes))
    cells = list(product(epsilons, GUESSES))
    rows: list[dict[str, Any]] = []
    with crew_of(workers) as crew:
        for (name, n), step in zip(tasks, stages(report, len(tasks)), strict=True):
            people = real_people()[name]
            plans = [real_plan(people, *each) for each in cells]
            even = [real_plan(people, each, 1.0, "even") for each in epsilons]
            ours, paper = (
                Bench(each, [n], methods, level=LEVEL, repetitions=repetitions).measure(
                    people, crew, truth=people.ratio, rng=rng, report=told_to
                )
                for each, methods, told_to in (
                    (plans, ("pivot", "fieller"), step),
                    (even, ("analytical",), silent),
                )
            )
            by_epsilon = dict(zip(epsilons, paper, strict=True))
            for (epsilon, guess), noisy, public in zip(
                cells, ours[::2], ours[1::2], strict=True
            ):
                found = _figures(people, noisy, public, by_epsilon[epsilon])
                rows.append({"people": name, "n": n, "epsilon": epsilon} | found)
                rows[-1]["guess"] = "none" if guess is None else f"× {guess:g}"
    return StatusTable(tuple(rows))


def real_plan(
    people: RealPeople, epsilon: float, guess: float | None, strategy: str = "focused"
) -> Plan:
    """Plan as a new user does; ``guess`` multiplies the usual guess."""
    ratio = Ratio(
        "s",
        per="y",
        weight="w" if "w" in people.bounds else None,
        guess=None if guess is None else guess * people.guess,
    )
    return make_plan(
        ratio,
        bounds=people.bounds,
        budget=Budget(epsilon),
        strategy=strategy,
        mechanism="laplace",
        clipping=UNMEASURED,
    )


def _figures(
    people: RealPeople, noisy: CoverageRow, public: CoverageRow, paper: CoverageRow
) -> dict[str, Any]:
    epsilon = float(noisy.plan.budget.epsilon)
    limit = people.limit(noisy.n, epsilon, normal_quantile(LEVEL))
    return {
        "guess": "",
        "width_over_limit": _median(noisy) / limit,
        "coverage": noisy.judged.coverage,
        "coverage_error": noisy.judged.coverage_error,
        "unbounded": noisy.judged.unbounded,
        "coverage_public": public.judged.coverage,
        "width_public": _median(public) / limit,
        "width_paper": _median(paper) / limit,
        "coverage_paper": paper.judged.coverage,
        "unbounded_paper": paper.judged.unbounded,
    } | told(noisy.statuses)


def _median(row: CoverageRow) -> float:
    """Give the median width; infinite where most intervals are unbounded."""
    judged = row.judged
    return float("inf") if judged.unbounded >= 0.5 else judged.width.median  # noqa: PLR2004
