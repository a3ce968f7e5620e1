"""Two stages: nothing but noisy totals decides the second, and both are paid for."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from attacks.engines_for_attacks import ENGINES, given_to
from curator.tables_for_tests import exact
from dpratio.curator import measure as room
from dpratio.curator.choose_engine import open_table
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.statement import CellSum, Statement
from dpratio.curator.release_sums import release_sums
from dpratio.errors import PlanRefused
from dpratio.plan.laws import GAUSSIAN, LAPLACE, NoiseLaw
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.joint import (
    RAW,
    Mixture,
    joint_ratio,
    mixed_grid,
    mixture_of,
)
from dpratio.plan.sensitivity.sums import Contrast
from dpratio.release.files import plan_hash
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Keys
from dpratio.terms.unit import PrivacyUnit
from plan.boxes_for_tests import cells_of, exact_cells, sums_of
from plan.staged_plans import BOUNDS, GROUPS, staged_plan

REGIONS = ["north", "south", "west"]
TOTALS = {"spend": Bounds(0, 300), "visits": Bounds(0, 60)}


def table_of(rows: int) -> dict[str, list[Any]]:
    visits = [float(1 + at % 7) for at in range(rows)]
    return {
        "spend": [2.5 * each for each in visits],
        "visits": visits,
        "region": [REGIONS[at % 3] for at in range(rows)],
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_05_sums_that_are_mixed_are_not_clamped_before(engine: str) -> None:
    """A long sum at its limit would move a difference by all of the other sum.

    Source: found when the staged release was designed, 2026.
    More: tests/curator/test_staged.py
    """
    step = 2.0**-60
    statement = Statement(
        factor_columns={"s": "x"},
        factor_bounds={"s": Bounds(-1, 1)},
        dimensions=(Keys("g", ["a", "b"]),),
        listed=None,
        unit=None,
        sums=(CellSum(("s",), step, 2**60),),
    )
    table = pa.table({"x": [1.0] * 8 + [0.5], "g": ["a"] * 8 + ["b"]})
    sums = open_table(given_to(engine, table), statement, "auto")()
    part = sums.mixed([Mixture({0: 1}, 2**4)])
    nothing = np.zeros((2, 1), dtype=np.int64)
    assert part.plus(nothing).tolist() == [[2**59], [2**55]]
    assert sums.plus(nothing).tolist() == [[2**62], [2**59]]


def test_18_totals_of_all_groups_pay_for_every_group_of_a_person() -> None:
    """What one person puts into several groups comes together in their total.

    Source: found when the staged release was designed, 2026.
    More: tests/plan/sensitivity/test_neighbours.py
    """
    unit = PrivacyUnit("id", totals=TOTALS, most_groups=3)
    plan = staged_plan(groups=GROUPS, unit=unit)
    rows = {"spend": [100.0] * 9, "visits": [20.0] * 9, "region": REGIONS * 3}
    cells = exact({**rows, "id": ["ann"] * 9}, plan, "python")
    assert plan.stage is not None
    moved = sum(
        Fraction(sum(row[at] for row in cells)) / Fraction(first.scale)
        for at, first in enumerate(plan.stage.firsts[0])
    )
    assert Fraction(99, 100) * plan.stage.epsilon < moved <= plan.stage.epsilon


def test_19_the_guess_is_found_in_noisy_totals_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With noise that says 5 where the rows say 2.5, the second stage measures at 5.

    Source: found when the staged release was designed, 2026.
    """
    plan = staged_plan(groups=GROUPS)
    assert plan.stage is not None
    shift = [
        round(each / one.step)
        for each, one in zip((2.5 * 3_600, 0.0), plan.stage.firsts[0], strict=True)
    ]

    def moved(_: NoiseLaw, scales: list[float], cells: int, __: object) -> Any:  # noqa: ANN401
        noise = np.zeros((cells, len(scales)), dtype=np.int64)
        if cells == 1:
            noise[0] = shift
        return noise

    monkeypatch.setattr(room, "draw_noise", moved)
    table = table_of(900)
    total = sum(table["visits"])
    assert abs(total - 3_600) < 10
    release = release_sums(table, plan, ledger=None)
    assert release.questions[0].ratio.guess == pytest.approx(5, rel=0.05)


def test_20_raw_sums_that_are_rounded_move_what_is_mixed_of_them() -> None:
    """Where nearly all cancels, half a cell of a raw sum is many of a mixed one.

    Source: found when the staged release was designed, 2026.
    More: tests/plan/sensitivity/test_mixtures.py
    """
    box = {"s": Bounds(1, 1 + 2.0**-12), "y": Bounds(1, 1 + 2.0**-12)}
    contrast = Contrast(1.0)
    raw = sums_of("focused", box, RAW, ("ratio",))
    grid = mixed_grid(sums_of("focused", box, contrast, ("ratio",)), raw, contrast)
    row = {"s": 1 + 2.0**-25, "y": 1 + 2.0**-25 - 2.0**-40}
    cells = ExactSums(np.array([cells_of(row, box, raw, RAW)]))
    nothing = np.zeros((1, 5), dtype=np.int64)
    moved = cells.mixed(mixture_of(grid, raw, contrast)).plus(nothing)[0, 0]
    place = exact_cells(row, box, grid, contrast)[0]
    assert abs(int(moved) - place) > 1_000
    assert abs(int(moved) - place) <= grid.rounding[0]
    scales = [1e9] * 5
    assert abs(int(moved)) / Fraction(1e9) <= joint_ratio(LAPLACE, grid, scales)


def test_23_a_first_stage_is_priced_at_the_door() -> None:
    """Totals with too little noise, or none, are refused before a table is opened.

    Source: found when the staged release was designed, 2026.
    More: tests/plan/test_first_stage.py
    """
    plan = staged_plan(bounds=BOUNDS)
    assert plan.stage is not None
    quiet = tuple(replace(each, scale=each.scale / 2) for each in plan.stage.firsts[0])
    edited = replace(plan, stage=replace(plan.stage, firsts=(quiet,)))
    with pytest.raises(PlanRefused, match="first stage is too small"):
        release_sums("nowhere.parquet", edited, ledger=None)


def gaussian_plan() -> Plan:
    return staged_plan(mechanism="analytic_gaussian", budget=Budget(1, "1e-6"))


def test_23_totals_have_the_noise_that_they_are_priced_by(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Gaussian noise of the scale of Laplace noise is not epsilon-private.

    Source: found when stages with Gaussian noise were designed, 2026.
    More: tests/curator/test_staged.py
    """
    laws = []

    def noted(law: NoiseLaw, scales: list[float], cells: int, _: object) -> object:
        laws.append(law)
        return np.zeros((cells, len(scales)), dtype=np.int64)

    monkeypatch.setattr("dpratio.curator.measure.draw_noise", noted)
    table = {"spend": [2.0, 3.0], "visits": [1.0, 1.0]}
    release_sums(table, gaussian_plan(), ledger=None)
    assert laws == [LAPLACE, GAUSSIAN]


def test_38_whatever_decides_the_second_stage_is_approved_with_the_plan() -> None:
    """Shares of the stages, people and their guess: another one is another plan.

    Source: found when the staged release was designed, 2026.
    More: tests/plan/test_document.py
    """
    plan = staged_plan()
    assert plan.stage is not None
    others = [
        replace(plan.stage, epsilon=Fraction(1, 4)),
        replace(plan.stage, n=10),
        replace(plan.stage, firsts=()),
        None,
    ]
    hashes = {plan_hash(replace(plan, stage=each)) for each in (plan.stage, *others)}
    assert len(hashes) == len(others) + 1
