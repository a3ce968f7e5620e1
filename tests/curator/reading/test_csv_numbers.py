"""Text is read as the number it says, or drops its row, in every engine."""

import math
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from curator.oracle import number_of
from curator.tables_for_tests import ENGINES, exact, fixed, plan_of
from dpratio.terms.bounds import Bounds

PLAIN = plan_of()
# What a cell says, and the number it counts as; None drops the row.
TEXTS = {
    "1": 1.0,
    "1.": 1.0,
    ".5": 0.5,
    "+.5": 0.5,
    "-.5": -0.5,
    " 1 ": 1.0,
    "\t0.5\t": 0.5,
    "1e-1": 0.1,
    "1E+0": 1.0,
    "00001": 1.0,
    "-0": 0.0,
    "1e-999": 0.0,
    "-1e-999": 0.0,
    "5e-324": 0.0,
    "0." + "0" * 400 + "1": 0.0,
    "0" * 400 + "1": 1.0,
    "0." + "9" * 400: 1.0,
    "0e999": 0.0,
    "1e-99999999999999999999": 0.0,
    "0.30000000000000004": 0.30000000000000004,
    "1.7976931348623157e308": 2.0,
    "true": 1.0,
    "FALSE": 0.0,
    "tRuE": 1.0,
    "1e999": None,
    "-1e999": None,
    "1e99999999999999999999": None,
    "9" * 400: None,
    "1_000": None,
    "1,000": None,
    "0x10": None,
    "0b1": None,
    "1e5.5": None,
    "1e": None,
    "1d0": None,
    "1f": None,
    "inf": None,
    "-Infinity": None,
    "nan": None,
    "NaN": None,
    "５": None,
    "٣": None,
    "1\u00a0": None,
    "\u20031": None,
    "\x0b1": None,
    "1 000": None,
    "--1": None,
    "+ 1": None,
    ".": None,
    "e5": None,
    "": None,
    " ": None,
    " true": None,
    "t": None,
    "yes": None,
    "FALſE": None,
    "1%": None,
    "$1": None,
    "1/2": None,
    "\ufeff1": None,
    "'1'": None,
    "None": None,
}


@pytest.mark.parametrize("engine", ENGINES)
def test_text_is_read_as_the_number_it_says_or_drops_its_row(
    engine: str, tmp_path: Path
) -> None:
    """Each text is a group of its own, so that no two mistakes cancel."""
    path, plan = tmp_path / "texts.csv", plan_of(Bounds(-2, 2), keys=range(len(TEXTS)))
    write_texts(path, list(TEXTS))
    found = {
        text: row[2] if row[0] else None
        for text, row in zip(TEXTS, exact(str(path), plan, engine), strict=True)
    }
    assert found == {
        text: None if number is None else math.floor(number * 2**23 + 0.5)
        for text, number in TEXTS.items()
    }


def write_texts(path: Path, texts: list[str]) -> None:
    rows = [f'{at},"{text}",1' for at, text in enumerate(texts)]
    lines = "\n".join(["region,score,label", *rows])
    path.write_text(lines, encoding="utf-8", newline="")


@given(
    texts=st.lists(
        st.text("0123456789.eE+-_ \tinfaNtrueFALS", max_size=9)
        | st.floats().map(repr)
        | st.decimals().map(str)
        | st.from_regex(
            r"[+-]?[0-9]{0,40}\.?[0-9]{0,40}(e[+-]?[0-9]{1,4})?", fullmatch=True
        )
        | st.text(
            st.characters(exclude_categories=["Cs"], exclude_characters='\n\r"\x01'),
            max_size=3,
        ),
        min_size=8,
        max_size=60,
    )
)
@example(texts=list(TEXTS))
@fixed(12)
def test_any_text_is_read_as_the_same_number_by_every_engine(
    texts: list[str], folder: Path
) -> None:
    write_texts(folder / "texts.csv", texts)
    plan = plan_of(Bounds(-1e3, 1e3), Bounds(0, 1), keys=range(len(texts)))
    found = exact(folder / "texts.csv", plan, "duckdb")
    assert found == exact(folder / "texts.csv", plan, "python")


def test_only_finite_numbers_are_read_from_text() -> None:
    read = {text: number_of(text, decimal=".") for text in TEXTS}
    assert {text for text, number in read.items() if number is None} == {
        text for text, number in TEXTS.items() if number is None
    }
