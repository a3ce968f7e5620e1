"""The public schema of an Ibis table."""

from typing import Any

from dpratio.curator.reading.statement import ColumnType

__all__ = ["types_of"]


def types_of(rows: Any) -> dict[str, ColumnType]:  # noqa: ANN401 (Ibis is not typed)
    """Read the schema of an Ibis table."""
    return {
        name: ColumnType(_kind(dtype), _shown(dtype))
        for name, dtype in rows.schema().items()
    }


def _kind(dtype: Any) -> str:  # noqa: ANN401 (Ibis is not typed)
    tests = {
        "integer": dtype.is_integer(),
        "number": dtype.is_floating() or dtype.is_decimal(),
        "boolean": dtype.is_boolean(),
        "text": dtype.is_string() or dtype.is_uuid(),
        "date": dtype.is_date() or dtype.is_timestamp(),
    }
    return next((kind for kind, fits in tests.items() if fits), "other")


def _shown(dtype: Any) -> str:  # noqa: ANN401
    return str(dtype).removeprefix("!").split("(", maxsplit=1)[0]
