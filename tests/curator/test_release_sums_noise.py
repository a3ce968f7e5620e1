"""Released values: noise of the planned law and scale, drawn once for every release."""

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from curator.door_for_tests import EMPTY, focused_plan_of, plan_of, release_with
from dpratio.curator.release_sums import release_sums
from dpratio.plan.laws import LAPLACE
from dpratio.plan.plan import Plan
from dpratio.terms.groups import Groups

GROUPS = 20_000
FOCUSED = ("z", "h", "zz", "zh", "hh", "c")


@pytest.mark.parametrize("engine", ["python", "duckdb"])
def test_a_table_without_rows_gives_noisy_zeros(tmp_path: Path, engine: str) -> None:
    """Same shape as any other; within 60 scales of zero, and not zero."""
    path = tmp_path / "empty.csv"
    path.write_text("s,y,w,k\n")
    plan = plan_of(groups=Groups("k", ["a", "b", "c"]))
    values = release_with(engine, path, plan, ledger=None).questions[0].values
    assert values.shape == (3, 6)
    scales = np.array([each.scale for each in plan.measurements[0].sums])
    assert np.all(np.abs(values) < 60 * scales)
    assert np.count_nonzero(values) >= 15


def test_declared_keys_without_rows_are_answered_and_others_are_not() -> None:
    plan = plan_of(groups=Groups("k", ["a", "b"]))
    table = {"s": [1, 1], "y": [1, 1], "w": [1, 1], "k": ["z", "b"]}
    release = release_sums(table, plan, ledger=None)
    assert release.questions[0].values.shape == (2, 6)
    assert release.questions[0].keys == ("a", "b")


def require_planned_noise(plan: Plan, exact: Sequence[float]) -> None:
    """Mean and variance are as planned, end to end from the system's entropy.

    Groups of one row are the samples. Eight standard errors: a correct door fails once
    in 10^13 runs.
    """
    table = {
        "s": [0.25] * GROUPS,
        "y": [1] * GROUPS,
        "w": [2.0] * GROUPS,
        "k": list(range(GROUPS)),
    }
    values = (
        release_sums(table, plan, ledger=None).questions[0].values.astype(np.float64)
    )
    fourth = 6 if plan.law == LAPLACE else 3
    for column, each, sum_ in zip(
        values.T, plan.measurements[0].sums, exact, strict=True
    ):
        spread = plan.law.sd(each.scale)
        standard = (column - sum_ / each.step) / spread
        assert abs(standard.mean()) < 8 / math.sqrt(GROUPS)
        allowed = 8 * math.sqrt((fourth - 1) / GROUPS)
        assert abs((standard**2).mean() - 1) < allowed


@pytest.mark.parametrize(
    "mechanism", ["laplace", "analytic_gaussian", "classical_gaussian"]
)
def test_released_values_have_the_planned_mean_and_variance(mechanism: str) -> None:
    plan = plan_of(mechanism, groups=Groups("k", range(GROUPS)))
    assert plan.law.name == mechanism
    require_planned_noise(plan, [2, 2, 0.5, 4, 0.125, 0.5])


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
def test_released_sums_of_z_and_h_have_the_planned_mean_and_variance(
    mechanism: str,
) -> None:
    """As above, of the sums that a plan measures by default."""
    plan = focused_plan_of(mechanism=mechanism, groups=Groups("k", range(GROUPS)))
    assert plan.law.name == mechanism
    assert tuple(each.summand.name for each in plan.measurements[0].sums) == FOCUSED
    z, h = -1.5, 2.5
    require_planned_noise(plan, [z, h, z * z, z * h, h * h, 0])


def test_two_releases_of_one_table_differ() -> None:
    plan = plan_of(groups=Groups("k", range(100)))
    first, second = (
        release_sums(EMPTY, plan, ledger=None),
        release_sums(EMPTY, plan, ledger=None),
    )
    assert first.id != second.id
    assert not np.array_equal(first.questions[0].values, second.questions[0].values)
    assert first != second


def test_released_values_are_read_only() -> None:
    release = release_sums(EMPTY, plan_of(), ledger=None)
    with pytest.raises(ValueError, match="read-only"):
        release.questions[0].values[0, 0] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        release.questions = ()  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        release.questions[0].sums = ()  # type: ignore[misc]


def test_reading_a_release_twice_draws_nothing_new() -> None:
    release = release_sums(EMPTY, plan_of(), ledger=None)
    first = release.questions[0].values.copy()
    assert np.array_equal(release.questions[0].values, first)
    assert release.questions[0].values is release.questions[0].values
