"""Mappings of lists, pandas and Polars: their public schema, then the columns read.

No cell decides a type or stops a release: what a column is read as is known before, and
a cell that cannot be read so is missing. Proof: docs/proofs/sensitivity.md.
"""

import contextlib
import datetime as dt
import math
import uuid
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sized
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import import_extra
from dpratio.curator.reading.arrow import arrow_cells, arrow_plain, open_frame
from dpratio.curator.reading.files import (
    require_once,
    require_same_schema,
    shown,
    source_at,
)
from dpratio.curator.reading.keys import day_of, key_text, whole_days
from dpratio.curator.reading.statement import ColumnType, KeyCount, kind_of_key
from dpratio.curator.reading.table import (
    Asked,
    Columns,
    DuckTable,
    connect,
    run_on,
)
from dpratio.curator.stopping import stoppable
from dpratio.errors import FileRefused, SchemaRefused

# pandas and Polars are optional.
Frame = Any
Series = Any

_NUMBERS = (bool, int, float, Decimal, np.bool_, np.integer, np.floating)
_TRUTHS = (bool, np.bool_)
_PLAIN_NUMBERS = {bool, int, float, type(None)}
_PLAIN_KEYS = {str, int, bool, dt.date}
# What is a key in a list of any values: a text "1", a number 1 and a truth are three.
_KEYS: dict[str, Any] = {
    "text": str | uuid.UUID,
    "integer": int | np.integer,
    "boolean": bool | np.bool_,
    "id": str | uuid.UUID | int | np.integer,
}


def open_mapping(table: Mapping[object, Any], asked: Asked) -> DuckTable:
    """Open a mapping of column names to lists.

    Raises:
        SchemaRefused: When a column has no length, or another than the others.
    """
    for name, cells in table.items():
        if not isinstance(cells, Sized):
            raise SchemaRefused(
                f"column '{name}' of the mapping has no length. Give it as a list."
            )
    if len({len(cells) for cells in table.values()}) > 1:
        raise SchemaRefused(
            "the columns of the mapping differ in length. Give each the same length."
        )
    named = {str(name): cells for name, cells in table.items()}
    types = dict.fromkeys(named, ColumnType("any", "a list"))

    def read(name: str, role: str) -> NDArray[Any]:
        if role == "number":
            return _numbers(named[name])
        return _objects(_texts(list(named[name]), role, _KEYS.get(role, object)))

    return _open_columns(types, asked, read)


def open_pandas(frame: Frame, asked: Asked) -> DuckTable:
    """Open a pandas frame; a name that occurs twice is of no use."""
    types: dict[str, ColumnType] = {}
    for name, dtype in frame.dtypes.items():
        kind = "repeated" if str(name) in types else _pandas_kind(dtype)
        types[str(name)] = ColumnType.here(kind, str(dtype))
    names = [str(name) for name in frame.columns]

    def read(name: str, role: str) -> NDArray[Any]:
        column = frame.iloc[:, names.index(name)]
        if role == "number":
            return _pandas_numbers(column)
        return _objects(_texts(_pandas_cells(column), role))

    return _open_columns(types, asked, read)


def open_polars(frame: Frame, asked: Asked) -> DuckTable:
    """Open a Polars frame, eager or lazy.

    Raises:
        SchemaRefused: When it reads a file twice, or scans Parquet files that differ.
        FileRefused: When a footer cannot be read.
    """
    arrow = import_extra("pyarrow", "arrow")
    _require_whole_files(frame)
    roles = _roles_of(asked)

    def read(names: Mapping[str, str]) -> object:
        columns = stoppable(frame.lazy().select(list(names)).collect, None)
        plain = {
            names[column.name]: arrow_plain(_to_arrow(column, roles[column.name]))
            for column in columns
        }
        return arrow.table(plain)

    schema = frame.lazy().collect_schema().items()
    types = {
        name: ColumnType.here(_polars_kind(dtype), str(dtype.base_type()))
        for name, dtype in schema
    }
    return open_frame(types, asked, read)


def _roles_of(asked: Asked) -> dict[str, str]:
    """Return what each column is read as: a number, an id, or keys of a kind."""
    if isinstance(asked, KeyCount):
        roles = {asked.column: asked.kind}
    else:
        dimensions = asked.first.dimensions
        roles = {
            column: kind_of_key(dimensions[place])
            for place, column in asked.first.key_columns.items()
        }
    if asked.unit is not None:
        roles[asked.unit.column] = "id"
    return roles | dict.fromkeys(asked.numbers, "number")


def _open_columns(
    types: Mapping[str, ColumnType],
    asked: Asked,
    read: Callable[[str, str], NDArray[Any]],
) -> DuckTable:
    """Describe columns that are handed over as arrays of doubles and of texts."""
    roles = _roles_of(asked)
    names = {
        name: f"c{index}" for index, name in enumerate(asked.columns) if name in types
    }
    columns = {
        name: (short, "DOUBLE" if roles[name] == "number" else "VARCHAR")
        for name, short in names.items()
    }

    def ask(query: str) -> Columns:
        connection = connect()
        # No cell that happens to be sampled decides a type.
        connection.execute("SET pandas_analyze_sample = 0")
        arrays = {short: read(name, roles[name]) for name, short in names.items()}
        connection.register("given", arrays)
        return run_on(connection)(query)

    return DuckTable(types, columns, "given", ask)


def _numbers(cells: Iterable[object]) -> NDArray[np.float64]:
    """Return cells as doubles; NaN where a cell is no number."""
    if type(cells) is np.ndarray and cells.ndim == 1 and cells.dtype.kind in "biuf":
        with np.errstate(all="ignore"):  # A warning would tell of a cell.
            return cells.astype(np.float64)
    listed = list(cells)
    if _types_in(listed) <= _PLAIN_NUMBERS:
        with contextlib.suppress(OverflowError):  # Of one beyond all doubles.
            return np.array(listed, np.float64)
    return np.array([_number(cell) for cell in listed], np.float64)


def _types_in(cells: list[object]) -> set[type]:
    try:
        return set(map(type, cells))
    except Exception:  # noqa: BLE001 (a class of the data holder's that has no hash)
        return {object}


def _number(cell: object) -> float:
    try:
        is_number = isinstance(cell, _NUMBERS) and not isinstance(cell, np.timedelta64)
        return float(cell) if is_number else math.nan  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001 (too large, or a class that stops)
        return math.nan


def _texts(cells: list[object], role: str, allowed: Any = object) -> list[str | None]:  # noqa: ANN401
    """Return cells as days, keys or ids in text; None where a cell is none."""
    kinds = _types_in(cells) - {type(None)}
    if len(kinds) == 1 and kinds <= _PLAIN_KEYS:
        # Equal ones of these types have the same text, which is written once.
        texts = {cell: _text(cell, role, allowed) for cell in set(cells)}
        return [texts[cell] for cell in cells]
    return [_text(cell, role, allowed) for cell in cells]


def _text(cell: object, role: str, allowed: Any) -> str | None:  # noqa: ANN401
    if role == "date":
        day = day_of(cell)
        return None if day is None else day.isoformat()
    try:
        is_key = isinstance(cell, allowed)
        if isinstance(cell, _TRUTHS):  # Never an id, nor a number of a list.
            is_key = is_key and role not in {"id", "integer"}
    except Exception:  # noqa: BLE001 (a class of the data holder's that stops)
        return None
    return key_text(cell) if is_key else None


def _objects(texts: list[str | None]) -> NDArray[np.object_]:
    return np.array(texts, dtype=object)


def _pandas_kind(dtype: Any) -> str:  # noqa: ANN401
    categories = getattr(dtype, "categories", None)
    # pandas 3 calls no categories at all floats: one cell would decide what is read.
    is_empty = categories is not None and len(categories) == 0
    stored = str(dtype if categories is None else categories.dtype)
    texts = ("object", "str", "large_string", "extension<arrow.uuid>")
    if is_empty or stored.startswith(texts):
        return "text"
    if stored.startswith("date32"):
        return "date"
    letter = "?" if categories is not None else getattr(dtype, "kind", "?")
    integers = {"i": "integer", "u": "integer"}
    return {**integers, "f": "number", "b": "boolean", "M": "date"}.get(letter, "other")


def _pandas_numbers(column: Series) -> NDArray[np.float64]:
    if isinstance(column.dtype, np.dtype) or "Sparse" in str(column.dtype):
        with np.errstate(all="ignore"):  # A warning would tell of a cell.
            return np.asarray(column, dtype=np.float64)
    doubles: NDArray[np.float64] = column.to_numpy(np.float64, na_value=np.nan)
    return doubles


def _pandas_cells(column: Series) -> list[object]:
    """Return the cells of a column of keys or ids, times as days."""
    storage = f"{column.dtype} {getattr(column.dtype, 'storage', '')}"
    if "pyarrow" in storage:
        stored = import_extra("pyarrow", "arrow").array(column.array)
        chunks = getattr(stored, "chunks", [stored])
        return [cell for chunk in chunks for cell in arrow_cells(chunk)]
    if getattr(column.dtype, "kind", "") == "M" and "[" in str(column.dtype):
        if getattr(column.dtype, "tz", None) is not None:
            column = column.dt.tz_convert("UTC").dt.tz_localize(None)
        times = np.asarray(column.to_numpy())
        days, is_day = whole_days(
            times.view(np.int64), np.datetime_data(times.dtype)[0]
        )
        return list(
            np.where(is_day, days.astype("M8[D]"), np.datetime64("NaT")).tolist()
        )
    return list(column.tolist())


def _polars_kind(dtype: Any) -> str:  # noqa: ANN401
    kinds = {
        "Boolean": "boolean",
        "Categorical": "text",
        "Date": "date",
        "Datetime": "date",
        "Enum": "text",
        "Object": "text",  # As in pandas: values of Python, UUIDs for instance.
        "String": "text",
    }
    number = "number" if dtype.is_numeric() else "other"
    kind = "integer" if dtype.is_integer() else number
    return kinds.get(str(dtype.base_type()), kind)


def _to_arrow(column: Series, role: str) -> Any:  # noqa: ANN401
    """Return a column as Arrow; Arrow has neither objects nor 128-bit numbers."""
    polars = import_extra("polars", "polars")
    if column.dtype == polars.Object:
        texts = _texts(column.to_list(), role)
        column = polars.Series(column.name, texts, polars.String)
    elif str(column.dtype).endswith("Int128"):
        column = column.cast(polars.String)
    return column.to_arrow()


def _require_whole_files(frame: Frame) -> None:
    """Raise SchemaRefused if a lazy frame reads a file again, or files that differ.

    Polars assumes that all files of a scan have the schema of one. A part of the plan
    that it would work out once and use again is read again.
    """
    reads: list[Hashable] = []
    scans = []
    for node in _nodes(frame):
        files = [str(path) for path in getattr(node, "paths", None) or ()]
        reads += map(source_at, files)
        reads += [("cache", node.id_)] if type(node).__name__ == "Cache" else []
        kind, *_ = getattr(node, "scan_type", None) or ("",)
        scans += [files] if kind == "parquet" and len(files) > 1 else []
    require_once(reads)
    for files in scans:
        require_same_schema(files, [_polars_schema(file) for file in files])


def _nodes(frame: Frame) -> Iterator[Any]:
    """Walk through the plan of a lazy frame, as far as Polars shows it."""
    with contextlib.suppress(Exception):  # An eager frame has none.
        plan = frame._ldf.visit()  # noqa: SLF001
        yield from _nodes_from(plan, plan.get_node())


def _nodes_from(plan: Any, number: int) -> Iterator[Any]:  # noqa: ANN401
    plan.set_node(number)
    inputs = plan.get_inputs()
    with contextlib.suppress(NotImplementedError):
        yield plan.view_current_node()
    for node in inputs:
        yield from _nodes_from(plan, node)


def _polars_schema(file: str) -> list[tuple[str, Any]]:
    """Return the columns of a Parquet file, in order, from its footer."""
    schema = None
    with contextlib.suppress(Exception):
        schema = import_extra("polars", "polars").read_parquet_schema(file)
    if schema is None:
        # Outside the handler: what Polars says is neither shown nor chained.
        raise FileRefused(
            f"the footer of '{shown(file)}' cannot be read, so that its columns are "
            "not known to be those of the other files. Scan files that can be read "
            "from here."
        )
    return list(schema.items())
