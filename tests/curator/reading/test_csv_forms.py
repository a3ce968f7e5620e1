"""Decimal signs and dates are read as they are declared, the same in every engine."""

import datetime as dt
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from curator.groups_for_tests import by, counts
from curator.oracle import day_in, number_of
from curator.reading.test_csv_numbers import TEXTS
from curator.tables_for_tests import ENGINES, exact, fixed, plan_of
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Keys, Periods
from dpratio.terms.source import CsvFile

# The same texts, points and commas exchanged: "1,000" is one, and "1.000" is none.
IN_COMMAS = {
    text.translate(str.maketrans(".,", ",.")): number for text, number in TEXTS.items()
}
DAY = dt.date(2026, 1, 5)
FORMS = {
    "DD.MM.YYYY": ["05.01.2026", "05.01.2026 23:59", "05.01.2026T", "05.01.2026 \x85"],
    "MM/DD/YYYY": ["01/05/2026", "01/05/2026 11:00 PM"],
    "M/D/YYYY": ["1/5/2026", "01/05/2026", "1/05/2026"],
    "D-M-YYYY": ["5-1-2026", "05-01-2026"],
    "YYYY.M.D": ["2026.1.5", "2026.01.05"],
    "YYYYMMDD": ["20260105", "20260105 0900"],
    "DDMMYYYY": ["05012026"],
    "YYYY-MM-DD": ["2026-01-05", "2026-01-05T10:00:00+02:00"],
}
NO_DAYS = [
    *(
        "",
        " ",
        "5",
        "2026",
        "x",
        "31.02.2026",
        "02/30/2026",
        "2026-02-30",
        "00.00.0000",
    ),
    *("05.01.26", "5.1.26", "005.01.2026", "05.01.02026", " 05.01.2026", "05,01,2026"),
    *("٠٥.٠١.٢٠٢٦", "05.01.2026.", "05/01-2026", "20261301", "2026010", "1/32/2026"),
    *("00010101x", "05\u00a001.2026", "13/13/2026", "0/5/2026", "32.1.2026", "NULL"),
]


def written(path: Path, cells: dict[str, list[str]], **forms: str) -> CsvFile:
    """Write columns between semicolons, and declare how cells are written."""
    rows = [";".join(row) for row in zip(*cells.values(), strict=True)]
    lines = "\n".join([";".join(cells), *rows])
    path.write_text(lines, encoding="utf-8", newline="")
    return CsvFile(path, delimiter=";", quote="", **forms)


def numbers_in(path: Path, texts: list[str], engine: str) -> list[int | None]:
    """The cells that texts count as, each in a group of its own; None where dropped."""
    at = [str(each) for each in range(len(texts))]
    cells = {"region": at, "score": texts, "label": ["1"] * len(texts)}
    plan = plan_of(Bounds(-2, 2), keys=range(len(texts)))
    found = exact(written(path, cells, decimal=","), plan, engine)
    return [row[2] if row[0] else None for row in found]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_decimal_comma_is_read_as_a_point_is_elsewhere(
    engine: str, tmp_path: Path
) -> None:
    read = {text: number_of(text, decimal=",") for text in IN_COMMAS}
    wanted = [
        None if number is None else round(number * 2**23)
        for number in IN_COMMAS.values()
    ]
    assert [each is None for each in read.values()] == [each is None for each in wanted]
    assert numbers_in(tmp_path / "rows.csv", list(IN_COMMAS), engine) == wanted


@pytest.mark.parametrize("engine", ENGINES)
def test_a_quoted_decimal_comma_stands_between_commas(
    engine: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('score,label\n"0,5",1\n0.5,1\n"0.5",1\n1,1\n', "utf-8")
    rows, labels, scores, *_ = exact(CsvFile(path, decimal=","), plan_of(), engine)[0]
    assert (rows / 2**24, labels / 2**24, scores / 2**24) == (2, 2, 1.5)


TEXT = st.text("0123456789.,eE+-_ \t", max_size=9) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\n\r;\x01"),
    max_size=3,
)


@given(texts=st.lists(TEXT, min_size=8, max_size=60))
@example(texts=list(IN_COMMAS))
@fixed(8)
def test_any_text_with_a_decimal_comma_is_the_same_number_in_every_engine(
    texts: list[str], folder: Path
) -> None:
    engines = ("python", "duckdb")
    found = [numbers_in(folder / "rows.csv", texts, engine) for engine in engines]
    assert found[0] == found[1]


def seen(texts: list[str]) -> dict[str, list[str]]:
    return {"score": ["1"] * len(texts), "label": ["1"] * len(texts), "seen": texts}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", FORMS)
def test_dates_are_read_in_the_form_that_is_declared_and_in_no_other(
    form: str, engine: str, tmp_path: Path
) -> None:
    others = [text for each in FORMS.values() for text in each]
    no_days = [text for text in [*others, *NO_DAYS] if text not in FORMS[form]]
    meant = [day_in(text, form) for text in no_days]
    texts = [*FORMS[form], *no_days]
    file = written(tmp_path / "rows.csv", seen(texts), dates=form)
    days = by(Keys("seen", [DAY, None]))
    months = by(Periods("seen", "month", "2026-01-01", "2026-01-31"))
    also = meant.count(DAY)  # M/D/YYYY reads what MM/DD/YYYY does.
    is_read = len(FORMS[form]) + also
    assert counts(file, days, engine) == [is_read, meant.count(None)]
    january = [
        day for day in meant if day is not None and (day.year, day.month) == (2026, 1)
    ]
    assert counts(file, months, engine) == [len(FORMS[form]) + len(january)]


def test_a_day_in_text_is_on_the_calendar() -> None:
    for form, texts in FORMS.items():
        assert {day_in(text, form) for text in texts} == {DAY}
    assert [day_in(text, "YYYY-MM-DD") for text in NO_DAYS] == [None] * len(NO_DAYS)
    assert day_in("29.02.2024", "DD.MM.YYYY") == dt.date(2024, 2, 29)
    assert day_in("5/4/2026", "D/M/YYYY") == dt.date(2026, 4, 5)
    assert day_in("5/4/2026", "M/D/YYYY") == dt.date(2026, 5, 4)


@given(
    form=st.sampled_from([*FORMS]),
    texts=st.lists(
        st.text("0123456789./- T", max_size=12)
        | st.builds(
            lambda day, month, year, sign: f"{day}{sign}{month}{sign}{year}",
            st.integers(0, 40),
            st.integers(0, 14),
            st.integers(0, 10_001),
            st.sampled_from("./-"),
        )
        | st.dates().map(lambda day: day.strftime("%m/%d/%Y"))
        | TEXT,
        min_size=8,
        max_size=40,
    ),
)
@example(form="M/D/YYYY", texts=["1/1/0001", "12/31/9999", "2/29/2024", *NO_DAYS])
@fixed(12)
def test_any_text_is_the_same_day_in_every_engine(
    form: str, texts: list[str], folder: Path
) -> None:
    file = written(folder / "rows.csv", seen(texts), dates=form)
    found = {day_in(text, form) for text in texts if text}
    plan = by(Keys("seen", [*sorted(day for day in found if day), None]))
    assert counts(file, plan, "python") == counts(file, plan, "duckdb")
