"""One study, run unchanged on PostgreSQL, Spark, Parquet and Polars.

Only [data] differs, or the table that is handed over; the integers before noise are
those of the specification.
"""

import datetime as dt
import uuid
from pathlib import Path
from typing import Any

import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from curator.tables_for_tests import exact
from dpratio.plan.make_plan import make_plan
from dpratio.terms.study_file import parse_study
from spark_cluster import Cluster

STUDY = """
[data]
{data}

[ratio]
numerator = "revenue"
per = "returned"
guess = 50
guess_is = "unknown"

[bounds]
revenue = [0, 500]
returned = "binary"

[unit]
column = "customer"
most_groups = 3
totals = {{ revenue = [0, 900], returned = [0, 4] }}

[groups]
cross = [
  {{ column = "shop", keys = ["north", "south", "süd"] }},
  {{ column = "bought", every = "month", first = 2026-01-01, last = 2026-03-31 }},
]

[privacy]
epsilon = 1
delta = 1e-6
"""

SHOPS = ["north", "south", "süd", "elsewhere"]


def orders() -> dict[str, list[Any]]:
    """Orders of customers, some of them with a cell that no study counts."""
    rows = range(400)
    names = [str(uuid.UUID(int=at * 7_919**9)) for at in range(40)]
    first = dt.date(2025, 12, 20)
    return {
        "revenue": [None if k % 53 == 0 else float(k * 7 % 640) / 4 for k in rows],
        "returned": [k % 3 // 2 for k in rows],
        "customer": [names[k * 13 % 40] for k in rows],
        "shop": [SHOPS[k * 5 % 4] for k in rows],
        "bought": [first + dt.timedelta(days=k * 11 % 110) for k in rows],
    }


@pytest.mark.outside
@pytest.mark.usefixtures("session")
def test_one_study_gives_the_same_integers_everywhere(
    spark_cluster: Cluster, postgres_url: str, tmp_path: Path
) -> None:
    rows = orders()
    table = pa.table(rows)
    for shop in SHOPS:
        folder = tmp_path / "lake" / f"shop={shop}"
        folder.mkdir(parents=True)
        here = table.filter(pc.equal(table["shop"], shop)).drop_columns("shop")
        pq.write_table(here, folder / "orders.parquet")
    pq.write_table(table, tmp_path / "orders.parquet")
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE orders (revenue float8, returned int, customer uuid, "
            "shop text, bought date)"
        )
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO orders VALUES (%s, %s, %s, %s, %s)",
                list(zip(*rows.values(), strict=True)),
            )
    in_folders = f'path = "{tmp_path}/lake/"\npartitions = {{ shop = "text" }}'
    sources = {
        "PostgreSQL": f'url = "{postgres_url}"\ntable = "orders"',
        "Parquet": f'path = "{tmp_path}/orders.parquet"',
        "folders": in_folders,
        "Spark": f'url = "{spark_cluster.url}"\npath = "{tmp_path}/orders.parquet"',
        "folders on Spark": f'url = "{spark_cluster.url}"\n{in_folders}',
    }
    studies = {name: parse_study(STUDY.format(data=at)) for name, at in sources.items()}
    plans = {name: make_plan(study) for name, study in studies.items()}
    plan = plans["Parquet"]
    assert all(each == plan for each in plans.values())
    wanted = exact(rows, plan, "python")
    assert any(cell for row in wanted for cell in row)
    for name, study in studies.items():
        assert exact(study.data, plan, "auto") == wanted, name
    for engine in ("auto", "duckdb"):
        frame = pl.scan_parquet(tmp_path / "orders.parquet")
        assert exact(frame, plan, engine) == wanted, engine
        assert exact(frame.collect(), plan, engine) == wanted, engine
