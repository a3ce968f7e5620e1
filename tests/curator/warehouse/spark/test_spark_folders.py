"""Folders of Parquet files on a cluster: the keys that every other engine reads."""

import datetime as dt
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.reading.test_folders import KEYS, KINDS, lake, write
from curator.tables_for_tests import exact, plan_of, reading_of
from dpratio.curator.choose_engine import schema_for
from dpratio.errors import SchemaRefused
from dpratio.terms.groups import Groups
from dpratio.terms.source import DatabaseTable, ParquetFiles
from spark_cluster import Cluster

pytestmark = pytest.mark.usefixtures("session")


def test_folders_name_the_same_keys_as_for_every_engine(
    spark_cluster: Cluster, tmp_path: Path
) -> None:
    rows = lake(tmp_path)
    (tmp_path / "_SUCCESS").write_text("")
    write(tmp_path / "_temporary" / "x.parquet", other=[1])
    path = f"{tmp_path}/"
    table = DatabaseTable(spark_cluster.url, path=path, partitions=KINDS)
    for column, keys in KEYS.items():
        plan = plan_of(groups=Groups(column, keys))
        assert exact(table, plan, "auto") == exact(rows, plan, "python"), column
    kept: dict[str, list[Any]] = {
        name: [
            cell for cell, month in zip(cells, rows["month"], strict=True) if month == 3
        ]
        for name, cells in rows.items()
    }
    table = DatabaseTable(
        spark_cluster.url, path=path, partitions=KINDS, where=[["month", "=", 3]]
    )
    plan = plan_of(keys=KEYS["region"])
    assert exact(table, plan, "auto") == exact(kept, plan, "python")


def test_no_value_of_a_folder_changes_the_schema(
    spark_cluster: Cluster, tmp_path: Path
) -> None:
    """Spark itself would read one folder of text as a column of text."""
    schemas = []
    for month in ("1", "x"):
        write(tmp_path / f"month={month}" / "a.parquet")
        path = f"{tmp_path}/"
        told = DatabaseTable(
            spark_cluster.url, path=path, partitions={"month": "integer"}
        )
        plan = plan_of(groups=Groups("month", [1]))
        schemas.append(schema_for(told, reading_of(plan), "auto")[1])
        plain = DatabaseTable(spark_cluster.url, path=path)
        with pytest.raises(SchemaRefused, match="'month' is not in the table"):
            exact(plain, plan, "auto")
    assert schemas[0] == schemas[1]


# NaN is equal to itself and larger than all numbers, −0.0 is 0, nothing is padded.
CONDITIONS: list[list[Any]] = [
    *(["x", ">", 5], ["x", "<=", 5], ["x", "in", [0, 9]], ["x", "is null"]),
    *(["t", "=", "a"], ["t", ">", "a"], ["t", "!=", "a "], ["b", "=", True]),
    *(["d", ">=", "2026-01-02"], ["d", "<", "1900-01-01"], ["k", "<", 5]),
]


def test_conditions_keep_the_same_rows_of_files_with_and_without_a_cluster(
    spark_cluster: Cluster, tmp_path: Path
) -> None:
    x = [0.0, -0.0, math.nan, 9.0, -1.5, None, math.inf, -math.inf, math.nan, 1e-310]
    t = ["a", "A", "a ", " a", "", None, "ß", "b", "a\t", "\u00e9"]
    d = [dt.date(2026, 1, at) for at in range(1, 9)] + [None, dt.date(1600, 2, 29)]
    table = pa.table(
        {
            "score": [at / 10 for at in range(10)],
            "label": [1] * 10,
            "x": x,
            "t": t,
            "d": d,
            "b": [True, False, None] * 3 + [True],
            "k": pa.array([*range(8), None, -1], pa.int64()),
        }
    )
    path = f"{tmp_path}/a.parquet"
    pq.write_table(table, path, row_group_size=2)
    plan, chosen = plan_of(), set()
    for where in CONDITIONS:
        here = exact(ParquetFiles(path, where=[where]), plan, "auto")
        there = DatabaseTable(spark_cluster.url, path=path, where=[where])
        assert exact(there, plan, "auto") == here, where
        chosen.add(str(here))
    assert len(chosen) > len(CONDITIONS) / 2
