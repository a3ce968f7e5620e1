"""The kind of a table, by its type alone."""

from collections.abc import Mapping
from os import PathLike, fspath
from typing import NoReturn

from dpratio.checks import require
from dpratio.errors import InvalidInput
from dpratio.terms.source import CsvFile, DatabaseTable, ParquetFiles, files_at

_KINDS = {
    ("pandas", "DataFrame"): "pandas",
    ("polars", "DataFrame"): "polars",
    ("polars", "LazyFrame"): "polars",
    ("pyarrow", "Table"): "arrow",
    ("duckdb", "DuckDBPyRelation"): "relation",
    ("_duckdb", "DuckDBPyRelation"): "relation",
    ("pyspark", "DataFrame"): "spark",
    ("dpratio", "WarehouseTable"): "opened",
    ("dpratio", "Table"): "opened",
    ("dpratio", "ArrowStream"): "stream",
}


def as_source(table: object) -> object:
    """Return the `CsvFile` or `ParquetFiles` of a path; any other table as it is.

    Raises:
        InvalidInput: When the name ends in neither .parquet, .csv nor a slash.
    """
    if not isinstance(table, str | PathLike):
        return table
    return files_at(fspath(table))


def kind_of(source: object) -> str:
    """Return the kind of a source: parquet, csv, mapping, a frame or a relation.

    Raises:
        InvalidInput: When no engine can read it.
    """
    if isinstance(source, ParquetFiles):
        return "parquet"
    if isinstance(source, CsvFile):
        return "csv"
    if isinstance(source, DatabaseTable):
        return "database"
    if isinstance(source, Mapping):
        return "mapping"
    given = type(source)
    kind = _KINDS.get((given.__module__.split(".")[0], given.__name__))
    if kind is None and hasattr(given, "__arrow_c_stream__"):
        kind = "stream"
    hint = (
        "Pass a path, a CsvFile, a DatabaseTable, a pandas, Polars or Arrow table, a "
        "DuckDB relation, a Spark frame, a stream of Arrow, or a mapping of column "
        "names to lists."
    )
    name = f"{given.__module__}.{given.__name__}"
    require(kind is not None, "the table is of a kind no engine reads", name, hint)
    return str(kind)


def refuse_kind(engine: str, kind: str) -> NoReturn:
    """Raise InvalidInput for a kind of source that belongs to another engine."""
    named = {
        "mapping": ("mappings of lists", "duckdb"),
        "relation": ("DuckDB relations", "duckdb"),
        "database": ("tables of databases", "ibis"),
        "spark": ("Spark frames", "ibis"),
    }
    what, other = named.get(kind, ("files and frames", "duckdb"))
    raise InvalidInput(
        f"engine '{engine}' does not read {what}, got one. Use engine '{other}'."
    )
