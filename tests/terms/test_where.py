"""Conditions of a source: what one may be, as values and in a study."""

import datetime as dt
import math
from typing import Any

import pytest

from dpratio.codec import canonical, parse_json
from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.terms.source import CsvFile, DatabaseTable, ParquetFiles, as_where
from dpratio.terms.study import Study
from dpratio.terms.study_file import STUDY, parse_study, study_to_toml

STUDY_TEXT = """
ratio = {{ numerator = "score", per = "label" }}
bounds = {{ score = [0, 1], label = "binary" }}
privacy = {{ epsilon = 1 }}
[data]
{data}
"""

# As TOML writes it, and as a source holds it.
CONDITIONS: list[tuple[str, tuple[Any, ...]]] = [
    ('["day", ">=", "2026-11-09"]', ("day", ">=", "2026-11-09")),
    ('["day", "<", 2026-11-16]', ("day", "<", "2026-11-16")),
    ('["a b", "!=", 5]', ("a b", "!=", 5)),
    ('["s", "<=", 5.0]', ("s", "<=", 5)),
    ('["s", ">", -0.0]', ("s", ">", 0)),
    ('["s", "=", 0.1]', ("s", "=", 0.1)),
    ('["s", "<", 1e300]', ("s", "<", 1e300)),
    ('["s", "<", 5e-324]', ("s", "<", 5e-324)),
    ('["id", "=", 9223372036854775807]', ("id", "=", 2**63 - 1)),
    ('["b", "=", true]', ("b", "=", True)),
    ("['t', '=', \"it's \\\\ ${x}\"]", ("t", "=", "it's \\ ${x}")),
    ('["k", "in", ["a", 5, 0.5, false]]', ("k", "in", ("a", 5, 0.5, False))),
    ('["k", "is null"]', ("k", "is null")),
    ('["k", "not null"]', ("k", "not null")),
]


def study_of(where: str, data: str = 'path = "a.parquet"') -> Study:
    return parse_study(STUDY_TEXT.format(data=f"{data}\nwhere = {where}"))


@pytest.mark.parametrize(("written", "condition"), CONDITIONS)
def test_a_condition_is_read_from_a_study_and_written_again(
    written: str, condition: tuple[Any, ...]
) -> None:
    study = study_of(f"[{written}]")
    assert study.data == ParquetFiles("a.parquet", where=[condition])
    assert isinstance(study.data, ParquetFiles)
    assert str(study.data.where) == str((condition,))
    assert parse_study(study_to_toml(study)).data == study.data
    document = canonical(STUDY.write(study)).decode()
    again = STUDY.read(parse_json(document), "$").data.where
    assert str(again) == str((condition,))


def test_whole_numbers_are_text_in_json() -> None:
    study = study_of('[["id", "in", [5, 0.5]], ["id", "=", 6]]')
    document = canonical(STUDY.write(study)).decode()
    wanted = '[["id","in",[{"integer":"5"},0.5]],["id","=",{"integer":"6"}]]'
    assert f'"where":{wanted}' in document


@pytest.mark.parametrize(
    ("data", "source"),
    [
        ('path = "a/"', ParquetFiles("a/", where=[["k", "=", "a"]])),
        ('path = "a.csv.gz"', CsvFile("a.csv.gz", where=[["k", "=", "a"]])),
        (
            'path = "a.txt"\nquote = ""',
            CsvFile("a.txt", quote="", where=[["k", "=", "a"]]),
        ),
        (
            'path = "a/"\npartitions = { k = "text" }',
            ParquetFiles("a/", partitions={"k": "text"}, where=[["k", "=", "a"]]),
        ),
        (
            "url = 'duckdb:///a.db'\ntable = 'a'",
            DatabaseTable("duckdb:///a.db", table="a", where=[["k", "=", "a"]]),
        ),
    ],
)
def test_every_source_may_have_conditions(data: str, source: object) -> None:
    assert study_of('[["k", "=", "a"]]', data).data == source


@pytest.mark.parametrize(
    "where",
    [
        *("day >= '2026'", 5, None, [["a", "=", 1]] * 101, ["abc"], [5], [[]], [["a"]]),
        *(
            [["a", "="]],
            [["a", "=", 1, 2]],
            [["a", "is null", 1]],
            [["a", "like", "b"]],
        ),
        *([["a", "==", 1]], [["a", "IS NULL"]], [["", "=", 1]], [["a\n", "=", 1]]),
        *([[5, "=", 1]], [["a", None, 1]], [["a", "=", None]], [["a", "=", [1]]]),
        *([["a", "=", math.nan]], [["a", "=", math.inf]], [["a", "=", 2**63]]),
        *([["a", "=", -(2**63)]], [["a", "=", "\x00"]], [["a", "=", "\ud800"]]),
        *([["a", "=", dt.datetime(2026, 1, 1)]], [["a", "=", b"x"]]),  # noqa: DTZ001
        *([["a", "in", 5]], [["a", "in", []]], [["a", "in", "abc"]]),
        *([["a", "in", [1] * 1001]], [["a", "in", [[1]]]]),
    ],
    ids=lambda where: str(where)[:30],
)
def test_anything_else_is_no_condition(where: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput):
        as_where(where)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ('"day > 5"', r"\$\.data\.where: must be a list, got"),
        ('["day"]', r"\$\.data\.where\[0\]: must be a list such as"),
        (
            '[["a", "=", 1], ["a", "like", "b"]]',
            r"\$\.data\.where\[1\]: a condition is",
        ),
        ('[["a", "=", "\\u0000"]]', r"\$\.data\.where\[0\]\[2\]: must be text without"),
        ('[["a", "in", ["b", {}]]]', r"\$\.data\.where\[0\]\[2\]\[1\]: must be a key"),
        ('[["a", "=", nan]]', r"\$\.data\.where\[0\]\[2\]: must be a finite number"),
        ('[["a", "=", { missing = true }]]', r"\$\.data\.where\[0\]: a condition"),
        (
            '[["a", "=", 2026-01-01T00:00:00]]',
            r"\$\.data\.where\[0\]\[2\]: must be text",
        ),
    ],
)
def test_a_study_says_which_condition_is_none(where: str, said: str) -> None:
    with pytest.raises(DocumentRefused, match=said):
        study_of(where)


@pytest.mark.parametrize(
    "condition", [["a", "=", 5], ["a", "in", ["b", 5]], ["a", "is null"]]
)
def test_cells_of_text_files_are_compared_with_text(condition: list[Any]) -> None:
    with pytest.raises(InvalidInput, match="cells of CSV files are text"):
        CsvFile("a.csv", where=[condition])
