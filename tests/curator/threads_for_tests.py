"""One table in two orders, read by one thread and by several."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

__all__ = ["relations_by_threads"]

THREADS = (1, 3, 8)
# Threads share a table by its row groups, so there must be many.
ROW_GROUP = 2_048


def relations_by_threads(table: Any, folder: Path) -> Iterator[object]:  # noqa: ANN401
    """Give the rows as they are and shuffled, to one thread, three and eight."""
    order = np.random.default_rng(1).permutation(table.num_rows)
    with closing(duckdb.connect()) as connection:
        place = f"'{folder / 'groups.db'}' AS few (ROW_GROUP_SIZE {ROW_GROUP})"
        connection.execute(f"ATTACH {place}")
        for name, rows in (("given", table), ("shuffled", table.take(pa.array(order)))):
            connection.register("arrow", rows)
            connection.execute(f"CREATE OR REPLACE TABLE few.{name} AS FROM arrow")
        connection.execute("CHECKPOINT few")
        query = "SELECT count(DISTINCT row_group_id) FROM pragma_storage_info(?)"
        (groups,) = connection.execute(query, ["few.shuffled"]).fetchone() or (0,)
        assert groups >= max(THREADS)
        for threads in THREADS:
            connection.execute(f"SET threads = {threads}")
            for name in ("given", "shuffled"):
                yield connection.table(f"few.{name}")
