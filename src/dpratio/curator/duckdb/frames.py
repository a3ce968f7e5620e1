"""Opening pandas, Polars and Arrow frames for DuckDB, by their public schema alone.

Columns are renamed (c0, c1, …), because DuckDB takes "Score" and "score" for the same
column. Only the columns that were asked for are passed on, and none of their cells can
stop DuckDB.
"""

from collections.abc import Callable
from typing import Any

from dpratio.checks import import_extra
from dpratio.curator.duckdb.table import Asked, DuckTable, connect, run_on
from dpratio.curator.reading.arrow_cells import arrow_plain
from dpratio.curator.reading.frames import (
    arrow_types,
    day_texts,
    object_texts,
    pandas_ids,
    pandas_keys,
    pandas_numbers,
    pandas_types,
    polars_types,
)
from dpratio.curator.reading.lazy_frames import lazy_reads, require_same_files
from dpratio.curator.reading.read_once import require_once
from dpratio.curator.reading.statement import ColumnType, KeyCount, kind_of_key
from dpratio.curator.stopping import stoppable


def open_pandas(frame: Any, statement: Asked) -> DuckTable:  # noqa: ANN401
    """Open a pandas frame; its cells are passed on as numbers and texts."""
    types = pandas_types(frame)
    chosen = [name for name in statement.columns if name in types]
    names = {name: f"c{index}" for index, name in enumerate(chosen)}
    numbers, days = set(statement.numbers), _days_of(statement)
    ids = None if statement.unit is None else statement.unit.column
    columns = {
        name: (short, "DOUBLE" if name in numbers else "VARCHAR")
        for name, short in names.items()
    }

    def ask(query: str, tables: Any) -> Any:  # noqa: ANN401
        connection = connect()
        connection.execute("SET pandas_analyze_sample = 0")
        plain = {
            short: pandas_numbers(frame, name)
            if name in numbers
            else pandas_ids(frame, name)
            if name == ids
            else pandas_keys(frame, name, as_days=name in days)
            for name, short in names.items()
        }
        connection.register("given", type(frame)(plain))
        return run_on(connection)(query, tables)

    return DuckTable(types, columns, "given", ask)


def open_polars(frame: Any, statement: Asked) -> DuckTable:  # noqa: ANN401
    """Open a Polars frame, eager or lazy."""
    import_extra("pyarrow", "arrow")
    require_once(lazy_reads(frame))
    require_same_files(frame)
    return open_frame(
        polars_types(frame),
        statement,
        lambda names: _polars_columns(frame, names, statement),
    )


def _polars_columns(frame: Any, names: dict[str, str], statement: Asked) -> Any:  # noqa: ANN401
    """Hand over the columns that were asked for; Arrow has no 128-bit numbers."""
    arrow = import_extra("pyarrow", "arrow")
    polars = import_extra("polars", "polars")
    ids = None if statement.unit is None else statement.unit.column
    days = _days_of(statement)
    chosen = stoppable(frame.lazy().select(list(names)).collect, None)
    columns = {}
    for each in chosen:
        if each.dtype == polars.Object:
            cells = each.to_list()
            words = (
                day_texts(cells)
                if each.name in days
                else object_texts(cells, is_id=each.name == ids)
            )
            each = polars.Series(each.name, words, polars.String)  # noqa: PLW2901
        elif _is_wide(each.dtype):
            each = each.cast(polars.String)  # noqa: PLW2901
        columns[names[each.name]] = each
    return arrow.table(
        {short: arrow_plain(each.to_arrow()) for short, each in columns.items()}
    )


def _days_of(asked: Asked) -> set[str]:
    """Name the columns that are read as days; columns of text are passed on as text."""
    if isinstance(asked, KeyCount):
        return {asked.column} if asked.kind == "date" else set()
    dimensions = asked.first.dimensions
    return {
        column
        for at, column in asked.first.key_columns.items()
        if kind_of_key(dimensions[at]) == "date"
    }


def open_arrow(table: Any, statement: Asked) -> DuckTable:  # noqa: ANN401
    """Open an Arrow table."""
    arrow = import_extra("pyarrow", "arrow")

    def hand_over(names: dict[str, str]) -> Any:  # noqa: ANN401
        return arrow.table(
            {
                short: arrow_plain(table.column(name).combine_chunks())
                for name, short in names.items()
            }
        )

    return open_frame(arrow_types(table.schema), statement, hand_over)


def open_frame(
    types: dict[str, ColumnType],
    statement: Asked,
    hand_over: Callable[[dict[str, str]], Any],
) -> DuckTable:
    """Describe a frame that DuckDB reads through Arrow."""
    names = {
        name: f"c{index}"
        for index, name in enumerate(statement.columns)
        if name in types and types[name].kind not in {"other", "repeated"}
    }
    columns = {
        name: (short, _handed_over(types[name])) for name, short in names.items()
    }

    def ask(query: str, tables: Any) -> Any:  # noqa: ANN401
        connection = connect()
        connection.register("given", hand_over(names))
        return run_on(connection)(query, tables)

    return DuckTable(types, columns, "given", ask)


def _handed_over(given: ColumnType) -> str:
    """Name the type with which a column of a frame is passed on."""
    if given.kind == "date":
        return "DATE"
    as_text = given.name.lower().startswith("decimal") or _is_wide(given.name)
    return "VARCHAR" if as_text else given.name


def _is_wide(dtype: object) -> bool:
    return str(dtype) in {"Int128", "UInt128"}
