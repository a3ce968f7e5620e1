"""Row 42: releases that overlap in threads, and what belongs to the whole process."""

import logging
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import dpratio as dpr
from curator.tables_for_tests import plan_of

PATIENCE = 120.0
ROWS: dict[str, list[Any]] = {"score": [0.5, 0.25], "label": [1, 0]}

Hook = Callable[[], None]


def call(hook: Hook) -> Callable[[float], float]:
    def called(cell: float) -> float:
        hook()
        return cell

    return called


class Column(list[Any]):
    """A column that runs a hook when its cells are read."""

    hook: Hook

    def __iter__(self) -> Iterator[Any]:
        self.hook()
        return super().__iter__()


@contextmanager
def in_lists(hook: Hook) -> Iterator[object]:
    score = Column(ROWS["score"])
    score.hook = hook
    yield {**ROWS, "score": score}


@contextmanager
def in_duckdb(hook: Hook) -> Iterator[object]:
    with closing(duckdb.connect()) as connection:
        connection.create_function("hooked", call(hook), ["DOUBLE"], "DOUBLE")
        connection.register("given", pa.table(ROWS))
        yield connection.sql("SELECT hooked(score) AS score, label FROM given")


@contextmanager
def in_polars(hook: Hook) -> Iterator[object]:
    def hooked_cells(cells: pl.Series) -> pl.Series:
        hook()
        return cells

    yield pl.LazyFrame(ROWS).with_columns(pl.col("score").map_batches(hooked_cells))


SOURCES = {
    "lists": in_lists,
    "duckdb": in_duckdb,
    "polars": in_polars,
}


def shout() -> None:
    logging.getLogger("engine").critical("cell 271828 is bad")
    warnings.warn("cell 271828 is bad", RuntimeWarning, stacklevel=1)


def state_of_process() -> tuple[object, ...]:
    """What a release could leave behind in logging and warnings."""
    heard = logging.getLogger("engine").isEnabledFor(logging.CRITICAL)
    return logging.root.manager.disable, heard, list(warnings.filters)


def release(source: object) -> dpr.Release:
    return dpr.release_sums(source, plan_of(), ledger=None)


@pytest.mark.parametrize("engine", SOURCES)
def test_42_the_second_of_two_releases_is_silent_and_logging_is_restored(
    engine: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """The first release ends while the second reads, and that one shouts.

    Source: found by an independent attack on this code, 2026: each release put back
    the level it had found, so that the first to end let the second be heard, and the
    second left logging disabled for good. CPython documents that
    `warnings.catch_warnings` is not thread-safe. More: tests/curator/test_silence.py,
    tests/curator/warehouse/spark/test_session.py
    """
    first_reads, second_reads = threading.Event(), threading.Event()
    first_ended = threading.Event()
    calls = []

    def wait_for_second() -> None:
        first_reads.set()
        assert second_reads.wait(PATIENCE)

    def shout_when_alone() -> None:
        second_reads.set()
        assert first_ended.wait(PATIENCE)
        calls.append(engine)
        shout()

    caplog.set_level(logging.DEBUG)
    with (
        warnings.catch_warnings(record=True) as warned,
        SOURCES[engine](wait_for_second) as first,
        SOURCES[engine](shout_when_alone) as second,
        ThreadPoolExecutor(2) as pool,
    ):
        warnings.simplefilter("always")
        before = state_of_process()
        one = pool.submit(release, first)
        assert first_reads.wait(PATIENCE)
        two = pool.submit(release, second)
        one.result()
        first_ended.set()
        two.result()
        assert calls
        assert [str(each.message) for each in warned] == []
        assert caplog.text == ""
        assert "271828" not in "".join(capfd.readouterr())
        assert state_of_process() == before
        shout()
        assert (len(warned), len(caplog.records)) == (1, 1)
