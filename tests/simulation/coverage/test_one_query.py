"""The one-query width, and how near the default comes to it."""

import math

import pytest

from dpratio.simulation.coverage.one_query import (
    OneQueryTable,
    measure_one_query,
    one_query_width,
    paper_plan,
)
from dpratio.simulation.paper.paper import published_cells


@pytest.fixture(scope="module")
def table() -> OneQueryTable:
    return measure_one_query(repetitions=600, rng=1)


# By hand, for the paper's population:
# E(s − 1.1y)² = 1/4, E w² = 1.6236, E w = 1.0001, E y = 1/2.2; k = 1.95996; at δ = 1e-6
# the analytic Gaussian needs σ = 18.99 at ε = 0.2 and 4.2247 at ε = 1.
@pytest.mark.parametrize(
    ("mechanism", "weighted", "n", "epsilon", "width", "public"),
    [
        ("gaussian", False, 5_000, 0.2, 0.0692, 0.0610),
        ("gaussian", False, 5_000, 1.0, 0.0614, 0.0610),
        ("gaussian", False, 10_000, 0.2, 0.0461, 0.0431),
        ("gaussian", True, 5_000, 0.2, 0.1253, 0.0777),
        ("gaussian", True, 5_000, 1.0, 0.0807, 0.0777),
        ("gaussian", True, 10_000, 0.2, 0.0737, 0.0549),
        ("laplace", False, 5_000, 0.2, 0.0622, 0.0610),
        ("laplace", True, 5_000, 0.2, 0.0859, 0.0777),
        ("laplace", True, 10_000, 0.2, 0.0579, 0.0549),
    ],
)
def test_the_one_query_width_is_that_of_a_hand_calculation(
    mechanism: str,
    weighted: bool,  # noqa: FBT001
    n: int,
    epsilon: float,
    width: float,
    public: float,
) -> None:
    plan = paper_plan(mechanism, epsilon, weighted=weighted, n=n)
    assert one_query_width(plan, n) == pytest.approx(width, abs=6e-5)
    assert one_query_width(plan, n, noise=0.0) == pytest.approx(public, abs=6e-5)


def test_every_setting_of_the_paper_stands_once_on_both_scales(
    table: OneQueryTable,
) -> None:
    names = ("mechanism", "link", "weighted", "n", "epsilon")
    settings = {tuple(row[name] for name in names) for row in table.rows}
    noisy = {
        (cell.mechanism, cell.link, cell.weighted, cell.n, cell.epsilon)
        for cell in published_cells()
        if cell.epsilon is not None
    }
    assert settings == noisy
    assert len(table.rows) == len(settings) == 64


def test_widths_come_near_that_of_one_query_in_every_setting(
    table: OneQueryTable,
) -> None:
    """Means of 600 widths are known to some 0.5 %; a wrong share costs more."""
    for row in table.rows:
        hard = row["epsilon"] < 0.5
        most = (1.15 if row["weighted"] else 1.06) if hard else 1.05
        assert 0.98 < row["width_over_one_query"] < most + 0.015, row
        assert row["width_over_one_query"] == row["width"] / row["one_query_width"]


def test_intervals_cover_in_every_setting(table: OneQueryTable) -> None:
    """0.95 ± 5 standard errors of 600 repetitions."""
    for row in table.rows:
        assert abs(row["coverage"] - 0.95) < 5 * math.sqrt(0.95 * 0.05 / 600), row
        assert row["unbounded"] == 0


def test_the_score_is_below_the_paper_s_best_where_that_of_one_query_is(
    table: OneQueryTable,
) -> None:
    """Where it is below by more than 600 repetitions can blur."""
    clear = [
        row for row in table.rows if row["score_one_query"] < 0.9 * row["score_paper"]
    ]
    assert len(clear) > 40
    assert all(row["score"] < row["score_paper"] for row in clear)


def test_the_expected_score_of_a_normal_interval_is_the_textbook_s(
    table: OneQueryTable,
) -> None:
    """A 95 % interval of width 3.92 for a standard normal scores 4.676."""
    for row in table.rows:
        assert row["score_one_query"] / row["one_query_width"] == pytest.approx(
            4.6759 / 3.91993, 1e-4
        )


def test_log_widths_are_those_of_the_ratio_over_the_ratio(table: OneQueryTable) -> None:
    half = len(table.rows) // 4
    logs, ratios = table.rows[:half], table.rows[half : 2 * half]
    for log, ratio in zip(logs, ratios, strict=True):
        assert (log["link"], ratio["link"]) == ("log", "ratio")
        assert log["one_query_width"] == pytest.approx(ratio["one_query_width"] / 1.1)


def test_progress_runs_from_nothing_to_everything() -> None:
    told: list[tuple[int, int]] = []
    measure_one_query(
        repetitions=2, rng=1, report=lambda done, total: told.append((done, total))
    )
    totals = {total for _, total in told}
    assert len(totals) == 1
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1]
