import csv
import datetime as dt
import io
import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.cli.terminal import table_lines
from dpratio.errors import InvalidInput
from dpratio.show.text import render
from dpratio.tabular import Table, harmless, printable

HOSTILE = Table(
    {
        "key": ["a,b", 'say "x"', "[bold]red[/bold]", "<b>|\n"],
        "value": [1.23456789, math.inf, -math.inf, math.nan],
    }
)


def test_csv_keeps_full_precision_and_quotes_what_needs_it() -> None:
    rows = list(csv.reader(io.StringIO(render(HOSTILE, "csv"))))
    assert rows[0] == ["key", "value"]
    assert [row[0] for row in rows[1:]] == [*HOSTILE.cells["key"][:3], "<b>|\\n"]
    assert float(rows[1][1]) == 1.23456789


# What a spreadsheet or a terminal would act on, and how it is written.
ACTING = {
    "=1+1": "'=1+1",
    "+1": "'+1",
    "-2+3+cmd|' /C calc'!A0": "'-2+3+cmd|' /C calc'!A0",
    "@SUM(A1)": "'@SUM(A1)",
    "\uff1d1": "'\uff1d1",
    "  =1": "'  =1",
    "\xa0=1": "'\xa0=1",
    "'=1": "''=1",
    "\t=1": "\\t=1",
    "\r=1": "\\r=1",
    "two\nlines": "two\\nlines",
    "\x1b[2J\x1b[31mred": "\\x1b[2J\\x1b[31mred",
    "\x9b31mred": "\\x9b31mred",
    "\u202eevil": "\\u202eevil",
    "\u2066evil\u2069": "\\u2066evil\\u2069",
    "\u200bhidden": "\\u200bhidden",
    "\ud800": "\\ud800",
    "": "",
    "'s-Hertogenbosch": "'s-Hertogenbosch",
    "C:\\data": "C:\\data",
    "\xa0wide\u3000spaces": "\xa0wide\u3000spaces",
    "עברית": "עברית",
    "a=b": "a=b",
}


@pytest.mark.parametrize("text", ACTING)
def test_no_text_acts_on_a_spreadsheet_or_terminal(text: str) -> None:
    table = Table({text: [text, "x"], "number": [-1.5, -2]})
    names, first, second = csv.reader(io.StringIO(render(table, "csv")))
    assert (names[0], first[0]) == (ACTING[text],) * 2
    assert (first[1], second[1]) == ("-1.5", "-2")
    lines = render(table, "markdown").splitlines()
    escaped = ACTING[text].replace("\\", "\\\\").replace("|", "\\|")
    assert lines[0] == f"| {escaped} | number |"
    assert lines[2] == f"| {escaped} | -1.5 |"
    said = [*render(table, "table").splitlines(), *table_lines(table)]
    assert all(printable(each) == each for each in said)


@given(one=st.text(), other=st.text())
@example(one="=", other="'=")
@example(one=" =", other="' =")
def test_no_two_keys_become_the_same_by_an_apostrophe(one: str, other: str) -> None:
    same = harmless(one) == harmless(other)
    assert same == (printable(one) == printable(other))


def test_json_keeps_every_text_as_it_is() -> None:
    texts = [text for text in ACTING if text.isascii()]
    rows = json.loads(render(Table({"key": texts}), "json"))
    assert [row["key"] for row in rows] == texts


def test_json_has_null_where_a_number_is_not_finite() -> None:
    rows = json.loads(render(HOSTILE, "json"))
    assert [row["value"] for row in rows] == [1.23456789, None, None, None]


def test_markdown_keeps_one_line_per_row() -> None:
    assert len(render(HOSTILE, "markdown").splitlines()) == 6


def test_a_plain_table_is_aligned() -> None:
    first, second = render(Table({"a": [1], "bbb": ["x"]}), "table").splitlines()
    assert len(first) == len(second)


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="table, csv, json, markdown"):
        render(HOSTILE, "xml")


LABELLED = Table(
    {
        "question": ["Σ s / Σ y", "Σ t / Σ y"],
        "seen": [dt.date(2026, 1, 31), "(all)"],
        "sex": [None, "f, m"],
        "ratio": [1.5, math.inf],
    }
)


def test_several_label_columns_are_kept_in_csv() -> None:
    rows = list(csv.reader(io.StringIO(render(LABELLED, "csv"))))
    assert rows == [
        ["question", "seen", "sex", "ratio"],
        ["Σ s / Σ y", "2026-01-31", "", "1.5"],
        ["Σ t / Σ y", "(all)", "f, m", "inf"],
    ]


def test_dates_are_text_in_json() -> None:
    first, second = json.loads(render(LABELLED, "json"))
    assert first == {
        "question": "Σ s / Σ y",
        "seen": "2026-01-31",
        "sex": None,
        "ratio": 1.5,
    }
    assert (second["seen"], second["ratio"]) == ("(all)", None)


@pytest.mark.parametrize("layout", ["table", "markdown"])
def test_labels_of_every_type_are_shown(layout: str) -> None:
    text = render(LABELLED, layout)
    for words in ("2026-01-31", "(all)", "f, m", "Σ t / Σ y"):
        assert words in text
