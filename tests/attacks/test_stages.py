"""Two stages: nothing but noisy totals decides the second, and both are paid for."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from analyst.given import given_release
from attacks.engines_for_attacks import ENGINES, given_to
from curator.tables_for_tests import exact
from dpratio.curator import staged as room
from dpratio.curator.choose_engine import open_table
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.admission.paid import Priced, require_paid
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.reading.exact import ExactSums
from dpratio.curator.reading.statement import CellSum, Statement
from dpratio.curator.release_sums import release_sums
from dpratio.curator.statements import statement_of
from dpratio.errors import LedgerFailed, PlanRefused
from dpratio.plan.calibration.calibrate import least_deviation
from dpratio.plan.plan import Plan
from dpratio.plan.planned_question import PlannedQuestion
from dpratio.plan.price import price
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.sensitivity.joint import joint_ratio
from dpratio.plan.sensitivity.mixtures import RAW, Mixture, mixed_grid, mixture_of
from dpratio.plan.stage.realise import realise
from dpratio.plan.strategy.layout import sums_of
from dpratio.release.checked_json import checked_bytes, parse
from dpratio.release.files import release_to_bytes
from dpratio.release.merge import merge
from dpratio.release.plan_file import plan_hash
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.boxes_for_tests import cells_of, exact_cells
from plan.staged_plans import BOUNDS, GROUPS, cells_for, staged_plan

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
        unclamped=True,
    )
    table = pa.table({"x": [1.0] * 8 + [0.5], "g": ["a"] * 8 + ["b"]})
    sums = open_table(given_to(engine, table), statement, engine)()
    part = sums.mixed([Mixture({0: 1}, 2**4)])
    nothing = np.zeros((2, 1), dtype=np.int64)
    assert part.plus(nothing).tolist() == [[2**59], [2**55]]
    assert sums.plus(nothing).tolist() == [[2**62], [2**59]]


def test_05_a_plan_in_two_stages_asks_for_whole_sums() -> None:
    """Engines clamp unless they are told not to.

    Source: found when the staged release was designed, 2026.
    """
    plan = staged_plan(groups=GROUPS)
    assert statement_of(plan, plan.questions[0], GROUPS).unclamped


STOPS = {
    "nothing": (0.0, 0.0),
    "a denominator below zero": (1e5, -1e5),
    "all of it": (1e8, 1e7),
    "no numerator": (0.0, 1e7),
}


@pytest.mark.parametrize("kind", STOPS)
def test_08_no_totals_stop_a_release_between_its_stages(kind: str) -> None:
    """Here the planner cannot plan around what is found, and nobody is told.

    Source: found when the staged release was designed, 2026.
    More: tests/plan/stage/test_realise.py
    """
    bounds = {"spend": Bounds(10, 10 + 2e-9), "visits": Bounds(1, 1 + 2e-10)}
    around_zero = Ratio("spend", per="visits", guess=0.0)
    plan = staged_plan(around_zero, bounds=bounds, budget=Budget("0.001"))
    assert realise(plan, [cells_for(plan, *STOPS[kind])])[0].sums


def test_18_totals_of_all_groups_pay_for_every_group_of_a_person() -> None:
    """What one person puts into several groups comes together in their total.

    Source: found when the staged release was designed, 2026.
    More: tests/plan/sensitivity/test_pooled.py
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

    def moved(_: str, question: PlannedQuestion, cells: int, __: object) -> Any:  # noqa: ANN401
        noise = np.zeros((cells, len(question.sums)), dtype=np.int64)
        if cells == 1:
            noise[0] = shift
        return noise

    monkeypatch.setattr(room, "draw_noise", moved)
    table = table_of(900)
    total = sum(table["visits"])
    assert abs(total - 3_600) < 10
    release = release_sums(table, plan, ledger=None, engine="python")
    assert release.questions[0].ratio.guess == pytest.approx(5, rel=0.01)


def test_20_a_mixed_sum_moves_no_further_than_its_rounding_allows() -> None:
    """A small row may carry a rounded total over the edge of a whole cell.

    Source: found when the staged release was designed, 2026.
    More: tests/plan/sensitivity/test_mixtures.py
    """
    box = {"s": Bounds(0, 1), "y": Bounds(0, 1000)}
    contrast = Contrast(1.0)
    raw = sums_of("focused", box, RAW, ("ratio",))
    grid = mixed_grid(sums_of("focused", box, contrast, ("ratio",)), raw, contrast)
    mixtures = mixture_of(grid, raw, contrast)
    row = {"s": 2.0**-24, "y": 0.0}
    own = cells_of(row, box, raw, RAW)
    place = exact_cells(row, box, grid, contrast)[1]
    before = [[at, 0, 0, 0, 0] for at in range(513)]
    after = [[a + b for a, b in zip(each, own, strict=True)] for each in before]
    nothing = np.zeros((513, 5), dtype=np.int64)
    sums = [
        ExactSums(np.array(each)).mixed(mixtures).plus(nothing)[:, 1]
        for each in (before, after)
    ]
    furthest = int(np.abs(sums[1] - sums[0]).max())
    assert furthest == 1
    assert abs(furthest - place) <= grid.rounding[1]


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
    assert abs(int(moved)) / Fraction(1e9) <= joint_ratio("laplace", grid, scales)


def hoarded() -> Plan:
    """A plan whose first question has more than its share, and the second less."""
    ratio = Ratio("spend", per="visits", guess=7.0)
    plan = staged_plan([Question(ratio), Question(ratio, groups=GROUPS)])
    first, second = plan.questions
    rich = tuple(replace(each, scale=each.scale / 1.5) for each in first.sums)
    poor = tuple(replace(each, scale=each.scale * 3.5) for each in second.sums)
    return replace(
        plan, questions=(replace(first, sums=rich), replace(second, sums=poor))
    )


def test_23_the_second_stage_is_priced_before_it_is_measured() -> None:
    """Questions that keep their price each for itself may exceed it together.

    Source: found when the staged release was designed, 2026.
    More: tests/plan/stage/test_realise.py
    """
    plan = hoarded()
    price(plan)
    totals = [cells_for(plan, 5e4, 10), cells_for(plan, 5e4, 2e4, at=1)]
    assert price(replace(plan, questions=realise(plan, totals))).epsilon == 1


def test_23_a_first_stage_is_priced_at_the_door() -> None:
    """Totals with too little noise, or none, are refused before a table is opened.

    Source: found when the staged release was designed, 2026.
    More: tests/plan/strategy/test_first_totals.py
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

    def noted(law: str, question: PlannedQuestion, cells: int, _: object) -> object:
        laws.append(law)
        return np.zeros((cells, len(question.sums)), dtype=np.int64)

    monkeypatch.setattr("dpratio.curator.staged.draw_noise", noted)
    table = {"spend": [2.0, 3.0], "visits": [1.0, 1.0]}
    release_sums(table, gaussian_plan(), ledger=None)
    assert laws == ["laplace", "analytic_gaussian"]


def test_23_no_gaussian_second_stage_costs_more_than_was_charged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Which one is run is not known then, so the dearest of them is charged.

    Source: found when stages with Gaussian noise were designed, 2026.
    More: tests/plan/stage/test_realise.py
    """
    plan = gaussian_plan()
    assert price(plan).pure == (Fraction(1, 5),)
    least = 1 / Fraction(least_deviation("analytic_gaussian", *plan.for_sums))
    assert price(plan).gaussian == least**2

    def dearer(*given: Any) -> float:  # noqa: ANN401
        return least_deviation(*given) * (1 + 1e-6)

    monkeypatch.setattr("dpratio.plan.price.least_deviation", dearer)
    with pytest.raises(PlanRefused, match="too small for what is charged"):
        price(plan)


def test_38_whatever_decides_the_second_stage_is_approved_with_the_plan() -> None:
    """Shares of the stages, people and their guess: another one is another plan.

    Source: found when the staged release was designed, 2026.
    More: tests/plan/test_stage_document.py
    """
    plan = staged_plan()
    assert plan.stage is not None
    others = [
        replace(plan.stage, epsilon=Fraction(1, 4)),
        replace(plan.stage, people=10),
        replace(plan.stage, firsts=()),
        None,
    ]
    hashes = {plan_hash(replace(plan, stage=each)) for each in (plan.stage, *others)}
    assert len(hashes) == len(others) + 1


def test_20_releases_of_two_bases_are_not_added_up() -> None:
    """One plan may find either basis, with the same names and steps of its sums.

    Source: found by an independent attack on this code, 2026.
    More: tests/release/test_merge_guesses.py
    """
    plan = staged_plan(clipping="unmeasured")
    single = replace(plan, stage=None)
    (question,) = single.questions
    basis = "sum" if question.basis == "denominator" else "denominator"
    other = replace(single, questions=(replace(question, basis=basis),))
    values = np.ones((1, 5), dtype=np.int64)
    given = [given_release(single, values), given_release(other, values, id="1" * 32)]
    (merged,) = merge(given, units_are_disjoint=True).questions
    bases = [each.contrast.basis for each in merged.sums if each.contrast]
    assert sorted(bases) == ["denominator", "sum"]
    assert [each.values.tolist() for each in merged.sums] == 2 * [values.tolist()]


def test_23_what_a_second_stage_measured_is_priced_by_every_verification(
    tmp_path: Path,
) -> None:
    """Noise stated a thousand times too small, after a sound release of the same plan.

    Source: found by an independent attack on this code, 2026.
    More: tests/curator/ledger/admission/test_paid.py
    """
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.open_scope(Scope("visits", Budget(10)))
    table = {"spend": [5.0 * (at % 7) for at in range(300)]}
    table["visits"] = [2.0 * (at % 7) for at in range(300)]
    release = release_sums(table, staged_plan(), ledger=ledger, release_id="a" * 32)
    held, known = ledger.account().releases["a" * 32], dict[str, Priced]()
    content = release_to_bytes(release)
    require_paid(held, "a" * 32, "basic", content, known)
    edited = parse(content.decode())
    del edited["sha256"]
    for each in edited["parts"][0]["stages"]["sums"]:
        each["scale"] /= 1000
    with pytest.raises(LedgerFailed):
        require_paid(held, "a" * 32, "basic", checked_bytes(edited), known)
