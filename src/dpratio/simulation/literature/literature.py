"""The default beside published ways to the same answer: coverage, width, score, CPU.

docs/methods/literature.md says what each method does, and shows the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpratio.checks import require, require_one_of
from dpratio.simulation.crew import crew_of
from dpratio.simulation.judge import judge
from dpratio.simulation.literature.bootstrap import DRAWS
from dpratio.simulation.literature.cases import CASES, SETTINGS, Run, Setting
from dpratio.simulation.literature.interval import EqualCoverage, at_equal_coverage
from dpratio.simulation.literature.rivals import DEFAULT, Way
from dpratio.simulation.literature.timed import Found
from dpratio.simulation.progress import Progress, Report, silent
from dpratio.simulation.simulate import Seeds
from dpratio.tabular import Tabular, columns_of

__all__ = ["LiteratureTable", "measure_literature"]

LEVEL = 0.95
REPETITIONS = 1_000
_BEST = Way(DEFAULT, "focused")
_FEWEST_DRAWS = 39


@dataclass(frozen=True, slots=True)
class LiteratureTable(Tabular):
    """One row per setting and method.

    ``factor`` is what its intervals must be multiplied by to cover at their level;
    ``width_equal`` is their median width then, and ``over_default`` the same in units
    of the default's. ``missed_below`` and ``missed_above`` are the shares of intervals
    that end below the truth, and that begin above it.
    """

    spare: ClassVar = (
        "score",
        "width",
        "cpu_us",
        "missed_*",
        "coverage_error",
        "over_default_error",
        "undefined",
        "unbounded",
        "case",
        "mechanism",
        "width_equal",
    )

    rows: tuple[dict[str, Any], ...]

    def columns(self) -> dict[str, list[Any]]:
        """The figures of every setting and method."""
        return columns_of(self.rows)


def measure_literature(
    cases: Sequence[str] = tuple(CASES),
    *,
    repetitions: int = REPETITIONS,
    draws: int = DRAWS,
    rng: int | None = None,
    workers: int | None = None,
    report: Report = silent,
) -> LiteratureTable:
    """Simulate published methods and the default on the same data and budget.

    Args:
        cases: ``"paper"``, ``"real"``, ``"weak"``, ``"tables"``, ``"cut"``.
        repetitions: Samples per setting, at least 2.
        draws: Draws of each bootstrap, at least 39.
        rng: Seed; the same seed gives the same figures whatever the workers, but for
            the CPU.
        workers: Processes; by default one per processor.
        report: Called with steps done and steps in all.
    """
    require(cases, "at least one case is needed", list(cases))
    for name in cases:
        require_one_of(name, CASES, "case")
    whole = isinstance(repetitions, int) and repetitions >= 2  # noqa: PLR2004
    require(whole, "repetitions must be at least 2", repetitions)
    enough = isinstance(draws, int) and draws >= _FEWEST_DRAWS
    require(enough, f"draws must be at least {_FEWEST_DRAWS}", draws)
    seeds = dict(zip(CASES, Seeds(rng).spawn(len(CASES)), strict=True))
    rows: list[dict[str, Any]] = []
    with crew_of(workers) as crew:
        run = Run(repetitions, LEVEL, draws, crew)
        progress = Progress(report, sum(SETTINGS[name] for name in cases))
        for name in cases:
            for setting, found in CASES[name](run, seeds[name]):
                rows += _figures(setting, found)
                progress.tick()
    return LiteratureTable(tuple(rows))


def _figures(setting: Setting, found: Mapping[Way, Found]) -> list[dict[str, Any]]:
    equal = {
        way: at_equal_coverage(
            each.interval.within(setting.lowest),
            setting.truth,
            level=LEVEL,
            lowest=setting.lowest,
        )
        for way, each in found.items()
    }
    return [_row(setting, way, found[way], equal[way], equal[_BEST]) for way in found]


def _row(
    setting: Setting, way: Way, found: Found, equal: EqualCoverage, best: EqualCoverage
) -> dict[str, Any]:
    given = found.interval.within(setting.lowest)
    judged = judge(given.lower, given.upper, truth=setting.truth, level=LEVEL)
    over = equal.width / best.width
    return {
        "case": setting.case,
        "people": setting.people,
        "mechanism": setting.mechanism,
        "n": setting.n,
        "epsilon": setting.epsilon,
        "method": way.method,
        "sums": way.sums,
        "coverage": judged.coverage,
        "coverage_error": judged.coverage_error,
        "missed_below": float(np.mean(given.upper < setting.truth)),
        "missed_above": float(np.mean(given.lower > setting.truth)),
        "width": judged.width.mean,
        "width_median": judged.width.median,
        "factor": equal.factor,
        "width_equal": equal.width,
        "over_default": over,
        "over_default_error": over * (equal.error**2 + best.error**2) ** 0.5,
        "score": judged.score.mean,
        "undefined": judged.undefined,
        "unbounded": judged.unbounded,
        "cpu_us": 1e6 * found.seconds / judged.repetitions,
    }
