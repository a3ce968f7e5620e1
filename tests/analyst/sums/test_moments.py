"""From noisy integers to moments: each sum where it belongs, its noise with it."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from analyst.given import NoiseTerm, given_moments, given_plan, given_release
from analyst.ten_rows import BY_HAND, TEN_ROWS
from dpratio.analyst.sums.moments import Moments, exact_moments, moments_of
from dpratio.errors import InvalidInput
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.sums import MOMENTS
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups


def add_up(rows: list[tuple[str, str, str]]) -> dict[str, Fraction]:
    """The seven sums of the paper, in exact arithmetic, one row at a time."""
    total = dict.fromkeys(MOMENTS, Fraction(0))
    for row in rows:
        w, y, s = map(Fraction, row)
        total["w"] += w
        total["wy"] += w * y
        total["ws"] += w * s
        total["ww"] += w * w
        total["wyy"] += w * y * y
        total["wss"] += w * s * s
        total["wys"] += w * y * s
    return total


def plan_of(
    *, weighted: bool, binary: bool, mechanism: str = "laplace", keys: int = 1
) -> Plan:
    weights = {"w": Bounds(0.5, 3)} if weighted else {}
    label = Bounds.binary() if binary else Bounds(0, 2)
    return given_plan(
        {"s": Bounds(0, 2), "y": label, **weights},
        Budget(70, "7e-6") if mechanism == "laplace" else Budget(5, "1e-6"),
        groups=Groups("g", list(range(keys))),
        strategy="even",
        mechanism=mechanism,
    )


def focused_plan(*, weighted: bool, means: bool, guess: float = 1.0) -> Plan:
    weights = {"w": Bounds(0.5, 3)} if weighted else {}
    bounds = {"s": Bounds(0, 2), "y": Bounds(0, 2), **weights}
    answers = ("ratio", "means") if means else ("ratio",)
    return given_plan(bounds, Budget(70), guess=guess, answers=answers)


def unit_sums(rows: list[tuple[str, str, str]], guess: float) -> dict[str, Fraction]:
    """Every sum of a focused plan and what comes back from it, one row at a time."""
    total: dict[str, Fraction] = {}
    for row in rows:
        w, y, s = map(Fraction, row)
        factors = {"w": w, "a": w * s, "b": w * y, "ws": w * s, "wy": w * y}
        factors["z"] = w * (s - Fraction(guess) * y)
        factors["h"] = w * (s + Fraction(guess) * y if guess else y)
        for name in ("w", "ws", "wy", "z", "h"):
            total[name] = total.get(name, Fraction(0)) + factors[name]
        for name in ("ww", "wa", "wb", "aa", "ab", "bb", "zz", "zh", "hh", "wz", "wh"):
            product = factors[name[0]] * factors[name[1]]
            total[name] = total.get(name, Fraction(0)) + product
    return total


def release_of(plan: Plan, *groups: list[tuple[str, str, str]]) -> Release:
    """Release exact sums: what noise that happens to be zero would give."""
    cells = [
        [
            int(add_up(rows)[each.summand.name] / Fraction(each.step))
            for each in plan.measurements[0].sums
        ]
        for rows in groups
    ]
    return given_release(plan, np.array(cells, dtype=np.int64))


def covariance(moments: Moments) -> NDArray[np.float64]:
    """Put the noise covariances of the paper's moments into a matrix."""
    return np.array(
        [[moments.noise_covariance(a, b)[0] for b in MOMENTS] for a in MOMENTS]
    )


def test_the_ten_rows_add_up_as_by_hand() -> None:
    assert [float(total) for total in add_up(TEN_ROWS).values()] == BY_HAND


def test_seven_sums_give_seven_moments() -> None:
    plan = plan_of(weighted=True, binary=False, keys=2)
    moments = moments_of(release_of(plan, TEN_ROWS, TEN_ROWS[:1]))
    assert moments.names == MOMENTS
    assert moments.values.tolist() == [BY_HAND, [1, 1, 0.75, 1, 1, 0.5625, 0.75]]
    assert moments["wy"].tolist() == [13.75, 1.0]


def test_every_group_of_many_has_its_own_moments() -> None:
    plan = plan_of(weighted=True, binary=False, keys=2_500)
    cells = np.arange(2_500 * 7).reshape(-1, 7)
    steps = [each.step for each in plan.measurements[0].sums]
    moments = moments_of(given_release(plan, cells))
    assert moments.values.tolist() == (cells * steps).tolist()


def test_a_binary_denominator_is_its_own_square() -> None:
    rows = [(w, "1" if float(y) >= 1 else "0", s) for w, y, s in TEN_ROWS]
    moments = moments_of(release_of(plan_of(weighted=True, binary=True), rows))
    assert moments["wyy"] == moments["wy"] == [8.5]
    exact = [float(total) for total in add_up(rows).values()]
    assert moments.values.tolist() == [exact]


def test_without_weights_every_weight_is_one() -> None:
    rows = [("1", y, s) for _, y, s in TEN_ROWS]
    moments = moments_of(release_of(plan_of(weighted=False, binary=False), rows))
    assert moments["ww"] == moments["w"] == [10]
    exact = [float(total) for total in add_up(rows).values()]
    assert moments.values[:, :7].tolist() == [exact]


def test_without_weights_squares_of_units_are_squares_of_values() -> None:
    """The paper's sums then answer in the linearised form as well."""
    rows = [("1", y, s) for _, y, s in TEN_ROWS]
    moments = moments_of(release_of(plan_of(weighted=False, binary=False), rows))
    assert moments.names == (*MOMENTS, "aa", "ab", "bb", "wa", "wb")
    wanted = unit_sums(rows, 1.0)
    for name in moments.names[7:]:
        assert moments[name] == [float(wanted[name])]


@pytest.mark.parametrize("guess", [1.0, -1.0, 0.0, 2.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("means", [False, True])
def test_a_focused_release_gives_the_moments_of_its_rows(
    guess: float,
    weighted: bool,  # noqa: FBT001
    means: bool,  # noqa: FBT001
) -> None:
    """z and h are taken apart again, whatever the guess was."""
    rows = TEN_ROWS if weighted else [("1", y, s) for _, y, s in TEN_ROWS]
    plan = focused_plan(weighted=weighted, means=means, guess=guess)
    wanted = unit_sums(rows, guess)
    if plan.measurements[0].basis == "denominator":
        wanted |= {"h": wanted["wy"], "hh": wanted["bb"]}
        wanted["zh"] = wanted["ab"] - Fraction(guess) * wanted["bb"]
        if means:
            wanted["wh"] = wanted["wb"]
    cells = [
        round(wanted[each.summand.name] / Fraction(each.step))
        for each in plan.measurements[0].sums
    ]
    release = given_release(plan, np.array([cells], dtype=np.int64))
    moments = moments_of(release, release.questions[0])
    first = ("ws", "wy", "aa", "ab", "bb")
    assert moments.names == first + (("w", "ww", "wa", "wb") if means else ())
    for name in moments.names:
        assert moments[name] == pytest.approx([float(wanted[name])], rel=1e-6)


def test_the_noise_of_z_and_h_enters_both_sums_of_a_focused_release() -> None:
    """S = (z + h)/2 and Y = (h − z)/2 for the guess 1: two noises, two sums."""
    plan = focused_plan(weighted=True, means=False)
    values = np.zeros((1, 5), dtype=np.int64)
    moments = moments_of(given_release(plan, values))
    on_z, on_h = (
        2 * (each.scale * each.step) ** 2 for each in plan.measurements[0].sums[:2]
    )
    both = pytest.approx((on_z + on_h) / 4)
    assert moments.noise_covariance("ws", "ws") == both
    assert moments.noise_covariance("wy", "wy") == both
    assert moments.noise_covariance("ws", "wy") == pytest.approx((on_h - on_z) / 4)
    assert moments.loading("ws").tolist() == [0.5, 0.5, 0, 0, 0]
    assert moments.loading("wy").tolist() == [-0.5, 0.5, 0, 0, 0]


def test_sums_without_noise_give_the_same_moments_and_no_noise() -> None:
    plan = plan_of(weighted=True, binary=True)
    totals = add_up([(w, "1", s) for w, _, s in TEN_ROWS])
    sums = np.array(
        [[float(totals[each.summand.name]) for each in plan.measurements[0].sums]]
    )
    moments = exact_moments(sums, plan.measurements[0])
    assert moments.values.tolist() == [[float(each) for each in totals.values()]]
    assert not moments.noise.variance.any()
    assert not moments.noise.laplace.any()
    assert moments.noise_covariance("ws", "ws") == 0.0


def test_an_unknown_moment_is_not_made_up() -> None:
    held = given_moments(MOMENTS, [[0.0] * 7])
    with pytest.raises(InvalidInput, match="does not hold the sum sw"):
        held["sw"]
    with pytest.raises(InvalidInput, match="does not hold the sum sw"):
        held.loading("sw")
    for pair in (("w", "sw"), ("sw", "w")):
        with pytest.raises(InvalidInput, match="does not hold the sum sw"):
            held.noise_covariance(*pair)
    assert all(len(held[name]) == 1 for name in MOMENTS)


@pytest.mark.parametrize(
    ("name", "plan"),
    [
        ("w", "answers=('ratio', 'means')"),
        ("wa", "answers=('ratio', 'means')"),
        ("wb", "answers=('ratio', 'means')"),
        ("wss", "strategy='joint', and answers=('ratio', 'spread') for variances"),
        ("wys", "strategy='joint'"),
        ("wyy", "strategy='joint'"),
        ("wyss", "strategy='joint' and answers=('ratio', 'spread')"),
    ],
)
def test_what_a_release_does_not_hold_is_refused_with_the_plan_that_would(
    name: str, plan: str
) -> None:
    made = focused_plan(weighted=True, means=False)
    values = np.zeros((1, 5), dtype=np.int64)
    held = moments_of(given_release(made, values))
    with pytest.raises(InvalidInput) as caught:
        held[name]
    said = str(caught.value)
    assert said.startswith(f"this release does not hold the sum {name}, which this")
    assert f"Make the plan with {plan}" in said


@pytest.mark.parametrize("name", ["aa", "ab", "bb"])
def test_squares_of_weighted_units_need_a_focused_plan(name: str) -> None:
    plan = plan_of(weighted=True, binary=False)
    held = moments_of(release_of(plan, TEN_ROWS))
    with pytest.raises(InvalidInput, match=r"Make the plan with strategy='focused'\."):
        held[name]


def test_laplace_noise_of_each_moment_has_twice_its_squared_scale() -> None:
    """At epsilon 10 per sum, b is a tenth of the largest summand."""
    moments = moments_of(release_of(plan_of(weighted=True, binary=False), TEN_ROWS))
    reach = np.array([3, 6, 6, 9, 12, 12, 12])
    wanted = np.diag(2 * (reach / 10) ** 2)
    assert covariance(moments) == pytest.approx(wanted, rel=1e-12)
    assert moments.noise_covariance("ws", "ws") == pytest.approx(0.72)
    assert moments.noise_covariance("wy", "ws") == 0.0


def test_gaussian_noise_of_each_moment_has_its_squared_scale() -> None:
    plan = plan_of(weighted=True, binary=False, mechanism="analytic_gaussian")
    moments = moments_of(release_of(plan, TEN_ROWS))
    deviations = [each.scale * each.step for each in plan.measurements[0].sums]
    wanted = np.diag(np.square(deviations))
    assert covariance(moments) == pytest.approx(wanted, rel=1e-12)


def test_a_moment_that_stands_in_for_another_shares_its_noise() -> None:
    plan = plan_of(weighted=False, binary=True)
    rows = [("1", "1", s) for _, _, s in TEN_ROWS]
    moments = moments_of(release_of(plan, rows))
    count = moments.noise_covariance("w", "w")
    label = moments.noise_covariance("wy", "wy")
    assert moments.noise_covariance("w", "ww") == count
    assert moments.noise_covariance("ww", "ww") == count
    assert moments.noise_covariance("wy", "wyy") == label
    assert moments.noise_covariance("wy", "ww") == 0.0
    assert covariance(moments) == pytest.approx(covariance(moments).T)
    assert moments.noise.variance.shape == moments.noise.laplace.shape == (1, 5)


def test_noise_that_enters_two_moments_makes_them_move_together() -> None:
    """What a strategy that measures Σ(s − y) needs: Σws = D + Σwy."""
    loading = np.zeros(7)
    loading[MOMENTS.index("ws")], loading[MOMENTS.index("wy")] = 1.0, 2.0
    terms = (NoiseTerm("laplace", 3.0, loading),)
    moments = given_moments(MOMENTS, [[0.0] * 7], *terms)
    assert moments.noise.variance.tolist() == [[18]]
    assert moments.noise.normal.tolist() == [[0]]
    assert moments.noise_covariance("ws", "ws") == pytest.approx(18)
    assert moments.noise_covariance("wy", "wy") == pytest.approx(72)
    assert moments.noise_covariance("ws", "wy") == pytest.approx(36)


def test_the_largest_integers_a_release_can_hold_stay_finite() -> None:
    largest = 2**63 - 1
    for strategy, count in (("even", 7), ("focused", 5)):
        bounds = dict.fromkeys("syw", Bounds(0, 2.0**100))
        plan = given_plan(bounds, strategy=strategy, mechanism="laplace")
        values = np.array([([largest, -largest] * 4)[:count]])
        release = given_release(plan, values)
        assert np.isfinite(moments_of(release, release.questions[0]).values).all()
