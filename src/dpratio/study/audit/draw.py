"""End-to-end releases of invented neighbours, and how often each side is recognised.

Every group of a release is a sample: its noise is drawn by the curator, for it alone.
Tables are written as Parquet and go through the door as a curator's own would. Values
at a bound are written far beyond it, so that they must be clipped.
Floor: study. Imports: curator (the door, and how Parquet is written), terms, plan,
release, bound, pair, question.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.curator.duck import write_parquet
from dpratio.curator.release_sums import release_sums
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.study.audit.bound import Counts
from dpratio.study.audit.pair import Pair, Placed, Side
from dpratio.study.audit.question import COLUMNS, PERSON, SAMPLE, Question
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups

__all__ = ["Columns", "Door", "Seen", "chunks_of", "look_at", "releases_of"]

Floats = NDArray[np.float64]
Columns = dict[str, NDArray[Any]]

_ROWS_AT_ONCE = 2_000_000
_SAMPLES_AT_ONCE = 100_000
_ROWS_OF_PERSON = 2
_BEYOND = 9.0
# A fifth of all noise is larger: there counts tell most about its scale.
_FIFTH_BEYOND = {"laplace": math.log(5), "gaussian": 1.2815515655446004}


@dataclass(frozen=True, slots=True)
class Door:
    """The curator's door, a folder for what is carried to it, and the engine inside."""

    folder: Path
    engine: str = "auto"
    tick: Callable[[], object] = int

    def bring(self, columns: Columns) -> None:
        """Write the table that is released next."""
        write_parquet(str(self._path), columns)

    def release(self, plan: Plan) -> Release:
        """Release the table; no ledger is charged, for nobody is in it."""
        release = release_sums(
            self._path, plan, ledger=None, simulated=True, engine=self.engine
        )
        self.tick()
        return release

    @property
    def _path(self) -> Path:
        return self.folder / "invented.parquet"


@dataclass(frozen=True, slots=True)
class Seen:
    """What samples of two tables showed.

    ``counts`` are of samples that look like the first table; ``large`` tells for each
    sum how many of the noises ``drawn`` were further than ``beyond`` from zero.
    """

    counts: tuple[Counts, ...]
    beyond: float
    large: tuple[int, ...]
    drawn: int


def chunks_of(samples: int, rows: int) -> list[tuple[int, int]]:
    """Divide samples of so many rows each between releases that fit into memory.

    Returns:
        How many samples a release has, and how many such releases there are.
    """
    most = min(_SAMPLES_AT_ONCE, max(1, _ROWS_AT_ONCE // max(rows, 1)))
    whole, rest = divmod(samples, most)
    chunks = [(most, whole), (rest, 1)]
    return [(size, times) for size, times in chunks if size and times]


def releases_of(question: Question, pair: Pair, samples: int) -> int:
    """Count the releases that samples of both tables take."""
    return 2 * sum(times for _, times in chunks_of(samples, _rows_of(question, pair)))


def look_at(
    door: Door, plan: Plan, question: Question, pair: Pair, samples: int
) -> Seen:
    """Release both tables; count what looks like the first, and noise that is large.

    To look like the first is to have a likelihood ratio above a threshold: an even
    one, and one on either side. Thresholds are set by the plan, before anything is
    drawn.
    """
    laplace = plan.mechanism == "laplace"
    # Half way to what the ratio is at its largest, or in the mean under one table.
    side = pair.total / 2 if laplace else pair.total**2 / 4
    thresholds = np.array([-side, 0.0, side])
    beyond = _FIFTH_BEYOND["laplace" if laplace else "gaussian"]
    large = np.zeros(len(plan.sums), dtype=np.int64)
    looking = []
    for placed, sums in zip((pair.first, pair.second), pair.sums, strict=True):
        hits = np.zeros(len(thresholds), dtype=np.int64)
        for values in _released(door, plan, question, pair, placed, samples):
            ratio = _log_ratio(values, pair, laplace=laplace)
            hits += (ratio[:, None] > thresholds).sum(axis=0)
            large += (np.abs(values - pair.copies * sums) > beyond).sum(axis=(0, 1))
        looking.append(hits)
    counts = [
        Counts(float(at), int(first), int(second), samples)
        for at, first, second in zip(thresholds, *looking, strict=True)
    ]
    drawn = 2 * samples * question.cells
    return Seen(tuple(counts), beyond, tuple(large.tolist()), drawn)


def _log_ratio(values: Floats, pair: Pair, *, laplace: bool) -> Floats:
    """Give the log likelihood ratio of each sample; values count in units of noise."""
    first, second = (pair.copies * each for each in pair.sums)
    each = (
        np.abs(values - second) - np.abs(values - first)
        if laplace
        else (first - second) * (values - (first + second) / 2)
    )
    return np.asarray(each.sum(axis=(1, 2)))


def _released(
    door: Door, plan: Plan, question: Question, pair: Pair, side: Side, samples: int
) -> Iterator[Floats]:
    """Release one table in chunks; give samples × cells × sums in units of noise."""
    scales = np.array(plan.parts[0].scales)
    for count, times in chunks_of(samples, _rows_of(question, pair)):
        groups = Groups(SAMPLE, range(count * question.cells))
        planned = replace(plan, partitions=(groups,))
        door.bring(_table(question, side, count, pair.copies))
        for _ in range(times):
            values = door.release(planned).values
            yield values.reshape(count, question.cells, -1) / scales


def _rows_of(question: Question, pair: Pair) -> int:
    per_place = 1 if question.unit.column is None else _ROWS_OF_PERSON
    return pair.copies * per_place * max(len(pair.first), len(pair.second))


def _table(question: Question, side: Side, samples: int, copies: int) -> Columns:
    """Write copies of a unit into every sample."""
    is_person = question.unit.column is not None
    rows = [
        (placed.cell, copy, *values)
        for copy in range(copies)
        for placed in side
        for values in _values_of(question, placed, is_person=is_person)
    ]
    wide = np.array(rows, dtype=np.float64).reshape(len(rows), 2 + len(COLUMNS))
    sample = np.repeat(np.arange(samples, dtype=np.int64), len(rows))
    cell, copy = (np.tile(wide[:, at].astype(np.int64), samples) for at in (0, 1))
    columns = {SAMPLE: sample * question.cells + cell}
    if is_person:
        columns[PERSON] = sample * copies + copy
    return columns | {
        name: np.tile(wide[:, 2 + at], samples) for at, name in enumerate(COLUMNS)
    }


def _values_of(
    question: Question, placed: Placed, *, is_person: bool
) -> list[tuple[float, ...]]:
    """Give the rows of a unit in a cell; those of a person add up to its totals."""
    bounds = [question.bounds[name] for name in COLUMNS]
    if not is_person:
        pairs = zip(placed.values, bounds, strict=True)
        return [tuple(_beyond(value, each, each) for value, each in pairs)]
    heaviest = question.bounds["weight"].upper
    share = heaviest * _ROWS_OF_PERSON
    score, label = (
        _beyond(total, question.unit.totals[name], question.bounds[name], share)
        for total, name in zip(placed.values, COLUMNS[:2], strict=True)
    )
    return [(score, label, heaviest)] * _ROWS_OF_PERSON


def _beyond(value: float, box: Bounds, bounds: Bounds, share: float = 1.0) -> float:
    """Move a value at the end of its box far beyond the bounds of its column."""
    far = _BEYOND * (bounds.upper - bounds.lower)
    if value == box.upper:
        return bounds.upper + far
    return bounds.lower - far if value == box.lower else value / share
