"""Parquet files through PyArrow: their schema, and columns whose cells never stop it.

How a column is stored decides more than its type: decimals of any length stop readers
at single cells, so they are refused by what the footer says.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from dpratio.checks import import_extra
from dpratio.curator.reading.arrow_cells import is_uuid, uuid_texts
from dpratio.curator.reading.files import require_same_schema, shown
from dpratio.curator.reading.frames import arrow_types
from dpratio.curator.reading.partitions import values_of
from dpratio.curator.reading.statement import ColumnType
from dpratio.errors import FileRefused
from dpratio.terms.source import Partitions

_MOST_DIGITS = 38
_MOST_BYTES = 16


def is_whole_decimal(physical: str, length: int, precision: int) -> bool:
    """Tell whether every cell of a decimal column fits what readers keep it in.

    Example:
        >>> is_whole_decimal("INT64", 0, 18), is_whole_decimal("BYTE_ARRAY", 0, 18)
        (True, False)
    """
    is_fixed = physical == "FIXED_LEN_BYTE_ARRAY" and length <= _MOST_BYTES
    return (physical in {"INT32", "INT64"} or is_fixed) and precision <= _MOST_DIGITS


def parquet_types(files: Sequence[str]) -> dict[str, ColumnType]:
    """Read the schema that all files share.

    Raises:
        FileRefused: When a footer cannot be read.
        SchemaRefused: When files differ.
    """
    schemas = [_schemas_of(file) for file in files]
    first, stored = schemas[0]
    require_same_schema(files, [schema for schema, _ in schemas])
    types = arrow_types(first)
    return types | _as_stored(stored, types)


def parquet_batches(
    files: Sequence[str], columns: Sequence[str], partitions: Partitions
) -> Iterator[list[Any]]:
    """Read the columns that were asked for, some rows at a time; first none.

    Columns of ``partitions`` are told by the folders of a file.
    """
    inside = [name for name in columns if name not in dict(partitions)]
    parquet = import_extra("pyarrow.parquet", "arrow")
    for file in files:
        # Old times as microseconds: nanoseconds would hold but few years.
        opened = parquet.ParquetFile(file, coerce_int96_timestamp_unit="us")
        empty = opened.schema_arrow.empty_table().combine_chunks()
        told = dict(zip(dict(partitions), values_of(file, partitions), strict=True))
        kinds = {name: _of_kind(kind) for name, kind in partitions}
        yield [
            import_extra("pyarrow", "arrow").array([], kinds[each])
            if each in told
            else _as_text(empty.column(each).combine_chunks())
            for each in columns
        ]
        for batch in opened.iter_batches(columns=inside):
            yield [
                _repeated(told[each], batch.num_rows, kinds[each])
                if each in told
                else _as_text(batch.column(each))
                for each in columns
            ]


def _of_kind(kind: str) -> Any:  # noqa: ANN401 (PyArrow is optional)
    arrow = import_extra("pyarrow", "arrow")
    kinds = {"integer": arrow.int64(), "boolean": arrow.bool_(), "date": arrow.date32()}
    return kinds.get(kind, arrow.string())


def _repeated(value: object, times: int, kind: Any) -> Any:  # noqa: ANN401
    arrow = import_extra("pyarrow", "arrow")
    return arrow.repeat(arrow.scalar(value, kind), times)


def _as_text(column: Any) -> Any:  # noqa: ANN401 (PyArrow is optional)
    """Take bytes for text: those of lists of values, which Parquet keeps so.

    Those of a fixed length are UUIDs: any other such column is refused.
    """
    arrow = import_extra("pyarrow", "arrow")
    is_fixed = arrow.types.is_fixed_size_binary(column.type)
    if is_fixed or is_uuid(column.type):
        return uuid_texts(column)
    is_bytes = arrow.types.is_binary(column.type)
    return column.view(arrow.string()) if is_bytes else column


def _schemas_of(file: str) -> tuple[Any, Any]:
    """Read the types of a file's columns, and how they are stored."""
    parquet = import_extra("pyarrow.parquet", "arrow")
    schemas = None
    try:
        with parquet.ParquetFile(file) as opened:
            schemas = opened.schema_arrow, opened.schema
    except Exception:  # noqa: BLE001, S110 (PyArrow's own words are not shown)
        pass
    if schemas is None:
        raise FileRefused(f"the Parquet footer of '{shown(file)}' cannot be read.")
    return schemas


def _as_stored(schema: Any, types: dict[str, ColumnType]) -> dict[str, ColumnType]:  # noqa: ANN401
    """Give the types that follow from how a column is stored."""
    changed = {}
    for at in range(len(schema)):
        column = schema.column(at)
        logical = column.logical_type.type
        if column.path not in types or types[column.path].kind == "repeated":
            continue
        name = types[column.path].name
        whole = is_whole_decimal(column.physical_type, column.length, column.precision)
        if logical == "ENUM":
            changed[column.path] = ColumnType.here("text", "enum")
        elif logical == "UUID":
            changed[column.path] = ColumnType.here("text", "uuid")
        elif logical == "JSON" or (logical == "DECIMAL" and not whole):
            changed[column.path] = ColumnType("other", name)
    return changed
