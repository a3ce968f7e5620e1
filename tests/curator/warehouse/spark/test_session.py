"""The session of the user is as it was before, and its settings are respected."""

import itertools
import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import dpratio as dpr
from curator.holders_for_tests import found_by
from curator.tables_for_tests import ROW, exact, plan_of
from curator.warehouse.spark.frames_for_tests import Session
from dpratio.curator.choose_engine import open_keys
from dpratio.curator.reading.statement import KeyCount, UnitRule
from dpratio.curator.release_sums import release_sums
from dpratio.curator.sql import spark_frames
from dpratio.curator.sql.spark import identifier, literal
from dpratio.curator.sql.spark_frames import own_session, watched
from dpratio.errors import EngineFailed, InvalidInput, SchemaRefused
from spark_cluster import wait_until

PATIENCE = 120.0
ROWS = "SELECT 0.5D AS score, 1 AS label, 'a' AS region"


def log_settings(session: Session) -> Any:  # noqa: ANN401
    """The live configuration of the driver's log."""
    log4j = session.sparkContext._jvm.org.apache.logging.log4j
    return log4j.LogManager.getContext(False).getConfiguration()  # noqa: FBT003


def state_of(session: Session) -> dict[str, object]:
    """Everything of a session that a release could have changed."""
    tracker = session.sparkContext.statusTracker()
    # A job is listed for a moment after it has ended; one that goes on is not ours.
    wait_until(lambda: not tracker.getActiveJobsIds(), "no job runs")
    jvm = session.sparkContext._jvm
    root = jvm.org.apache.logging.log4j.LogManager.getRootLogger()
    return {
        "settings": session.conf.getAll,
        "database": session.catalog.currentDatabase(),
        "views": [each.name for each in session.catalog.listTables()],
        "global views": session.sql("SHOW VIEWS IN global_temp").count(),
        "level": root.getLevel().toString(),
        "filter": log_settings(session).getFilter(),
        "tags": session.sparkContext.getJobTags(),
        "active": SparkSession.getActiveSession(),
        "python logs": logging.root.manager.disable,
    }


@contextmanager
def own_settings(session: Session, **settings: str) -> Iterator[Session]:
    """A session of another user, who has set this and that."""
    made = session.newSession()
    for name, value in settings.items():
        made.conf.set(f"spark.sql.{name.replace('__', '.')}", value)
    yield made


def test_a_release_leaves_the_session_as_it_was(session: Session) -> None:
    session.sql("CREATE DATABASE IF NOT EXISTS own")
    session.sql("USE own")
    frame = session.sql(ROWS).cache()
    frame.count()
    session.createDataFrame([(1,)], "a int")  # The session is the active one.
    before = state_of(session)
    plan = plan_of(keys=["a", "b", None])
    release_sums(frame, plan, ledger=None)
    assert state_of(session) == before
    with pytest.raises(EngineFailed):
        release_sums(
            session.sql(
                "SELECT cast(k AS int) score, 1 label, k region FROM VALUES "
                "('x') AS t(k)"
            ),
            plan,
            ledger=None,
        )
    assert state_of(session) == before
    assert frame.storageLevel.useMemory
    frame.unpersist()
    session.sql("USE default")


def test_no_active_session_stays_none(session: Session) -> None:
    classes = SparkSession._get_j_spark_session_class(session._jvm)
    before = SparkSession.getActiveSession()
    classes.clearActiveSession()
    with watched(session, "a tag"):
        session.createDataFrame([(1,)], "a int")
    assert SparkSession.getActiveSession() is None
    if before is not None:
        classes.setActiveSession(before._jsparkSession)


def test_two_releases_at_once_are_both_silent(session: Session) -> None:
    logger = session.sparkContext._jvm.org.apache.logging.log4j.LogManager.getLogger
    with watched(session, "a tag"):
        with watched(session, "a tag"):
            assert not logger("x").isFatalEnabled()
        assert not logger("x").isFatalEnabled()
    assert logger("x").isFatalEnabled()


def test_releases_in_many_threads_leave_log_and_session_as_they_were(
    session: Session,
) -> None:
    """The first to enter leaves first, with sessions of our own active in between."""
    logger = session.sparkContext._jvm.org.apache.logging.log4j.LogManager.getLogger
    session.createDataFrame([(1,)], "a int")
    before = state_of(session)
    entered, left = threading.Barrier(3), threading.Event()

    def second(at: int) -> tuple[bool, bool]:
        own = session.newSession()
        with watched(own, "a tag"):
            own.createDataFrame([(at,)], "a int")
            entered.wait(PATIENCE)
            assert left.wait(PATIENCE)
            is_silent = not logger("x").isFatalEnabled()
        active = SparkSession._get_j_spark_session_class(session._jvm)
        is_ours = active.getActiveSession().isDefined() and (
            active.getActiveSession().get().equals(own._jsparkSession)
        )
        return is_silent, is_ours

    with ThreadPoolExecutor(2) as pool:
        with watched(session, "a tag"):
            session.newSession().createDataFrame([(0,)], "a int")
            found = [pool.submit(second, at) for at in range(2)]
            entered.wait(PATIENCE)
        left.set()
        assert [each.result() for each in found] == [(True, False)] * 2
    assert logger("x").isFatalEnabled()
    assert state_of(session) == before

    def run(_: int) -> dpr.Release:
        return release_sums(session.sql(ROWS), plan_of(), ledger=None)

    with ThreadPoolExecutor(3) as pool:
        assert len(list(pool.map(run, range(3)))) == 3
    assert state_of(session) == before


def test_settings_of_a_session_neither_change_our_query_nor_are_they_changed(
    session: Session,
) -> None:
    """Frames mean what they mean in their own session, our SQL what we wrote."""
    settings = {
        "ansi__enabled": "false",
        "caseSensitive": "true",
        "parser__escapedStringLiterals": "true",
        "execution__arrow__pyspark__enabled": "true",
        "session__timeZone": "Asia/Tokyo",
        "variable__substitute": "true",
    }
    names = ("Score", "${spark.app.name}", "w`\\'\"", "score")
    with own_settings(session, **settings) as other:
        frame = other.sql(
            "SELECT cast('x' AS int) AS score, 0.5D AS Score, 1 AS n, 2 AS w, 'b' AS k"
        ).withColumnsRenamed({"n": names[1], "w": names[2]})
        plan = plan_of(names=("Score", names[1], names[2], "k"), keys=["b"])
        before = other.conf.getAll
        assert exact(frame, plan, "auto")[0][:3] == [ROW, ROW, ROW // 2]
        assert other.conf.getAll == before
        # One id in forty keys: which of them counts is told by the hash alone.
        asked = KeyCount("k", "text", UnitRule("u", "a\\b'\"", 1, {}))
        held = pa.table({"k": [str(at) for at in range(40)], "u": ["x"] * 40})
        counted = open_keys(other.createDataFrame(held), asked, "auto")()
        assert counted == found_by(held, asked, "python")
        # A missing number drops the row, as that session reads it: no cast fails.
        plan = plan_of(names=("score", names[1], names[2], "k"), keys=["b"])
        assert exact(frame, plan, "auto")[0] == [0] * 5


def test_columns_that_cannot_be_told_apart_are_refused_at_the_door(
    session: Session,
) -> None:
    frame = session.sql("SELECT 0.5D AS score, 1 AS label, 2 AS x, 3 AS X, 4 AS x")
    assert exact(frame, plan_of(), "auto")[0][0] == ROW
    for name in ("x", "X"):
        with pytest.raises(SchemaRefused, match="occurs more than once"):
            exact(frame, plan_of(names=("score", name, "w", "r")), "auto")


def test_columns_of_other_types_are_passed_by_and_refused_where_they_are_asked(
    session: Session,
) -> None:
    frame = session.sql(
        "SELECT 0.5D AS score, 1 AS label, parse_json('1') AS v, X'00' AS b, "
        "INTERVAL '1' YEAR AS i, array(1) AS a, named_struct('x', 1) AS s, NULL AS n"
    )
    assert exact(frame, plan_of(), "auto")[0][0] == ROW
    for name, word in {"v": "variant", "b": "binary", "a": "array"}.items():
        with pytest.raises(SchemaRefused, match=f"'{name}' is {word}; a number"):
            exact(frame, plan_of(names=("score", name, "w", "r")), "auto")


def test_a_stream_and_a_frame_of_spark_connect_are_refused(session: Session) -> None:
    with pytest.raises(InvalidInput, match="got a stream"):
        exact(session.readStream.format("rate").load(), plan_of(), "auto")
    far = type("DataFrame", (SimpleNamespace,), {"__module__": "pyspark.sql.connect"})
    with pytest.raises(InvalidInput, match="Spark Connect"):
        exact(far(), plan_of(), "auto")


def test_the_log_is_silent_until_the_last_task_has_ended(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task that is stopped with its query says why, and quotes what failed."""
    heard: list[bool] = []

    def running(*_given: object) -> int:
        heard.append(log_settings(session).getFilter() is None)
        return 3 - len(heard)

    monkeypatch.setattr(spark_frames, "_running_tasks", running)
    with watched(session, "a tag"):
        pass
    assert heard == [False] * 3
    assert log_settings(session).getFilter() is None


def test_the_tasks_of_a_query_are_known_by_its_tag(
    session: Session,
) -> None:
    frame = session.range(0, 2, numPartitions=2).selectExpr(
        "reflect('java.lang.Thread', 'sleep', 1500L) AS x"
    )

    def ask() -> int:
        with watched(session, "dpratio-known"):
            return int(frame.filter("x = 'never'").count())

    context = session.sparkContext
    seen = False
    with ThreadPoolExecutor(1) as pool:
        for _ in range(10):  # On a busy machine tasks may have ended when we look.
            found = pool.submit(ask)
            while not found.done() and not seen:
                seen = spark_frames._running_tasks(context, "dpratio-known") > 0
            assert spark_frames._running_tasks(context, "dpratio-other") == 0
            assert found.result() == 0
            if seen:
                break
    assert seen
    assert spark_frames._running_tasks(context, "dpratio-known") == 0


TEXTS = [
    *(
        "'",
        "\\",
        "\\'",
        "''",
        "\\\\'",
        '"',
        "`",
        "$$",
        "${env:HOME}",
        "%",
        "\\%",
        "\\_",
    ),
    *("--", "/*", "*/", ";", "\\u0041", "\\101", "\\n", "\n", "\r", "\t", "\x1a", "é"),
]


def test_any_text_and_any_name_reaches_spark_as_it_is(session: Session) -> None:
    texts = [*TEXTS, *map("".join, itertools.product(TEXTS, TEXTS))]
    own = own_session(session, session.conf.getAll)
    listed = ", ".join(map(literal, texts))
    found = own.sql(f"SELECT explode(array({listed}))").collect()
    assert [row[0] for row in found] == texts
    named = ", ".join(f"1 AS {identifier(text)}" for text in texts)
    assert own.sql(f"SELECT {named}").columns == texts
