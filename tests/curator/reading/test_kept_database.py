"""The DuckDB that a process keeps: no release stays in it, and it crosses no fork."""

import os
import threading

import numpy as np
import pandas as pd
import pytest

from curator.tables_for_tests import exact, plan_of
from dpratio.curator.reading import table as room
from dpratio.curator.reading.table import connect

TABLES = (
    "SELECT view_name FROM duckdb_views() WHERE NOT internal "
    "UNION SELECT table_name FROM duckdb_tables() WHERE NOT internal"
)
FRAME = pd.DataFrame({"score": [0.5, 0.25], "label": [1, 0]})


def test_nothing_of_a_release_is_seen_by_the_next() -> None:
    exact(FRAME, plan_of(), "duckdb")
    first, second = connect(), connect()
    first.register("given", {"x": np.arange(3)})
    first.execute("CREATE TEMP VIEW given_files AS SELECT 1")
    assert connect().execute(TABLES).fetchall() == []
    assert second.execute(TABLES).fetchall() == []


def test_settings_that_somebody_changed_are_made_anew() -> None:
    setting = "SELECT current_setting('disabled_optimizers')"
    usual = connect().execute(setting).fetchall()
    connect().execute("SET disabled_optimizers = ''")
    assert connect().execute(setting).fetchall() == usual


def test_databases_that_are_attached_are_seen_by_nobody_else() -> None:
    connect(is_alone=True).execute("ATTACH ':memory:' AS given")
    names = connect().execute("SELECT database_name FROM duckdb_databases()")
    assert ("given",) not in names.fetchall()


def test_releases_in_many_threads_have_their_own_answers() -> None:
    answers: list[tuple[int, float]] = []

    def ask(score: float) -> None:
        frame = FRAME.assign(score=score)
        answers.append((exact(frame, plan_of(), "duckdb")[0][2], score))

    threads = [threading.Thread(target=ask, args=(at / 8,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [(2 * at * 2**21, at / 8) for at in range(8)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_it_does_not_cross_a_fork() -> None:
    expected = exact(FRAME, plan_of(), "duckdb")
    child = os.fork()
    if child == 0:
        is_fresh = vars(room)["_KEPT"]._database is None
        is_right = exact(FRAME, plan_of(), "duckdb") == expected
        os._exit(0 if is_fresh and is_right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert exact(FRAME, plan_of(), "duckdb") == expected
