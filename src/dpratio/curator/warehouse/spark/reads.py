"""The files and tables that a Spark frame reads, each as often as it is read.

Looked up in the analysed plan and its subqueries, leaf by leaf; nothing is run. Files
are those that Spark has listed itself, so that patterns (``{a,a}/x.parquet``), folders
and paths that were given twice are seen as it reads them. What WITH names stands in the
plan once, however often it is used: each use is counted.
"""

import contextlib
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from dpratio.curator.reading.files import source_at

# PySpark is optional, and what lies behind it is Java.
Frame = Any
Leaf = Any


def frame_reads(frame: Frame) -> Iterator[Hashable]:
    """List what a frame reads, a source as often as it is read."""
    identity = frame.sparkSession._jvm.java.lang.System.identityHashCode  # noqa: SLF001
    # By its first answer a leaf tells what it reads: files, a table, or rows it holds.
    questions: list[Callable[[Leaf], list[Hashable]]] = [
        lambda leaf: [("with", leaf.cteId())],
        lambda leaf: _files(leaf.relation().location()),
        lambda leaf: _files(leaf.table().fileIndex()),
        lambda leaf: [("table", str(leaf.tableMeta().qualifiedName()))],
        lambda leaf: [("table", str(leaf.table().name()))],
        lambda leaf: [("relation", identity(leaf.relation()))],
        lambda leaf: [("rows", leaf.rdd().id())],
        lambda leaf: [("rows", identity(leaf.data()))],
    ]
    plan = frame._jdf.queryExecution().analyzed()  # noqa: SLF001
    for part in (plan, *_each(plan.subqueriesAll())):
        for leaf in _each(part.collectLeaves()):
            for ask in questions:
                found = None
                with contextlib.suppress(Exception):  # Java has no such method.
                    found = ask(leaf)
                if found is not None:
                    yield from found
                    break


def _each(listed: Any) -> Iterator[Any]:  # noqa: ANN401
    return map(listed.apply, range(listed.size()))


def _files(index: Any) -> list[Hashable]:  # noqa: ANN401
    return [source_at(str(file)) for file in index.inputFiles()]
