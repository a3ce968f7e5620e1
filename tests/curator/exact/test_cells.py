"""Kinds of fault are told from how cells are written, and nothing else is kept."""

from collections.abc import Iterable

import pytest

from dpratio.curator.exact.cells import (
    Cells,
    DayCells,
    NumberCells,
    TextCells,
    WholeCells,
)


def kinds(cells: Cells, given: Iterable[str]) -> list[str]:
    for each in given:
        cells.see(each)
    return [kind for kind, _ in cells.faults()]


def likely(form: str, *given: str) -> list[tuple[str, str]]:
    cells = DayCells(form)
    for each in given:
        cells.see(each)
    return cells.faults()


@pytest.mark.parametrize(
    ("decimal", "given", "found"),
    [
        (".", ["0.5", " 1e3 ", "-2", "", "true", "FALSE", ".5"], []),
        (",", ["0,5", "1", "-2,5e3"], []),
        (".", ["0,5", "1"], ["decimal sign"]),
        (",", ["0.5", "1"], ["decimal sign"]),
        (".", ["1,234,567"], ["thousands separator"]),
        (".", ["1 234", "1\u202f234.5", "1'234"], ["thousands separator"]),
        (".", ["1.234.567"], ["thousands separator"]),
        (",", ["1.234,5"], ["thousands separator"]),
        (".", ["1.234,5"], ["decimal sign", "thousands separator"]),
        (".", ["1,234"], ["decimal or not"]),
        (".", ["1,234", "1,2"], ["decimal sign"]),
        (".", ["1,234", "1,234.5"], ["thousands separator"]),
        (".", ["5 %", "€ 3", "7"], ["sign or unit"]),
        (".", ["5,5 %"], ["decimal sign", "sign or unit"]),
        (".", ["%", "- €"], ["text"]),
        (".", ["NA", "nan", "inf", "1_000", "0x1"], ["text"]),
        (".", ["abc %", "1,5"], ["decimal sign", "text"]),
    ],
)
def test_numbers(decimal: str, given: list[str], found: list[str]) -> None:
    assert kinds(NumberCells(decimal), given) == found


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (["1", "2", "2.0"], ["labels 1 and 2"]),
        (["2", ""], ["labels 1 and 2"]),
        (["1", "1"], []),
        (["1", "2", "0"], []),
        (["1", "2", "3"], []),
        (["2", "true"], []),
        (["1", "2", "x"], ["text", "labels 1 and 2"]),
    ],
)
def test_labels(given: list[str], found: list[str]) -> None:
    assert kinds(NumberCells(".", is_binary=True), given) == found
    assert "labels 1 and 2" not in kinds(NumberCells("."), given)


@pytest.mark.parametrize(
    ("form", "given", "found"),
    [
        ("YYYY-MM-DD", ["2026-01-31", "", "2026-02-01 10:00"], []),
        ("YYYY-MM-DD", ["31.01.2026"], [("form of dates", "'DD.MM.YYYY'")]),
        ("YYYY-MM-DD", ["1.2.2026", "13.2.2026"], [("form of dates", "'D.M.YYYY'")]),
        ("MM/DD/YYYY", ["31/01/2026"], [("order of day and month", "'DD/MM/YYYY'")]),
        (
            "YYYY-MM-DD",
            ["01/02/2026"],
            [("form of dates", "'DD/MM/YYYY' or 'MM/DD/YYYY'")],
        ),
        ("YYYY-MM-DD", ["20260131"], [("form of dates", "'YYYYMMDD'")]),
        ("YYYY-MM-DD", ["soon"], [("no dates", "")]),
        ("YYYY-MM-DD", ["31.01.2026", "2026-01-31"], [("no dates", "")]),
        ("YYYY-MM-DD", ["2026-13-01"], [("no dates", "")]),
    ],
)
def test_days(form: str, given: list[str], found: list[tuple[str, str]]) -> None:
    assert likely(form, *given) == found


@pytest.mark.parametrize(
    ("kind", "given", "found"),
    [
        (int, ["7", "-3", "0", ""], []),
        (int, ["07", "7.0", " 7"], ["zeros or decimals"]),
        (int, ["seven", "07"], ["zeros or decimals", "text"]),
        (bool, ["true", "False", ""], []),
        (bool, ["0", "yes"], ["words for true"]),
    ],
)
def test_keys_of_numbers_and_truths(
    kind: type, given: list[str], found: list[str]
) -> None:
    assert kinds(WholeCells(kind), given) == found


def test_keys_of_text_but_for_capitals_and_spaces() -> None:
    assert kinds(TextCells.of(["North", "south west"]), ["North", "east", ""]) == []
    for cell in ("north", " North", "South  West "):
        assert kinds(TextCells.of(["North", "south west"]), [cell]) == [
            "capitals or spaces"
        ]
    assert kinds(TextCells.of([]), ["", "x"]) == []
