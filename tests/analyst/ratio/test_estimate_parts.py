"""Groups, ratios and partitions are answered each on its own."""

import math
from typing import Any

import numpy as np
import pytest

from analyst.given import given_plan, given_release
from analyst.ten_rows_released import answer, one, plan_of, release_of
from dpratio.analyst.ratio.estimate import METHODS, estimate_ratios
from dpratio.analyst.ratio.wald import LINKS
from dpratio.analyst.sums.moments import moments_of
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.combine import roll_up
from dpratio.release.release import Release, fresh_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, PrivateKeys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio


def test_keys_keep_their_order() -> None:
    plan = plan_of(keys=("south", "north", "east"))
    groups = [{"ws": 10.0}, {"wy": 0.0}, {"ws": 12.0}]
    found = estimate_ratios(release_of(plan, *groups), method="analytical")
    assert dict(found.labels) == {"g": ("south", "north", "east")}
    assert found.columns()["g"] == ["south", "north", "east"]
    assert found.status == ("ok", "unbounded", "ok")
    assert found.ratio[[0, 2]] == pytest.approx([10 / 13.75, 12 / 13.75])
    assert len(found) == 3


def test_without_groups_there_is_one_row_without_a_key() -> None:
    plan = given_plan(strategy="even")
    values = np.array([[50000, 25000, 27500, 16000, 15000]]) << 24
    found = estimate_ratios(given_release(plan, values, is_simulated=True))
    assert found.labels == {}
    assert len(found) == 1
    assert found.ratio == pytest.approx([1.1])
    assert found.is_simulated
    assert "g" not in found.columns()


def test_groups_are_answered_each_on_its_own() -> None:
    plan = plan_of(keys=("a", "b"))
    release = release_of(plan, {}, {"ws": 10.0})
    both = estimate_ratios(release, method="analytical").to_dicts()
    for row, group in zip(both, ({}, {"ws": 10.0}), strict=True):
        alone = one(group)
        assert {k: v for k, v in row.items() if k != "g"} == {
            k: v for k, v in alone.items() if k != "g"
        }


# Several ratios, several partitions.


def several(strategy: str = "even") -> tuple[Plan, list[np.ndarray]]:
    """Two ratios over three partitions, six parts; every cell has other sums."""
    groups = [
        Groups("g", ["a", "b"]),
        Groups.cross(Keys("g", ["a", "b"]), Keys("h", [1, 2, 3])),
        None,
    ]
    plan = make_plan(
        [
            Question(ratio, groups=cells, budget_share=share)
            for cells, share in zip(groups, (1, 2, 3), strict=True)
            for ratio in (Ratio("s", per="y"), Ratio("t", per="y", guess=1.0))
        ],
        bounds={"s": Bounds(0, 1), "t": Bounds(0, 2), "y": Bounds.binary()},
        budget=Budget(50),
        strategy=strategy,
        clipping="unmeasured",
    )
    rng = np.random.default_rng(8)
    values = []
    partitions = plan.study.partitions
    for question in plan.measurements:
        cells = (2, 6, 1)[partitions.index(question.groups)]
        sums = {"w": 5000.0, "wy": 2500.0, "ws": 2750.0, "wss": 1600.0, "wys": 1500.0}
        sums |= {"z": 450.0, "h": 9450.0, "zz": 2500.0, "zh": 900.0, "hh": 13_000.0}
        row = np.array([sums[each.summand.name] / each.step for each in question.sums])
        values.append(np.rint(row * rng.uniform(0.95, 1.05, (cells, len(row)))))
    return plan, [each.astype(np.int64) for each in values]


def alone(plan: Plan, at: int, values: np.ndarray) -> Release:
    """One part of a plan, as a release of its own."""
    return given_release(plan.measuring([plan.measurements[at]]), values)


@pytest.mark.parametrize("strategy", ["even", "joint", "focused"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("link", LINKS)
def test_every_question_is_answered_as_if_it_were_alone(
    strategy: str, method: str, link: str
) -> None:
    plan, values = several(strategy)
    options: dict[str, Any] = {"method": method, "link": link, "rng": 4}
    found = estimate_ratios(given_release(plan, *values), **options)
    assert len(found) == len(found.status) == 2 * (2 + 6 + 1)
    start = 0
    for at, each in enumerate(values):
        single = estimate_ratios(alone(plan, at, each), **options)
        stop = start + len(each)
        assert found.status[start:stop] == single.status
        names = ["ratio", "ci_lower", "ci_upper", "se", "se_sampling", "se_privacy"]
        names += ["log_ratio", "log_ci_lower", "log_ci_upper"] if link == "log" else []
        for name in names:
            ours, theirs = getattr(found, name)[start:stop], getattr(single, name)
            assert np.array_equal(ours, theirs, equal_nan=True), name
        start = stop


def test_questions_are_answered_with_the_noise_of_their_share() -> None:
    """The third partition has three times the budget of the first."""
    plan, _ = several()
    noise = [
        float(
            moments_of(
                alone(plan, at, np.ones((cells, 5), dtype=np.int64))
            ).noise_covariance("wy", "wy")[0]
        )
        for at, cells in ((0, 2), (2, 6), (4, 1))
    ]
    assert noise[0] / noise[1] == pytest.approx(4, rel=1e-6)
    assert noise[0] / noise[2] == pytest.approx(9, rel=1e-6)


def test_a_rolled_up_cell_has_the_noise_of_all_its_draws() -> None:
    """Three cells into one of two and one of one: 2 and 1 times the variance."""
    plan = plan_of(keys=("a", "b", "c"))
    release = release_of(plan, {}, {}, {})
    rolled = roll_up(release, ["g"], into={"g": {"a": "ab", "b": "ab", "c": "c"}})
    both, one_cell = estimate_ratios(rolled, method="analytical").to_dicts()
    (row,) = answer().to_dicts()
    assert [both["g"], one_cell["g"]] == ["ab", "c"]
    assert one_cell["se_privacy"] == pytest.approx(row["se_privacy"])
    assert both["ratio"] == pytest.approx(row["ratio"])
    assert both["se_privacy"] == pytest.approx(row["se_privacy"] / math.sqrt(2))
    assert both["se_sampling"] == pytest.approx(row["se_sampling"] / math.sqrt(2))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("link", LINKS)
def test_keys_that_nobody_has_leave_a_question_without_rows(
    method: str, link: str
) -> None:
    """Of keys that are found privately there may be none."""
    shops = PrivateKeys("shop", Budget("0.1", "1e-7"))
    plan = given_plan(
        budget=Budget(1, "1e-6"), groups=[shops, None], mechanism="laplace"
    )
    none = shops.groups_of(())
    empty, whole = (
        fresh_question(plan.law, question, groups, np.full((count, 5), 2**34))
        for question, groups, count in zip(
            plan.measurements, (none, None), (0, 1), strict=True
        )
    )
    release = Release("0" * 32, plan, (empty, whole), "a test")
    found = estimate_ratios(release, method=method, link=link, rng=1)
    assert dict(found.labels) == {"shop": ["(all)"]}
    assert len(found) == len(found.status) == 1
    kept = plan.measuring(plan.measurements[:1])
    alone = Release("0" * 32, kept, (empty,), "a test")
    nothing = estimate_ratios(alone, method=method, link=link, rng=1)
    assert len(nothing) == 0
    assert nothing.to_dicts() == []
    assert "shop" in str(nothing)
