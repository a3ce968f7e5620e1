"""What the extras for databases are for: sums and ledgers where they lie.

The address of a server stands in DPRATIO_TRY_POSTGRES; Spark needs Java.
"""

import os
import uuid
from pathlib import Path
from typing import Any

import dpratio as dpr
from people import people, released
from run_dpratio import refused, run_script

__all__ = ["refuse_postgres", "refuse_spark", "use_postgres", "use_spark"]

MISSING = dpr.errors.MissingExtra.exit_code
STUDY = "demo/study.toml"
NOWHERE = "postgresql://nobody@127.0.0.1:1/none"
TABLE = "CREATE TABLE people (score DOUBLE PRECISION, label INTEGER, region VARCHAR(9))"


def refuse_spark() -> None:
    """Refuse a table that a cluster keeps."""
    assert "'.[spark]'" in refused(MISSING, *release_from("spark://local[1]"))


def release_from(url: str) -> tuple[str, ...]:
    """Give the words that release a table at an address."""
    text = Path(STUDY).read_text(encoding="utf-8")
    where = f'url = "{url}"\ntable = "people"'
    Path("database.toml").write_text(
        text.replace('path = "people.parquet"', where), encoding="utf-8"
    )
    return ("release", "database.toml", "-o", "none.json", "--no-ledger")


def in_postgres() -> None:
    """Release a table of a PostgreSQL server."""
    import psycopg

    address = fresh_database()
    with psycopg.connect(address) as connection:
        connection.execute(TABLE)
        insert = "INSERT INTO people VALUES (%s, %s, %s)"
        connection.cursor().executemany(insert, rows())
    released(dpr.DatabaseTable(address, table="people"))


def use_spark() -> None:
    """Release a frame of Spark, in an application on this machine.

    It reads a file: rows of Python would start the first Python on the path.
    """
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder
    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.shuffle.partitions": "1",
        "spark.ui.enabled": "false",
    }
    session = builder.master("local[1]").config(map=settings).getOrCreate()
    try:
        released(session.read.parquet("demo/people.parquet"))
    finally:
        session.stop()


def use_postgres() -> None:
    """Release a table of a server, keep a team's ledger there, and hear of none."""
    in_postgres()
    ledger = ("--ledger", fresh_database())
    run_script("ledger", "init", "--epsilon", "3", "--delta", "1e-5", *ledger)
    run_script("release", STUDY, "-o", "team.json", *ledger)
    assert "Left: epsilon 2" in run_script("ledger", "show", *ledger)
    assert "sound" in run_script("ledger", "verify", "team.json", *ledger)
    said = refused(dpr.errors.LedgerFailed.exit_code, *ledger_of_nobody())
    assert "cannot be reached" in said, said


def refuse_postgres() -> None:
    """Refuse a table of a server, and a team's ledger."""
    assert "'.[postgres]'" in refused(MISSING, *release_from(NOWHERE))
    assert "'.[postgres]'" in refused(MISSING, *ledger_of_nobody())


def ledger_of_nobody() -> tuple[str, ...]:
    """Give the words that begin a ledger on a server that is not there."""
    return ("ledger", "init", "--epsilon", "1", "--ledger", NOWHERE)


def fresh_database() -> str:
    """Make an empty database on the server, and give its address."""
    import psycopg

    server = os.environ["DPRATIO_TRY_POSTGRES"]
    name = f"try_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    address, _, options = server.partition("?")
    return f"{address.rpartition('/')[0]}/{name}?{options}"


def rows() -> list[tuple[object, ...]]:
    """Give the people as rows."""
    return list(zip(*people().values(), strict=True))
