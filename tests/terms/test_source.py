"""A CSV file is declared, never sniffed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.source import CsvFile


def test_a_csv_file_has_commas_quotes_and_a_header_unless_told_otherwise() -> None:
    source = CsvFile("loans.csv")
    assert (source.path, source.columns) == ("loans.csv", None)
    assert (source.delimiter, source.quote) == (",", '"')


def test_every_part_of_the_dialect_is_kept() -> None:
    source = CsvFile(
        Path("data") / "loans.csv", columns=["s", "y"], delimiter="\t", quote=""
    )
    assert source.path == str(Path("data") / "loans.csv")
    assert source.columns == ("s", "y")
    assert (source.delimiter, source.quote) == ("\t", "")
    assert source == CsvFile(
        "data/loans.csv", columns=("s", "y"), delimiter="\t", quote=""
    )


@pytest.mark.parametrize("given", ["", ",,", "é", "\n", "\r", "\x00", "\x01", None, 5])
def test_a_delimiter_is_one_usable_character(given: object) -> None:
    with pytest.raises(
        InvalidInput, match=r"^delimiter must be one character, got .*tab"
    ):
        CsvFile("a.csv", delimiter=given)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", ["''", "«", "\n", "\r", "\x00", "\x01", 5, None, 0])
def test_a_quote_is_one_usable_character_or_nothing(given: object) -> None:
    with pytest.raises(InvalidInput, match=r"^quote must be one character, got "):
        CsvFile("a.csv", quote=given)  # type: ignore[arg-type]


def test_numbers_have_points_and_dates_are_those_of_iso_unless_told_otherwise() -> None:
    assert (CsvFile("a.csv").decimal, CsvFile("a.csv").dates) == (".", "YYYY-MM-DD")
    source = CsvFile("a.csv", decimal=",", dates="DD.MM.YYYY")
    assert (source.decimal, source.dates) == (",", "DD.MM.YYYY")
    assert replace(source, path="b.csv") == CsvFile(
        "b.csv", decimal=",", dates="DD.MM.YYYY"
    )


@pytest.mark.parametrize("given", ["", ";", "..", " ", None, 5])
def test_a_decimal_sign_is_a_point_or_a_comma(given: object) -> None:
    with pytest.raises(InvalidInput, match=r"^decimal must be a point or a comma"):
        CsvFile("a.csv", decimal=given)  # type: ignore[arg-type]


def test_a_decimal_sign_that_is_the_delimiter_too_needs_a_quote() -> None:
    assert CsvFile("a.csv", decimal=",").delimiter == ","
    with pytest.raises(InvalidInput, match=r"delimiter is their decimal sign"):
        CsvFile("a.csv", decimal=",", quote="")


@pytest.mark.parametrize(
    "given",
    [
        *("YYYY-MM-DD", "DD.MM.YYYY", "MM/DD/YYYY", "M/D/YYYY", "D-M-YYYY"),
        *("YYYY.M.D", "YYYYMMDD", "DDMMYYYY", "MMDDYYYY", "YYYY/D/MM"),
    ],
)
def test_dates_are_written_with_their_three_parts(given: str) -> None:
    assert CsvFile("a.csv", dates=given).dates == given


@pytest.mark.parametrize(
    "given",
    [
        *("", "DD.MM.YY", "DD.MM/YYYY", "YYYYMD", "MM.YYYY", "DD.DD.YYYY", "%d.%m.%Y"),
        *("dd.mm.yyyy", "DD MM YYYY", "DD.MM.YYYY ", "YYYY-MM-DD\n", "iso", None, 5),
    ],
)
def test_dates_without_one_of_their_parts_are_refused(given: object) -> None:
    with pytest.raises(InvalidInput, match=r"^dates are written with YYYY, MM and DD"):
        CsvFile("a.csv", dates=given)  # type: ignore[arg-type]


def test_delimiter_and_quote_differ() -> None:
    with pytest.raises(InvalidInput, match=r"^delimiter and quote must differ"):
        CsvFile("a.csv", delimiter=";", quote=";")


@pytest.mark.parametrize(
    "columns",
    [[], ["a", "a"], "score", b"score", 5, [["a"]], [1, 2], [""], ["a", None]],
)
def test_columns_are_named_in_text_each_once(columns: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^CSV columns must be named, each once"):
        CsvFile("a.csv", columns=columns)
