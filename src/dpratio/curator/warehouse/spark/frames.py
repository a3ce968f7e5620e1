"""Spark frames opened in a session of our own, by their public schema.

The frame is read as its own session would read it: settings are the same, except those
that would change how our query is read. Nothing in that session changes.
"""

from collections.abc import Mapping
from typing import Any

import ibis

from dpratio.checks import import_extra
from dpratio.curator.noise.entropy import fresh_id
from dpratio.curator.reading.files import require_once
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.warehouse.dialect import Backend, Value
from dpratio.curator.warehouse.spark.files import unfit_columns
from dpratio.curator.warehouse.spark.reads import frame_reads
from dpratio.errors import InvalidInput

# PySpark is optional.
Frame = Any
Session = Any

_KINDS = {
    "tinyint": "integer",
    "smallint": "integer",
    "int": "integer",
    "bigint": "integer",
    "float": "number",
    "double": "number",
    "decimal": "number",
    "boolean": "boolean",
    "string": "text",
    "char": "text",
    "varchar": "text",
    "date": "date",
    "timestamp": "date",
    "timestamp_ntz": "date",
}

# Of our session alone: SQL is read as it was written, and declared keys are joined
# without sorting rows.
_OWN_SETTINGS = {
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
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


def read_in_own_session(
    frame: Frame,
) -> tuple[Mapping[str, ColumnType], Value, Backend]:
    """Hand a frame over to a session of our own.

    Returns:
        Its public schema, its rows, and the connection they are on.

    Raises:
        InvalidInput: When the frame is a stream, or on the far side of Spark Connect.
        SchemaRefused: When it reads a file or a table more than once.
    """
    if not hasattr(frame, "_jdf"):
        raise InvalidInput(
            "engine 'ibis' reads frames of a classic Spark session, got one of Spark "
            "Connect, whose driver writes why a query stopped, cell and all. Open the "
            "frame in a program on the driver."
        )
    if frame.isStreaming:
        raise InvalidInput(
            "engine 'ibis' reads frames that end, got a stream. Write it to a table."
        )
    require_once(frame_reads(frame))
    types = _types_of(frame)
    session = _own_session(frame.sparkSession)
    backend = ibis.pyspark.connect(session)
    readable = _plain_columns(frame, types)
    name = f"dpratio_{fresh_id()}"
    _moved(readable, session).createTempView(name)
    return types, backend.table(name), backend


def _types_of(frame: Frame) -> dict[str, ColumnType]:
    """Read the schema; names that the session cannot tell apart are repeated."""
    fold = str if _is_on(frame.sparkSession, "spark.sql.caseSensitive") else str.lower
    names = [fold(field.name) for field in frame.schema.fields]
    modes = {frame.sparkSession.conf.get(name).upper() for name in _REBASE_MODES}
    types = {}
    unfit = unfit_columns(frame)
    for field in frame.schema.fields:
        shown = field.dataType.simpleString()
        word = shown.split("(")[0].split(" ")[0].split("<")[0]
        kind = _KINDS.get(word, "other")
        if names.count(fold(field.name)) > 1:
            kind = "repeated"
        elif field.name in unfit:
            kind, word = "other", unfit[field.name]
        elif kind == "date" and "EXCEPTION" in modes:
            kind, word = "other", f"{word} in a session that stops at old days"
        types[field.name] = ColumnType(kind, word)
    return types


def _own_session(given: Session) -> Session:
    """Open a session with the settings of the given one."""
    session = given.newSession()
    for name, value in given.conf.getAll.items():
        # Whatever differs was set while Spark ran, and so can be set here too.
        if session.conf.get(name, None) != value:
            session.conf.set(name, value)
    for name, value in _OWN_SETTINGS.items():
        session.conf.set(name, value)
    return session


def _plain_columns(frame: Frame, types: Mapping[str, ColumnType]) -> Frame:
    """Give columns that are told apart: text by its bytes, and days in UTC.

    Text is compared by no collation but that of bytes; of a date or time the number of
    its day is kept.
    """
    functions = import_extra("pyspark.sql.functions", "engines")
    columns = []
    for name, given in types.items():
        if given.kind in {"repeated", "other"}:
            continue
        column = functions.col("`" + name.replace("`", "``") + "`")
        if given.kind == "date":
            column = _day(functions, column, given.name).alias(name)
        if given.kind == "text":
            column = functions.collate(column, "UTF8_BINARY").alias(name)
        columns.append(column)
    return frame.select(*columns)


def _day(functions: Any, column: Any, kind: str) -> Any:  # noqa: ANN401
    """Count a day from 1970 on: casts of Spark's own stop at days that are far away."""
    if kind == "timestamp":
        # Through whole seconds: no zone of a session has a say.
        return functions.floor(functions.unix_seconds(column) / 86_400.0).cast("bigint")
    return functions.unix_date(column.cast("date")).cast("bigint")


def _moved(frame: Frame, session: Session) -> Frame:
    """Give the same frame in another session; views of all sessions would be seen."""
    classic = session.sparkContext._jvm.org.apache.spark.sql.classic  # noqa: SLF001
    analysed = frame._jdf.queryExecution().analyzed()  # noqa: SLF001
    made = classic.Dataset.ofRows(session._jsparkSession, analysed)  # noqa: SLF001
    return type(frame)(made, session)


def _is_on(session: Session, setting: str) -> bool:
    return bool(session.conf.get(setting).lower() == "true")
