"""Spark frames: opened by their public schema, and asked in a session of our own.

A frame is read as its own session would read it: settings are the same, except those
that would change how our query is read. Nothing in that session changes, and nothing
that we register survives a question. Whatever could stop Spark at a cell is refused
before, by what plans and the footers of files say.
"""

import contextlib
import re
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import unquote, urlsplit

from dpratio.checks import import_extra
from dpratio.curator.noise.entropy import fresh_id
from dpratio.curator.reading.files import require_once, source_at, values_of
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.silence import SharedChange
from dpratio.curator.sql.conditions import write_conditions
from dpratio.curator.sql.dialect import Column
from dpratio.curator.sql.spark import DIALECT, column_of, identifier
from dpratio.curator.sql.table import (
    OTHER,
    TABLE,
    VIEW,
    Answer,
    Origin,
    Table,
    columns_of,
    require_stored,
)
from dpratio.curator.stopping import stoppable
from dpratio.errors import FileRefused, InvalidInput
from dpratio.terms.source import Condition, DatabaseTable, Partitions

# PySpark is optional, and what lies behind it is Java.
Frame = Any
Session = Any
Context = Any
Java = Any

# Spark keeps tables of these itself; others may be queries somewhere else.
_STORED = {"parquet", "orc", "delta", "iceberg"}

# Of our session alone: SQL is read as it is written, each expression is worked out
# once, no filter is told to files, and declared keys are joined without sorting rows.
_OWN_SETTINGS = {
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.parser.quotedRegexColumnNames": "false",
    "spark.sql.ansi.enforceReservedKeywords": "false",
    "spark.sql.optimizer.collapseProjectAlwaysInline": "false",
    "spark.sql.parquet.filterPushdown": "false",
    "spark.sql.orc.filterPushdown": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "false",
    "spark.sql.execution.arrow.pyspark.fallback.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "100MB",
}

# Files are read with these settings of the frame's own session, whatever ours are:
# one of them may stop a query at an old day.
_REBASE_MODES = (
    "spark.sql.parquet.datetimeRebaseModeInRead",
    "spark.sql.parquet.int96RebaseModeInRead",
)

# Spark writes one file as file:/a and as file:///a.
_SCHEME = "^[a-z0-9]+:/+"
_TYPES = {"text": "string", "integer": "bigint", "boolean": "boolean", "date": "date"}

_FAR = "timestamp in milliseconds, over which Spark stops where one is far away"
_MIXED = "missing or of another type in some of its Parquet files"
_CACHED = "cached together with a column that is "

# Seconds that a query waits while the cluster has no executor at all; then it fails.
PATIENCE = 600.0

_LOOK = 0.2


def open_spark(frame: Frame, where: Sequence[Condition] = ()) -> Table:
    """Return a frame as the generator takes it, by its public schema.

    Args:
        frame: Of a classic session; it is neither changed nor run.
        where: Conditions on its rows.

    Raises:
        InvalidInput: When the frame is a stream, or on the far side of Spark Connect.
        SchemaRefused: When it reads a file or a table more than once, or a condition
            does more than compare a column with constants of its type.
    """
    if not hasattr(frame, "_jdf"):
        raise InvalidInput(
            "frames are read in a classic Spark session, got one of Spark Connect, "
            "whose driver writes why a query stopped, cell and all. Open the frame in "
            "a program on the driver."
        )
    if frame.isStreaming:
        raise InvalidInput("frames must end, got a stream. Write it to a table.")
    require_once(frame_reads(frame))
    columns = _columns_of(frame)
    refused = {name for name, column in columns.items() if column.comparison is None}
    there = {name: columns[name] for name in columns if name not in refused}
    session = own_session(frame.sparkSession, frame.sparkSession.conf.getAll)
    rows = _moved(frame.select(*map(_column, there)), session)
    view = f"dpratio_{fresh_id()}"
    return Table(
        {name: column.given for name, column in columns.items()},
        there,
        view,
        DIALECT,
        lambda query: _ask(rows, view, query),
        write_conditions(DIALECT, there, where),
        # A session that is there belongs to a cluster, whatever a study calls it.
        Origin((_cluster(session.sparkContext.master), "", ""), ()),
    )


def open_spark_source(session: Session, source: DatabaseTable) -> Table:
    """Return a table of a cluster, or the Parquet files of a path.

    Raises:
        FileRefused: When there is none.
        SchemaRefused: When it is a view, or no table that Spark stores itself, beside
            what `open_spark` refuses.
    """
    # No test of a condition reaches a file in a session like this one.
    own = own_session(session, {})
    if source.path is None:
        name = ".".join(map(identifier, source.table))
        require_stored(_kind_of(own, name), source)
        return open_spark(own.table(name), source.where)
    frame = None
    with contextlib.suppress(Exception):
        frame = open_spark_path(own, str(source.path), source.partitions)
    if frame is None:
        raise FileRefused(
            f"no Parquet files at '{source.path}' that the cluster can read. Give a "
            "path that every worker sees."
        )
    return open_spark(frame, source.where)


def open_spark_path(session: Session, path: str, partitions: Partitions) -> Frame:
    """Return the Parquet files of a path as a frame, and what folders say beside them.

    Spark would guess the columns that folders name, and their types, from all values:
    one person's folder could change the schema. Here Spark only lists files. Declared
    columns come from the name of a row's file, by the rule of every engine.
    """
    reader = session.read.option("recursiveFileLookup", "true")
    frame = reader.option("pathGlobFilter", "*.parquet").parquet(path)
    return _with_partitions(frame, partitions) if partitions else frame


def own_session(given: Session, settings: Mapping[str, str]) -> Session:
    """Return a new session with the settings of another, but for those of our own."""
    session = given.newSession()
    for name, value in settings.items():
        # Whatever differs was set while Spark ran, and so can be set here too.
        if session.conf.get(name, None) != value:
            session.conf.set(name, value)
    for name, value in _OWN_SETTINGS.items():
        session.conf.set(name, value)
    return session


def _kind_of(session: Session, name: str) -> str | None:
    if not session.catalog.tableExists(name):
        return None
    described = session.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()
    words = {row[0]: row[1] for row in described}
    if words.get("Type") == "VIEW":
        return VIEW
    return TABLE if words.get("Provider", "").lower() in _STORED else OTHER


def _columns_of(frame: Frame) -> dict[str, Column]:
    """Return the columns by their names; a condition can name none that is refused.

    Names that the session cannot tell apart are repeated.
    """
    settings = frame.sparkSession.conf
    is_exact = settings.get("spark.sql.caseSensitive").lower() == "true"
    fold = str if is_exact else str.lower
    fields = frame.schema.fields
    names = [fold(field.name) for field in fields]
    modes = {settings.get(name).upper() for name in _REBASE_MODES}
    unfit = unfit_columns(frame)
    columns = {}
    for field in fields:
        column = column_of(field.name, field.dataType.simpleString())
        refused = None
        if names.count(fold(field.name)) > 1:
            refused = ColumnType("repeated", column.native)
        elif field.name in unfit:
            refused = ColumnType("other", unfit[field.name])
        elif column.given.kind == "date" and "EXCEPTION" in modes:
            words = f"{column.native} in a session that stops at old days"
            refused = ColumnType("other", words)
        if refused is not None:
            column = replace(column, given=refused, comparison=None)
        columns[field.name] = column
    return columns


def _cluster(master: str) -> str:
    """Return how addresses name a cluster: its host, or its kind."""
    if "://" not in master:
        return master.partition("[")[0]
    return urlsplit(master.removeprefix("k8s://")).netloc.lower()


def _column(name: str) -> Any:  # noqa: ANN401
    return import_extra("pyspark.sql.functions", "spark").col(identifier(name))


def _moved(frame: Frame, session: Session) -> Frame:
    """Return the same frame in another session; views of all would be seen."""
    classic = session.sparkContext._jvm.org.apache.spark.sql.classic  # noqa: SLF001
    analysed = frame._jdf.queryExecution().analyzed()  # noqa: SLF001
    made = classic.Dataset.ofRows(session._jsparkSession, analysed)  # noqa: SLF001
    return type(frame)(made, session)


def _with_partitions(frame: Frame, partitions: Partitions) -> Frame:
    """Join each row with the folders of its file; none is lost or doubled."""
    functions = import_extra("pyspark.sql.functions", "spark")
    files = sorted(set(frame.inputFiles()))
    named = [
        (re.sub(_SCHEME, "", file), *values_of(unquote(file), partitions))
        for file in files
    ]
    # By names of our own: nobody's column is one of these.
    mark = fresh_id()
    own = {f"part{index}_{mark}": part for index, part in enumerate(partitions)}
    columns = [f"{short} {_TYPES[kind]}" for short, (_, kind) in own.items()]
    folders = frame.sparkSession.createDataFrame(
        named, ", ".join([f"file_{mark} string", *columns])
    )
    chosen = [_column(name) for name in frame.columns]
    chosen += [_column(short).alias(name) for short, (name, _) in own.items()]
    path = f"regexp_replace(_metadata.file_path, '{_SCHEME}', '')"
    rows = frame.selectExpr("*", f"{path} AS file_{mark}")
    joined = rows.join(functions.broadcast(folders), f"file_{mark}", "left")
    return joined.select(*chosen)


# --- What a frame reads ---------------------------------------------------------------


def frame_reads(frame: Frame) -> Iterator[Hashable]:
    """List the files and tables that a frame reads, each as often as it is read.

    Looked up in the analysed plan and its subqueries, leaf by leaf; nothing is run.
    Files are those that Spark has listed itself, so that patterns, folders and paths
    that were given twice are seen as it reads them. What WITH names stands in the plan
    once, however often it is used: each use is counted.
    """
    identity = frame.sparkSession._jvm.java.lang.System.identityHashCode  # noqa: SLF001
    # By its first answer a leaf says what it reads: files, a table, or rows it holds.
    questions: list[Callable[[Java], list[Hashable]]] = [
        lambda leaf: [("with", leaf.cteId())],
        lambda leaf: _files(leaf.relation().location()),
        lambda leaf: _files(leaf.table().fileIndex()),
        lambda leaf: [("table", str(leaf.tableMeta().qualifiedName()))],
        lambda leaf: [("table", str(leaf.table().name()))],
        lambda leaf: [("relation", identity(leaf.relation()))],
        lambda leaf: [("rows", leaf.rdd().id())],
        lambda leaf: [("rows", identity(leaf.data()))],
    ]
    plan = frame._jdf.queryExecution().analyzed()  # noqa: SLF001
    for part in (plan, *_listed(plan.subqueriesAll())):
        for leaf in _listed(part.collectLeaves()):
            for ask in questions:
                reads = None
                with contextlib.suppress(Exception):  # Java has no such method.
                    reads = ask(leaf)
                if reads is not None:
                    yield from reads
                    break


def _listed(sequence: Java) -> Iterator[Java]:
    return map(sequence.apply, range(sequence.size()))


def _files(index: Java) -> list[Hashable]:
    return [source_at(str(file)) for file in index.inputFiles()]


def unfit_columns(frame: Frame) -> dict[str, str]:
    """Return the columns that cannot be read from all Parquet files, and why.

    Spark reads the schema of one file and trusts it for all. A column that is missing
    in some of them is empty there; one of another type stops the query; and so does a
    time in milliseconds that is far away, inside Spark's own reader. A cached frame may
    not be filled yet: then all its columns are read, also those that nobody asks for.
    """
    # Selected anew: the frame may have been planned before a part of it was cached.
    if not _unfit(frame.select("*")):
        return {}
    names = [name for name in frame.columns if frame.columns.count(name) == 1]
    unfit = {name: _unfit(frame.select(_column(name))) for name in names}
    return {name: next(iter(why.values())) for name, why in unfit.items() if why}


def _unfit(frame: Frame) -> dict[str, str]:
    """Return the columns of files that a frame needs and that not all of them hold."""
    unfit: dict[str, str] = {}
    for needed, files, reason in _scans(frame._jdf.queryExecution().sparkPlan()):  # noqa: SLF001
        schemas = _footers(frame, list(files.inputFiles()))
        for name in needed.fieldNames():
            types = {schema.get(name.lower(), "") for schema in schemas}
            if len(types) > 1 or types == {""}:
                unfit[name] = reason + _MIXED
            elif any("TIMESTAMP(MILLIS" in kind for kind in types):
                unfit[name] = reason + _FAR
    return unfit


def _scans(plan: Java, reason: str = "") -> Iterator[tuple[Java, Java, str]]:
    """List what a plan reads of Parquet: columns, files, and why it needs them."""
    for leaf in _listed(plan.collectLeaves()):
        kind = _kind(leaf)
        if kind == "InMemoryTableScanExec":
            yield from _scans(leaf.relation().cachedPlan(), _CACHED)
        elif kind == "AdaptiveSparkPlanExec":  # The plan of a cached frame.
            yield from _scans(leaf.inputPlan(), reason)
        elif kind == "BatchScanExec" and _kind(leaf.scan()) == "ParquetScan":
            yield leaf.scan().readDataSchema(), leaf.scan().fileIndex(), reason
        elif kind == "FileSourceScanExec":
            relation = leaf.relation()
            if _kind(relation.fileFormat()) == "ParquetFileFormat":
                yield leaf.requiredSchema(), relation.location(), reason


def _kind(made: Java) -> str:
    return str(made.getClass().getSimpleName())


def _footers(frame: Frame, files: list[str]) -> list[dict[str, str]]:
    """Read the columns of every file from its footer, and how Parquet writes them."""
    jvm = frame.sparkSession.sparkContext._jvm  # noqa: SLF001
    settings = frame._jdf.sparkSession().sessionState().newHadoopConf()  # noqa: SLF001
    reader = jvm.org.apache.parquet.hadoop.ParquetFileReader
    statuses = jvm.java.util.ArrayList()
    for file in files:
        path = jvm.org.apache.hadoop.fs.Path(jvm.java.net.URI(file))
        statuses.add(path.getFileSystem(settings).getFileStatus(path))
    # In parallel, and without the statistics of their rows.
    footers = reader.readAllFootersInParallel(settings, statuses, True)  # noqa: FBT003
    schemas = [
        footer.getParquetMetadata().getFileMetaData().getSchema() for footer in footers
    ]
    # Whether a cell must be there does not change how it is read.
    return [
        {
            field.getName().lower(): str(field).partition(" ")[2]
            for field in schema.getFields()
        }
        for schema in schemas
    ]


# --- Questions ------------------------------------------------------------------------


def _ask(rows: Frame, view: str, query: str) -> Answer:
    """Run a query over the view of a frame; a signal cancels it."""
    session, tag = rows.sparkSession, f"dpratio-{fresh_id()}"

    def work() -> Answer:
        with watched(session, tag):
            rows.createTempView(view)
            try:
                answer = session.sql(query)
                fetched = answer.collect()
            finally:
                # Its own DROP VIEW would take the user's frame out of the cache too.
                views = session._jsparkSession.sessionState().catalog()  # noqa: SLF001
                views.dropTempView(view)
        return columns_of(answer.columns, fetched)

    def cancel() -> None:
        session.sparkContext.cancelJobsWithTag(tag)

    # A thread that has the pool and the properties of the one that asks.
    thread = import_extra("pyspark", "spark").InheritableThread
    return stoppable(work, cancel, thread=thread)


@contextmanager
def watched(session: Session, tag: str) -> Iterator[None]:
    """Run a query so that nothing of it reaches a log, and so that it ends.

    The driver logs why a task failed, and its words may quote a cell; some of them come
    after the query has stopped. A cluster that has lost its workers waits for others
    for ever.
    """
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
    sessions = import_extra("pyspark.sql", "spark").SparkSession
    undo.callback(setattr, sessions, "_activeSession", sessions._activeSession)  # noqa: SLF001


_ACTIVE = SharedChange(_keep_active)
