"""Which sums a strategy measures, with certified noise, and how moments come back."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpratio.analyst.sums.moments import reconstruction
from dpratio.errors import InvalidInput
from dpratio.plan.laws import GAUSSIAN, LAPLACE, LAWS, NoiseLaw
from dpratio.plan.sensitivity.joint import Grid, is_convex, joint_ratio
from dpratio.plan.sensitivity.sums import (
    CUT,
    MOMENTS,
    Contrast,
    MeasuredSum,
    focused_summands,
    step_for,
    summands_for,
)
from dpratio.plan.settle import Allowance
from dpratio.plan.strategy.measure import (
    CUT_SHARE,
    even_shares,
    measure_evenly,
    measure_focused,
    measure_jointly,
)
from dpratio.plan.strategy.people import (
    family_of,
    likely_counts,
    likely_ratios,
    units_of,
)
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.unit import PrivacyUnit
from plan.boxes_for_tests import sums_of

BUDGET = Budget("0.7", "1e-6")
BOXES = {
    7: {"s": Bounds(-1, 2), "y": Bounds(0, 5), "w": Bounds(0.5, 3)},
    6: {"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0, 3)},
    5: {"s": Bounds(0, 1), "y": Bounds.binary()},
}
AROUND_ONE = Contrast(1.0)
RATIO, BOTH = ("ratio",), ("ratio", "means")
EVERY_BOX = pytest.mark.parametrize("count", BOXES)
EVERY_LAW = pytest.mark.parametrize("law", [LAPLACE, GAUSSIAN])


def allow(law: NoiseLaw, budget: Budget = BUDGET) -> Allowance:
    """Allow a single part the whole of a budget."""
    whole = budget.epsilon
    if law != LAPLACE:
        whole = GAUSSIAN.largest_ratio(budget.epsilon, budget.delta)
    spent = budget.epsilon, budget.delta
    return Allowance(law, whole, *spent, PrivacyUnit(), 1)


def focused(
    box: dict[str, Bounds],
    law: NoiseLaw,
    budget: Budget = BUDGET,
    contrast: Contrast = AROUND_ONE,
    answers: tuple[str, ...] = RATIO,
) -> tuple[MeasuredSum, ...]:
    grid = sums_of("focused", box, contrast, answers)
    units = units_of(box, contrast)
    family = family_of(units, likely_ratios(units, "close"), likely_counts(5000), None)
    return measure_focused(grid, allow(law, budget), units, family)[0]


def is_proven(
    law: NoiseLaw,
    grid: Grid,
    sums: tuple[MeasuredSum, ...],
    factor: float = 1.0,
    budget: Budget = BUDGET,
) -> bool:
    """Whether all noise times a factor is proven to keep within the budget."""
    scales = [each.scale * factor for each in sums]
    ratio = joint_ratio(law, grid, scales)
    share = {"epsilon": budget.epsilon, "delta": budget.delta}
    is_enough = law.affords(ratio, **share)
    return is_enough and is_convex(law, grid, scales)


@EVERY_BOX
def test_a_strategy_measures_the_sums_of_its_answers(count: int) -> None:
    box = BOXES[count]
    paper = summands_for(weighted="w" in box, binary=box["y"].is_binary)
    assert len(paper) == count
    for answers in (RATIO, BOTH):
        for contrast in (AROUND_ONE, Contrast(0.0, 0.5)):
            for strategy in ("even", "joint"):
                grid = sums_of(strategy, box, contrast, answers)
                # Whatever is wanted, and whatever is guessed.
                assert grid == sums_of(strategy, box, AROUND_ONE, RATIO)
                assert grid.summands == paper
        grid = sums_of("focused", box, AROUND_ONE, answers)
        means = "means" in answers
        assert grid.summands == focused_summands(weighted="w" in box, means=means)


@EVERY_BOX
@EVERY_LAW
def test_spread_adds_products_of_three_and_four_values(
    count: int, law: NoiseLaw
) -> None:
    """Each moment comes back from the sum of its name, squares of binary labels too."""
    box = BOXES[count]
    grid = sums_of("joint", box, AROUND_ONE, ("ratio", "spread"))
    assert len(grid.summands) == {7: 16, 6: 10, 5: 9}[count]
    orders = {len(each.factors) - ("w" in box) for each in grid.summands[count:]}
    assert orders == {3, 4}
    moments = reconstruction(grid.summands, None)
    for index, each in enumerate(grid.summands):
        assert moments[each.name][index] == sum(moments[each.name]) == 1
    assert is_proven(law, grid, measure_jointly(grid, allow(law)))


@EVERY_BOX
@pytest.mark.parametrize("law", list(LAWS.values()))
def test_every_sum_is_measured_on_its_own_lattice_with_an_equal_share(
    count: int, law: NoiseLaw
) -> None:
    box = BOXES[count]
    grid = sums_of("even", box, AROUND_ONE, RATIO)
    share = {"epsilon": BUDGET.epsilon / count, "delta": BUDGET.delta / count}
    for each in measure_evenly(grid, allow(law)):
        reach = math.prod(box[factor].reach for factor in each.summand.factors)
        assert each.step == step_for(reach)
        assert abs(each.sensitivity * each.step - reach) <= each.step / 2
        wanted = law.calibrate(sensitivity=each.sensitivity, **share)
        assert each.scale == wanted


def test_even_shares_add_up_to_one() -> None:
    assert even_shares(["w", "wy"]) == [Fraction(1, 2)] * 2
    shares = even_shares(["w", "wy", "ws", CUT.name])
    assert (sum(shares), shares[-1]) == (1, CUT_SHARE)


# One vector, one price.


@EVERY_LAW
@EVERY_BOX
@pytest.mark.parametrize("answers", [None, RATIO, BOTH], ids=str)
def test_one_vector_is_certified_and_has_no_more_noise_than_it_needs(
    law: NoiseLaw, count: int, answers: tuple[str, ...] | None
) -> None:
    """Joint noise is in proportion to sensitivities."""
    box = BOXES[count]
    if answers is None:
        grid = sums_of("joint", box, AROUND_ONE, RATIO)
        sums = measure_jointly(grid, allow(law))
        ratios = [each.scale / each.sensitivity for each in sums]
        assert ratios == pytest.approx([ratios[0]] * count, rel=1e-12)
    else:
        grid = sums_of("focused", box, AROUND_ONE, answers)
        sums = focused(box, law, answers=answers)
    assert tuple(each.sensitivity for each in sums) == grid.sensitivities
    assert is_proven(law, grid, sums)
    assert not is_proven(law, grid, sums, 1 - 1e-9)


@pytest.mark.parametrize(
    ("law", "gain", "rel"),
    [
        # The row w = s = y = 1 is extreme in all of them at once.
        (LAPLACE, 1, 1e-6),
        # √5 in place of 5, and one delta in place of fifths of it.
        (GAUSSIAN, math.sqrt(5), 0.15),
    ],
)
def test_one_vector_of_the_paper_s_sums_gains_under_gaussian_noise(
    law: NoiseLaw, gain: float, rel: float
) -> None:
    grid = sums_of("joint", BOXES[5], AROUND_ONE, RATIO)
    even = measure_evenly(grid, allow(law))
    joint = measure_jointly(grid, allow(law))
    for one, other in zip(joint, even, strict=True):
        assert one.scale == pytest.approx(other.scale / gain, rel=rel)


@settings(max_examples=25)
@given(
    epsilon=st.sampled_from(["0.001", "0.1", "1", "20", "1000000"]),
    delta=st.sampled_from(["1e-100", "1e-6", "0.5"]),
    law=st.sampled_from([LAPLACE, GAUSSIAN]),
    count=st.sampled_from(list(BOXES)),
    centre=st.sampled_from([0.0, 1.0, -1.0]),
)
def test_every_budget_is_kept(
    epsilon: str, delta: str, law: NoiseLaw, count: int, centre: float
) -> None:
    """Shares may ask for almost no noise; a sum without any is not measured."""
    budget, contrast = Budget(epsilon, delta), Contrast(centre)
    grid = sums_of("focused", BOXES[count], contrast, BOTH)
    sums = focused(BOXES[count], law, budget, contrast, BOTH)
    assert is_proven(law, grid, sums, budget=budget)
    assert min(each.scale for each in sums) >= 2.0**-10


@EVERY_LAW
def test_a_budget_too_small_for_64_bit_noise_is_refused(law: NoiseLaw) -> None:
    tiny = Budget("1e-12", "1e-100")
    grid = sums_of("joint", BOXES[5], AROUND_ONE, RATIO)
    rule = r"below 2\^50 cells, and .* Raise epsilon"
    with pytest.raises(InvalidInput, match=rule):
        measure_jointly(grid, allow(law, tiny))
    with pytest.raises(InvalidInput, match=rule):
        focused(BOXES[5], law, tiny)


# Back to moments.

EVERY_ROW = pytest.mark.parametrize(
    "weighted", [True, False], ids=["weights", "no weights"]
)


def rows_of(*, weighted: bool, binary: bool) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    factors = {
        "s": rng.normal(size=50),
        "y": rng.integers(0, 2, 50) * 1.0 if binary else rng.normal(size=50),
        "w": rng.uniform(size=50) if weighted else np.ones(50),
    }
    factors["a"] = factors["w"] * factors["s"]
    factors["b"] = factors["w"] * factors["y"]
    return factors


def add_up(factors: dict[str, np.ndarray], name: tuple[str, ...] | str) -> float:
    return float(np.prod([np.ones(50), *(factors[f] for f in name)], axis=0).sum())


@EVERY_ROW
@pytest.mark.parametrize("binary", [True, False], ids=["binary", "general"])
def test_the_moments_of_rows_are_put_back_together(
    weighted: bool,  # noqa: FBT001
    binary: bool,  # noqa: FBT001
) -> None:
    """On rows for which the stand-ins are equal, all seven moments come back."""
    factors = rows_of(weighted=weighted, binary=binary)
    summands = summands_for(weighted=weighted, binary=binary)
    measured = [add_up(factors, each.factors) for each in summands]
    matrix = reconstruction(summands, None)
    products = () if weighted else ("aa", "ab", "bb", "wa", "wb")
    assert set(matrix) == {*MOMENTS, *products}
    for name, row in matrix.items():
        assert row @ np.array(measured) == pytest.approx(add_up(factors, name))
        assert sum(row) == 1
    if weighted and not binary:  # Nothing is rebuilt where everything was measured.
        assert list(matrix.values()) == np.eye(7).tolist()


@EVERY_ROW
@pytest.mark.parametrize("means", [True, False], ids=["means", "ratio"])
@pytest.mark.parametrize("centre", [1.0, 0.0, -1.0, 2.5, 1e-3])
def test_moments_come_back_from_z_and_h(
    weighted: bool,  # noqa: FBT001
    means: bool,  # noqa: FBT001
    centre: float,
) -> None:
    factors = rows_of(weighted=weighted, binary=False)
    a, b = factors["a"], factors["b"]
    factors["z"] = a - centre * b
    factors["h"] = a + centre * b if centre else b
    summands = focused_summands(weighted=weighted, means=means)
    measured = np.array([add_up(factors, each.factors) for each in summands])
    matrix = reconstruction(summands, Contrast(centre))
    first = ["ws", "wy", "aa", "ab", "bb"]
    assert list(matrix) == [*first, *(["w", "ww", "wa", "wb"] if means else [])]
    for name, row in matrix.items():
        wanted = add_up(factors, name)
        parts = np.abs(row * measured).sum()
        assert row @ measured == pytest.approx(wanted, abs=1e-12 * parts)
    # The count of cut units comes back as it was measured.
    counted = reconstruction([*summands, CUT], Contrast(centre))
    assert counted[CUT.name] == [0] * len(summands) + [1]
