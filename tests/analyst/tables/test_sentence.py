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
        "scale": "ratio",
        "level": 0.95,
        "variance": "linearised",
        "is_simulated": False,
        "totals": ("score", "label"),
        "around_one": True,
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
        "privacy adds 4.0 % to its width"
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
        "2 of their 95 % intervals leave 1 out; 1 without a bounded interval; "
        "privacy adds 4.0 % to the usual width"
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
        "2 ratios of score per label; 2 without a bounded interval"
    )


def test_what_ignores_the_noise_does_not_price_it() -> None:
    assert "privacy" not in estimates(ABOVE, method="no_correction").summary()


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
