"""The files and tables that a statement of DuckDB reads, each as often as it is read.

DuckDB itself takes the statement apart; nothing is run. Views are followed and patterns
are expanded; Parquet files of one call must share their columns. Reads inside macros,
and inside functions that do not show them, are not seen.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from dpratio.curator.reading.files import require_same_schema, source_at
from dpratio.curator.reading.table import file_list, literal

Reads = Counter[Hashable]
Node = Any  # Of a statement, as JSON.

_SCHEME = "://"
_NAMED, _ELSEWHERE = "named", "files elsewhere"

_VIEWS = (
    "SELECT database_name, schema_name, view_name, sql FROM system.main.duckdb_views()"
)
_TABLES = (
    "SELECT database_name, schema_name, table_name FROM system.main.duckdb_tables()"
)


def reads_of(statement: str, ask: Callable[[str], Any]) -> Iterator[Hashable]:
    """List what a statement reads, a source as often as it is read.

    Args:
        statement: One SELECT.
        ask: Runs a statement on its connection, and gives what can be fetched. There
            functions must be DuckDB's own (`functions`).
    """
    found = _Reader(
        ask,
        {_folded(row[:3]): row[3] for row in ask(_VIEWS).fetchall()},
        [_folded(row) for row in ask(_TABLES).fetchall()],
    ).statement(statement)
    elsewhere = [each for each in found.elements() if _is_elsewhere(each)]
    if len(elsewhere) > 1 and any(re.search(r"[*?\[{]", each[1]) for each in elsewhere):
        # Patterns of which nobody can tell here whether they meet.
        found[_ELSEWHERE] += len(elsewhere)
    yield from found.elements()


@dataclass(frozen=True, slots=True)
class _Reader:
    """A connection, and what names stand for there."""

    ask: Callable[[str], Any]
    views: Mapping[tuple[str, ...], str]
    tables: Sequence[tuple[str, ...]]

    def statement(self, written: str) -> Reads:
        taken = f"SELECT system.main.json_serialize_sql({literal(written)})"
        [[parsed]] = self.ask(taken).fetchall()
        return self.part(json.loads(parsed).get("statements", []), {})

    def part(self, node: Node, named: Mapping[str, Reads]) -> Reads:
        """Count what a part of a statement reads, given what WITH has named."""
        if isinstance(node, list):
            return sum((self.part(each, named) for each in node), Counter())
        if not isinstance(node, dict):
            return Counter()
        if node.get("type") == "BASE_TABLE":
            return self.name(node["qualified_name"]["path"], named)
        if node.get("type") == "TABLE_FUNCTION":
            return self.function(node["function"], named)
        for each in node.get("cte_map", {}).get("map", []):
            held = self.part(each["value"], named)
            named = {**named, each["key"].lower(): held}
        rest = [value for key, value in node.items() if key != "cte_map"]
        return self.part(rest, named)

    def function(self, node: Node, named: Mapping[str, Reads]) -> Reads:
        """Count what a function of tables reads, where its name tells."""
        name, given = node["qualified_name"]["path"][-1].lower(), node["arguments"]
        if name.startswith("read_") or name.endswith("_scan"):
            return self.files(_texts(given), is_parquet="parquet" in name)
        if name == "query":
            return sum(map(self.statement, _texts(given)), Counter())
        if name == "query_table":
            return sum((self.name([each], named) for each in _texts(given)), Counter())
        return self.part(given, named)

    def name(self, path: Sequence[str], named: Mapping[str, Reads]) -> Reads:
        """Count what a name reads: of WITH, of a view, of a table, or of files."""
        names = _folded(path)
        if names[-1] in named and len(names) == 1:
            return named[names[-1]]
        views = [full for full in self.views if _ends(full, names)]
        tables = [full for full in self.tables if _ends(full, names)]
        if not views and not tables:
            return self.files(path) if len(path) == 1 else Counter([names])
        # As DuckDB looks for them, where no path was set.
        order = [*views, *tables]
        full = min(order, key=lambda each: (each[0] != "temp", each[1] != "main"))
        behind = self.view(self.views[full]) if full in self.views else Counter()
        return behind or Counter([full])

    def view(self, written: str) -> Reads:
        """Count what a view reads: its statement begins after one of its AS."""
        _, *rest = written.split(" AS ")
        for at in range(len(rest)):
            found = self.statement(" AS ".join(rest[at:]))
            if found:
                return found
        return Counter()

    def files(self, patterns: Sequence[str], *, is_parquet: bool = False) -> Reads:
        """Count the files of patterns, as DuckDB expands them."""
        found: Reads = Counter()
        here: list[str] = []
        for each in patterns:
            listed = [] if _SCHEME in each else self._listed(each)
            here += listed
            found.update(map(source_at, listed) if listed else [(_NAMED, each)])
        if is_parquet or all(each.endswith(".parquet") for each in here):
            require_same_schema(here, [self._columns(each) for each in here])
        return found

    def _columns(self, file: str) -> list[tuple[object, ...]]:
        """List what a footer says of its columns; DuckDB trusts the first for all."""
        columns: list[tuple[object, ...]]
        _, *columns = self.ask(
            "SELECT name, type, type_length, num_children, converted_type, scale, "
            f"precision, logical_type FROM parquet_schema({file_list([file])})"
        ).fetchall()
        return columns

    def _listed(self, pattern: str) -> list[str]:
        asked = self.ask(f"SELECT file FROM system.main.glob({literal(pattern)})")
        return [file for (file,) in asked.fetchall()]


def _texts(arguments: Node) -> list[str]:
    """List the texts among arguments that are given by place: one, or a list."""
    found = []
    for each in arguments:
        given = each["expression"]
        if given["class"] == "FUNCTION":
            found += _texts(given["arguments"])
        if given.get("literal", {}).get("kind") == "STRING" and not each["name"]:
            found.append(given["literal"]["text"])
    return found


def _is_elsewhere(read: Hashable) -> TypeGuard[tuple[str, str]]:
    return isinstance(read, tuple) and read[0] == _NAMED and _SCHEME in read[1]


def _ends(full: tuple[str, ...], names: tuple[str, ...]) -> bool:
    return full[-len(names) :] == names


def _folded(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)
