"""Row 9: what is said, logged or left behind where a table cannot be read."""

import logging
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.door_for_tests import release_with
from curator.tables_for_tests import plan_of, said_by
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import DpratioError
from dpratio.terms.budget import Budget

CANARIES = [f"canary-{number:04}-{number * 7919 % 1000:03}" for number in range(1000)]


class Loud(float):
    """A number that logs, warns and fails with its secret when it is read."""

    secret: str

    def __float__(self) -> float:
        logging.getLogger("loud").critical("cannot read %s", self.secret)
        warnings.warn(self.secret, stacklevel=1)
        raise RuntimeError(self.secret)


def loud(secret: str) -> Loud:
    made = Loud(0.5)
    made.secret = secret
    return made


def as_text(some: list[str]) -> pa.Table:
    return pa.table({"score": some, "label": [1] * len(some), "region": some})


def broken_parquet(some: list[str], folder: Path) -> object:
    """Pages that cannot be read, written over with secrets."""
    path = folder / "broken.parquet"
    many = 5000
    columns = {"score": np.linspace(0, 1, many), "label": np.ones(many)}
    table = pa.table({**columns, "region": [some[at % 100] for at in range(many)]})
    pq.write_table(table, path, compression="zstd", use_dictionary=False)
    pages = bytearray(path.read_bytes())
    pages[4:1304] = "".join(some).encode()[:1300]
    path.write_bytes(pages)
    return path


def cast_in_duckdb(some: list[str], _: Path) -> object:
    connection = duckdb.connect()
    connection.register("rows", as_text(some))
    query = "SELECT CAST(score AS DOUBLE) AS score, label, region FROM rows"
    return connection.sql(query)


def cast_in_polars(some: list[str], _: Path) -> object:
    frame = pl.DataFrame(as_text(some))
    return frame.lazy().with_columns(pl.col("score").cast(pl.Float64))


def text_in_csv(some: list[str], folder: Path) -> object:
    path = folder / "rows.csv"
    lines = ["score,label,region", *(f"{each},1,{each}" for each in some)]
    path.write_text("\n".join([*lines, f'"{some[0]}', f"{some[1]},,,,"]))
    return path


def categories(some: list[str]) -> pd.DataFrame:
    frame = pd.DataFrame({"score": pd.Categorical(some), "region": some})
    return frame.assign(label=1)


FAILING: dict[str, Callable[[list[str], Path], object]] = {
    "numbers that shout": lambda some, _: {
        "score": [loud(each) for each in some],
        "label": [1] * len(some),
        "region": some,
    },
    "text as numbers": lambda some, _: as_text(some),
    "text as numbers in a CSV file": text_in_csv,
    "a cast that fails in DuckDB": cast_in_duckdb,
    "a cast that fails in Polars": cast_in_polars,
    "pages that cannot be read": broken_parquet,
    "categories as numbers": lambda some, _: categories(some),
    "an enumeration in DuckDB": lambda some, _: duckdb.connect().from_df(
        categories(some)
    ),
    "an enumeration in Polars": lambda some, _: pl.DataFrame(
        {"score": pl.Series(some, dtype=pl.Enum(some)), "region": some, "label": 1}
    ),
}


def heard_in(*texts: str) -> list[str]:
    """Name the canaries that can be heard, without their last digits."""
    return [each[:11] for each in CANARIES if any(each in text for text in texts)]


@pytest.mark.parametrize("what", FAILING)
def test_09_no_failing_input_lets_a_canary_be_heard(
    what: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Of 1,000 secrets none is printed, logged, raised, or left in ledger or files.

    Source: confluentinc/kafka-connect-bigquery pull request 489, rejected values of
    rows in the logs of failures. More: tests/curator/ledger/attacks/test_canaries.py
    """
    at = 100 * list(FAILING).index(what)
    given, temporary, work = (
        tmp_path / each for each in ("given", "temporary", "work")
    )
    for folder in (given, temporary, work):
        folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.chdir(work)
    ledger = Ledger(work / "budget.db", anchor=work / "heads")
    ledger.open_scope(Scope("people", Budget(9, "1e-5")))
    table = FAILING[what](CANARIES[at : at + 100], given)
    engines = ["auto"] if isinstance(table, dict) else ["auto", "duckdb"]
    capfd.readouterr()
    said = ""
    for engine, book in product(engines, [ledger, None]):
        with (
            caplog.at_level(logging.DEBUG),
            warnings.catch_warnings(record=True) as seen,
        ):
            try:
                plan = plan_of(keys=["a", "b"])
                released = release_with(engine, table, plan, ledger=book, new_draw=True)
                said += str(released)
            except DpratioError as error:
                said += said_by(error) + "".join(traceback.format_exception(error))
        said += "".join(str(each.message) for each in seen)
    assert said
    assert heard_in(*capfd.readouterr(), caplog.text, said) == []
    left = [*work.rglob("*"), *temporary.rglob("*")]
    assert {each.name for each in left} >= {"budget.db", "heads"}
    kept = [each.read_bytes().decode("latin-1") for each in left if each.is_file()]
    assert heard_in(*kept) == []


class Interrupting(list[float]):
    """A column that is interrupted while the error of a cell is being handled."""

    def __iter__(self) -> Iterator[float]:
        try:
            float(CANARIES[0])
        except ValueError as error:
            raise KeyboardInterrupt from error
        return super().__iter__()


def test_09_an_interrupt_brings_no_words_of_the_engine_with_it(tmp_path: Path) -> None:
    """Ctrl-C may come while an engine handles an error that quotes a cell.

    Source: found by reading this code, 2026 (Python shows what an interrupt was raised
    from, or in the handler of).
    """
    table = {"score": Interrupting([0.5]), "label": [1.0], "region": ["a"]}
    book = Ledger(tmp_path / "budget.db")
    book.open_scope(Scope("people", Budget(9)))
    with pytest.raises(KeyboardInterrupt) as stopped:
        release_sums(table, plan_of(keys=["a"]), ledger=book)
    shown = "".join(traceback.format_exception(stopped.value))
    assert "stays charged" in shown
    assert CANARIES[0] not in shown
    assert CANARIES[0] not in said_by(stopped.value)
