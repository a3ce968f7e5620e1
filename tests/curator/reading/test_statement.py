"""What every engine is asked, and the schemas it never gets to see."""

import datetime as dt
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.door_for_tests import release_with
from curator.table_sources import READABLE
from curator.tables_for_tests import ENGINES, asked, plan_of
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading.statement import CellSum, ColumnType
from dpratio.errors import SchemaRefused
from dpratio.plan.sensitivity.sums import Contrast
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Key, Keys
from dpratio.terms.source import CsvFile

TEXT = ["1", "2"]
DATES = [dt.date(2020, 1, 1)] * 2
FRAMES = [pair for pair in READABLE if "parquet" not in pair[0]]


def refusal(table: object, keys: list[Key] | None, engine: str) -> str:
    """What is said of a table that is refused before any row is read."""
    plan = plan_of(keys=keys)
    with pytest.raises(SchemaRefused) as refused:
        open_table(table, asked(plan), engine)
    with pytest.raises(SchemaRefused) as at_the_door:
        release_with(engine, table, plan, ledger=None)
    assert str(refused.value) == str(at_the_door.value)
    return str(refused.value)


def frames(**columns: Any) -> dict[str, object]:  # noqa: ANN401
    rows = {"score": [0.5, 1.0], "label": [1, 0], **columns}
    return {
        "pandas": pd.DataFrame(rows),
        "polars": pl.DataFrame(rows),
        "polars_lazy": pl.LazyFrame(rows),
        "arrow": pa.table(rows),
        "relation": duckdb.connect().from_arrow(pa.table(rows)),
    }


def test_a_statement_says_what_to_add_up_and_nothing_of_privacy() -> None:
    weight, score = Bounds(0, 4), Bounds(-1, 2)
    plan = plan_of(score, weight=weight, keys=["a", "b"])
    statement = asked(plan)
    assert statement.columns == ["score", "label", "weight", "region"]
    assert statement.factor_columns == {"s": "score", "y": "label", "w": "weight"}
    assert statement.factor_bounds == {"s": score, "y": Bounds.binary(), "w": weight}
    assert statement.dimensions == (Keys("region", ["a", "b"]),)
    assert (statement.listed, statement.unit, statement.cells) == (None, None, 2)
    assert statement.sums[0] == CellSum(("w",), 2.0**-22, 2**24)
    assert [each.factors for each in statement.sums] == [
        ("w",),
        ("w", "y"),
        ("w", "s"),
        ("w", "w"),
        ("w", "s", "s"),
        ("w", "y", "s"),
    ]
    assert asked(plan_of()).columns == ["score", "label"]
    assert (asked(plan_of()).dimensions, asked(plan_of()).cells) == ((), 1)
    assert statement.contrast is None


def test_a_statement_of_a_focused_plan_says_how_z_and_h_are_made() -> None:
    terms: dict[str, Any] = {
        "strategy": "focused",
        "guess": 1 / 3,
        "residual_bound": 0.5,
    }
    statement = asked(plan_of(weight=Bounds(0, 4), **terms))
    assert statement.contrast == Contrast(1 / 3, 0.5, "denominator")
    assert statement.columns == ["score", "label", "weight"]
    assert set(statement.factor_bounds) == {"s", "y", "w"}
    assert statement.sums[0] == CellSum(("z",), 2.0**-25, 2**24)
    assert [each.factors for each in statement.sums] == [
        ("z",),
        ("h",),
        ("z", "z"),
        ("z", "h"),
        ("h", "h"),
    ]


@pytest.mark.parametrize("kind", ["integer", "number", "boolean", "csv", "any"])
def test_numbers_may_be_of_every_kind_that_holds_numbers(kind: str) -> None:
    types = {name: ColumnType(kind, "x") for name in ("score", "label")}
    asked(plan_of()).check_schema(types)


@pytest.mark.parametrize(
    ("key", "kind"),
    [("a", "text"), (1, "integer"), (True, "boolean"), (DATES[0], "date")],
)
def test_keys_are_compared_with_columns_of_their_own_kind(key: Key, kind: str) -> None:
    numbers = {name: ColumnType("number", "x") for name in ("score", "label")}
    statement = asked(plan_of(keys=[key]))
    kinds = ("integer", "number", "boolean", "text", "date", "csv", "any", "other")
    for other in kinds:
        types = {**numbers, "region": ColumnType(other, "THAT")}
        if other in {kind, "csv", "any"}:
            statement.check_schema(types)
            continue
        with pytest.raises(SchemaRefused) as refused:
            statement.check_schema(types)
        assert str(refused.value) == (
            f"column 'region' is THAT; a column of {kind} keys was declared. "
            "Cast it in the source or declare another column."
        )


@pytest.mark.parametrize(("source", "engine"), FRAMES)
def test_a_missing_column_is_refused_with_the_names_there_are(
    source: str, engine: str
) -> None:
    table = frames(colour=TEXT)[source]
    assert refusal(table, ["a"], engine) == (
        "column 'region' is not in the table. It has: 'score', 'label', 'colour'. "
        "Declare one of these."
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_missing_from_a_file_is_refused(engine: str, tmp_path: Path) -> None:
    table = pa.table({"score": [1.0], "Label": [1.0]})
    pq.write_table(table, tmp_path / "rows.parquet")
    assert refusal(tmp_path / "rows.parquet", None, engine) == (
        "column 'label' is not in the table. It has: 'score', 'Label'. "
        "Did you mean 'Label'?"
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "header", ["score,lable", "score;label", "0.5,ann@example.org"]
)
def test_names_that_a_first_line_gives_are_not_told(
    header: str, engine: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"{header}\n0.5,1\n", encoding="utf-8")
    assert refusal(CsvFile(path), None, engine).replace("'score'", "'label'") == (
        "column 'label' is not named by the first line of the file. Check how it is "
        "spelt there, and the delimiter: say delimiter = ';' under [data] in a study, "
        "CsvFile(…, delimiter=';') in Python. Of a file without a header, name the "
        "columns: columns = […] under [data], CsvFile(…, columns=[…])."
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_names_that_were_declared_are_told(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("0.5,1\n", encoding="utf-8")
    declared = CsvFile(path, columns=["score", "lable"])
    assert refusal(declared, None, engine) == (
        "column 'label' is not in the table. It has: 'score', 'lable'. "
        "Did you mean 'lable'?"
    )


def test_a_table_without_columns_is_refused_like_any_other() -> None:
    assert "is not in the table. It has: . Declare" in refusal({}, None, "auto")


def test_a_column_missing_from_a_mapping_is_refused() -> None:
    mapping: dict[Any, list[float]] = {"score": [1.0], 0: [1.0]}
    assert refusal(mapping, None, "auto") == (
        "column 'label' is not in the table. It has: 'score', '0'. "
        "Declare one of these."
    )


# What text and dates are called by each source; engine DuckDB may use its own names.
TYPE_NAMES = {
    "pandas": ("str", "datetime64[us]"),
    "polars": ("String", "Date"),
    "polars_lazy": ("String", "Date"),
    "arrow": ("string", "date32[day]"),
    "relation": ("VARCHAR", "DATE"),
}


def type_refusals(*names: str) -> set[str]:
    return {
        f"column 'score' is {name}; a number column was declared. "
        "Cast it in the source or declare another column."
        for name in names
    }


@pytest.mark.parametrize(("source", "engine"), FRAMES)
def test_text_or_a_date_where_a_number_is_declared_is_refused(
    source: str, engine: str
) -> None:
    dates = np.array(DATES, "datetime64[us]") if source == "pandas" else DATES
    for at, values in enumerate((TEXT, dates)):
        table: object = (
            pd.DataFrame({"score": values, "label": [1, 0]})
            if source == "pandas"
            else frames(score=values)[source]
        )
        names = [TYPE_NAMES[source][at]]
        names += [TYPE_NAMES["relation"][at]] if engine == "duckdb" else []
        assert refusal(table, None, engine) in type_refusals(*names)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (pd.Series([0.5, 1.0], dtype=object), "object"),
        (pd.Series(TEXT, dtype="string"), "string"),
        (pd.Series(TEXT, dtype="category"), "category"),
        (pd.Series([0.5, 1.0], dtype="category"), "category"),
        (pd.Series([0.5, 1.0], dtype=complex), "complex128"),
        (pd.Series([1, 2]).astype("timedelta64[s]"), "timedelta64[s]"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_a_pandas_column_is_refused_for_its_type_alone(
    values: Any,  # noqa: ANN401
    name: str,
) -> None:
    frame = pd.DataFrame({"score": values, "label": [1, 0]})
    assert refusal(frame, None, "auto") in type_refusals(name)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (TEXT, "VARCHAR"),
        (DATES, "DATE"),
        ([b"1", b"2"], "BLOB"),
        (pa.array(TEXT, pa.large_string()), "VARCHAR"),
    ],
    ids=["text", "date", "binary", "large_text"],
)
def test_a_parquet_column_is_refused_for_its_type_alone(
    values: Any,  # noqa: ANN401
    name: str,
    tmp_path: Path,
) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"score": values, "label": [1, 0]}), path)
    assert refusal(path, None, "auto") in type_refusals(name)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("source", ["pandas", "polars", "arrow"])
def test_keys_of_another_type_than_their_column_are_refused(
    source: str, engine: str
) -> None:
    columns: dict[str, Any] = {
        "integer": [1, 2],
        "boolean": [True, False],
        "text": TEXT,
        "date": pd.Series(DATES, dtype="datetime64[us]")
        if source == "pandas"
        else DATES,
    }
    declared: dict[str, list[Key]] = {
        "integer": [1],
        "boolean": [True],
        "text": ["1"],
        "date": [DATES[0]],
    }
    for held, values in columns.items():
        for wanted, keys in declared.items():
            if held != wanted and (held, wanted) != ("text", "date"):
                said = refusal(frames(region=values)[source], keys, engine)
                assert said.startswith("column 'region' is ")
                assert said.endswith(
                    f"; a column of {wanted} keys was declared. "
                    "Cast it in the source or declare another column."
                )


@pytest.mark.parametrize(("source", "engine"), FRAMES[2:])
@pytest.mark.parametrize(
    "values", [[["a"], ["b"]], [{"a": 1}] * 2, [b"a", b"b"]], ids=str
)
def test_keys_in_a_column_of_lists_records_or_bytes_are_refused(
    values: list[Any], source: str, engine: str
) -> None:
    said = refusal(frames(region=values)[source], ["a"], engine)
    assert "; a column of text keys was declared. " in said


def test_a_refused_type_is_named_without_the_cells_it_lists() -> None:
    """DuckDB makes an ENUM of the categories of a frame: they are cells."""
    frame = pd.DataFrame({"score": pd.Categorical(["canary", "b"]), "label": [1, 0]})
    relation = duckdb.connect().from_df(frame)
    assert refusal(relation, None, "duckdb") == (
        "column 'score' is ENUM; a number column was declared. "
        "Cast it in the source or declare another column."
    )
    nested = relation.project("{'a': score} AS score, label")
    assert "canary" not in refusal(nested, None, "duckdb")
    enum = pl.Series(["canary"], dtype=pl.Enum(["canary"]))
    table = pl.DataFrame({"score": enum, "label": [1]})
    for engine in ENGINES:
        assert "canary" not in refusal(table, None, engine)
