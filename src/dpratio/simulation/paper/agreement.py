"""Whether a simulated cell agrees with the published one, by a stated rule.

Coverage and interval score agree within 4 combined standard errors; width within 3 %,
0.0015 or 4 combined standard errors, whichever is largest. Where the widest hundredth
of the runs carries more than a tenth of the total width, the width has no mean that a
thousand runs could tell: there the published means must lie between our median and
our largest run. docs/methods/paper_tables.md tells why.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from dpratio.simulation.judge import Figures, Judgement
from dpratio.simulation.paper.paper import PAPER_REPETITIONS, Cell, Published
from dpratio.tabular import Tabular, columns_of

STANDARD_ERRORS = 4.0
WIDTH_SHARE, WIDTH_ROOM = 0.03, 0.0015
FEW_CARRY = 0.1
# Published figures are rounded to three digits: a uniform error of 0.0005.
ROUNDING = 0.0005 / math.sqrt(3)


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """One cell, ours beside the published one, differences in standard errors."""

    cell: Cell
    ours: Judgement
    published: Published
    width_z: float
    coverage_z: float
    score_z: float
    is_carried_by_few: bool
    agrees: bool


@dataclass(frozen=True, slots=True)
class PaperTables(Tabular):
    """The cells of the paper's tables beside ours."""

    spare: ClassVar = (
        "carried_by_few",
        "width_median",
        "score*",
        "*_z",
        "coverage_error",
        "*_paper",
        "mechanism",
        "link",
    )

    comparisons: tuple[ComparedCell, ...]

    @property
    def agreeing(self) -> int:
        """How many cells agree."""
        return sum(each.agrees for each in self.comparisons)

    def columns(self) -> dict[str, list[Any]]:
        """One row per published cell."""
        return columns_of([_row(each) for each in self.comparisons])


def compare_tables(
    ours: Mapping[Cell, Judgement], published: Mapping[Cell, Published]
) -> PaperTables:
    """Lay every simulated cell beside the published one."""
    return PaperTables(
        tuple(compare_cell(cell, each, published[cell]) for cell, each in ours.items())
    )


def compare_cell(cell: Cell, ours: Judgement, published: Published) -> ComparedCell:
    """Compare one cell."""
    samples = 1 / ours.repetitions + 1 / PAPER_REPETITIONS
    width_error = ours.width.sd * math.sqrt(samples)
    width_gap = ours.width.mean - published.width
    coverage_error = math.sqrt(_coverage_variance(ours, published) * samples)
    score_variance = _score_variance(ours, published)
    score_error = math.sqrt(
        max(score_variance, ours.score.sd**2) / ours.repetitions
        + score_variance / PAPER_REPETITIONS
    )
    coverage_z = _in_errors(ours.coverage - published.coverage, coverage_error)
    score_z = _in_errors(ours.score.mean - published.score, score_error)
    carried = ours.width.carried_by_few > FEW_CARRY
    if carried:
        close = _is_between(published.width, ours.width)
        close = close and _is_between(published.score, ours.score)
    else:
        room = max(
            WIDTH_SHARE * published.width, WIDTH_ROOM, STANDARD_ERRORS * width_error
        )
        close = abs(width_gap) <= room and abs(score_z) <= STANDARD_ERRORS
    return ComparedCell(
        cell=cell,
        ours=ours,
        published=published,
        width_z=_in_errors(width_gap, width_error),
        coverage_z=coverage_z,
        score_z=score_z,
        is_carried_by_few=carried,
        agrees=close and abs(coverage_z) <= STANDARD_ERRORS,
    )


def _coverage_variance(ours: Judgement, published: Published) -> float:
    """Pool both coverages; half a run away from 0 and 1 at least."""
    runs = ours.repetitions + PAPER_REPETITIONS
    covered = ours.coverage * ours.repetitions + published.coverage * PAPER_REPETITIONS
    share = min(max(covered / runs, 0.5 / runs), 1 - 0.5 / runs)
    return share * (1 - share)


def _score_variance(ours: Judgement, published: Published) -> float:
    """Estimate the variance of a published score from its own printed figures.

    Misses come at the rate 1 − coverage; their depth, taken as exponential, has the
    mean that fills the gap between width and score. Few deep misses drive mean and
    spread of a score together, so our own spread would not do.
    """
    missed = max(1 - published.coverage, 0.5 / PAPER_REPETITIONS)
    depth = max(published.score - published.width, 0.0) / missed
    return 2 * missed * depth**2 - (missed * depth) ** 2 + ours.width.sd**2


def _is_between(published: float, ours: Figures) -> bool:
    return ours.median <= published <= ours.largest


def _in_errors(difference: float, standard_error: float) -> float:
    return difference / math.hypot(standard_error, ROUNDING)


def _row(each: ComparedCell) -> dict[str, Any]:
    ours, published = each.ours, each.published
    return asdict(each.cell) | {
        "width": ours.width.mean,
        "width_paper": published.width,
        "width_z": each.width_z,
        "coverage": ours.coverage,
        "coverage_error": ours.coverage_error,
        "coverage_paper": published.coverage,
        "coverage_z": each.coverage_z,
        "score": ours.score.mean,
        "score_paper": published.score,
        "score_z": each.score_z,
        "width_median": ours.width.median,
        "carried_by_few": each.is_carried_by_few,
        "agrees": each.agrees,
    }
