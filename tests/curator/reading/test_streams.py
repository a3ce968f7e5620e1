"""Whatever offers ``__arrow_c_stream__``: its schema first, its rows once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from curator.door_for_tests import release_with
from curator.table_sources import invalid_text
from curator.tables_for_tests import ROW, asked, exact, plan_of, reading_of
from dpratio.curator.choose_engine import connected, open_keys, open_reading
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.measure import look_at_schema, open_for
from dpratio.curator.reading.statement import KeyCount
from dpratio.curator.release_sums import release_sums
from dpratio.errors import EngineFailed, InvalidInput, SchemaRefused
from dpratio.plan.make_plan import make_plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio

TABLE = pa.table(
    {
        "score": pa.array([0.5, None, 0.25, float("nan")]),
        "label": pa.array([1, 1, 0, 1], pa.int8()),
        "region": ["a", "b", "b", None],
        "odd": [[1]] * 4,
    }
)


class Stream:
    """Rows that are worked out when they are asked for, as a query's are."""

    def __init__(self, rows: Any, schema: Any = None) -> None:  # noqa: ANN401
        self.rows, self.opened, self._schema = rows, 0, schema or rows.schema

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        self.opened += 1
        return self.rows.__arrow_c_stream__(requested_schema)


class WithSchema(Stream):
    def __arrow_c_schema__(self) -> object:
        return self._schema.__arrow_c_schema__()


class LikeIbis(Stream):
    def schema(self) -> object:
        return self._schema


SOURCES: dict[str, Any] = {
    "a reader": TABLE.to_reader,
    "a reader in pieces": lambda: TABLE.to_reader(max_chunksize=1),
    "a batch": lambda: TABLE.to_batches()[0],
    "a schema beside it": lambda: WithSchema(TABLE),
    "a method for the schema": lambda: LikeIbis(TABLE),
    "an Arrow table": lambda: TABLE,
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_stream_counts_as_its_table_does(name: str) -> None:
    plan = plan_of(keys=["a", "b", None])
    wanted = exact(TABLE, plan, "python")
    assert [row[0] // ROW for row in wanted] == [1, 1, 0]
    assert exact(SOURCES[name](), plan, "auto") == wanted
    assert exact(SOURCES[name](), plan, "duckdb") == wanted
    assert look_at_schema(SOURCES[name]())["odd"].kind == "other"


def test_no_row_of_a_stream_is_read_before_the_charge(tmp_path: Path) -> None:
    book, stream = Ledger(tmp_path / "budget.db"), WithSchema(TABLE)
    book.open_scope(Scope("people", Budget(9)))
    with pytest.raises(SchemaRefused, match="'region' is string; a number column"):
        release_sums(stream, plan_of(names=("region", "label", "", "")), ledger=book)
    measure = open_for(stream, plan_of())
    assert (stream.opened, book.account().seq) == (0, 0)
    measure()
    assert stream.opened == 1


def test_a_stream_is_read_once_for_all_questions_of_a_release() -> None:
    ratio = Ratio("score", per="label")
    groups = [
        None,
        Groups("region", ["a", "b"]),
        PrivateKeys("region", Budget("0.1", "1e-7")),
    ]
    plan = make_plan(
        [Question(ratio, groups=by) for by in groups],
        bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        budget=Budget(1, "1e-6"),
    )
    stream = WithSchema(TABLE)
    release = release_sums(stream, plan, ledger=None)
    assert (len(release.questions), stream.opened) == (3, 1)


def test_the_columns_of_all_questions_are_kept() -> None:
    """And no others: a broken column that nobody asked for stops nothing."""
    stream = connected(WithSchema(TABLE), "auto")
    first = open_reading(stream, reading_of(plan_of()), "auto")
    keys = open_keys(stream, KeyCount("region", "text", None), "auto")
    nothing = np.zeros((1, len(asked(plan_of()).sums)), dtype=np.int64)
    assert first()[0].plus(nothing)[0][0] == 2 * ROW
    assert keys() == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    "stream",
    [
        TABLE["score"],
        pl.Series([1]),
        pd.Series([1]),
        Stream(TABLE),
    ],
    ids=["chunks", "Polars", "pandas", "no schema"],
)
def test_a_stream_that_names_no_columns_is_refused_unread(stream: object) -> None:
    with pytest.raises(SchemaRefused) as refused:
        release_sums(stream, plan_of(), ledger=None)
    assert str(refused.value) == (
        f"a stream of {type(stream).__name__} does not name its columns before it is "
        "read. Pass pyarrow.RecordBatchReader.from_stream(…), or a table: "
        "pyarrow.table(…)."
    )
    assert getattr(stream, "opened", 0) == 0


@pytest.mark.parametrize(
    "rows", [TABLE.drop_columns("label"), TABLE.set_column(1, "label", [["1"] * 4])]
)
def test_a_stream_of_other_columns_than_it_names_is_refused(rows: object) -> None:
    with pytest.raises(SchemaRefused) as refused:
        release_sums(WithSchema(rows, TABLE.schema), plan_of(), ledger=None)
    assert str(refused.value) == (
        "column 'label' of the stream is not of the type that its schema names. "
        "Pass a table: pyarrow.table(…)."
    )


def test_names_that_occur_twice_and_broken_text_are_those_of_a_table() -> None:
    twice = pa.table([[0.5], [1], [0]], names=["score", "label", "label"])
    with pytest.raises(SchemaRefused, match="'label' occurs more than once"):
        release_sums(twice.to_reader(), plan_of(), ledger=None)
    columns = {"score": [1.0] * 2, "label": [1] * 2}
    broken = pa.table({**columns, "region": invalid_text(b"a", b"\xff")})
    found = exact(broken.to_reader(), plan_of(keys=["a", None]), "auto")
    assert [row[0] // ROW for row in found] == [1, 1]


def test_a_stream_that_stops_says_nothing_of_its_rows() -> None:
    def batches() -> Iterator[Any]:
        yield TABLE.to_batches()[0]
        raise ValueError("cell 271828 is bad")

    stream = pa.RecordBatchReader.from_batches(TABLE.schema, batches())
    with pytest.raises(EngineFailed) as stopped:
        release_sums(stream, plan_of(), ledger=None)
    assert "271828" not in str(stopped.value)
    assert stopped.value.__context__ is None


def test_the_engine_of_databases_reads_no_stream() -> None:
    with pytest.raises(InvalidInput, match=r"does not read .* Use engine 'duckdb'"):
        release_with("ibis", TABLE.to_reader(), plan_of(), ledger=None)
