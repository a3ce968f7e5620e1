import math
from typing import Any

import numpy as np
import pytest

import dpratio as dpr
from curator.histograms_for_tests import rows_plan
from dpratio.errors import InvalidInput
from dpratio.plan.plan import Plan
from dpratio.simulation.coverage.coverage import CoverageRow, measure_coverage
from dpratio.simulation.population import PaperPopulation, People
from planned import plan_scores


def plan_at(epsilon: float, mechanism: str = "laplace", strategy: str = "even") -> Plan:
    return plan_scores(
        dpr.Budget(epsilon, 1e-6), strategy=strategy, mechanism=mechanism
    )


def test_corrected_intervals_cover_and_uncorrected_ones_do_not() -> None:
    table = measure_coverage(
        PaperPopulation(),
        plan_at(0.2),
        n=5_000,
        methods=("public", "no_correction", "monte_carlo", "analytical"),
        links=("ratio", "log"),
        repetitions=2_000,
        rng=1,
    )
    covered = {
        (row["method"], row["link"]): row["coverage"] for row in table.to_dicts()
    }
    for (method, _), coverage in covered.items():
        if method == "no_correction":
            assert coverage == pytest.approx(0.73, abs=0.05)
        else:
            assert coverage == pytest.approx(0.945, abs=0.03)


def test_intervals_of_the_default_plan_cover_and_are_narrower() -> None:
    plans = [
        plan_at(0.2),
        plan_at(0.2, strategy="joint"),
        plan_at(0.2, "auto", "focused"),
    ]
    table = measure_coverage(
        PaperPopulation(),
        plans,
        n=5_000,
        methods=("public", "pivot", "analytical"),
        repetitions=2_000,
        rng=1,
    )
    rows = {(row["strategy"], row["method"]): row for row in table.to_dicts()}
    assert len(rows) == 9
    for row in rows.values():
        assert row["coverage"] == pytest.approx(0.95, abs=0.03)
    widths = {setting: row["width_median"] for setting, row in rows.items()}
    assert widths["focused", "pivot"] < 1.1 * widths["focused", "public"]
    assert widths["even", "analytical"] > 1.6 * widths["focused", "public"]


def test_a_user_supplied_population_needs_its_truth() -> None:
    def constant(rng: np.random.Generator, repetitions: int, count: int) -> People:
        label = (rng.random((repetitions, count)) < 0.5).astype(float)
        return People(np.full((repetitions, count), 0.6), label)

    with pytest.raises(InvalidInput, match="the true ratio must be known"):
        measure_coverage(constant, plan_at(1), n=1_000)
    table = measure_coverage(
        constant, plan_at(1), n=1_000, truth=1.2, repetitions=500, rng=1
    )
    assert table.rows[0].judged.coverage == pytest.approx(0.95, abs=0.05)


def test_values_outside_the_bounds_count_as_clipped() -> None:
    def wild(rng: np.random.Generator, repetitions: int, count: int) -> People:
        shape = (repetitions, count)
        return People(np.full(shape, 50.0), np.full(shape, rng.random() + 7))

    table = measure_coverage(
        wild, plan_at(1), n=1_000, truth=1.0, repetitions=20, rng=1, methods=["public"]
    )
    assert table.rows[0].judged.coverage == 1.0
    assert table.rows[0].judged.width.mean == pytest.approx(0.0, abs=1e-9)


def test_an_a_a_run_rejects_at_the_level_of_the_test() -> None:
    population = PaperPopulation()
    table = measure_coverage(
        population, plan_at(1), n=5_000, repetitions=4_000, rng=2, against=population
    )
    assert table.rows[0].rejected == pytest.approx(0.05, abs=0.02)


def test_power_grows_with_epsilon() -> None:
    table = measure_coverage(
        PaperPopulation(1.1),
        [plan_at(0.1), plan_at(4)],
        n=5_000,
        repetitions=400,
        rng=2,
        against=1.0,
        links=["log"],
    )
    weak, strong = (row.rejected for row in table.rows)
    assert weak is not None
    assert strong is not None
    assert weak < 0.8
    assert strong > 0.99


def test_different_populations_are_told_apart() -> None:
    table = measure_coverage(
        PaperPopulation(1.1),
        plan_at(4),
        n=5_000,
        repetitions=400,
        rng=2,
        against=PaperPopulation(1.3),
    )
    assert (table.rows[0].rejected or 0) > 0.99


def test_unbounded_intervals_cover_and_are_counted() -> None:
    table = measure_coverage(
        PaperPopulation(), plan_at(0.01), n=200, repetitions=500, rng=1
    )
    judged = table.rows[0].judged
    assert judged.unbounded > 0.8
    assert judged.coverage >= judged.unbounded


def test_the_same_seed_gives_the_same_table_and_progress_ends_at_its_total() -> None:
    """Three blocks of noise for each of two sizes, in two arms."""

    def measured(seed: int) -> tuple[CoverageRow, ...]:
        told: list[tuple[int, int]] = []
        rows = measure_coverage(
            PaperPopulation(),
            plan_at(0.5),
            n=[30, 50],
            methods=["monte_carlo", "pivot"],
            repetitions=2_100,
            rng=seed,
            against=PaperPopulation(1.0),
            report=lambda done, total: told.append((done, total)),
        ).rows
        assert told == [(done, len(told)) for done in range(1, len(told) + 1)]
        return rows

    one = measured(5)
    assert one == measured(5)
    assert len(one) == 4
    assert one != measured(6)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n": 0}, "n must be at least 1"),
        ({"n": []}, "n must be at least 1"),
        ({"repetitions": 1}, "repetitions must be at least 2"),
        ({"methods": ["magic"]}, "unknown method"),
        ({"links": ["square"]}, "unknown link"),
        ({"plan": []}, "at least one plan"),
        ({"plan": rows_plan()}, "holds no sums of a ratio"),
    ],
)
def test_impossible_options_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        measure_coverage(PaperPopulation(), **{"plan": plan_at(1), "n": 10, **options})


def test_the_table_states_every_setting() -> None:
    (row,) = measure_coverage(
        PaperPopulation(), plan_at(1), n=500, repetitions=50, rng=1
    ).to_dicts()
    assert (row["strategy"], row["method"]) == ("even", "pivot")
    assert row["epsilon"] == 1.0
    assert math.isfinite(row["width_median"])
    assert "rejected" not in row
