"""Sentences and tables in 80 columns."""

import pytest

from dpratio.cli.terminal import WIDTH, table_lines, wrapped
from dpratio.tabular import Table


class Spared(Table):
    """A table that does without some columns."""

    __slots__ = ()
    spare = ("second_*", "third")


def test_a_sentence_is_broken_between_words_and_a_long_word_stays_whole() -> None:
    path = "/data/" + "x" * 90
    lines = wrapped(f"{'word ' * 40}{path} end")
    assert [line for line in lines if len(line) > WIDTH] == [path]
    assert " ".join(lines) == f"{'word ' * 40}{path} end"
    assert wrapped("") == [""]
    assert wrapped("  a b c", 6) == ["  a b", "  c"]
    assert wrapped("\x1b[2J") == ["\\x1b[2J"]


def test_numbers_stand_to_the_right_and_texts_to_the_left_below_a_rule() -> None:
    table = Table({"key": ["a", "bcd"], "n": [1, -22.5], "status": ["ok", "–"]})
    assert table_lines(table) == [
        "key      n  status",
        "──────────────────",
        "a        1  ok",
        "bcd  -22.5  –",
    ]


def test_columns_are_left_out_in_order_until_a_table_fits_and_are_named() -> None:
    cells = {name: ["x" * 20] for name in ("first", "second_a", "second_b", "third")}
    lines = table_lines(Spared(cells), 50)
    assert lines[0].split() == ["first", "third"]
    said = "Not shown: second_a, second_b. --wide shows all columns."
    assert " ".join(lines[4:]) == said
    assert len(table_lines(Spared(cells), 20)[0].split()) == 1
    assert table_lines(Spared(cells), None)[0].split() == list(cells)
    assert table_lines(Spared(cells), 200)[0].split() == list(cells)


def test_texts_are_folded_where_no_column_can_be_spared() -> None:
    table = Table({"key": ["some words " * 12], "ratio": [1.25], "status": ["ok"]})
    lines = table_lines(table)
    assert max(map(len, lines)) <= WIDTH
    assert " ".join(line[:60] for line in lines[2:]).split().count("some") == 12
    assert lines[2].endswith("1.25  ok")


@pytest.mark.parametrize("width", [80, 20])
def test_digits_are_never_cut(width: int) -> None:
    table = Table({f"n{at}": [1.2345] for at in range(20)})
    assert table_lines(table, width)[2].split() == ["1.2345"] * 20
