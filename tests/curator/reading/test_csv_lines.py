r"""The CSV rule: each line stands alone, and both engines read it the same way."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from curator.oracle import split_line
from curator.tables_for_tests import ENGINES, ROW, exact, fixed, plan_of
from dpratio.curator.reading.csv import LONGEST_LINE
from dpratio.terms.source import CsvFile
from tiers import quick_first

HEADER = b"region,score,label\n"
PLAN = plan_of(keys=["a", "b", "é", "x,y", 'q"', ""])
PLAIN = plan_of()
BEFORE, AFTER = b"a,0.5,1\nb,0.25,0\n", b'"x,y",1,1\n\xc3\xa9,0.125,true\n'

# Lines that are not a row, however they are told apart from one.
BROKEN = {
    "unclosed quote": b'"a,0.5,1',
    "quote closed too early": b'"a"b,0.5,1',
    "quote inside a cell": b'a"b,0.5,1',
    "lone quote": b'"',
    "three quotes": b'""",0.5,1',
    "too few cells": b"a,0.5",
    "too many cells": b"a,0.5,1,",
    "not UTF-8": b"a,0.5,1\xff",
    "a surrogate": b"a\xed\xa0\x80,0.5,1",
    "an overlong NUL": b"a\xc0\x80,0.5,1",
    "beyond Unicode": b"\xf4\x90\x80\x80,0.5,1",
    "cut in a character": b"a,0.5,1\xe2\x82",
    "NUL in a number": b"a,0.5\x00,1",
    "NUL in a key": b"a\x00,0.5,1",
    "mark in a key": b"a\x01,0.5,1",
    "mark after a row": b"a,0.5,1\x01",
    "mark and more after a row": b"a,0.5,1\x01x,\xff",
    "mark and a control after a row": b"a,0.5,1\x01\x02",
    "only a mark": b"\x01",
    "carriage return in a row": b"a,0.\r5,1",
    "only carriage returns": b"\r\r\r",
    "nothing": b"",
    "blanks": b"   ",
    "only delimiters": b",,",
    "an undeclared key": b"zzz,0.5,1",
    "a key in blanks": b" a ,0.5,1",
    "a comment": b"#a,0.5,1",
    "two byte order marks": b"\xef\xbb\xbf\xef\xbb\xbfa,0.5,1",
    "only a byte order mark": b"\xef\xbb\xbf",
    "the header again": b"region,score,label",
    "SQL": b"'; DROP TABLE given; --,0.5,1",
    "a missing number": b"a,,1",
    "null": b"a,NULL,1",
    "five megabytes": b"a,0.5,1" + b" " * 5_000_000,
    "five quoted megabytes": b'"' + b"," * 5_000_000 + b'",0.5,1',
    "forty megabytes": b"x" * 40_000_000,
    "one character too long": b"a,0.5,1" + b" " * (LONGEST_LINE - 6),
}


def sums_of(path: Path, data: bytes, engine: str) -> list[list[int]]:
    path.write_bytes(data)
    return exact(str(path), PLAN, engine)


QUICK = [
    *((name, "python") for name, line in BROKEN.items() if len(line) < 10**6),
    *((name, "duckdb") for name in list(BROKEN)[::4]),
]
OTHERS = [each for each in product(BROKEN, ENGINES) if each not in QUICK]


@pytest.mark.parametrize(
    ("broken", "engine"), quick_first([*QUICK, *OTHERS], len(QUICK))
)
def test_a_broken_line_drops_its_own_row_and_no_other(
    broken: str, engine: str, tmp_path: Path
) -> None:
    path, line = tmp_path / "rows.csv", BROKEN[broken]
    whole = sums_of(path, HEADER + BEFORE + AFTER, "python")
    assert sum(row[0] for row in whole) == 4 * ROW
    for rows in (
        line + b"\n" + BEFORE + AFTER,
        BEFORE + line + b"\r\n" + AFTER,
        BEFORE + AFTER + line,
    ):
        assert sums_of(path, HEADER + rows, engine) == whole


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("header", [b"", b"\xef\xbb\xbf" + HEADER])
def test_a_mark_at_the_start_of_any_line_is_skipped(
    header: bytes, engine: str, tmp_path: Path
) -> None:
    path, marked = tmp_path / "rows.csv", b"\xef\xbb\xbfa,0.5,1\n"
    file = CsvFile(path, columns=None if header else ["region", "score", "label"])
    found = []
    for rows in (marked + AFTER + marked, b"a,0.5,1\n" * 2 + AFTER):
        path.write_bytes(header + rows)
        found.append(exact(file, PLAN, engine))
    assert found[0] == found[1]
    assert found[0][0][0] == 2 * ROW


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "first", [b"", b"\xff", b"a\x01,1,1", b"a,1", b"x" * 5_000_000]
)
def test_a_broken_first_line_drops_its_own_row(
    first: bytes, engine: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(first + b"\nb,1,1\n")
    file = CsvFile(path, columns=["region", "score", "label"])
    assert [row[0] // ROW for row in exact(file, PLAN, engine)] == [0, 1, 0, 0, 0, 0]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_line_as_long_as_allowed_is_a_row(engine: str, tmp_path: Path) -> None:
    """Its length is counted in characters, not in bytes."""
    path = tmp_path / "rows.csv"
    for letter in ("x", "é", "😀"):
        key = letter * (LONGEST_LINE - len(",1,1"))
        path.write_text(f"region,score,label\n{key},1,1\na,1,1\n", encoding="utf-8")
        found = exact(str(path), PLAIN, engine)
        assert found == [[2 * ROW] * 5], letter


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "ending", [b"\n", b"\r\n", b"\r", b"\n\n", b"\r\n\r\n", b"\r\r\n"]
)
def test_lines_end_as_they_do_on_any_system(
    ending: bytes, engine: str, tmp_path: Path
) -> None:
    path, rows = tmp_path / "rows.csv", (HEADER + BEFORE + AFTER).rstrip()
    whole = sums_of(path, rows, engine)
    assert sums_of(path, rows.replace(b"\n", ending), engine) == whole
    assert sums_of(path, rows.replace(b"\n", ending) + ending, engine) == whole


@pytest.mark.parametrize("engine", ENGINES)
def test_a_quoted_cell_may_hold_delimiters_and_quotes_but_no_line_break(
    engine: str, tmp_path: Path
) -> None:
    rows = b'"x,y","0.5",1\n"q""",0.5,"1"\n"",0.5,1\n"a\nb",0.5,1\n"a\rb",0.5,1\n'
    found = sums_of(tmp_path / "rows.csv", HEADER + rows, engine)
    assert [row[0] // ROW for row in found] == [0, 0, 0, 1, 1, 1]


FRAGMENTS = [
    *(bytes([byte]) for byte in b'ab01,,,,""".\n\r\x00\x01\xff\xc3 \t\\#;'),
    "é".encode(),
    "😀".encode(),
    "\u2028\x85\x1c".encode(),
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"0.5",
    b"\na,0.5,1\n",
    b'"x,y",1,0',
    b'""',
    b"1e999",
    b"\r\n",
]
SOME_BYTES = st.binary(max_size=40) | st.lists(
    st.sampled_from(FRAGMENTS), max_size=14
).map(b"".join)


@given(line=SOME_BYTES)
@example(line=b'"a,0.5,1')
@example(line=b'"')
@example(line=b"\x00")
@example(line=b"a,0.5,1\x01")
@example(line=b'a,0.5,1\nb,0.5,"1')
@fixed(15)
def test_whatever_is_added_to_a_file_the_other_lines_count_the_same(
    line: bytes, folder: Path
) -> None:
    path = folder / "rows.csv"
    without = sums_of(path, HEADER + BEFORE + AFTER, "python")
    for engine in ENGINES:
        alone = sums_of(path, HEADER + line, engine)
        together = sums_of(path, HEADER + BEFORE + line + b"\n" + AFTER, engine)
        assert together == [
            [one + other for one, other in zip(*pair, strict=True)]
            for pair in zip(without, alone, strict=True)
        ]


@given(
    data=SOME_BYTES,
    dialect=st.sampled_from([',"', ";'", "|", "\t\\", ".^", "e-", "[]"]),
)
@example(data=b"a,0.5,1\x01x", dialect=',"')
@example(data=b"\xef\xbb\xbfa,0.5,1", dialect=',"')
@fixed(20)
def test_both_engines_read_the_same_rows_from_any_bytes(
    data: bytes, dialect: str, folder: Path
) -> None:
    path = folder / "bytes.txt"
    translated = data.replace(b",", dialect[0].encode())
    translated = translated.replace(b'"', dialect[1:].encode() or b'"')
    path.write_bytes(translated)
    file = CsvFile(
        path,
        columns=["region", "score", "label"],
        delimiter=dialect[0],
        quote=dialect[1:],
    )
    assert exact(file, PLAN, "duckdb") == exact(file, PLAN, "python")


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("a,b", ["a", "b"]),
        (",", ["", ""]),
        ('"a,b",c', ["a,b", "c"]),
        ('"",""', ["", ""]),
        ('"""",x', ['"', "x"]),
        ('"say ""hi"""', ['say "hi"']),
        ('a,"b', None),
        ('a"b', None),
        ('"a"b', None),
        ('"a" ,b', None),
        ("a'b", ["a'b"]),
    ],
)
def test_a_line_splits_into_whole_cells_or_not_at_all(
    line: str, cells: list[str] | None
) -> None:
    assert split_line(line.encode(), CsvFile("f.csv")) == cells


def test_without_a_quote_character_a_quote_is_a_letter_like_any_other() -> None:
    file = CsvFile("f.csv", quote="", delimiter="|")
    assert split_line(b'"a|b"', file) == ['"a', 'b"']


@pytest.mark.parametrize("engine", ENGINES)
def test_a_quote_without_a_meaning_is_part_of_its_key(
    engine: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows.txt"
    names = ["region", "score", "label"]
    file = CsvFile(path, columns=names, delimiter="|", quote="")
    path.write_text("a|0.5|1\n")
    alone = exact(file, PLAN, engine)
    assert sum(row[0] for row in alone) == ROW
    path.write_text('a|0.5|1\n"a"|0.5|1\n"a|0.5|1\n')
    assert exact(file, PLAN, engine) == alone


@pytest.mark.parametrize("delimiter", list(",;|\t ^-]\\[.$ea5\x1f&~#"))
def test_any_ascii_character_may_stand_between_cells(
    delimiter: str, tmp_path: Path
) -> None:
    key = f"a{delimiter}b'"
    cell = f"'a{delimiter}b'''"
    path, columns = tmp_path / "f.csv", ["region", "score", "label"]
    file = CsvFile(path, columns=columns, delimiter=delimiter, quote="'")
    line = delimiter.join([cell, "'1'", "'1'"])
    assert split_line(line.encode(), file) == [key, "1", "1"]
    path.write_text(line, encoding="utf-8")
    for engine in ENGINES:
        assert exact(file, plan_of(keys=[key]), engine) == [[ROW] * 5]
