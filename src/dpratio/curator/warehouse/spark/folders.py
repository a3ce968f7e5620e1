"""Parquet files by their path on Spark: what is read, and what folders say of it.

Spark would guess the columns that folders name, and their types, from all values: one
person's folder could change the schema. Here Spark only lists files. Declared columns
come from the name of a row's file, by the rule of every engine.
"""

import re
from typing import Any
from urllib.parse import unquote

from dpratio.checks import import_extra
from dpratio.curator.noise.entropy import fresh_id
from dpratio.curator.reading.files import values_of
from dpratio.curator.warehouse.dialect import Backend, Value
from dpratio.terms.source import Partitions

# PySpark is optional.
Frame = Any

# Spark writes one file as file:/a and as file:///a.
_SCHEME = "^[a-z0-9]+:/+"

_TYPES = {"text": "string", "integer": "bigint", "boolean": "boolean", "date": "date"}


def read_folders(backend: Backend, path: str, partitions: Partitions) -> Value:
    """Open the Parquet files of a path, and put beside them what folders say."""
    session = backend._session  # noqa: SLF001
    reader = session.read.option("recursiveFileLookup", "true")
    frame = reader.option("pathGlobFilter", "*.parquet").parquet(path)
    if partitions:
        frame = _with_partitions(frame, partitions)
    name = f"files_{fresh_id()}"
    frame.createTempView(name)
    return backend.table(name)


def _with_partitions(frame: Frame, partitions: Partitions) -> Frame:
    """Join each row with the folders of its file; none is lost or doubled."""
    functions = import_extra("pyspark.sql.functions", "engines")
    files = sorted(set(frame.inputFiles()))
    told = [
        (re.sub(_SCHEME, "", file), *values_of(unquote(file), partitions))
        for file in files
    ]
    # By names of our own: nobody's column is one of these.
    mark = fresh_id()
    own = {f"told_{at}_{mark}": each for at, each in enumerate(partitions)}
    columns = [f"{short} {_TYPES[kind]}" for short, (_, kind) in own.items()]
    named = frame.sparkSession.createDataFrame(
        told, ", ".join([f"file_{mark} string", *columns])
    )
    kept = ["`" + name.replace("`", "``") + "`" for name in frame.columns]
    kept += [
        f"{short} AS `{name.replace('`', '``')}`" for short, (name, _) in own.items()
    ]
    path = f"regexp_replace(_metadata.file_path, '{_SCHEME}', '')"
    rows = frame.selectExpr("*", f"{path} AS file_{mark}")
    joined = rows.join(functions.broadcast(named), f"file_{mark}", "left")
    return joined.selectExpr(*kept)
