"""The answer is one tidy table, whatever the keys are called."""

import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from dpratio.analyst.tables.estimates import STATUSES, Estimates

UNBOUNDED, HALF_LINE = (list(STATUSES).index(n) for n in ("unbounded", "half_line"))
MEASURES = ["ratio", "ci_lower", "ci_upper", "se", "se_sampling", "se_privacy"]


def estimates(**changes: Any) -> Estimates:  # noqa: ANN401
    parts: dict[str, Any] = {
        "labels": {"region": ("south", "north")},
        "ratio": np.array([1.1, math.nan]),
        "ci_lower": np.array([1.0, 0.0]),
        "ci_upper": np.array([1.2, math.inf]),
        "se": np.array([0.05, math.inf]),
        "se_sampling": np.array([0.03, math.nan]),
        "se_privacy": np.array([0.04, math.nan]),
        "codes": np.array([0, UNBOUNDED], dtype=np.int8),
        "method": "analytical",
        "link": "ratio",
        "level": 0.95,
        "variance": "linearised",
        "is_simulated": False,
        **changes,
    }
    return Estimates(**parts)


def test_one_row_per_key_in_their_order() -> None:
    table = estimates().columns()
    assert list(table) == ["region", *MEASURES, "status"]
    assert table["region"] == ["south", "north"]
    assert table["ratio"] == [1.1, pytest.approx(math.nan, nan_ok=True)]
    assert table["status"] == ["ok", "unbounded"]
    assert len(estimates()) == 2


def test_without_groups_there_is_no_key_column() -> None:
    one = {name: np.array([1.0]) for name in MEASURES}
    single = estimates(labels={}, codes=np.zeros(1, dtype=np.int8), **one)
    assert list(single.columns()) == [*MEASURES, "status"]
    assert len(single) == 1


def test_the_log_scale_adds_its_own_interval() -> None:
    logs = {
        name: np.array([0.1, math.nan])
        for name in ("log_ratio", "log_ci_lower", "log_ci_upper")
    }
    table = estimates(link="log", **logs).columns()
    assert list(table) == ["region", *MEASURES[:3], *logs, *MEASURES[3:], "status"]


def test_cells_are_plain_numbers() -> None:
    for row in estimates().to_dicts():
        assert {type(row[name]) for name in MEASURES} == {float}


def test_every_conversion_keeps_the_keys() -> None:
    answer = estimates()
    assert answer.to_pandas()["region"].tolist() == ["south", "north"]
    assert answer.to_polars()["region"].to_list() == ["south", "north"]
    assert answer.to_arrow()["region"].to_pylist() == ["south", "north"]
    assert "| south | 1.100 | 1.000 | 1.200 |" in answer.to_markdown()
    assert "<td>south</td><td>1.100</td>" in answer.to_html()
    assert "∞" in str(answer)


@pytest.mark.parametrize("name", [*MEASURES, "status"])
def test_a_group_column_named_like_an_answer_hides_nothing(name: str) -> None:
    """Whatever the data call the column, keys and answers are both there."""
    answer = estimates(labels={name: ("south", "north")})
    table = answer.columns()
    assert len(table) == len(MEASURES) + 2
    assert ["south", "north"] in list(table.values())
    assert table["ci_lower"] == [1.0, 0.0]
    assert table["status"] == ["ok", "unbounded"]


@pytest.mark.parametrize("link", ["ratio", "log"])
def test_a_ratio_that_nothing_is_known_of_is_not_shown(link: str) -> None:
    """Unbounded and disconnected; a half line knows a digit or two."""
    six = dict.fromkeys(("se_sampling", "se_privacy"), np.full(6, 0.03))
    numbers = np.full(6, 0.58073)
    answer = estimates(
        labels={"region": list("abcdef")},
        ratio=numbers,
        ci_lower=np.array([0.5, 0.5, 0.5, 0.0, 0.31415, 0.0]),
        ci_upper=np.array([0.7, 0.7, 0.7, math.inf, math.inf, math.inf]),
        se=np.array([0.05, 0.05, 0.05, math.inf, math.inf, math.inf]),
        codes=np.arange(6, dtype=np.int8),
        link=link,
        log_ratio=np.log(numbers),
        log_ci_lower=np.log(numbers) - 0.1,
        log_ci_upper=np.log(numbers) + 0.1,
        **six,
    )
    assert answer.is_located.tolist() == [True, True, True, False, True, False]
    shown = answer.shown()
    fine = "0.581" if link == "ratio" else "0.58073"
    assert shown["ratio"] == [fine, fine, fine, "–", "0.58", "–"]
    assert shown["ci_lower"][3:] == ["0", "0.31", "0"]
    assert shown["ci_upper"][3:] == ["∞", "∞", "∞"]
    assert shown["se"][3:] == ["–", "–", "–"]
    told = [row["ratio"] for row in answer.to_dicts()]
    assert told[0] == told[1] == told[2] == told[4] == 0.58073
    assert math.isnan(told[3])
    assert math.isnan(told[5])
    if link == "log":
        assert shown["log_ratio"][3] == shown["log_ratio"][5] == "–"


def test_a_single_ratio_that_nothing_is_known_of_is_called_unknown() -> None:
    one = {name: np.array([getattr(estimates(), name)[1]]) for name in MEASURES}
    one["ratio"] = np.array([0.58073])
    for code, words in (
        (UNBOUNDED, "is unknown, with no bounded"),
        (HALF_LINE, "is 0.581, with no"),
    ):
        answer = estimates(labels={}, codes=np.array([code], dtype=np.int8), **one)
        assert words in answer.summary()


def test_every_status_is_explained() -> None:
    assert set(STATUSES) == {
        "ok",
        "variance_floored",
        "weak",
        "unbounded",
        "half_line",
        "disconnected",
    }
    assert all(STATUSES.values())


def test_answers_do_not_change() -> None:
    answer = estimates()
    for field in fields(answer):
        with pytest.raises(AttributeError):
            setattr(answer, field.name, None)


def test_a_notebook_sees_how_the_intervals_were_made() -> None:
    page = estimates()._repr_html_()
    assert "<p>Intervals at level 0.95, method analytical, link ratio, " in page
    assert "variance linearised.</p>" in page
    assert "unbounded: the noisy denominator" in page
    assert "<table>" in page


def test_what_is_printed_warns_where_a_warning_is_due() -> None:
    assert "too narrow" in str(replace(estimates(), method="no_correction"))
    assert "SIMULATED" in str(replace(estimates(), is_simulated=True))
    assert "SIMULATED" not in str(replace(estimates(), is_simulated=False))


def test_several_labels_stand_in_their_order() -> None:
    labels = {"question": ["a", "b"], "region": ("south", None)}
    table = estimates(labels=labels).columns()
    assert list(table) == ["question", "region", *MEASURES, "status"]
    assert table["region"] == ["south", None]


def test_a_label_that_gives_way_to_an_answer_hides_no_other_label() -> None:
    labels = {"ratio": ["a", "b"], "ratio_key": ["c", "d"]}
    table = estimates(labels=labels).columns()
    assert ["a", "b"] in table.values()
    assert ["c", "d"] in table.values()


def test_a_status_is_told_by_its_code() -> None:
    codes = np.arange(len(STATUSES), dtype=np.int8)
    assert estimates(codes=codes).status == tuple(STATUSES)


def test_an_unbounded_row_asks_the_data_holder_to_check_how_cells_are_written() -> None:
    hint = "the data holder should check how keys, decimals and dates are written."
    assert any(line.endswith(hint) for line in estimates().notes())
    sound = estimates(codes=np.zeros(2, dtype=np.int8))
    assert not any(hint in line for line in sound.notes())
