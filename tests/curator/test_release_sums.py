"""The door: priced, opened, asked, drawn; whatever the table holds, one outcome."""

import dataclasses
import inspect
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from curator.door_for_tests import (
    EMPTY,
    MISSING,
    focused_plan_of,
    plan_of,
)
from curator.tables_for_tests import asked
from dpratio.curator import measure as room
from dpratio.curator import release_sums as door
from dpratio.curator.choose_engine import open_table
from dpratio.curator.noise.entropy import BitSource
from dpratio.curator.release_sums import release_sums
from dpratio.errors import (
    DpratioError,
    EngineFailed,
    FileRefused,
    InvalidInput,
    PlanRefused,
    SchemaRefused,
)
from dpratio.plan.laws import LAPLACE, NoiseLaw
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.source import CsvFile
from dpratio.version import __version__
from edited_plans import with_terms
from plan.priced_plans import ask, edit, with_sums


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Freeze noise and identity, to see what else a release tells."""

    def nothing(
        _law: NoiseLaw, scales: list[float], cells: int, _bits: BitSource
    ) -> NDArray[np.int64]:
        return np.zeros((cells, len(scales)), np.int64)

    monkeypatch.setattr(room, "draw_noise", nothing)
    monkeypatch.setattr(door, "fresh_id", lambda: "0" * 32)


def test_the_door_prices_then_opens_then_asks_then_draws(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    order: list[str] = []

    def watch(name: str) -> None:
        where = door if name == "price" else room
        original = getattr(where, name)

        def watched(*given: Any) -> Any:  # noqa: ANN401
            order.append(name)
            return original(*given)

        monkeypatch.setattr(where, name, watched)

    for name in ("price", "connected", "open_reading", "quietly", "draw_noise"):
        watch(name)
    release_sums(EMPTY, plan_of(), ledger=None)
    # Connecting, opening and asking are all done quietly.
    opened = ["price", "quietly", "connected", "quietly", "open_reading"]
    assert order == [*opened, "draw_noise", "quietly"]


@pytest.mark.parametrize("given", [None, "plan.json", {}, 1])
def test_only_a_plan_opens_the_door(given: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="plan must be a Plan"):
        release_sums(MISSING, given, ledger=None)


def test_a_missing_column_is_refused() -> None:
    with pytest.raises(SchemaRefused, match="column 'w' is not in the table"):
        release_sums({"s": [1], "y": [1]}, plan_of(), ledger=None)


@pytest.mark.parametrize("words", ["cell 271828 is bad", ""])
def test_what_an_engine_says_when_it_stops_is_not_repeated(
    words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> None:
        raise ValueError(words)

    monkeypatch.setattr(room, "open_reading", lambda *_given: stop)
    with pytest.raises(EngineFailed, match="the engine stopped") as caught:
        release_sums(EMPTY, plan_of(), ledger=None)
    assert "271828" not in str(caught.value)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_provenance_is_the_same_for_tables_of_any_size(
    no_noise: None,  # noqa: ARG001
) -> None:
    """With noise and identity frozen only the sums tell two tables apart."""
    plan = plan_of()
    rows = 271
    small = release_sums({"s": [], "y": [], "w": []}, plan, ledger=None)
    large = release_sums(
        {"s": [1] * rows, "y": [1] * rows, "w": [3] * rows}, plan, ledger=None
    )
    fields = {field.name for field in dataclasses.fields(Release)}
    assert fields == {
        "id",
        "plan",
        "questions",
        "made_by",
        "is_simulated",
        "sources",
        "ledger_head",
        "ledger_heads",
        "cost_if_disjoint",
        "source_hash",
    }
    for name in fields - {"questions"}:
        assert getattr(small, name) == getattr(large, name)
    assert [question.noise for question in small.questions] == [
        question.noise for question in large.questions
    ]
    assert str(small) == str(large)
    assert str(rows) not in str(large)
    assert large.made_by == f"dpratio {__version__}"
    assert not large.is_simulated


# --- Priced before it is opened: tests/plan/test_price.py edits everything ------------

EDITS: dict[str, tuple[Callable[[Plan], Plan], str]] = {
    "less noise": (
        lambda plan: edit(plan, scale=plan.measurements[0].sums[0].scale * 0.999),
        "the noise of the sums is too small for the budget",
    ),
    "sensitivity": (
        lambda plan: edit(plan, sensitivity=1),
        "lattice step and sensitivity of Σ z must be",
    ),
    "sums as a list": (
        lambda plan: with_sums(plan, list(plan.measurements[0].sums)),
        "the sums of a plan must be a tuple",
    ),
    "a residual bound": (
        lambda plan: ask(plan, residual_bound=2.9),
        "lattice step and sensitivity of Σ z must be",
    ),
    "wider bounds": (
        lambda plan: with_terms(plan, bounds={**plan.bounds, "w": Bounds(0, 3.5)}),
        "lattice step and sensitivity of Σ z must be",
    ),
    "another strategy": (
        lambda plan: with_terms(plan, strategy="joint"),
        "strategy 'joint' does not measure these sums",
    ),
    "a smaller budget": (
        lambda plan: with_terms(plan, budget=Budget("0.99", "1e-7")),
        "the noise of the sums is too small for the budget",
    ),
}


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
@pytest.mark.parametrize("name", EDITS)
def test_an_edited_plan_is_refused_before_the_table_is_looked_for(
    name: str, mechanism: str
) -> None:
    change, message = EDITS[name]
    plan = focused_plan_of(mechanism=mechanism)
    with pytest.raises(PlanRefused) as refused:
        release_sums(MISSING, change(plan), ledger=None)
    assert str(refused.value).startswith(message)
    with pytest.raises(FileRefused):
        release_sums(MISSING, plan, ledger=None)


# --- Noise of the planned law and scale, drawn once for every release -----------------

GROUPS = 20_000


def test_a_table_without_rows_gives_noisy_zeros_of_declared_groups() -> None:
    """Same shape as any other; within 60 scales of zero, and not zero."""
    plan = plan_of(groups=Groups("k", ["a", "b", "c"]))
    for keys in ([], ["z"]):
        table = {name: [1] * len(keys) for name in "syw"} | {"k": keys}
        question = release_sums(table, plan, ledger=None).questions[0]
        assert (question.keys, question.values.shape) == (("a", "b", "c"), (3, 6))
        scales = np.array([part.scale for part in plan.measurements[0].sums])
        assert np.all(np.abs(question.values) < 60 * scales)
        assert np.count_nonzero(question.values) >= 15


PLANNED = [
    (plan_of, "laplace", [2, 2, 0.5, 4, 0.125, 0.5]),
    (plan_of, "analytic_gaussian", [2, 2, 0.5, 4, 0.125, 0.5]),
    (plan_of, "classical_gaussian", [2, 2, 0.5, 4, 0.125, 0.5]),
    (focused_plan_of, "laplace", [-1.5, 2.5, 2.25, -3.75, 6.25, 0]),
    (focused_plan_of, "analytic_gaussian", [-1.5, 2.5, 2.25, -3.75, 6.25, 0]),
]


@pytest.mark.parametrize(("make", "mechanism", "sums"), PLANNED)
def test_released_values_have_the_planned_mean_and_variance(
    make: Callable[..., Plan], mechanism: str, sums: list[float]
) -> None:
    """End to end from the system's entropy; groups of one row are the samples.

    Eight standard errors: a correct door fails once in 10^13 runs.
    """
    plan = make(mechanism=mechanism, groups=Groups("k", range(GROUPS)))
    rows = {"s": [0.25] * GROUPS, "y": [1] * GROUPS, "w": [2.0] * GROUPS}
    release = release_sums({**rows, "k": list(range(GROUPS))}, plan, ledger=None)
    columns = release.questions[0].values.astype(np.float64).T
    fourth = 6 if plan.law == LAPLACE else 3
    for column, part, total in zip(
        columns, plan.measurements[0].sums, sums, strict=True
    ):
        standard = (column - total / part.step) / plan.law.sd(part.scale)
        assert abs(standard.mean()) < 8 / math.sqrt(GROUPS)
        allowed = 8 * math.sqrt((fourth - 1) / GROUPS)
        assert abs((standard**2).mean() - 1) < allowed


def test_two_releases_of_one_table_differ() -> None:
    plan = plan_of(groups=Groups("k", range(100)))
    first, second = (release_sums(EMPTY, plan, ledger=None) for _ in range(2))
    assert first.id != second.id
    assert not np.array_equal(first.questions[0].values, second.questions[0].values)


# --- Neighbours, with the noise frozen ------------------------------------------------

hostile = st.one_of(
    st.floats(),
    st.integers(),
    st.booleans(),
    st.none(),
    st.text(max_size=3),
    st.decimals(),
    st.sampled_from([0.5, 1e308, -1e308, 5e-324, 10**400, np.float32(0.1), b"1", [1]]),
)
rows = st.tuples(
    hostile, hostile, hostile, st.sampled_from(["a", "b", "z", "", None, 1])
)


TWO_PLANS = [
    make_plan(
        Ratio("s", per="y", weight="w", guess=1 / 3),
        bounds={"s": Bounds(-0.7, 0.1), "y": Bounds(-2, 0.3), "w": Bounds(0, 1 / 3)},
        budget=Budget(1),
        groups=Groups("k", ["a", "b"]),
        strategy=strategy,
    )
    for strategy in ("even", "focused")
]


@settings(deadline=None, max_examples=150)
@given(table=st.lists(rows, max_size=5), row=rows, at=st.integers(0, 5))
@example(table=[], row=(1.0, 1.0, 3.0, "a"), at=0)
@example(table=[], row=(math.nan, 1.0, 3.0, "a"), at=0)
@example(table=[(1, 1, 3, "a")], row=(-math.inf, 1.0, 3.0, "b"), at=0)
@example(table=[], row=(-0.7, 0.0, 1 / 3, "a"), at=0)
@pytest.mark.parametrize("plan", TWO_PLANS, ids=["even", "focused"])
def test_one_row_moves_one_group_by_no_more_than_the_plan_says(
    plan: Plan, table: list[tuple[Any, ...]], row: tuple[Any, ...], at: int
) -> None:
    at = min(at, len(table))
    sums = []
    for each in (table, [*table[:at], row, *table[at:]]):
        columns = [list(column) for column in zip(*each, strict=True)] or [[]] * 4
        ask = open_table(dict(zip("sywk", columns, strict=True)), asked(plan), "auto")
        sums.append(ask().plus(np.zeros((2, len(plan.measurements[0].sums)), np.int64)))
    moved = np.abs(sums[1] - sums[0])
    largest = np.array([each.sensitivity for each in plan.measurements[0].sums])
    assert np.all(moved <= largest)
    assert np.count_nonzero(moved.any(axis=1)) <= 1


@pytest.mark.parametrize(
    "bad", ["nan,1,1", "x,1,1", "1,1", "1,1,1,1", '"1,1,1', "", "1e999,1,1", "\x01"]
)
def test_a_bad_line_changes_neither_the_other_lines_nor_the_outcome(
    tmp_path: Path,
    bad: str,
    no_noise: None,  # noqa: ARG001
) -> None:
    good = ["0.5,1,3", "1,0,1"]
    values = []
    for name, lines in (("without", good), ("with", [good[0], bad, good[1]])):
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["s,y,w", *lines]) + "\n")
        values.append(
            release_sums(CsvFile(path), plan_of(), ledger=None).questions[0].values
        )
    assert np.array_equal(values[0], values[1])


def test_every_refusal_of_the_door_is_one_of_ours() -> None:
    for table in (MISSING, "data.xlsx", object(), {"s": [1], "y": [1, 2], "w": [1]}):
        with pytest.raises(DpratioError):
            release_sums(table, plan_of(), ledger=None)


def test_the_signature_says_that_a_ledger_must_be_said() -> None:
    assert "ledger: " in str(inspect.signature(release_sums))
    assert "= <must be said>," in str(inspect.signature(release_sums))
