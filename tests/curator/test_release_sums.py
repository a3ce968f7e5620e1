"""The door: priced before opened, noisy as planned, silent about everything else."""

import dataclasses
import inspect
import logging
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from curator.tables_for_tests import asked
from dpratio.curator import measure as room
from dpratio.curator import release_sums as door
from dpratio.curator.choose_engine import open_table
from dpratio.curator.entropy import BitSource
from dpratio.curator.release_sums import release_sums
from dpratio.errors import (
    DpratioError,
    EngineFailed,
    FileRefused,
    InvalidInput,
    PlanRefused,
    SchemaRefused,
)
from dpratio.plan.calibrate import noise_sd
from dpratio.plan.make_plan import make_plan
from dpratio.plan.part import Part
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.question import Ratio
from dpratio.terms.source import CsvFile
from dpratio.version import __version__

Table = Mapping[str, list[Any]]
GROUPS = 20_000
MISSING = "no/such/file.parquet"
EMPTY: Table = {"s": [], "y": [], "w": [], "k": []}


BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0, 3)}
FOCUSED = ("z", "h", "zz", "zh", "hh")


def plan_of(mechanism: str = "laplace", **changes: Any) -> Plan:  # noqa: ANN401
    """A plan of the paper's sums, unless another strategy is asked for."""
    terms: dict[str, Any] = {
        "bounds": BOUNDS,
        "budget": Budget(1, "1e-6"),
        "strategy": "even",
        "mechanism": mechanism,
    } | changes
    return make_plan(Ratio("s", per="y", weight="w"), **terms)


def focused_plan_of(**changes: Any) -> Plan:  # noqa: ANN401
    """A plan as it is made by default."""
    terms = {"bounds": BOUNDS, "budget": Budget(1, "1e-6"), **changes}
    return make_plan(Ratio("s", per="y", weight="w"), **terms)


def edit(plan: Plan, **changes: Any) -> Plan:  # noqa: ANN401
    first, *rest = plan.sums
    return with_sums(plan, (dataclasses.replace(first, **changes), *rest))


def with_sums(plan: Plan, sums: Any) -> Plan:  # noqa: ANN401
    """The plan with other sums in its only part."""
    return dataclasses.replace(
        plan, parts=(dataclasses.replace(plan.parts[0], sums=sums),)
    )


@pytest.fixture
def no_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Freeze noise and identity, to see what else a release tells."""

    def nothing(
        _law: str, part: Part, cells: int, _bits: BitSource
    ) -> NDArray[np.int64]:
        return np.zeros((cells, len(part.sums)), np.int64)

    monkeypatch.setattr(room, "draw_noise", nothing)
    monkeypatch.setattr(door, "fresh_id", lambda: "0" * 32)


# --- Priced before it is opened -------------------------------------------------------


@pytest.mark.parametrize(
    "bad",
    [
        lambda plan: edit(plan, scale=math.nextafter(plan.sums[0].scale, 0)),
        lambda plan: edit(plan, sensitivity=1),
        lambda plan: with_sums(plan, plan.sums[1:]),
        lambda plan: dataclasses.replace(plan, mechanism="none"),
        lambda plan: dataclasses.replace(plan, budget=Budget("0.1")),
    ],
    ids=["scale", "sensitivity", "sums", "mechanism", "budget"],
)
def test_a_bad_plan_is_refused_before_the_table_is_looked_for(
    bad: Callable[[Plan], Plan],
) -> None:
    with pytest.raises(PlanRefused):
        release_sums(MISSING, bad(plan_of()), ledger=None)
    with pytest.raises(FileRefused):
        release_sums(MISSING, plan_of(), ledger=None)


def with_scales(plan: Plan, **factors: float) -> Plan:
    """The plan with the noise of some sums multiplied, or of all."""
    sums = [
        dataclasses.replace(
            each,
            scale=each.scale * factors.get(each.summand.name, factors.get("all", 1.0)),
        )
        for each in plan.sums
    ]
    return with_sums(plan, tuple(sums))


def about(plan: Plan, **changes: Any) -> Plan:  # noqa: ANN401
    """The plan with another ratio."""
    ratio = dataclasses.replace(plan.ratio, **changes)
    return dataclasses.replace(
        plan, parts=(dataclasses.replace(plan.parts[0], ratio=ratio),)
    )


EDITS: dict[str, tuple[Callable[[Plan], Plan], str]] = {
    "less noise": (
        lambda plan: with_scales(plan, all=1 - 1e-9),
        "the noise of the sums is too small for the budget",
    ),
    "less noise of z": (
        lambda plan: with_scales(plan, z=0.99),
        "the noise of the sums is too small for the budget",
    ),
    "less noise of mixed products": (
        lambda plan: with_scales(plan, all=1e3, zh=1),
        "the noise of mixed products is too small beside the squares",
    ),
    "no noise": (
        lambda plan: edit(plan, scale=0.0),
        "the noise of Σ z is too small or too large",
    ),
    "endless noise": (
        lambda plan: edit(plan, scale=math.inf),
        "the noise of Σ z is too small or too large",
    ),
    "noise as a whole number": (
        lambda plan: edit(plan, scale=2**40),
        "the noise of Σ z must be a plain number",
    ),
    "step": (
        lambda plan: edit(plan, step=plan.sums[0].step * 2),
        "the lattice step of Σ z is not the one of its bounds",
    ),
    "sensitivity": (
        lambda plan: edit(plan, sensitivity=1),
        "the sensitivity of Σ z must be 25165824 cells, got 1",
    ),
    "a sum less": (
        lambda plan: with_sums(plan, plan.sums[:-1]),
        "strategy 'focused' does not measure these sums",
    ),
    "sums in another order": (
        lambda plan: with_sums(plan, plan.sums[::-1]),
        "strategy 'focused' does not measure these sums",
    ),
    "sums as a list": (
        lambda plan: with_sums(plan, list(plan.sums)),
        "the sums of a plan must be a tuple",
    ),
    "more answers": (
        lambda plan: dataclasses.replace(plan, answers=("ratio", "means")),
        "strategy 'focused' does not measure these sums",
    ),
    "other answers": (
        lambda plan: dataclasses.replace(plan, answers=("means",)),
        "the plan's terms break a rule: answers must be",
    ),
    "another guess": (
        lambda plan: about(plan, guess=2.0),
        "the lattice step of Σ z is not the one of its bounds",
    ),
    "no guess": (
        lambda plan: about(plan, guess=None),
        "a focused plan states the guess of its ratio, got None",
    ),
    "a residual bound": (
        lambda plan: about(plan, residual_bound=2.9),
        "the sensitivity of Σ z must be",
    ),
    "a residual bound that binds nowhere": (
        lambda plan: about(plan, residual_bound=3.0),
        "the plan's terms break a rule: the residual bound must be below 3",
    ),
    "wider bounds": (
        lambda plan: dataclasses.replace(
            plan, bounds={**plan.bounds, "w": Bounds(0, 3.5)}
        ),
        "the sensitivity of Σ z must be",
    ),
    "strategy even": (
        lambda plan: dataclasses.replace(plan, strategy="even"),
        "strategy 'even' does not measure these sums",
    ),
    "strategy joint": (
        lambda plan: dataclasses.replace(plan, strategy="joint"),
        "strategy 'joint' does not measure these sums",
    ),
    "classical noise": (
        lambda plan: dataclasses.replace(plan, mechanism="classical_gaussian"),
        "the plan's terms break a rule: strategy 'focused' has no classical_gaussian",
    ),
    "noise to be chosen": (
        lambda plan: dataclasses.replace(plan, mechanism="auto"),
        "the plan's terms break a rule: unknown mechanism",
    ),
    "a smaller budget": (
        lambda plan: dataclasses.replace(plan, budget=Budget("0.99", "1e-6")),
        "the noise of the sums is too small for the budget",
    ),
}


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
@pytest.mark.parametrize("edited", EDITS)
def test_an_edited_focused_plan_is_refused_before_the_table_is_looked_for(
    edited: str, mechanism: str
) -> None:
    change, message = EDITS[edited]
    plan = focused_plan_of(mechanism=mechanism)
    with pytest.raises(PlanRefused) as refused:
        release_sums(MISSING, change(plan), ledger=None)
    assert str(refused.value).startswith(message)
    with pytest.raises(FileRefused):
        release_sums(MISSING, plan, ledger=None)


def test_gaussian_noise_of_a_focused_plan_costs_its_delta() -> None:
    plan = focused_plan_of(mechanism="analytic_gaussian")
    for delta in ("1e-7", "0"):
        with pytest.raises(PlanRefused):
            release_sums(
                MISSING, dataclasses.replace(plan, budget=Budget(1, delta)), ledger=None
            )
    laplace = focused_plan_of(mechanism="laplace")
    as_gaussian = dataclasses.replace(laplace, mechanism="analytic_gaussian")
    with pytest.raises(PlanRefused, match="too small"):
        release_sums(MISSING, as_gaussian, ledger=None)


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_an_edited_joint_plan_is_refused_before_the_table_is_looked_for(
    mechanism: str,
) -> None:
    plan = plan_of(mechanism, strategy="joint")
    with pytest.raises(PlanRefused, match="too small for the budget"):
        release_sums(MISSING, with_scales(plan, all=1 - 1e-9), ledger=None)
    with pytest.raises(FileRefused):
        release_sums(MISSING, plan, ledger=None)


def test_the_noise_of_a_joint_price_is_too_small_for_equal_shares() -> None:
    plan = plan_of("analytic_gaussian", strategy="joint")
    with pytest.raises(
        PlanRefused, match="the noise of Σ w is too small for its share"
    ):
        release_sums(MISSING, dataclasses.replace(plan, strategy="even"), ledger=None)


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

    for name in ("price", "connected", "open_table", "_quietly", "draw_noise"):
        watch(name)
    release_sums(EMPTY, plan_of(), ledger=None)
    # Connecting, opening and asking are all done quietly.
    opened = ["price", "_quietly", "connected", "_quietly", "open_table"]
    assert order == [*opened, "draw_noise", "_quietly"]


@pytest.mark.parametrize("given", [None, "plan.json", {}, 1])
def test_only_a_plan_opens_the_door(given: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="plan must be a Plan"):
        release_sums(MISSING, given, ledger=None)


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(InvalidInput, match="unknown engine"):
        release_sums(EMPTY, plan_of(), engine="spark", ledger=None)


def test_a_missing_column_is_refused() -> None:
    with pytest.raises(SchemaRefused, match="column 'w' is not in the table"):
        release_sums({"s": [1], "y": [1]}, plan_of(), ledger=None)


def test_loggers_are_silent_while_rows_are_read_and_speak_again_afterwards(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def stop() -> None:
        logging.getLogger("SQLQueryContextLogger").critical("cell 271828 is bad")
        raise ValueError

    monkeypatch.setattr(room, "open_table", lambda *_given: stop)
    with pytest.raises(EngineFailed):
        release_sums(EMPTY, plan_of(), ledger=None)
    assert not caplog.records
    logging.getLogger("SQLQueryContextLogger").critical("all is well")
    assert [each.getMessage() for each in caplog.records] == ["all is well"]


@pytest.mark.parametrize("words", ["cell 271828 is bad", ""])
def test_what_an_engine_says_when_it_stops_is_not_repeated(
    words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop() -> None:
        raise ValueError(words)

    monkeypatch.setattr(room, "open_table", lambda *_given: stop)
    with pytest.raises(EngineFailed, match="the engine stopped") as caught:
        release_sums(EMPTY, plan_of(), ledger=None)
    assert "271828" not in str(caught.value)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


# --- What comes out -------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["python", "duckdb"])
def test_a_table_without_rows_gives_noisy_zeros(tmp_path: Path, engine: str) -> None:
    """Same shape as any other; within 60 scales of zero, and not zero."""
    path = tmp_path / "empty.csv"
    path.write_text("s,y,w,k\n")
    plan = plan_of(groups=Groups("k", ["a", "b", "c"]))
    values = release_sums(path, plan, engine=engine, ledger=None).values
    assert values.shape == (3, 6)
    scales = np.array([each.scale for each in plan.sums])
    assert np.all(np.abs(values) < 60 * scales)
    assert np.count_nonzero(values) >= 15


def test_declared_keys_without_rows_are_answered_and_others_are_not() -> None:
    plan = plan_of(groups=Groups("k", ["a", "b"]))
    table = {"s": [1, 1], "y": [1, 1], "w": [1, 1], "k": ["z", "b"]}
    release = release_sums(table, plan, ledger=None)
    assert release.values.shape == (2, 6)
    assert release.parts[0].keys == ("a", "b")


@pytest.mark.parametrize(
    "mechanism", ["laplace", "analytic_gaussian", "classical_gaussian"]
)
def test_released_values_have_the_planned_mean_and_variance(mechanism: str) -> None:
    """End to end from the system's entropy; groups are the samples.

    Eight standard errors: a correct door fails once in 10^13 runs.
    """
    plan = plan_of(mechanism, groups=Groups("k", range(GROUPS)))
    table = {
        "s": [0.25] * GROUPS,
        "y": [1] * GROUPS,
        "w": [2.0] * GROUPS,
        "k": list(range(GROUPS)),
    }
    values = release_sums(table, plan, ledger=None).values.astype(np.float64)
    exact = [2, 2, 0.5, 4, 0.125, 0.5]
    fourth = 6 if mechanism == "laplace" else 3
    for column, each, sum_ in zip(values.T, plan.sums, exact, strict=True):
        spread = noise_sd(mechanism, each.scale)
        standard = (column - sum_ / each.step) / spread
        assert abs(standard.mean()) < 8 / math.sqrt(GROUPS)
        allowed = 8 * math.sqrt((fourth - 1) / GROUPS)
        assert abs((standard**2).mean() - 1) < allowed


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_released_sums_of_z_and_h_have_the_planned_mean_and_variance(
    mechanism: str,
) -> None:
    """As above, of the sums that a plan measures by default."""
    plan = focused_plan_of(mechanism=mechanism, groups=Groups("k", range(GROUPS)))
    table = {
        "s": [0.25] * GROUPS,
        "y": [1] * GROUPS,
        "w": [2.0] * GROUPS,
        "k": list(range(GROUPS)),
    }
    values = release_sums(table, plan, ledger=None).values.astype(np.float64)
    z, h = -1.5, 2.5
    fourth = 6 if mechanism == "laplace" else 3
    exact = [z, h, z * z, z * h, h * h]
    assert tuple(each.summand.name for each in plan.sums) == FOCUSED
    for column, each, sum_ in zip(values.T, plan.sums, exact, strict=True):
        spread = noise_sd(mechanism, each.scale)
        standard = (column - sum_ / each.step) / spread
        assert abs(standard.mean()) < 8 / math.sqrt(GROUPS)
        allowed = 8 * math.sqrt((fourth - 1) / GROUPS)
        assert abs((standard**2).mean() - 1) < allowed


def test_two_releases_of_one_table_differ() -> None:
    plan = plan_of(groups=Groups("k", range(100)))
    first, second = (
        release_sums(EMPTY, plan, ledger=None),
        release_sums(EMPTY, plan, ledger=None),
    )
    assert first.id != second.id
    assert not np.array_equal(first.values, second.values)
    assert first != second


def test_released_values_are_read_only() -> None:
    release = release_sums(EMPTY, plan_of(), ledger=None)
    with pytest.raises(ValueError, match="read-only"):
        release.values[0, 0] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        release.parts = ()  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        release.parts[0].values = np.zeros((1, 6), np.int64)  # type: ignore[misc]


def test_reading_a_release_twice_draws_nothing_new() -> None:
    release = release_sums(EMPTY, plan_of(), ledger=None)
    first = release.values.copy()
    assert np.array_equal(release.values, first)
    assert release.values is release.values


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
        "parts",
        "made_by",
        "is_simulated",
        "sources",
        "ledger_head",
        "origin",
    }
    for name in fields - {"parts"}:
        assert getattr(small, name) == getattr(large, name)
    assert [part.noise for part in small.parts] == [part.noise for part in large.parts]
    assert str(small) == str(large)
    assert str(rows) not in str(large)
    assert large.made_by == f"dpratio {__version__}"
    assert not large.is_simulated


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
        sums.append(ask().plus(np.zeros((2, len(plan.sums)), np.int64)))
    moved = np.abs(sums[1] - sums[0])
    largest = np.array([each.sensitivity for each in plan.sums])
    assert np.all(moved <= largest)
    assert np.count_nonzero(moved.any(axis=1)) <= 1


@pytest.mark.parametrize("engine", ["python", "duckdb"])
@pytest.mark.parametrize(
    "bad", ["nan,1,1", "x,1,1", "1,1", "1,1,1,1", '"1,1,1', "", "1e999,1,1", "\x01"]
)
def test_a_bad_line_changes_neither_the_other_lines_nor_the_outcome(
    tmp_path: Path,
    engine: str,
    bad: str,
    no_noise: None,  # noqa: ARG001
) -> None:
    good = ["0.5,1,3", "1,0,1"]
    values = []
    for name, lines in (("without", good), ("with", [good[0], bad, good[1]])):
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["s,y,w", *lines]) + "\n")
        values.append(
            release_sums(CsvFile(path), plan_of(), engine=engine, ledger=None).values
        )
    assert np.array_equal(values[0], values[1])


def test_every_refusal_of_the_door_is_one_of_ours() -> None:
    for table in (MISSING, "data.xlsx", object(), {"s": [1], "y": [1, 2], "w": [1]}):
        with pytest.raises(DpratioError):
            release_sums(table, plan_of(), ledger=None)


def test_the_signature_says_that_a_ledger_must_be_said() -> None:
    assert "ledger: " in str(inspect.signature(release_sums))
    assert "= <must be said>," in str(inspect.signature(release_sums))
