"""What noisy counts of a check say about how data are written."""

import datetime as dt
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from curator.checks_for_tests import REGIONS, checked_exactly, person, study_of
from dpratio.analyst.bounds.read_check import CHECK_STATUSES, _margin, read_check
from dpratio.curator.release_bounds import release_bounds
from dpratio.errors import InvalidInput
from dpratio.release.example import example_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.source import CsvFile
from dpratio.terms.study import Study

MANY = 200
DAY = dt.date(2026, 1, 5)


def table(**columns: Any) -> dict[str, list[Any]]:  # noqa: ANN401
    """Rows that are written as the study says, but for some columns."""
    given = {
        "user": [f"u{at}" for at in range(MANY)],
        "spent": [5.0],
        "visit": [1.0],
        "region": ["north", "south"],
        "seen": [DAY],
        "age": [50.0],
        **columns,
    }
    return {name: (cells * MANY)[:MANY] for name, cells in given.items()}


def said_of(study: Study, **columns: Any) -> tuple[list[str], dict[str, str]]:  # noqa: ANN401
    found = read_check(checked_exactly(table(**columns), study), study)
    assert {each.status for each in found.rows} <= set(CHECK_STATUSES)
    return list(found.words), {
        f"{each.column}: {each.counted}": each.status for each in found.rows
    }


@pytest.mark.parametrize("unit", [None, person()])
def test_data_that_are_written_as_declared_are_called_so(unit: Any) -> None:  # noqa: ANN401
    study = study_of(unit=unit)
    found = read_check(checked_exactly(table(), study), study)
    assert found.words == ()
    assert found.said()[-1] == "Nothing gross is wrong with how the data are written."
    assert {each.status for each in found.rows} == {"ok"}
    shown = found.columns()
    assert shown["column"][:3] == ["spent", "visit", "region"]
    assert shown["about"][:4] == [MANY, MANY, MANY // 2, MANY // 2]
    assert len(found) == len(shown["margin"]) == 8
    assert shown["margin"][0] == 14


COMMA = "Nearly no cell of `spent` reads as a number: is the decimal sign a comma? Say "


@pytest.mark.parametrize("unit", [None, person()])
@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("visits.csv", COMMA),
        (CsvFile("visits.txt"), COMMA),
        (CsvFile("visits.csv", decimal=","), "is the decimal sign a point? Leave dec"),
        ("visits.parquet", "`spent` reads as a number: are they missing?"),
        (None, "`spent` reads as a number: are they missing?"),
    ],
)
def test_a_column_without_numbers_asks_about_what_was_declared(
    data: Any,  # noqa: ANN401
    said: str,
    unit: Any,  # noqa: ANN401
) -> None:
    words, statuses = said_of(study_of(data=data, unit=unit), spent=["x"])
    assert said in words[0]
    assert statuses["spent: a number"] == "unreadable"
    assert statuses["visit: a number"] == "ok"
    # Keys are counted where spent is a number, so nothing is said of them.
    assert {each for name, each in statuses.items() if "number" not in name} == {
        "too_few"
    }
    (again,) = words[1:]
    assert again.startswith("Keys are counted where the numerator is a number: check")


def test_a_part_that_is_no_number_is_told_as_such() -> None:
    words, statuses = said_of(study_of(data="a.csv"), spent=[*[5.0] * 4, "x"])
    assert statuses["spent: a number"] == "partly_unreadable"
    assert words[0].startswith("Many a cell of `spent` is no number: is the decimal")
    words, statuses = said_of(study_of(data="a.csv"), spent=[*[5.0] * 2, *["x"] * 3])
    assert statuses["spent: a number"] == "unreadable"
    assert words[0].startswith("Many a cell of `spent` is no number: is the decimal")


def test_labels_of_1_and_2_and_per_cents_are_asked_about() -> None:
    words, statuses = said_of(study_of(), visit=[1.0, 2.0], spent=[500.0, 1.0])
    assert statuses["visit: a number"] == statuses["spent: a number"] == "beyond_bounds"
    of_spent, of_visit = words
    assert of_spent.startswith("Many of `spent` lie far beyond what is declared, 0 to")
    assert of_spent.endswith("20: are they per cent, or in another unit?")
    assert of_visit.startswith("Many cells of `visit` are 2 or more, where 0 and 1 are")
    assert of_visit.endswith("declared: are the labels 1 and 2?")
    words, _ = said_of(study_of(unit=person()), spent=[500.0])
    assert words == []  # Rows are clipped to their bounds before they are added up.


def test_people_with_more_than_is_declared_are_not_labels() -> None:
    few = [f"u{at}" for at in range(MANY // 4)]
    totals = {"spent": Bounds(0, 60), "visit": Bounds(0, 1)}
    unit = replace(person(), totals=totals)
    words, statuses = said_of(study_of(unit=unit, groups=None), user=few)
    assert statuses["visit: a number"] == "beyond_bounds"
    (said,) = words
    assert said.startswith("Many people have a larger total of `visit` than is declar")


DATES = "`seen`: are its dates in the declared range, and written "


@pytest.mark.parametrize(
    ("keys", "cells", "data", "said"),
    [
        (REGIONS, ["North", "South"], None, "`region`: are they spelt as declared?"),
        (Keys("region", [1, 2]), ["07"], "a.csv", "written 07 or 7.0, where 7 is"),
        (Keys("region", [1, 2]), [7], None, "are they spelt as declared?"),
        (Keys("seen", [DAY]), ["5.1.2026"], None, f"{DATES}YYYY-MM-DD?"),
        (
            Periods("seen", "month", "2026-01-01", "2026-02-01"),
            ["1/5/2026"],
            CsvFile("a.csv", dates="D.M.YYYY"),
            f"{DATES}D.M.YYYY? Say dates = 'DD.MM.YYYY', or what it is.",
        ),
        (
            ScoreBins("age", [10, 20]),
            [50.0],
            None,
            "`age`: do its numbers lie between the declared edges?",
        ),
    ],
)
def test_keys_that_most_do_not_have_are_asked_about_by_their_kind(
    keys: Any,  # noqa: ANN401
    cells: list[Any],
    data: Any,  # noqa: ANN401
    said: str,
) -> None:
    bounds = {**study_of().bounds, "age": Bounds(0, 80)}
    study = study_of(groups=Groups.cross(keys), data=data, bounds=bounds)
    words, statuses = said_of(study, **{keys.column: cells})
    assert len(words) == 1
    assert words[0].startswith("Less than half have a declared key of `")
    assert said in words[0]
    assert list(statuses.values())[2:] == ["no_key"] * len(keys.values)


def test_keys_without_rows_are_named_where_noise_would_not_hide_them() -> None:
    declared = ["north", "south", "a", "b", "c", "d", "e", "f"]
    study = study_of(groups=Groups("region", declared))
    words, _ = said_of(study, region=["north"])
    (said,) = words
    assert said.startswith("Nearly none have the key 'south', 'a', 'b', 'c', 'd' and 2")
    assert said.endswith("spelt as declared? Capital letters and spaces count.")
    many = study_of(groups=Groups("region", ["north", *map(str, range(20))]))
    words, statuses = said_of(many, region=["north"])
    assert (words, statuses["region: 3"]) == ([], "too_few")
    empty = study_of(groups=Groups.cross(Periods("seen", "day", DAY, "2026-01-08")))
    assert said_of(empty)[0] == []  # Nobody may have come on a day.


def test_of_a_few_rows_nothing_is_said() -> None:
    rows = {name: cells[:20] for name, cells in table(spent=["x"]).items()}
    study = study_of()
    found = read_check(checked_exactly(rows, study), study)
    assert ({each.status for each in found.rows}, found.words) == ({"too_few"}, ())


def test_noise_exceeds_its_margin_less_often_than_once_in_a_thousand() -> None:
    draws = np.random.default_rng(3).laplace(size=(400_000, 8)).cumsum(axis=1)
    for cells in range(1, 9):
        beyond = np.mean(np.abs(draws[:, cells - 1]) > _margin(cells, 1.0))
        assert beyond < 0.001, cells


def test_only_a_release_of_a_check_is_read() -> None:
    study = study_of()
    bounds = release_bounds(
        table(), study, budget=Budget("0.1"), columns=["visit"], ledger=None
    )
    for other in (example_release(), bounds, "release.json"):
        with pytest.raises(InvalidInput, match="a check is read from its own release"):
            read_check(other, study)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="study must be a Study"):
        read_check(checked_exactly(table(), study), "study.toml")  # type: ignore[arg-type]


def test_invented_people_are_called_so() -> None:
    study = study_of()
    found = read_check(checked_exactly(table(), study), study)
    assert found.said()[0].startswith("SIMULATED")
    plain = replace(found, is_simulated=False)
    assert len(plain.said()) == 1
