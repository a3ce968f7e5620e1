"""A billion invented people in Parquet files, each a function of its row number.

Three mixed 32-bit words of the row number give score, weight, label and person: whole
rows can be made again anywhere without reading a file (`scale_truth`). Scores are
missing in one row of a thousand, weights leave their bounds, one region of 51 is not
declared, and a person has ten rows on average in one region.

A file is written beside its name and renamed when whole; one that has its rows and was
made by the same words is kept. Rows stream through DuckDB in bounded memory.
"""

import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import duckdb

FOLDER = Path("build/scale")
REGIONS, DECLARED = 51, 50
BLOCK, PEOPLE = 1_000_000, 100_000  # Rows that share people, and how many they share.
SEEDS = {"a": 11, "b": 2_000_000_011, "c": 3_000_000_017}
MIX, WORD = 73_244_475, 2**32 - 1
LARGEST_FILE = 10_000_000
BYTES_PER_ROW = 21  # A little more than is needed.


@dataclass(frozen=True)
class File:
    """A file and the row numbers it holds."""

    path: Path
    start: int
    stop: int


def files(largest: int) -> Iterator[File]:
    """Name the files of 10^6 … 10^largest rows; each power adds files to the last."""
    start = 0
    for power in range(6, largest + 1):
        for at, first in enumerate(range(start, 10**power, LARGEST_FILE)):
            stop = min(first + LARGEST_FILE, 10**power)
            yield File(FOLDER / f"e{power}_{at:02}.parquet", first, stop)
        start = 10**power


def glob_of(power: int) -> str:
    """Give the glob of the first 10^power rows."""
    powers = "".join(map(str, range(6, power + 1)))
    return str(FOLDER / f"e[{powers}]_*.parquet")


def write(largest: int) -> int:
    """Write what is missing; give the bytes of the set.

    Raises:
        SystemExit: When the disk has no room for it.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    recipe = FOLDER / "recipe.sql"
    wanted = list(files(largest))
    kept = recipe.is_file() and recipe.read_text("utf-8") == _rows(0, 1)
    missing = [each for each in wanted if not (kept and _is_whole(each))]
    need = BYTES_PER_ROW * sum(each.stop - each.start for each in missing)
    free = shutil.disk_usage(FOLDER).free
    if need > free:
        message = f"{need / 1e9:.0f} GB are needed and {free / 1e9:.0f} GB are free"
        raise SystemExit(f"{message}: run with a smaller power of ten")
    recipe.write_text(_rows(0, 1), "utf-8")
    with ThreadPoolExecutor(2) as pool:  # range() runs on one thread of DuckDB's.
        list(pool.map(_write, missing))
    return sum(each.path.stat().st_size for each in wanted)


def _is_whole(file: File) -> bool:
    if not file.path.is_file():
        return False
    rows = f"SELECT num_rows FROM parquet_file_metadata('{file.path}')"
    return duckdb.connect().execute(rows).fetchall() == [(file.stop - file.start,)]


def _write(file: File) -> None:
    beside = file.path.with_suffix(".part")
    with duckdb.connect(config={"memory_limit": "1GB"}) as connection:
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(
            f"COPY ({_rows(file.start, file.stop)}) TO '{beside}' (FORMAT parquet)"
        )
    beside.rename(file.path)


def _rows(start: int, stop: int) -> str:
    """Write the rows as a query; `scale_truth.rows` says the same in NumPy."""
    first = ", ".join(f"i + {seed} AS {word}" for word, seed in SEEDS.items())
    mixed = ", ".join(
        f"(xor({word}, {word} >> 16) * {MIX}) & {WORD} AS {word}" for word in SEEDS
    )
    return f"""
WITH numbered AS (SELECT range AS i FROM range({start}, {stop})),
seeded AS (SELECT i // {BLOCK} AS block, {first} FROM numbered),
once AS (SELECT block, {mixed} FROM seeded),
twice AS (SELECT block, {mixed} FROM once),
placed AS (
  SELECT a, b, c, block * {PEOPLE} + (((c >> 16) * {PEOPLE}) >> 16) AS person
  FROM twice
)
SELECT
  CASE WHEN a % 1009 <> 0 THEN a / 4294967296::DOUBLE END AS score,
  CAST((c & 65535) < (a >> 16) AS TINYINT) AS label,
  0.1::DOUBLE + 3.5::DOUBLE * (b / 4294967296::DOUBLE) * (b / 4294967296::DOUBLE)
    AS weight,
  'region ' || ((person * 7919) % {REGIONS}) AS region,
  CAST(person AS INTEGER) AS person
FROM placed"""


if __name__ == "__main__":
    print(write(int(sys.argv[1])))
