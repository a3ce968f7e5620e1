"""Parquet files behind a Spark frame: what every one of them says of its columns.

Spark reads the schema of one file and trusts it for all. A column that is missing in
some of them is empty there; one of another type stops the query, charged; and so does a
time in milliseconds that is far away, inside Spark's own reader. All this stands in the
footers, which are public as a schema is. A cached frame may not be filled yet: then all
its columns are read, also those that are not asked for.
"""

from collections.abc import Iterator
from typing import Any

from dpratio.curator.warehouse.dialect import Value

Frame = Value
# Objects of the Java machine.
Java = Any

_FAR = "timestamp in milliseconds, over which Spark stops where one is far away"
_MIXED = "missing or of another type in some of its Parquet files"
_CACHED = "cached together with a column that is "


def unfit_columns(frame: Frame) -> dict[str, str]:
    """Name the columns that cannot be read from all files of a frame, and why."""
    # Selected anew: the frame may have been planned before a part of it was cached.
    unfit = _unfit(frame.select("*"))
    if not unfit:
        return {}
    found = {}
    for name in frame.columns:
        quoted = "`" + name.replace("`", "``") + "`"
        why = _unfit(frame.select(quoted)) if frame.columns.count(name) == 1 else {}
        if why:
            found[name] = next(iter(why.values()))
    return found


def _unfit(frame: Frame) -> dict[str, str]:
    """Name the columns of files that a frame needs and that not all of them hold."""
    found: dict[str, str] = {}
    jvm = frame.sparkSession.sparkContext._jvm  # noqa: SLF001
    plan = frame._jdf.queryExecution().sparkPlan()  # noqa: SLF001
    for needed, files, why in _scans(plan):
        schemas = _footers(jvm, frame, list(files.inputFiles()))
        for name in needed.fieldNames():
            held = {each.get(name.lower(), "") for each in schemas}
            if len(held) > 1 or held == {""}:
                found[name] = why + _MIXED
            elif any("TIMESTAMP(MILLIS" in each for each in held):
                found[name] = why + _FAR
    return found


def _scans(plan: Java, why: str = "") -> Iterator[tuple[Java, Java, str]]:
    """List what a plan reads of Parquet: columns, files, and why it needs them."""
    leaves = plan.collectLeaves()
    for at in range(leaves.size()):
        leaf = leaves.apply(at)
        kind = _kind(leaf)
        if kind == "InMemoryTableScanExec":
            yield from _scans(leaf.relation().cachedPlan(), _CACHED)
        elif kind == "AdaptiveSparkPlanExec":  # The plan of a cached frame.
            yield from _scans(leaf.inputPlan(), why)
        elif kind == "BatchScanExec" and _kind(leaf.scan()) == "ParquetScan":
            yield leaf.scan().readDataSchema(), leaf.scan().fileIndex(), why
        elif kind == "FileSourceScanExec":
            relation = leaf.relation()
            if _kind(relation.fileFormat()) == "ParquetFileFormat":
                yield leaf.requiredSchema(), relation.location(), why


def _kind(made: Java) -> str:
    return str(made.getClass().getSimpleName())


def _footers(jvm: Java, frame: Frame, files: list[str]) -> list[dict[str, str]]:
    """Read the footer of every file: its columns, and their types in full."""
    settings = frame._jdf.sparkSession().sessionState().newHadoopConf()  # noqa: SLF001
    hadoop = jvm.org.apache.hadoop.fs.Path
    reader = jvm.org.apache.parquet.hadoop.ParquetFileReader
    statuses = jvm.java.util.ArrayList()
    for file in files:
        path = hadoop(jvm.java.net.URI(file))
        statuses.add(path.getFileSystem(settings).getFileStatus(path))
    # In parallel, and without the statistics of their rows.
    footers = reader.readAllFootersInParallel(settings, statuses, True)  # noqa: FBT003
    return [_columns(each.getParquetMetadata().getFileMetaData()) for each in footers]


def _columns(metadata: Java) -> dict[str, str]:
    """Give every column of a file by its name, and how Parquet writes its type."""
    fields = metadata.getSchema().getFields()
    return {
        # Whether a cell must be there does not change how it is read.
        each.getName().lower(): str(each).partition(" ")[2]
        for each in fields
    }
