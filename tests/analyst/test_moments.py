"""From noisy integers to moments: each sum where it belongs, its noise with it."""

from fractions import Fraction

import numpy as np
import pytest

from analyst.ten_rows import TEN_ROWS
from dpratio.analyst.moments import Moments, NoiseTerm, exact_moments, moments_of
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.sums import MOMENTS
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.question import Groups, Ratio

# Added up by hand, in the order of the paper: Σw Σwy Σws Σw² Σwy² Σws² Σwys.
BY_HAND = [15.0, 13.75, 13.0, 29.0, 19.875, 16.0, 16.375]


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
    return make_plan(
        Ratio("s", per="y", weight="w" if weighted else None),
        bounds={
            "s": Bounds(0, 2),
            "y": Bounds.binary() if binary else Bounds(0, 2),
            **weights,
        },
        budget=Budget(70, "7e-6") if mechanism == "laplace" else Budget(5, "1e-6"),
        groups=Groups("g", list(range(keys))),
        mechanism=mechanism,
    )


def release_of(plan: Plan, *groups: list[tuple[str, str, str]]) -> Release:
    """Release exact sums: what noise that happens to be zero would give."""
    cells = [
        [
            int(add_up(rows)[each.summand.name] / Fraction(each.step))
            for each in plan.sums
        ]
        for rows in groups
    ]
    return Release("0" * 32, plan, np.array(cells, dtype=np.int64), "a test")


def test_the_ten_rows_add_up_as_by_hand() -> None:
    assert [float(total) for total in add_up(TEN_ROWS).values()] == BY_HAND


def test_seven_sums_give_seven_moments() -> None:
    plan = plan_of(weighted=True, binary=False, keys=2)
    moments = moments_of(release_of(plan, TEN_ROWS, TEN_ROWS[:1]))
    assert moments.values.tolist() == [BY_HAND, [1, 1, 0.75, 1, 1, 0.5625, 0.75]]
    assert moments["wy"].tolist() == [13.75, 1.0]


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
    assert moments.values.tolist() == [exact]


def test_sums_without_noise_give_the_same_moments_and_no_noise() -> None:
    plan = plan_of(weighted=True, binary=True)
    totals = add_up([(w, "1", s) for w, _, s in TEN_ROWS])
    sums = np.array([[float(totals[each.summand.name]) for each in plan.sums]])
    moments = exact_moments(sums, plan)
    assert moments.values.tolist() == [[float(each) for each in totals.values()]]
    assert moments.noise == ()
    assert not moments.covariance.any()


def test_an_unknown_moment_is_not_made_up() -> None:
    with pytest.raises(ValueError, match="tuple"):
        Moments(np.zeros((1, 7)), ())["sw"]


def test_laplace_noise_of_each_moment_has_twice_its_squared_scale() -> None:
    """At epsilon 10 per sum, b is a tenth of the largest summand."""
    moments = moments_of(release_of(plan_of(weighted=True, binary=False), TEN_ROWS))
    reach = np.array([3, 6, 6, 9, 12, 12, 12])
    wanted = np.diag(2 * (reach / 10) ** 2)
    assert moments.covariance == pytest.approx(wanted, rel=1e-12)
    assert moments.noise_covariance("ws", "ws") == pytest.approx(0.72)
    assert moments.noise_covariance("wy", "ws") == 0.0


def test_gaussian_noise_of_each_moment_has_its_squared_scale() -> None:
    plan = plan_of(weighted=True, binary=False, mechanism="analytic_gaussian")
    moments = moments_of(release_of(plan, TEN_ROWS))
    deviations = [each.scale * each.step for each in plan.sums]
    wanted = np.diag(np.square(deviations))
    assert moments.covariance == pytest.approx(wanted, rel=1e-12)


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
    assert moments.covariance == pytest.approx(moments.covariance.T)
    assert len(moments.noise) == 5


def test_noise_that_enters_two_moments_makes_them_move_together() -> None:
    """What a strategy that measures Σ(s − y) needs: Σws = D + Σwy."""
    loading = np.zeros(7)
    loading[MOMENTS.index("ws")], loading[MOMENTS.index("wy")] = 1.0, 2.0
    moments = Moments(np.zeros((1, 7)), (NoiseTerm("laplace", 3.0, loading),))
    assert moments.noise[0].variance == pytest.approx(18)
    assert moments.noise_covariance("ws", "ws") == pytest.approx(18)
    assert moments.noise_covariance("wy", "wy") == pytest.approx(72)
    assert moments.noise_covariance("ws", "wy") == pytest.approx(36)


def test_the_largest_integers_a_release_can_hold_stay_finite() -> None:
    plan = make_plan(
        Ratio("s", per="y", weight="w"),
        bounds=dict.fromkeys("syw", Bounds(0, 2.0**100)),
        budget=Budget(1),
    )
    largest = 2**63 - 1
    values = np.array([[largest, -largest] * 3 + [largest]])
    assert np.isfinite(
        moments_of(Release("0" * 32, plan, values, "a test")).values
    ).all()
