"""Workers die in the middle of a release: the same integers, or a clean failure."""

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curator.tables_for_tests import exact, plan_of
from curator.warehouse.spark.frames_for_tests import Frame, Session
from dpratio.curator import measure
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.curator.sql import spark_frames
from dpratio.curator.stopping import notes_of
from dpratio.errors import EngineFailed, LedgerRefused
from dpratio.plan.plan import Plan
from dpratio.release.files import release_to_bytes
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.unit import PrivacyUnit
from spark_cluster import Cluster, wait_until

ID = "0" * 32
ROWS = 48
LONGEST = 240.0


def slow_frame(session: Session) -> Frame:
    """Six tasks of two seconds: each row sleeps where it is read."""
    return session.range(0, ROWS, numPartitions=6).selectExpr(
        "if(reflect('java.lang.Thread', 'sleep', 250L) = '', 0D, id / 64D) AS score",
        "id % 2 AS label",
        "cast(id % 5 AS string) AS region",
        "id % 7 AS id",
    )


def plain_rows() -> Any:  # noqa: ANN401
    at = np.arange(ROWS)
    region = [str(each % 5) for each in at]
    return pa.table({"score": at / 64, "label": at % 2, "region": region, "id": at % 7})


def plan_to_kill() -> Plan:
    """Two shuffles: one per person and group, one per group."""
    totals = {"score": Bounds(0, 2), "label": Bounds(0, 2)}
    unit = PrivacyUnit("id", totals=totals, most_groups=3)
    return plan_of(keys=["0", "1", "2", "3"], unit=unit)


def in_the_middle(session: Session, work: Callable[[], Any]) -> Future[Any]:
    """Start some work, and wait until two of its tasks run and one has ended."""
    pool = ThreadPoolExecutor(1)
    given = pool.submit(work)
    pool.shutdown(wait=False)
    tracker = session.sparkContext.statusTracker()

    def is_there() -> bool:
        assert not given.done(), given.result()
        stages = [tracker.getStageInfo(each) for each in tracker.getActiveStageIds()]
        return any(
            each is not None and each.numActiveTasks > 0 and each.numCompletedTasks > 0
            for each in stages
        )

    wait_until(is_there, "a task to run")
    return given


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "budget.db")
    made.open_scope(Scope("loans", Budget(9, "1e-5"), unit=plan_to_kill().unit.column))
    return made


@pytest.fixture
def draws(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often noise was drawn; none of it is added, so that integers are exact."""
    drawn: list[int] = []
    draw: Callable[..., Any] = vars(measure)["draw_noise"]

    def counted(*given: Any) -> Any:  # noqa: ANN401
        drawn.append(1)
        return np.zeros_like(draw(*given))

    monkeypatch.setattr(measure, "draw_noise", counted)
    monkeypatch.setattr(measure, "fresh_id", str)  # The key that `exact` has.
    return drawn


def test_a_release_whose_worker_dies_has_the_same_integers_and_one_charge(
    session: Session, whole_cluster: Cluster, book: Ledger, draws: list[int]
) -> None:
    plan, frame = plan_to_kill(), slow_frame(session)

    def release() -> Any:  # noqa: ANN401
        return release_sums(frame, plan, ledger=book, release_id=ID)

    given = in_the_middle(session, release)
    whole_cluster.kill_worker()
    sealed = given.result(LONGEST)
    assert sealed.questions[0].values.tolist() == exact(plain_rows(), plan, "python")
    assert release_to_bytes(release()) == release_to_bytes(sealed)
    assert len(draws) == 1
    assert list(book.account().releases) == [ID]


def test_a_cluster_without_workers_ends_the_release_with_one_charge(
    session: Session,
    whole_cluster: Cluster,
    book: Ledger,
    draws: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Spark itself would wait for ever."""
    monkeypatch.setattr(spark_frames, "PATIENCE", 3.0)
    plan, frame = plan_to_kill(), slow_frame(session)
    given = in_the_middle(
        session, lambda: release_sums(frame, plan, ledger=book, release_id=ID)
    )
    whole_cluster.kill_worker()
    whole_cluster.kill_worker()
    with pytest.raises(EngineFailed, match="stays charged"):
        given.result(LONGEST)
    assert book.account().releases[ID].state == "opened"
    with pytest.raises(LedgerRefused):
        release_sums(frame, plan, ledger=book, release_id=ID)
    assert len(draws) == 1
    # With workers again, the same session goes on.
    monkeypatch.undo()
    whole_cluster.have_workers(2)
    rows = session.createDataFrame(plain_rows())
    assert exact(rows, plan, "auto") == exact(plain_rows(), plan, "python")
    names = [each.name for each in threading.enumerate()]
    assert not any("_cancel_if_deserted" in name for name in names)


def test_an_interrupt_cancels_the_jobs_of_a_release(
    session: Session, book: Ledger, draws: list[int]
) -> None:
    tracker = session.sparkContext.statusTracker()

    def interrupt() -> None:
        wait_until(lambda: bool(tracker.getActiveJobsIds()), "a job to run")
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    plan, frame = plan_to_kill(), slow_frame(session)
    with pytest.raises(KeyboardInterrupt) as stopped:
        release_sums(frame, plan, ledger=book, release_id=ID)
    assert "stays charged" in notes_of(stopped.value)[0]
    wait_until(lambda: not tracker.getActiveJobsIds(), "its jobs to end")
    assert len(draws) == 1
