"""Bounds that are found, and sums within them: two readings of the same data.

Rows are clipped before they are added up, so sums within other bounds cannot be
computed from sums: the data are read again. Between the readings, `realise_bounds` sees
only the plan and the noisy counts. Nothing leaves before both are drawn.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

from dpratio.curator.reading.files import find_files, unchanged
from dpratio.curator.reading.partitions import find_parquet
from dpratio.curator.reading.tables import as_source, kind_of
from dpratio.curator.reading.variables import as_written, resolved
from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.search.realise_bounds import Searched, realise_bounds
from dpratio.release.release import ReleasedQuestion

__all__ = ["Measured", "held_source", "measure_within"]

Questions = tuple[ReleasedQuestion, ...]
_IN_MEMORY = ("mapping", "pandas", "polars", "arrow")
_FILES = ("csv", "parquet")


class Measured(NamedTuple):
    """What a reading gives: the questions, and what found their bounds if anything."""

    questions: Questions
    searched: Searched | None = None


def measure_within(
    plan: Plan, count: Callable[[], Questions], within: Callable[[Plan], Questions]
) -> Measured:
    """Count with noise, and measure within the bounds that the counts find.

    Args:
        plan: A plan with a search, priced before the table was opened.
        count: Reads the table and gives the noisy histograms.
        within: Reads it again for a plan in one stage.

    Raises:
        PlanRefused: When what was decided between the readings would cost more than the
            search has left.

    Guarantee:
        Counts and sums together are epsilon-private at the plan's epsilon.
        Proof: docs/proofs/search.md.
    """
    counts = tuple(tuple(each.values[:, 0].tolist()) for each in count())
    second, searched = realise_bounds(plan, counts)
    if price(second).epsilon > plan.for_sums[0]:
        raise PlanRefused(
            "the second stage would cost more than the search has left. Report it: the "
            "charge stays, and nothing was released."
        )
    return Measured(within(second), searched)


def held_source(table: object) -> Callable[[], AbstractContextManager[None]]:
    """Say how a table is held between two readings: in memory, as files, a snapshot.

    Raises:
        InvalidInput: When others may write to it in between.
    """
    source: Any = as_source(table)
    kind = kind_of(source)
    if kind in _FILES:
        return lambda: unchanged(lambda: as_written(source, lambda: _files(source)))
    if kind == "opened" and source.snapshot() is not None:
        held: Callable[[], AbstractContextManager[None]] = source.snapshot
        return held
    if kind not in _IN_MEMORY or type(source).__name__ == "LazyFrame":
        raise InvalidInput(
            "bounds are found in what stays the same while it is read twice: files and "
            "frames, and by their address tables of PostgreSQL and DuckDB. "
            "Spark has no snapshot; in relations and in lazy frames none is held. Find "
            "bounds in a release of their own: `dpratio bounds`. Or copy the table to "
            "a Parquet file."
        )
    return nullcontext


def _files(source: object) -> list[str]:
    named: Any = resolved(source)
    path = named if isinstance(named, str) else named.path
    return find_files(path) if kind_of(named) == "csv" else find_parquet(path)
