"""Invented tables: so many units in every sample, as a pair of neighbours has them.

Values at a bound are written far beyond it, so that they must be clipped.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.simulation.audit.pair import Pair, Placed, Side
from dpratio.simulation.audit.question import COLUMNS, PERSON, SAMPLE, Question
from dpratio.terms.bounds import Bounds

Columns = dict[str, NDArray[Any]]

_ROWS_AT_ONCE = 2_000_000
_SAMPLES_AT_ONCE = 100_000
_ROWS_OF_PERSON = 2
_BEYOND = 9.0


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
    return 2 * sum(times for _, times in chunks_of(samples, rows_of(question, pair)))


def rows_of(question: Question, pair: Pair) -> int:
    """Count the rows that one sample has at most."""
    per_place = 1 if question.unit.column is None else _ROWS_OF_PERSON
    return pair.copies * per_place * max(len(pair.first), len(pair.second))


def table_of(question: Question, side: Side, samples: int, copies: int) -> Columns:
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
    totals = [question.unit.totals[name] for name in COLUMNS[:2]]
    at_ends = all(
        total in {each.lower, each.upper}
        for total, each in zip(placed.values, totals, strict=True)
    )
    # Inside their box totals are eighths of its upper end: with this weight their rows
    # are eighths too, and nothing is rounded. At its ends they are clipped.
    exact = max(each.upper for each in totals) / _ROWS_OF_PERSON
    weight = question.bounds["weight"].upper if at_ends else exact
    score, label = (
        _beyond(total, each, question.bounds[name], weight * _ROWS_OF_PERSON)
        for total, each, name in zip(placed.values, totals, COLUMNS[:2], strict=True)
    )
    return [(score, label, weight)] * _ROWS_OF_PERSON


def _beyond(value: float, box: Bounds, bounds: Bounds, share: float = 1.0) -> float:
    """Move a value at the end of its box far beyond the bounds of its column."""
    far = _BEYOND * (bounds.upper - bounds.lower)
    if value == box.upper:
        return bounds.upper + far
    return bounds.lower - far if value == box.lower else value / share
