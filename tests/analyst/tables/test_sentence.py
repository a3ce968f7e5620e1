"""Answers in words, of comparisons and of estimates."""

import math
from typing import Any

import numpy as np
import pytest

from dpratio.analyst.tables.estimates import Estimates
from dpratio.analyst.tables.sentence import (
    compared_in_words,
    interval_in_words,
    percent,
    range_in_words,
    short,
)

NAMES = ("ratio", "ci_lower", "ci_upper", "se", "se_sampling", "se_privacy")


def estimates(*rows: tuple[float, ...], **changes: Any) -> Estimates:  # noqa: ANN401
    columns: dict[str, Any] = dict(
        zip(NAMES, np.array(rows, dtype=float).T, strict=True)
    )
    parts: dict[str, Any] = {
        "labels": {"region": [f"region {at}" for at in range(len(rows))]},
        "codes": np.zeros(len(rows), dtype=np.int8),
        "method": "pivot",
        "link": "ratio",
        "level": 0.95,
        "variance": "linearised",
        "is_simulated": False,
        "totals": ("score", "label"),
        "around_one": True,
        "public_squared": (columns["ci_upper"] - columns["ci_lower"]) ** 2 / 1.04**2,
        "public_doubt": np.zeros(len(rows)),
        **columns,
        **changes,
    }
    return Estimates(**parts)


ABOVE = (1.098, 1.061, 1.137, 0.0208, 0.02, 0.0057)
BELOW = (0.9, 0.85, 0.95, 0.0208, 0.02, 0.0057)
OPEN = (math.nan, 0.0, math.inf, math.inf, math.nan, math.nan)


def test_one_estimate_is_a_sentence() -> None:
    assert estimates(ABOVE).summary() == (
        "score is 9.8 % above label, 95 % interval 6.1 % to 13.7 %; "
        "privacy widens it by 4.0 %"
    )
    assert (
        estimates(BELOW)
        .summary()
        .startswith("score is 10.0 % below label, 95 % interval −15.0 % to −5.0 %")
    )


def test_a_ratio_of_unlike_columns_is_a_number() -> None:
    said = estimates(ABOVE, totals=("spent", "visits"), around_one=False).summary()
    assert said.startswith("spent per visits is 1.1, 95 % interval 1.06 to 1.14")


def test_an_estimate_without_an_interval_says_so() -> None:
    weak = "with no bounded 95 % interval: the denominator is weak"
    assert estimates(OPEN).summary() == f"score per label is unknown, {weak}"
    known = (2.0, *OPEN[1:])
    assert estimates(known).summary() == f"score per label is 2, {weak}"


def test_many_estimates_are_one_sentence() -> None:
    assert estimates(ABOVE, BELOW, OPEN).summary() == (
        "3 ratios of score per label, from 0.9 (region 1) to 1.1 (region 0); "
        "2 of their 95 % intervals leave 1 out; 1 of 3 has no bounded interval: "
        "too little budget for their size; privacy widens the median interval by 4.0 %"
    )
    assert "; 1 of their 95 % intervals leaves 1 out;" in (
        estimates(ABOVE, (1.0, 0.9, 1.1, 0.05, 0.05, 0.01)).summary()
    )
    even = (1.0, 0.9, 1.1, 0.05, 0.05, 0.01)
    assert "; none of their 95 % intervals leaves 1 out;" in (
        estimates(even, even).summary()
    )
    one = "2 ratios of score per label, one of them known: 1 (region 0); none of their "
    assert estimates(even, OPEN).summary().startswith(one)
    assert estimates(OPEN, OPEN).summary() == (
        "2 ratios of score per label; 2 of 2 have no bounded interval: "
        "too little budget for their size"
    )


def test_a_method_that_does_not_know_the_public_width_prices_nothing() -> None:
    unknown = {"public_squared": None, "public_doubt": None}
    assert "privacy" not in estimates(ABOVE, **unknown).summary()
    assert estimates(ABOVE, **unknown).privacy_widens() is None
    assert estimates(OPEN, OPEN).privacy_widens() is None


def test_noise_in_the_public_width_makes_the_price_a_range() -> None:
    square = (ABOVE[2] - ABOVE[1]) ** 2
    one = {"public_squared": np.array([square]), "public_doubt": np.array([square / 4])}
    least, most = estimates(ABOVE, **one).privacy_widens() or (0, 0)
    assert least == pytest.approx(1 / math.sqrt(1 + 1.96 / 4) - 1)
    assert most == pytest.approx(1 / math.sqrt(1 - 1.96 / 4) - 1)
    many = {name: np.full(100, values[0]) for name, values in one.items()}
    less, more = estimates(*[ABOVE] * 100, **many).privacy_widens() or (0, 0)
    assert more == pytest.approx(1 / math.sqrt(1 - 1.96 * 1.2533 / 40) - 1)
    assert least < less < 0 < more < most
    lost = {**one, "public_doubt": np.array([square])}
    assert estimates(ABOVE, **lost).privacy_widens() is None


def test_growth_is_said_as_far_as_it_is_known() -> None:
    shares = [(0.021, 0.06), (0.04, 0.04), (0.4, math.inf)]
    shares.append((-0.02, 0.31))
    assert [range_in_words(each) for each in shares] == [
        "by 2.1 % to 6.0 %",
        "by 4.0 %",
        "by at least 40.0 %",
        "by at most 31.0 %",
    ]


def test_without_names_the_sums_are_called_by_their_place() -> None:
    said = estimates(ABOVE, BELOW, totals=None, around_one=False).summary()
    assert said.startswith("2 ratios of the numerator per the denominator, from 0.9")


def test_percentages_have_digits_that_matter() -> None:
    shown = [percent(each) for each in (0.0981, -0.004, 2.5, math.inf, -math.inf)]
    assert shown == ["9.8 %", "−0.40 %", "250 %", "no upper end", "no lower end"]
    assert [short(each) for each in (0.09812, -math.inf)] == ["0.0981", "no lower end"]


def test_intervals_and_comparisons_are_words() -> None:
    assert interval_in_words((-math.inf, math.inf), 0.9, short) == (
        "no bounded 90 % interval"
    )
    assert (
        compared_in_words("a", "b", math.nan, "lift") == "a cannot be compared with b"
    )
    assert compared_in_words("a", "b", math.inf, "lift") == "a is far above b"
    assert compared_in_words("a", 1, -0.5, "log_ratio") == (
        "a is 0.5 below 1 on the log scale"
    )


@pytest.mark.parametrize("level", [0.95, 0.999])
def test_levels_are_percentages(level: float) -> None:
    said = interval_in_words((0.0, 1.0), level, short)
    assert said.startswith(f"{100 * level:g} % interval")
