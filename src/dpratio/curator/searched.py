"""Bounds that are found, and sums within them: two readings of the same data.

Rows are clipped before they are added up, so sums within other bounds are no arithmetic
on sums: the data are read again. Between the readings stands `realise_bounds`, which
sees the plan and the noisy counts alone. Nothing leaves before both are drawn.
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

from dpratio.curator.reading.files import find_files
from dpratio.curator.reading.partitions import find_parquet
from dpratio.curator.reading.tables import as_source, kind_of
from dpratio.curator.reading.variables import as_written, resolved
from dpratio.errors import EngineFailed, InvalidInput, PlanRefused
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
        return lambda: _unchanged(source)
    if kind == "opened" and source.snapshot() is not None:
        held: Callable[[], AbstractContextManager[None]] = source.snapshot
        return held
    if kind not in _IN_MEMORY or type(source).__name__ == "LazyFrame":
        raise InvalidInput(
            "bounds are found in files and frames, and in tables of PostgreSQL by "
            "their address, which stay the same while they are read twice. Find them "
            "in a release of their own: `dpratio bounds`. Or copy the table to a "
            "Parquet file."
        )
    return nullcontext


@contextmanager
def _unchanged(source: object) -> Iterator[None]:
    """Refuse files that are not the same afterwards."""
    before = _state(source)
    yield
    if _state(source) != before:
        raise EngineFailed(
            "the files were changed while they were read. Let nobody write to them "
            "meanwhile."
        )


def _state(source: object) -> list[Hashable]:
    """Tell files from others, and from what they were before."""
    return as_written(source, lambda: [_stamp(each) for each in _files(source)])


def _files(source: object) -> list[str]:
    named: Any = resolved(source)
    path = named if isinstance(named, str) else named.path
    return find_files(path) if kind_of(named) == "csv" else find_parquet(path)


def _stamp(file: str) -> Hashable:
    # What the system says of a file that is gone would name folders, and so cells.
    with suppress(OSError):
        seen = Path(file).stat()
        when = seen.st_mtime_ns, seen.st_ctime_ns
        return file, seen.st_dev, seen.st_ino, seen.st_size, *when
    return file
