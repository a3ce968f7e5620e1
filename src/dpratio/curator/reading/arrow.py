"""Arrow: tables and streams, and columns of which no cell can stop DuckDB.

PyArrow and DuckDB stop at times beyond their calendars, at decimals beyond their
precision and at text that is not UTF-8. Here times become days in whole numbers, and a
cell that is not of its column's type is missing. Only the columns that were asked for
are handed over, renamed (c0, c1, …): DuckDB takes "Score" and "score" for the same one.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from dpratio.checks import import_extra
from dpratio.curator.reading.keys import whole_days
from dpratio.curator.reading.statement import ColumnType
from dpratio.curator.reading.table import Asked, Columns, DuckTable, connect, run_on
from dpratio.curator.stopping import stoppable
from dpratio.errors import SchemaRefused

# PyArrow is optional.
Column = Any
Schema = Any
Table = Any
Type = Any

UNFIT = {"other", "repeated"}  # Kinds of columns that are not read.


class ArrowStream:
    """Rows that an object offers through ``__arrow_c_stream__``, read once.

    The schema is read at once. The rows are read when the first question is asked, and
    the columns that any question of a release needs are kept for the others.
    """

    def __init__(self, source: object) -> None:
        self._source = source
        self._types = arrow_types(_public_schema(source))
        self._names: dict[str, None] = {}
        self._rows: Table = None

    def open(self, asked: Asked) -> DuckTable:
        """Return the table of one question; no row is read."""
        readable = _readable(self._types, asked)
        self._names |= dict.fromkeys(readable)
        return open_frame(self._types, asked, self._columns)

    def _columns(self, names: Mapping[str, str]) -> Table:
        if self._rows is None:
            self._rows = stoppable(self._read, None)
        return _plain_table(self._rows, names)

    def _read(self) -> Table:
        arrow = import_extra("pyarrow", "arrow")
        reader = arrow.RecordBatchReader.from_stream(self._source)
        types = arrow_types(reader.schema)
        for name in self._names:
            if name not in types or types[name].kind != self._types[name].kind:
                raise SchemaRefused(
                    f"column '{name}' of the stream is not of the type that its schema "
                    "names. Pass a table: pyarrow.table(…)."
                )
        schema = arrow.schema([reader.schema.field(name) for name in self._names])
        batches = (batch.select(list(self._names)) for batch in reader)
        return arrow.Table.from_batches(batches, schema)


def open_arrow(table: Table, asked: Asked) -> DuckTable:
    """Open an Arrow table."""
    import_extra("pyarrow", "arrow")
    return open_frame(
        arrow_types(table.schema), asked, lambda names: _plain_table(table, names)
    )


def open_frame(
    types: Mapping[str, ColumnType],
    asked: Asked,
    read: Callable[[Mapping[str, str]], object],
) -> DuckTable:
    """Describe a frame that DuckDB reads through Arrow.

    Args:
        types: The public schema.
        asked: Names the columns.
        read: Returns the columns of some names, under new names; called after the
            charge.
    """
    names = {name: f"c{index}" for index, name in enumerate(_readable(types, asked))}
    columns = {name: (short, stored_as(types[name])) for name, short in names.items()}

    def ask(query: str) -> Columns:
        connection = connect()
        connection.register("given", read(names))
        return run_on(connection)(query)

    return DuckTable(types, columns, "given", ask)


def arrow_types(schema: Schema) -> dict[str, ColumnType]:
    """Return the public schema; a name that occurs twice is of no use."""
    types: dict[str, ColumnType] = {}
    for field in schema:
        kind = "repeated" if field.name in types else kind_of_arrow(field.type)
        shown = str(field.type).split("<", maxsplit=1)[0]
        types[field.name] = ColumnType.here(kind, shown)
    return types


def kind_of_arrow(type_: Type) -> str:
    """Return the kind of a column by its Arrow type."""
    tests = import_extra("pyarrow", "arrow").types
    kinds: dict[str, Any] = {
        "integer": tests.is_integer,
        "number": lambda given: tests.is_floating(given) or _is_checked(given),
        "boolean": tests.is_boolean,
        "date": _is_time,
        "text": _is_text,
    }
    return next((kind for kind, test in kinds.items() if test(type_)), "other")


def arrow_plain(column: Column) -> Column:
    """Return a column as DuckDB reads it: times as dates, decimals as text."""
    arrow = import_extra("pyarrow", "arrow")
    if _is_time(column.type):
        return _dates(column)
    if arrow.types.is_decimal(column.type):
        return _within_precision(column).cast(arrow.string())
    if arrow.types.is_float16(column.type):
        return column.cast(arrow.float32())
    return column


def arrow_cells(column: Column) -> list[object]:
    """Return the cells of a column as Python values; invalid text is missing."""
    plain = arrow_plain(column)
    try:
        return list(plain.to_pylist())
    except UnicodeDecodeError:
        return [_cell(scalar) for scalar in plain]


def stored_as(given: ColumnType) -> str:
    """Return the type with which Arrow hands a column to DuckDB."""
    if given.kind == "date":
        return "DATE"
    as_text = given.name.lower().startswith("decimal") or given.name.endswith("Int128")
    return "VARCHAR" if as_text else given.name


def _public_schema(source: Any) -> Schema:  # noqa: ANN401
    """Return the schema that an object names beside its stream.

    Opening a stream may already run a query: only what can be read without one counts.

    Raises:
        SchemaRefused: When it names none.
    """
    arrow = import_extra("pyarrow", "arrow")
    given = source
    if not hasattr(source, "__arrow_c_schema__"):
        given = getattr(source, "schema", None)
        given = given() if callable(given) else given
    if not hasattr(given, "__arrow_c_schema__"):
        raise SchemaRefused(
            f"a stream of {type(source).__name__} does not name its columns before it "
            "is read. Pass pyarrow.RecordBatchReader.from_stream(…), or a table: "
            "pyarrow.table(…)."
        )
    return arrow.schema(given)


def _readable(types: Mapping[str, ColumnType], asked: Asked) -> list[str]:
    named = [name for name in asked.columns if name in types]
    return [name for name in named if types[name].kind not in UNFIT]


def _plain_table(table: Table, names: Mapping[str, str]) -> Table:
    plain = {
        short: arrow_plain(table.column(name).combine_chunks())
        for name, short in names.items()
    }
    return import_extra("pyarrow", "arrow").table(plain)


def _is_time(type_: Type) -> bool:
    tests = import_extra("pyarrow", "arrow").types
    return bool(tests.is_date(type_) or tests.is_timestamp(type_))


def _is_text(type_: Type) -> bool:
    if str(type_) == "extension<arrow.uuid>":
        return True  # DuckDB writes them in small letters, with hyphens.
    tests = import_extra("pyarrow", "arrow").types
    stored = type_.value_type if tests.is_dictionary(type_) else type_
    is_view = getattr(tests, "is_string_view", tests.is_string)  # From PyArrow 16 on.
    kinds = (tests.is_string, tests.is_large_string, is_view)
    return any(is_kind(stored) for is_kind in kinds)


def _is_checked(type_: Type) -> bool:
    """Whether PyArrow can compare decimals of a type with the most it may hold."""
    tests = import_extra("pyarrow", "arrow").types
    is_wide = tests.is_decimal128(type_) or tests.is_decimal256(type_)
    return bool(is_wide and type_.scale >= 0)


def _dates(column: Column) -> Column:
    arrow = import_extra("pyarrow", "arrow")
    type_ = column.type
    is_days = arrow.types.is_date32(type_)
    whole = arrow.int32() if is_days else arrow.int64()
    unit = "D" if is_days else "ms" if arrow.types.is_date64(type_) else type_.unit
    ticks = _numpy(column.cast(whole).cast(arrow.int64()).fill_null(0))
    numbers, is_day = whole_days(ticks, unit)
    mask = ~(is_day & _numpy(column.is_valid()).astype(np.bool_))
    days = arrow.array(np.where(mask, 0, numbers).astype(np.int32), mask=mask)
    return days.cast(arrow.date32())


def _within_precision(column: Column) -> Column:
    """Keep decimals that have no more digits than their type."""
    arrow = import_extra("pyarrow", "arrow")
    compute = import_extra("pyarrow.compute", "arrow")
    type_ = column.type
    digits = (9,) * type_.precision
    least, most = (
        arrow.scalar(Decimal((sign, digits, -type_.scale)), type_) for sign in (1, 0)
    )
    fits = compute.and_(
        compute.greater_equal(column, least), compute.less_equal(column, most)
    )
    return compute.if_else(fits, column, arrow.scalar(None, type_))


def _numpy(column: Column) -> Any:  # noqa: ANN401
    return column.to_numpy(zero_copy_only=False)


def _cell(scalar: Any) -> object:  # noqa: ANN401
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        return None
