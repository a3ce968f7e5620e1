"""Which sums a strategy measures, with certified noise, and how moments come back."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpratio.analyst.sums.reconstruction import reconstruction
from dpratio.errors import InvalidInput
from dpratio.plan.grids import ANSWERS, STRATEGIES
from dpratio.plan.laws import GAUSSIAN, LAPLACE, LAWS, NoiseLaw
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.sensitivity.joint import is_convex, joint_ratio
from dpratio.plan.sensitivity.lattice import step_for
from dpratio.plan.sensitivity.sums import (
    MOMENTS,
    MeasuredSum,
    focused_summands,
    summands_for,
)
from dpratio.plan.split_budget import Allowance
from dpratio.plan.strategy.measure import (
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
ONE_ROW = PrivacyUnit()
BOXES = {
    7: {"s": Bounds(-1, 2), "y": Bounds(0, 5), "w": Bounds(0.5, 3)},
    6: {"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0, 3)},
    5: {"s": Bounds(0, 1), "y": Bounds.binary()},
}
AROUND_ONE = Contrast(1.0)
COMPOSED = [LAPLACE, GAUSSIAN]
BOTH = ("ratio", "means")


def allow(
    law: NoiseLaw,
    budget: Budget = BUDGET,
    unit: PrivacyUnit = ONE_ROW,
    cells: int | None = 1,
) -> Allowance:
    """Allow a single part the whole of a budget."""
    whole = budget.epsilon
    if law != LAPLACE:
        whole = GAUSSIAN.largest_ratio(budget.epsilon, budget.delta)
    return Allowance(law, whole, budget.epsilon, budget.delta, unit, cells)


def focused(
    box: dict[str, Bounds],
    law: NoiseLaw,
    budget: Budget = BUDGET,
    contrast: Contrast = AROUND_ONE,
    answers: tuple[str, ...] = ("ratio",),
) -> tuple[MeasuredSum, ...]:
    grid = sums_of("focused", box, contrast, answers)
    units = units_of(box, contrast)
    family = family_of(units, likely_ratios(units, "close"), likely_counts(5000), None)
    return measure_focused(grid, allow(law, budget), units, family)[0]


def test_there_are_three_strategies_and_four_answers() -> None:
    assert STRATEGIES == ("focused", "joint", "even")
    assert ANSWERS == ("ratio", "means", "spread", "calibration")


@pytest.mark.parametrize("count", BOXES)
def test_spread_adds_products_of_three_and_four_values(count: int) -> None:
    """Each moment comes back from the sum of its name, squares of binary labels too."""
    box = BOXES[count]
    grid = sums_of("joint", box, AROUND_ONE, ("ratio", "spread"))
    assert len(grid.summands) == {7: 16, 6: 10, 5: 9}[count]
    orders = {len(each.factors) - ("w" in box) for each in grid.summands[count:]}
    assert orders == {3, 4}
    moments = reconstruction(grid.summands, None)
    for at, each in enumerate(grid.summands):
        assert moments[each.name][at] == 1.0
        assert sum(moments[each.name]) == 1.0
    for law in COMPOSED:
        measured = measure_jointly(grid, allow(law))
        scales = [each.scale for each in measured]
        assert is_convex(law, grid, scales)


@pytest.mark.parametrize("count", BOXES)
@pytest.mark.parametrize("strategy", ["even", "joint"])
def test_the_paper_s_sums_are_measured_evenly_or_jointly(
    count: int, strategy: str
) -> None:
    """Whatever is wanted, and whatever is guessed."""
    box = BOXES[count]
    wanted = summands_for(weighted="w" in box, binary=box["y"].is_binary)
    for answers in (("ratio",), BOTH):
        for contrast in (AROUND_ONE, Contrast(0.0, 0.5)):
            grid = sums_of(strategy, box, contrast, answers)
            assert grid.summands == wanted
            assert grid == sums_of(strategy, box, AROUND_ONE, ("ratio",))
    assert len(grid.summands) == count


@pytest.mark.parametrize("count", BOXES)
@pytest.mark.parametrize("answers", [("ratio",), BOTH], ids=len)
def test_focused_sums_are_those_of_the_answers(
    count: int, answers: tuple[str, ...]
) -> None:
    box = BOXES[count]
    grid = sums_of("focused", box, AROUND_ONE, answers)
    means = len(answers) == 2
    assert grid.summands == focused_summands(weighted="w" in box, means=means)


@pytest.mark.parametrize("count", BOXES)
@pytest.mark.parametrize("law", list(LAWS.values()))
def test_every_sum_is_measured_on_its_own_lattice_with_an_equal_share(
    count: int, law: NoiseLaw
) -> None:
    box = BOXES[count]
    measured = measure_evenly(sums_of("even", box, AROUND_ONE, ("ratio",)), allow(law))
    assert len(measured) == count
    for each in measured:
        reach = math.prod(box[factor].reach for factor in each.summand.factors)
        assert each.step == step_for(reach)
        assert abs(each.sensitivity * each.step - reach) <= each.step / 2
        assert each.scale == law.calibrate(
            sensitivity=each.sensitivity,
            epsilon=Fraction("0.7") / count,
            delta=Fraction("1e-6") / count,
        )


# One vector, one price.


@pytest.mark.parametrize("law", COMPOSED)
@pytest.mark.parametrize("count", BOXES)
def test_joint_noise_is_in_proportion_to_sensitivities(
    law: NoiseLaw, count: int
) -> None:
    grid = sums_of("joint", BOXES[count], AROUND_ONE, ("ratio",))
    measured = measure_jointly(grid, allow(law))
    ratios = [each.scale / each.sensitivity for each in measured]
    assert ratios == pytest.approx([ratios[0]] * count, rel=1e-12)
    assert tuple(each.sensitivity for each in measured) == grid.sensitivities


def scales_of(sums: tuple[MeasuredSum, ...]) -> list[float]:
    return [each.scale for each in sums]


def proven(
    law: NoiseLaw, box: dict[str, Bounds], sums: tuple[MeasuredSum, ...], factor: float
) -> bool:
    """Whether all noise times a factor is proven to keep within the budget."""
    strategy = "focused" if sums[0].summand.name == "z" else "joint"
    answers = BOTH if any(each.summand.name == "w" for each in sums) else ("ratio",)
    grid = sums_of(strategy, box, AROUND_ONE, answers)
    scales = [scale * factor for scale in scales_of(sums)]
    return law.affords(
        joint_ratio(law, grid, scales),
        epsilon=BUDGET.epsilon,
        delta=BUDGET.delta,
    ) and is_convex(law, grid, scales)


@pytest.mark.parametrize("law", COMPOSED)
@pytest.mark.parametrize("count", BOXES)
@pytest.mark.parametrize("answers", [None, ("ratio",), BOTH], ids=str)
def test_one_vector_is_certified_and_has_no_more_noise_than_it_needs(
    law: NoiseLaw, count: int, answers: tuple[str, ...] | None
) -> None:
    box = BOXES[count]
    if answers is None:
        grid = sums_of("joint", box, AROUND_ONE, ("ratio",))
        sums = measure_jointly(grid, allow(law))
    else:
        sums = focused(box, law, answers=answers)
    assert proven(law, box, sums, 1.0)
    assert not proven(law, box, sums, 1 - 1e-9)


def test_gaussian_noise_of_one_vector_is_far_smaller_than_of_equal_shares() -> None:
    grid = sums_of("joint", BOXES[5], AROUND_ONE, ("ratio",))
    even = measure_evenly(grid, allow(GAUSSIAN))
    joint = measure_jointly(grid, allow(GAUSSIAN))
    # √5 in place of 5, and one delta in place of fifths of it.
    assert joint[0].scale == pytest.approx(even[0].scale / math.sqrt(5), rel=0.15)


def test_laplace_noise_of_the_paper_s_sums_gains_nothing_from_one_vector() -> None:
    """The row w = s = y = 1 is extreme in all of them at once."""
    grid = sums_of("joint", BOXES[5], AROUND_ONE, ("ratio",))
    even = measure_evenly(grid, allow(LAPLACE))
    joint = measure_jointly(grid, allow(LAPLACE))
    assert scales_of(joint) == pytest.approx(scales_of(even), rel=1e-6)


@settings(max_examples=25)
@given(
    epsilon=st.sampled_from(["0.001", "0.1", "1", "20", "1000000"]),
    delta=st.sampled_from(["1e-100", "1e-6", "0.5"]),
    law=st.sampled_from(COMPOSED),
    count=st.sampled_from(list(BOXES)),
    centre=st.sampled_from([0.0, 1.0, -1.0]),
)
def test_every_budget_is_kept(
    epsilon: str, delta: str, law: NoiseLaw, count: int, centre: float
) -> None:
    budget, contrast = Budget(epsilon, delta), Contrast(centre)
    grid = sums_of("focused", BOXES[count], contrast, BOTH)
    sums = focused(BOXES[count], law, budget, contrast, BOTH)
    assert is_convex(law, grid, scales_of(sums))
    assert law.affords(
        joint_ratio(law, grid, scales_of(sums)),
        epsilon=budget.epsilon,
        delta=budget.delta,
    )


@pytest.mark.parametrize("law", COMPOSED)
def test_a_budget_too_small_for_64_bit_noise_is_refused(law: NoiseLaw) -> None:
    tiny = Budget("1e-12", "1e-100")
    grid = sums_of("joint", BOXES[5], AROUND_ONE, ("ratio",))
    with pytest.raises(InvalidInput, match=r"below 2\^50 cells, and .* Raise epsilon"):
        measure_jointly(grid, allow(law, tiny))
    with pytest.raises(InvalidInput, match=r"below 2\^50 cells, and .* Raise epsilon"):
        focused(BOXES[5], law, tiny)


def test_no_noise_is_smaller_than_the_smallest_scale() -> None:
    """Shares may ask for almost none; a sum without noise is not measured."""
    for sums in (
        focused(BOXES[6], LAPLACE, Budget("1000000", "1e-6")),
        focused(BOXES[6], GAUSSIAN, Budget("1000000", "0.9")),
    ):
        assert min(scales_of(sums)) >= 2.0**-10


# Back to moments.


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


@pytest.mark.parametrize("weighted", [True, False], ids=["weights", "no weights"])
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


def test_nothing_is_rebuilt_when_everything_was_measured() -> None:
    matrix = reconstruction(summands_for(weighted=True, binary=False), None)
    assert list(matrix) == list(MOMENTS)
    assert list(matrix.values()) == np.eye(7).tolist()


@pytest.mark.parametrize("weighted", [True, False], ids=["weights", "no weights"])
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
