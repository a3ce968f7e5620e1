"""Two stages of one reading: the same sums on every engine, each within its price."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attacks.engines_for_attacks import ENGINES, given_to
from curator.stages_for_tests import PLANS, REGIONS, TABLE, plan_of, without_noise
from curator.tables_for_tests import asked, exact, fixed
from dpratio.curator import measure as room
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.noise.rounded import draw_noise
from dpratio.curator.release_sums import release_sums
from dpratio.plan.laws import LAPLACE, NoiseLaw
from dpratio.plan.measurement import TOTALS
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.realise import realise
from dpratio.plan.sensitivity.joint import pooled_ratio, unit_ratio
from dpratio.plan.settle import cells_of
from dpratio.release.files import read_release
from dpratio.release.release import Release
from dpratio.terms.budget import Budget
from tiers import quick_first


def released(table: Any, plan: Plan, engine: str = "lists") -> Release:  # noqa: ANN401
    return release_sums(given_to(engine, table), plan, ledger=None)


@pytest.mark.parametrize("kind", quick_first(reversed(PLANS), 2))
def test_every_engine_gives_the_same_stages(kind: str) -> None:
    plan = plan_of(kind)
    with without_noise():
        first, *others = [released(TABLE, plan, engine) for engine in ENGINES]
    for each in others:
        assert each.questions == first.questions
    assert first.questions[0].ratio.guess == pytest.approx(2.5, rel=0.15)


@pytest.mark.parametrize("kind", PLANS)
def test_what_leaves_are_the_sums_of_the_realised_plan_but_for_rounding(
    kind: str,
) -> None:
    plan = plan_of(kind)
    with without_noise():
        release = released(TABLE, plan)
    (question,) = release.questions
    plain = plan_of(kind, stage=None, around=question.ratio.guess)
    wanted = exact(TABLE.to_pydict(), plain, "python")
    count = TABLE.num_rows
    slack = [
        count * (one + other)
        for one, other in zip(
            plan.layout(question.measurement).grid.rounding,
            plain.layout(plain.measurements[0]).grid.rounding,
            strict=True,
        )
    ]
    assert [each.step for each in question.planned.sums] == [
        each.step for each in plain.measurements[0].sums
    ]
    for row, other in zip(question.values.tolist(), wanted, strict=True):
        for value, expected, most in zip(row, other, slack, strict=True):
            assert abs(value - expected) <= most


@pytest.mark.parametrize("kind", PLANS)
def test_the_totals_are_those_of_all_groups(kind: str) -> None:
    plan = plan_of(kind)
    with without_noise():
        (question,) = released(TABLE, plan).questions
    raw = exact(TABLE.to_pydict(), plan, "python")
    assert question.first == tuple(sum(row[at] for row in raw) for at in (0, 1))


rows = st.tuples(
    st.floats(-10, 100),
    st.floats(-1, 30),
    st.floats(0, 3),
    st.sampled_from(REGIONS),
    st.sampled_from(["ann", "bob"]),
)
NAMES = ("spend", "visits", "w", "region", "id")


@pytest.mark.parametrize("kind", quick_first(reversed(PLANS), 2))
@given(
    others=st.lists(rows, max_size=4),
    own=st.lists(rows, min_size=1, max_size=4),
    noisy=st.sampled_from(
        [(5e5, 2e5), (0.0, 0.0), (-3e9, 7.0), (8e3, 1e3), (1e9, 2e9)]
    ),
)
@fixed(5)
def test_one_unit_moves_both_stages_no_further_than_priced(
    kind: str,
    others: list[tuple[Any, ...]],
    own: list[tuple[Any, ...]],
    noisy: tuple[float, float],
) -> None:
    """Each stage for itself; the second for whatever guess the first has found."""
    plan = plan_of(kind)
    unit = plan.unit
    own = [(*row[:4], "ann") for row in own] if unit.column else own[:1]
    others = [(*row[:4], "bob") for row in others]
    changed = unit.neighbours == "change-one"
    before = [*others, (*own[0][:2], 1.0, "west", "ann")] if changed else others
    tables = [
        {name: [row[at] for row in given_rows] for at, name in enumerate(NAMES)}
        for given_rows in ([*others, *own], before)
    ]
    assert plan.stage is not None
    cells = cells_of(plan.measurements[0].groups)
    raw = [np.array(exact(table, plan, "python"), dtype=object) for table in tables]
    firsts = [cells.sum(axis=0)[:2] for cells in raw]
    scales = [each.scale for each in plan.stage.firsts[0]]
    cost = sum(
        abs(Fraction(int(one - other))) / Fraction(scale)
        for one, other, scale in zip(*firsts, scales, strict=True)
    )
    grid = plan.layout(plan.measurements[0]).raw_grid[:TOTALS]
    assert cost <= pooled_ratio(LAPLACE, grid, scales, unit, cells)
    assert cost <= plan.stage.epsilon
    totals = tuple(
        round(total / each.step)
        for total, each in zip(noisy, plan.stage.firsts[0], strict=True)
    )
    (asked_for,) = realise(plan, [totals])
    with without_noise(), pytest.MonkeyPatch.context() as patched:
        patched.setattr(room, "realise", lambda *_: (asked_for,))
        patched.setattr("dpratio.release.release.is_realised", lambda *_: True)
        values = [
            released(pa.table(table), plan).questions[0].values.astype(object)
            for table in tables
        ]
    paid = plan.law.total(
        abs(Fraction(int(each))) / Fraction(scale)
        for row in values[0] - values[1]
        for each, scale in zip(row, asked_for.scales, strict=True)
    )
    grid = plan.layout(asked_for).grid
    law = plan.law
    assert paid <= unit_ratio(law, grid, asked_for.scales, unit, cells) ** law.power
    charged = price(plan)
    assert paid <= (charged.pure[1] if law == LAPLACE else charged.gaussian)


def test_each_stage_has_noise_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []

    def counted(law: NoiseLaw, scales: list[float], cells: int, bits: Any) -> Any:  # noqa: ANN401
        noise = draw_noise(law, scales, cells, bits)
        drawn.append((tuple(scales), noise))
        return noise

    monkeypatch.setattr(room, "draw_noise", counted)
    plan = plan_of("groups")
    release = released(TABLE, plan)
    (question,) = release.questions
    assert plan.stage is not None
    assert [scales for scales, _ in drawn] == [
        tuple(each.scale for each in plan.stage.firsts[0]),
        tuple(question.planned.scales),
    ]
    assert [noise.shape for _, noise in drawn] == [(1, 2), (3, 6)]
    with without_noise():
        (quiet,) = released(TABLE, plan).questions
    assert question.first == tuple((np.array(quiet.first) + drawn[0][1])[0].tolist())


def test_a_table_without_rows_has_two_stages_too() -> None:
    """Nothing is found, and the sums of nobody are measured all the same."""
    plan = plan_of("groups")
    with without_noise():
        (question,) = released(TABLE.slice(0, 0), plan).questions
    assert question.ratio == plan.measurements[0].ratio
    assert question.values.tolist() == [[0] * 6] * 3


def test_a_ledger_is_charged_once_for_both_stages(tmp_path: Path) -> None:
    plan = plan_of("groups")
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_scope(Scope("visits", Budget(5)))
    path = tmp_path / "release.json"
    options: dict[str, Any] = {"ledger": ledger, "release_id": "a" * 32}
    release = release_sums(TABLE, plan, out=path, source="visits", **options)
    assert read_release(path) == release
    assert ledger.account().spent.loss == 4
    again = release_sums(TABLE, plan, source="visits", **options)
    assert again == release
    assert ledger.account().spent.loss == 4


def test_the_engine_is_asked_for_raw_sums_once() -> None:
    statement = asked(plan_of("groups"))
    assert statement.contrast is not None
    assert statement.contrast.centre == 0.0
    assert [each.factors for each in statement.sums] == [
        ("z",),
        ("h",),
        ("z", "z"),
        ("z", "h"),
        ("h", "h"),
        ("c",),
    ]
