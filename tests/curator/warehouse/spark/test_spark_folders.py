"""Folders of Parquet files on a cluster: the keys that every other engine reads."""

from pathlib import Path
from typing import Any

import pytest

from curator.reading.test_partitions import KEYS, KINDS, lake, write
from curator.tables_for_tests import asked, exact, plan_of
from dpratio.curator.choose_engine import schema_for
from dpratio.errors import SchemaRefused
from dpratio.terms.database import DatabaseTable
from dpratio.terms.groups import Groups
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
        spark_cluster.url, path=path, partitions=KINDS, where="month = 3"
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
        schemas.append(schema_for(told, asked(plan), "auto")[1])
        plain = DatabaseTable(spark_cluster.url, path=path)
        with pytest.raises(SchemaRefused, match="'month' is not in the table"):
            exact(plain, plan, "auto")
    assert schemas[0] == schemas[1]
