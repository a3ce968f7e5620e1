"""What each row of an answer is about."""

import datetime as dt
from typing import Any

import numpy as np
import pytest

import dpratio as dpr
from analyst.given import declared, given_release
from dpratio.analyst.tables.labels import labels_of, name_of
from dpratio.release.release import Release

BOUNDS = {
    "s": dpr.Bounds(0, 1),
    "t": dpr.Bounds(0, 1),
    "y": dpr.Bounds.binary(),
}
ONE, TWO = dpr.Ratio("s", per="y"), dpr.Ratio("t", per="y")


def zeros(ratio: Any, groups: Any) -> Release:  # noqa: ANN401
    """A release of nothing but zeros."""
    asked = ratio if isinstance(ratio, list) else [ratio]
    named = {name for each in asked for name in each.columns}
    bounds = {name: each for name, each in BOUNDS.items() if name in named}
    plan = dpr.make_plan(ratio, bounds=bounds, budget=dpr.Budget(1), groups=groups)
    values = []
    for question in plan.measurements:
        cells = declared(question.groups)
        shape = (1 if cells is None else cells.count, len(question.sums))
        values.append(np.zeros(shape, dtype=np.int64))
    return given_release(plan, *values)


def labels(ratio: Any, groups: Any = None) -> dict[str, list[Any]]:  # noqa: ANN401
    """The labels, as lists; as many rows as there are estimates."""
    release = zeros(ratio, groups)
    found = {name: list(column) for name, column in labels_of(release).items()}
    rows = len(dpr.estimate_ratios(release))
    assert {len(column) for column in found.values()} <= {rows}
    return found


def test_a_row_is_named_with_its_columns_where_keys_alone_say_little() -> None:
    grades, regions = dpr.Groups("grade", [1, 0]), dpr.Groups("region", ["n", "s"])
    by_grade = labels(ONE, grades)
    assert [name_of(by_grade, at) for at in (0, 1)] == ["grade 1", "grade 0"]
    assert name_of(labels(ONE, regions), 1) == "s"
    several = labels(ONE, [grades, regions, None])
    named = [name_of(several, at) for at in range(5)]
    assert named == ["grade 1", "grade 0", "region n", "region s", "all"]
    assert name_of({}, 0) == "all"


def test_the_whole_table_has_no_label() -> None:
    assert labels(ONE) == {}
    assert labels([ONE]) == {}


def test_one_ratio_over_one_dimension_has_its_keys_and_copies_none() -> None:
    release = zeros(ONE, dpr.Groups("region", ["south", None]))
    found = labels_of(release)
    assert list(found) == ["region"]
    assert found["region"] is release.questions[0].keys
    assert found["region"] == ("south", None)


def test_every_dimension_is_a_column_of_its_own() -> None:
    groups = dpr.Groups.cross(
        dpr.Keys("sex", ["f", "m"]),
        dpr.ScoreBins("s", [0, 0.5, 1]),
        dpr.Periods("seen", "month", "2026-01-01", "2026-01-31"),
    )
    assert labels(ONE, groups) == {
        "sex": ["f", "f", "m", "m"],
        "s": ["0 to 0.5", "0.5 to 1"] * 2,
        "seen": [dt.date(2026, 1, 1)] * 4,
    }


def test_listed_cells_keep_their_order() -> None:
    cells = [("NY", "m"), ("CA", "f"), ("CA", "m")]
    assert labels(ONE, dpr.Groups(["state", "sex"], cells)) == {
        "state": ["NY", "CA", "CA"],
        "sex": ["m", "f", "m"],
    }


def test_several_ratios_are_told_apart_by_their_question() -> None:
    assert labels([ONE, TWO]) == {"question": ["Σ s / Σ y", "Σ t / Σ y"]}
    found = labels([ONE, TWO], dpr.Groups("g", [1, 2]))
    assert found == {
        "question": ["Σ s / Σ y"] * 2 + ["Σ t / Σ y"] * 2,
        "g": [1, 2, 1, 2],
    }


def test_the_columns_of_other_partitions_say_all() -> None:
    groups = [
        dpr.Groups("sex", ["f", "m"]),
        dpr.Groups.cross(dpr.Keys("sex", ["f"]), dpr.Keys("state", ["CA", "NY"])),
        None,
    ]
    assert labels(ONE, groups) == {
        "sex": ["f", "m", "f", "f", "(all)"],
        "state": ["(all)", "(all)", "CA", "NY", "(all)"],
    }


def test_ratios_and_partitions_are_crossed() -> None:
    found = labels([ONE, TWO], [dpr.Groups("sex", ["f", "m"]), None])
    first, second = "Σ s / Σ y", "Σ t / Σ y"
    assert found == {
        "question": [first, first, second, second, first, second],
        "sex": ["f", "m", "f", "m", "(all)", "(all)"],
    }


def test_a_group_column_called_question_hides_no_question() -> None:
    """Both are there, whatever the data call their columns."""
    release = zeros([ONE, TWO], dpr.Groups("question", ["a", "b"]))
    columns = dpr.estimate_ratios(release).columns()
    assert ["Σ s / Σ y"] * 2 + ["Σ t / Σ y"] * 2 in columns.values()
    assert ["a", "b", "a", "b"] in columns.values()


@pytest.mark.parametrize(
    "keys", [[1, 2], [True, False], [dt.date(2026, 1, 1), None]], ids=str
)
def test_answers_of_several_partitions_fit_every_frame(keys: list[Any]) -> None:
    """A column of whole numbers and "(all)" is still one column."""
    found = dpr.estimate_ratios(zeros(ONE, [dpr.Groups("g", keys), None]))
    assert len(found.to_pandas()) == len(found.to_polars()) == 3
    assert found.to_arrow().num_rows == 3
