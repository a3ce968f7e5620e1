"""The types of DuckDB: their kinds, and a table whose columns keep their names."""

import re
from collections.abc import Callable
from typing import Any

from dpratio.curator.duckdb.table import Asked, DuckTable
from dpratio.curator.reading.statement import ColumnType


def as_named(
    schema: dict[str, str],
    statement: Asked,
    source: str,
    ask: Callable[[str, Any], Any],
) -> DuckTable:
    """Describe a source whose columns keep their names."""
    types = types_of(schema)
    columns = {
        name: (name, schema[name]) for name in statement.columns if name in schema
    }
    return DuckTable(types, columns, source, ask)


def types_of(schema: dict[str, str]) -> dict[str, ColumnType]:
    """Return the public types of columns, by what DuckDB calls them."""
    return {
        name: ColumnType.here(_kind(native), _shown(native))
        for name, native in schema.items()
    }


def schema_of(relation: Any) -> dict[str, str]:  # noqa: ANN401 (typed by DuckDB)
    """Read the names and types of a relation."""
    types = [str(each) for each in relation.types]
    return dict(zip(relation.columns, types, strict=True))


def _kind(type_: str) -> str:
    patterns = {
        "integer": "U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER",
        "number": r"FLOAT|DOUBLE|DECIMAL\([0-9, ]*\)",
        "boolean": "BOOLEAN",
        "text": r"VARCHAR|UUID|ENUM\((?s:.*)\)",
        "date": r"DATE|TIMESTAMP.*",
    }
    fitting = [kind for kind, each in patterns.items() if re.fullmatch(each, type_)]
    return fitting[0] if fitting else "other"


def _shown(type_: str) -> str:
    """Name a type without what it lists: the values of an ENUM are cells."""
    return re.split(r"[(\[]", type_, maxsplit=1)[0]
