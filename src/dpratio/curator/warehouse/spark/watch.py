"""One query on a cluster: in silence, watched, and without a trace in the session.

The driver logs why a task failed, and its words may quote a cell; some of them come
after the query has stopped. A cluster that has lost its workers waits for others for
ever.
"""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from dpratio.checks import import_extra
from dpratio.curator.silence import SharedChange

# PySpark is optional.
Context = Any
Session = Any

# Seconds that a query waits while the cluster has no executor at all; then it fails.
PATIENCE = 600.0

_LOOK = 0.2


@contextmanager
def watched(session: Session, tag: str) -> Iterator[None]:
    """Run a query so that nothing of it reaches a log, and so that it ends."""
    context = session.sparkContext
    ended = threading.Event()
    watch = threading.Thread(
        target=_cancel_if_deserted, args=(context, tag, ended), daemon=True
    )
    with _silence(context, tag), _active_as_before(session):
        context.addJobTag(tag)
        watch.start()
        try:
            yield
        finally:
            ended.set()
            watch.join()
            context.removeJobTag(tag)


def _cancel_if_deserted(context: Context, tag: str, ended: threading.Event) -> None:
    """Stop the jobs of a query once no executor was there for too long."""
    looks = 0
    while not ended.wait(_LOOK):
        looks = 0 if _executors(context) > 0 else looks + 1
        if looks * _LOOK > PATIENCE:
            context.cancelJobsWithTag(tag)


def _executors(context: Context) -> int:
    """Count the executors; a driver that runs its own tasks is one."""
    listed = context._jsc.sc().getExecutorMemoryStatus().size()  # noqa: SLF001
    return int(listed) - (0 if context.master.startswith("local") else 1)


@contextmanager
def _silence(context: Context, tag: str) -> Iterator[None]:
    """Let the driver's log pass nothing, until the last task has ended."""
    log4j = context._jvm.org.apache.logging.log4j  # noqa: SLF001
    settings = log4j.LogManager.getContext(False).getConfiguration()  # noqa: FBT003
    silence = log4j.core.filter.DenyAllFilter.newBuilder().build()
    settings.addFilter(silence)
    try:
        yield
    finally:
        # Tasks that are stopped with the query say why, and so does what it lost.
        while _running_tasks(context, tag) > 0:
            threading.Event().wait(_LOOK)
        settings.removeFilter(silence)


def _running_tasks(context: Context, tag: str) -> int:
    status = context._jsc.sc().statusTracker()  # noqa: SLF001
    running = 0
    for job in status.getJobIdsForTag(tag):
        for stage in status.getJobInfo(job).get().stageIds():
            info = status.getStageInfo(stage)
            running += info.get().numActiveTasks() if info.isDefined() else 0
    return running


@contextmanager
def _active_as_before(session: Session) -> Iterator[None]:
    """Leave the active session as it was: frames made in ours change it."""
    # Spark has one for each thread, and PySpark one for the whole process.
    sessions = type(session)._get_j_spark_session_class(session._jvm)  # noqa: SLF001
    before = sessions.getActiveSession()
    with _ACTIVE.held():
        try:
            yield
        finally:
            if before.isDefined():
                sessions.setActiveSession(before.get())
            else:
                sessions.clearActiveSession()


def _keep_active(undo: ExitStack) -> None:
    sessions = import_extra("pyspark.sql", "engines").SparkSession
    undo.callback(setattr, sessions, "_activeSession", sessions._activeSession)  # noqa: SLF001


_ACTIVE = SharedChange(_keep_active)
