"""Lazy frames of Polars: the files behind them, looked at before anything is read.

Polars assumes that all files have the schema of one, and stops if another differs:
after the charge. The columns of every file are public, and are compared first.
"""

import contextlib
from collections.abc import Hashable, Iterator
from typing import Any

from dpratio.checks import import_extra
from dpratio.curator.reading.files import require_same_schema, shown
from dpratio.curator.reading.read_once import source_at
from dpratio.errors import FileRefused

# Polars is optional.
Frame = Any
Node = Any


def lazy_reads(frame: Frame) -> Iterator[Hashable]:
    """List what a lazy frame of Polars reads; an eager one holds its rows.

    Files are listed as Polars found them. A part of the plan that it would work out
    once and use again is read again.
    """
    for node in _nodes(frame):
        yield from map(source_at, _paths(node))
        if type(node).__name__ == "Cache":
            yield "cache", node.id_


def require_same_files(frame: Frame) -> None:
    """Refuse a lazy frame that scans Parquet files of different schemas.

    Raises:
        SchemaRefused: When a column of one is missing or of another type in another.
        FileRefused: When a footer cannot be read.
    """
    for node in _nodes(frame):
        kind, *_ = getattr(node, "scan_type", None) or ("",)
        files = _paths(node) if kind == "parquet" else []
        if len(files) > 1:
            require_same_schema(files, [_schema(file) for file in files])


def _nodes(frame: Frame) -> Iterator[Node]:
    """Walk through the plan of a lazy frame, as far as Polars shows it."""
    if not hasattr(frame, "_ldf"):
        return
    with contextlib.suppress(Exception):
        plan = frame._ldf.visit()  # noqa: SLF001
        yield from _nodes_from(plan, plan.get_node())


def _nodes_from(plan: Any, at: int) -> Iterator[Node]:  # noqa: ANN401
    plan.set_node(at)
    inputs = plan.get_inputs()
    with contextlib.suppress(NotImplementedError):
        yield plan.view_current_node()
    for each in inputs:
        yield from _nodes_from(plan, each)


def _paths(node: Node) -> list[str]:
    return [str(path) for path in getattr(node, "paths", None) or ()]


def _schema(file: str) -> list[tuple[str, Any]]:
    """Read the columns of a Parquet file, in order, from its footer."""
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
