"""The shoppers in a table of every database, and somebody who writes to it."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow as pa
import pytest

from dpratio.terms.database import DatabaseTable

__all__ = ["SHOPS", "Shop", "in_duckdb", "shop_of"]

Columns = dict[str, list[Any]]

_TEXTS = ("region", "month", "id")
_TWICE = "INSERT INTO shoppers SELECT * FROM shoppers"
_COUNT = "SELECT count(*) FROM shoppers"


@dataclass(frozen=True)
class Shop:
    """A table, how somebody else writes each row once more, and how many there are."""

    table: DatabaseTable
    double: Callable[[], object]
    count: Callable[[], int]


def _columns(columns: Columns) -> str:
    types = {name: "text" if name in _TEXTS else "double precision" for name in columns}
    return ", ".join(f"{name} {type_}" for name, type_ in types.items())


def in_postgres(url: str, columns: Columns) -> Shop:
    """In PostgreSQL."""
    with psycopg.connect(url) as connection:
        connection.execute(f"CREATE TABLE shoppers ({_columns(columns)})")
        with connection.cursor().copy("COPY shoppers FROM STDIN") as rows:
            for each in zip(*columns.values(), strict=True):
                rows.write_row(each)

    def double() -> None:
        with psycopg.connect(url) as other:
            other.execute(_TWICE)

    def count() -> int:
        with psycopg.connect(url) as other:
            [many] = other.execute(_COUNT).fetchone() or [0]
        return int(many)

    return Shop(DatabaseTable(url, table="public.shoppers"), double, count)


def in_duckdb(folder: Path, columns: Columns) -> Shop:
    """In a file of DuckDB, to which another process writes if it may."""
    file = folder / "shop.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.register("given", pa.table(columns))
        connection.execute("CREATE TABLE shoppers AS FROM given")

    def ask(asked: str) -> int:
        written = (
            f"import duckdb; print(duckdb.connect({str(file)!r}).execute({asked!r})"
            ".fetchall()[0][0])"
        )
        done = subprocess.run(
            [sys.executable, "-c", written], check=False, capture_output=True, text=True
        )
        return int(done.stdout or 0)

    table = DatabaseTable(f"duckdb:///{file}", table="shoppers")
    return Shop(table, lambda: ask(_TWICE), lambda: ask(_COUNT))


SHOPS = ("postgres", "duckdb")


def shop_of(name: str, request: pytest.FixtureRequest, columns: Columns) -> Shop:
    """Open the shop of a database, by its name."""
    if name == "postgres":
        return in_postgres(request.getfixturevalue("postgres_url"), columns)
    return in_duckdb(request.getfixturevalue("tmp_path"), columns)
