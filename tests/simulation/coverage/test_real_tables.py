"""The default on tables people really have: near the limit, bounded, and covering."""

import math
from typing import Any

import pytest

from dpratio.simulation.coverage.real_people import real_people
from dpratio.simulation.coverage.real_tables import measure_real

RUNS = 400


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    table = measure_real(sizes=(2_000,), epsilons=(0.2, 1.0), repetitions=RUNS, rng=1)
    return table.to_dicts()


def test_every_setting_has_a_row(rows: list[dict[str, Any]]) -> None:
    assert len(rows) == len(real_people()) * 2 * 2
    assert {row["guess"] for row in rows} == {"none", "× 1.5"}


def test_unweighted_answers_come_close_to_the_limit_and_have_ends(
    rows: list[dict[str, Any]],
) -> None:
    """At most 1.5 from n·epsilon = 2,000 on (claims 1.75), and 1.9 from 400 on."""
    for row in rows:
        if row["people"] == "survey_weights":
            continue
        most = 1.9 if row["epsilon"] == 0.2 else 1.5
        if row["people"] == "claims_per_year":
            most = max(most, 1.75)
        # The median of 400 widths is known to a few per cent.
        assert row["width_over_limit"] < most * 1.04
        assert row["unbounded"] == 0


def test_intervals_cover(rows: list[dict[str, Any]]) -> None:
    error = 5 * math.sqrt(0.05 * 0.95 / RUNS)
    for row in rows:
        assert row["coverage"] > 0.95 - error
        assert row["coverage_public"] > 0.95 - error


def test_the_paper_s_way_is_wider_in_every_setting(
    rows: list[dict[str, Any]],
) -> None:
    for row in rows:
        assert row["width_paper"] > row["width_over_limit"]


def test_answers_whose_variance_noise_made_small_are_not_ok() -> None:
    """A threshold of five deviations would call 6.6 % ok, and 0.89 of them cover."""
    table = measure_real(
        ["grams_per_serving"], sizes=(60,), epsilons=(4.0,), repetitions=2_000, rng=1
    )
    row = next(each for each in table.to_dicts() if each["guess"] == "none")
    assert row["ok_share"] < 0.02
    assert row["weak_coverage"] > 0.94
