"""From a release to intervals: by hand on ten rows, and for any integers at all."""

import inspect
import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analyst.given import given_release
from analyst.ten_rows import TEN_ROWS
from dpratio.analyst.estimate import METHODS, estimate_ratios
from dpratio.analyst.moments import moments_of
from dpratio.analyst.results import STATUSES, Estimates
from dpratio.analyst.wald import SCALES, WALD_METHODS, normal_quantile
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.sums import MOMENTS
from dpratio.release.combine import roll_up
from dpratio.release.release import Release, fresh_part
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Ratio

ROWS = [(Fraction(w), Fraction(y), Fraction(s)) for w, y, s in TEN_ROWS]
SUMS = {
    "w": float(sum(w for w, _, _ in ROWS)),
    "wy": float(sum(w * y for w, y, _ in ROWS)),
    "ws": float(sum(w * s for w, _, s in ROWS)),
    "ww": float(sum(w * w for w, _, _ in ROWS)),
    "wyy": float(sum(w * y * y for w, y, _ in ROWS)),
    "wss": float(sum(w * s * s for w, _, s in ROWS)),
    "wys": float(sum(w * y * s for w, y, s in ROWS)),
}
LARGEST = 2**63 - 1
NORMAL = 1.959963984540054


@cache
def plan_of(
    epsilon: int = 70,
    *,
    s: tuple[float, float] = (0, 2),
    y: tuple[float, float] = (0, 2),
    mechanism: str = "laplace",
    keys: tuple[str, ...] = ("all",),
) -> Plan:
    """At epsilon 70 each of the 7 sums has noise of a tenth of its reach."""
    return make_plan(
        Ratio("s", per="y", weight="w"),
        bounds={"s": Bounds(*s), "y": Bounds(*y), "w": Bounds(0.5, 3)},
        budget=Budget(epsilon, "7e-6"),
        groups=Groups("g", keys),
        strategy="even",
        mechanism=mechanism,
    )


def release_of(plan: Plan, *groups: dict[str, float]) -> Release:
    """Release sums as given: the ten rows', changed where a group says so."""
    cells = [
        [round((SUMS | group)[each.summand.name] / each.step) for each in plan.sums]
        for group in groups or ({},)
    ]
    return given_release(plan, np.array(cells, dtype=np.int64))


def answer(plan: Plan | None = None, **options: Any) -> Estimates:  # noqa: ANN401
    """Answer as the paper does, unless another method is asked for."""
    given = {"method": "analytical", **options}
    return estimate_ratios(release_of(plan or plan_of()), **given)


def one(group: dict[str, float], **options: Any) -> dict[str, Any]:  # noqa: ANN401
    plan = options.pop("plan", plan_of())
    given = {"method": "analytical", **options}
    (row,) = estimate_ratios(release_of(plan, group), **given).to_dicts()
    return row


# The paper's numbers, by hand: sampling variance 0.0286562 on the ratio scale and
# 0.0320580 on the log scale (test_delta.py); Laplace noise b = 0.6 on Σws and Σwy,
# so 0.72 each: privacy (0.72 + r² 0.72)/13.75² = 0.00721241 and
# 0.72/13² + 0.72/13.75² = 0.00806862.


def test_no_correction_on_ten_rows_by_hand() -> None:
    (row,) = answer(method="no_correction").to_dicts()
    assert row["ratio"] == pytest.approx(0.945455, abs=5e-7)
    assert row["se"] == row["se_sampling"] == pytest.approx(0.169281, abs=5e-7)
    assert row["se_privacy"] == 0.0
    assert row["ci_lower"] == pytest.approx(0.613669, abs=5e-7)
    assert row["ci_upper"] == pytest.approx(1.277240, abs=5e-7)
    assert row["status"] == "ok"


def test_analytical_on_ten_rows_by_hand() -> None:
    (row,) = answer().to_dicts()
    assert row["ratio"] == pytest.approx(0.945455, abs=5e-7)
    assert row["se_sampling"] == pytest.approx(0.169281, abs=5e-7)
    assert row["se_privacy"] == pytest.approx(0.0849259, abs=5e-8)
    assert row["se"] == pytest.approx(0.189390, abs=5e-7)
    assert row["ci_lower"] == pytest.approx(0.574257, abs=5e-7)
    assert row["ci_upper"] == pytest.approx(1.316652, abs=5e-7)
    assert row["status"] == "ok"


def test_no_correction_on_the_log_scale_by_hand() -> None:
    (row,) = answer(method="no_correction", scale="log").to_dicts()
    assert row["log_ratio"] == pytest.approx(-0.0560895, abs=5e-8)
    assert row["se"] == pytest.approx(0.179048, abs=5e-7)
    assert row["log_ci_lower"] == pytest.approx(-0.407016, abs=5e-7)
    assert row["log_ci_upper"] == pytest.approx(0.294837, abs=5e-7)
    assert row["ratio"] == pytest.approx(0.945455, abs=5e-7)
    assert row["ci_lower"] == pytest.approx(0.665633, abs=5e-7)
    assert row["ci_upper"] == pytest.approx(1.342908, abs=5e-7)


def test_analytical_on_the_log_scale_by_hand() -> None:
    (row,) = answer(scale="log").to_dicts()
    assert row["se_sampling"] == pytest.approx(0.179048, abs=5e-7)
    assert row["se_privacy"] == pytest.approx(0.0898255, abs=5e-8)
    assert row["se"] == pytest.approx(0.200316, abs=5e-7)
    assert row["log_ci_lower"] == pytest.approx(-0.448702, abs=5e-7)
    assert row["log_ci_upper"] == pytest.approx(0.336523, abs=5e-7)
    assert row["ci_lower"] == pytest.approx(0.638456, abs=5e-7)
    assert row["ci_upper"] == pytest.approx(1.400072, abs=5e-7)


@pytest.mark.parametrize("scale", SCALES)
def test_monte_carlo_on_ten_rows_is_near_the_analytical_answer(scale: str) -> None:
    """Twenty thousand redraws of Laplace noise, one seventh of the denominator."""
    (redrawn,) = answer(
        plan_of(700), method="monte_carlo", scale=scale, draws=20_000, rng=1
    ).to_dicts()
    (exact,) = answer(plan_of(700), scale=scale).to_dicts()
    assert redrawn["se_privacy"] == pytest.approx(exact["se_privacy"], rel=0.03)
    assert redrawn["se_sampling"] == exact["se_sampling"]
    assert redrawn["ci_lower"] == pytest.approx(exact["ci_lower"], rel=1e-3)


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
@pytest.mark.parametrize("scale", SCALES)
def test_monte_carlo_becomes_analytical_as_noise_shrinks(
    mechanism: str, scale: str
) -> None:
    gaps = []
    for epsilon in (140, 7000):
        plan = plan_of(epsilon, mechanism=mechanism)
        options = {"scale": scale, "draws": 100_000, "rng": 3}
        redrawn = answer(plan, method="monte_carlo", **options).se_privacy[0]
        gaps.append(abs(redrawn / answer(plan, scale=scale).se_privacy[0] - 1))
    assert gaps[1] < 0.01
    assert gaps[1] <= gaps[0]


def test_equation_5_reaches_the_interval() -> None:
    """Classical Gaussian noise: σ = Δ√(2 log(1.25/δ))/ε at ε = 1, δ = 1e-6 a sum."""
    sigma = 6 * math.sqrt(2 * math.log(1.25e6))
    assert sigma == pytest.approx(31.792815, abs=5e-7)
    big = {name: 400 * total for name, total in SUMS.items()}
    row = one(big, plan=plan_of(7, mechanism="classical_gaussian"))
    denominator = 400 * 13.75
    wanted = sigma * math.sqrt(1 + (13 / 13.75) ** 2) / denominator
    assert row["se_privacy"] == pytest.approx(wanted, rel=1e-9)
    assert row["se_privacy"] == pytest.approx(0.00795505, abs=5e-9)


@pytest.mark.parametrize("epsilon", [20, 70, 1000])
@pytest.mark.parametrize("scale", SCALES)
def test_the_privacy_part_is_the_noise_over_the_denominator(
    epsilon: int, scale: str
) -> None:
    plan = plan_of(epsilon)
    moments = moments_of(release_of(plan))
    var_s = moments.noise_covariance("ws", "ws")
    var_y = moments.noise_covariance("wy", "wy")
    assert var_s == pytest.approx(2 * (6 * 7 / epsilon) ** 2)
    ratio = 13.0 / 13.75
    wanted = (var_s + ratio**2 * var_y) / 13.75**2
    if scale == "log":
        wanted /= ratio**2
    (found,) = answer(plan, scale=scale).se_privacy
    assert found**2 == pytest.approx(wanted)


@pytest.mark.parametrize("method", WALD_METHODS)
@pytest.mark.parametrize("scale", SCALES)
def test_the_squares_of_the_parts_add_up(method: str, scale: str) -> None:
    (row,) = answer(method=method, scale=scale, rng=1).to_dicts()
    parts = row["se_sampling"] ** 2 + row["se_privacy"] ** 2
    assert row["se"] ** 2 == pytest.approx(parts, rel=1e-12)
    prefix = "log_" if scale == "log" else ""
    width = row[f"{prefix}ci_upper"] - row[f"{prefix}ci_lower"]
    assert width == pytest.approx(2 * NORMAL * row["se"], rel=1e-12)


@pytest.mark.parametrize(
    ("level", "quantile"), [(0.5, 0.6744898), (0.8, 1.2815516), (0.99, 2.5758293)]
)
@pytest.mark.parametrize("scale", SCALES)
def test_the_level_sets_the_width(level: float, quantile: float, scale: str) -> None:
    assert normal_quantile(level) == pytest.approx(quantile, abs=5e-8)
    (row,) = answer(level=level, scale=scale).to_dicts()
    centre = row["log_ratio"] if scale == "log" else row["ratio"]
    upper = row["log_ci_upper"] if scale == "log" else row["ci_upper"]
    assert upper - centre == pytest.approx(quantile * row["se"], rel=1e-6)
    assert answer(level=level).level == level


def test_the_defaults_are_a_pivot_interval_at_95_percent() -> None:
    usual = estimate_ratios(release_of(plan_of()))
    assert usual.ci_upper == answer(method="pivot", level=0.95).ci_upper
    assert usual.level == 0.95
    assert usual.method == "pivot"
    assert usual.scale == "ratio"
    assert usual.variance == "kish"


def test_the_log_interval_is_the_exponential_of_itself() -> None:
    found = answer(scale="log")
    assert found.log_ci_lower is not None
    assert found.log_ci_upper is not None
    assert found.ci_lower == pytest.approx(np.exp(found.log_ci_lower))
    assert found.ci_upper == pytest.approx(np.exp(found.log_ci_upper))
    assert answer().log_ratio is None


def test_the_lower_end_of_a_ratio_that_cannot_be_negative_is_not() -> None:
    row = one({"ws": 0.5, "wss": 5.0, "wys": 0.0})
    assert row["ratio"] - NORMAL * row["se"] < 0
    assert row["ci_lower"] == 0.0
    assert row["ci_upper"] == pytest.approx(row["ratio"] + NORMAL * row["se"])
    assert row["status"] == "ok"


def test_a_negative_numerator_that_noise_made_is_shown_as_zero() -> None:
    row = one({"ws": -1.0, "wss": 5.0, "wys": 0.0})
    assert row["ratio"] == 0.0
    assert row["ci_lower"] == 0.0
    assert row["ci_upper"] > 0


def test_an_interval_wholly_below_zero_is_the_point_zero() -> None:
    row = one({"w": 4000, "ww": 4000, "wy": 2000, "wyy": 2000, "ws": -900.0})
    assert (row["ratio"], row["ci_lower"], row["ci_upper"]) == (0.0, 0.0, 0.0)
    assert row["status"] in {"ok", "variance_floored"}


def test_with_negative_bounds_nothing_is_clipped() -> None:
    row = one({"ws": -13.0, "wys": -16.375}, plan=plan_of(s=(-2, 2)))
    assert row["ratio"] == pytest.approx(-0.945455, abs=5e-7)
    assert row["ci_lower"] == pytest.approx(-1.316652, abs=5e-7)
    assert row["ci_upper"] == pytest.approx(-0.574257, abs=5e-7)


def test_a_negative_denominator_is_as_good_as_a_positive_one() -> None:
    plan = plan_of(s=(-2, 2), y=(-2, 2))
    both = one({"wy": -13.75, "ws": -13.0}, plan=plan)
    assert both["ratio"] == pytest.approx(0.945455, abs=5e-7)
    assert both["se"] == pytest.approx(0.189390, abs=5e-7)
    below = one({"wy": -13.75, "wys": -16.375}, plan=plan)
    assert below["ratio"] == pytest.approx(-0.945455, abs=5e-7)
    assert below["ci_lower"] == pytest.approx(-1.316652, abs=5e-7)
    assert (both["status"], below["status"]) == ("ok", "ok")


# Statuses.


def test_a_weak_denominator_gives_an_unbounded_interval() -> None:
    """sd² = Σw²(Σwy²/Σw − (Σwy/Σw)²) + 0.72; at the 95 % level zero is plausible."""
    deviation = math.sqrt(29 * (19.875 / 15 - (7 / 15) ** 2) + 0.72)
    assert 7 / deviation < NORMAL
    row = one({"wy": 7.0})
    assert row["status"] == "unbounded"
    assert (row["ci_lower"], row["ci_upper"], row["se"]) == (0.0, math.inf, math.inf)
    assert math.isnan(row["se_sampling"])
    assert math.isnan(row["se_privacy"])
    assert row["ratio"] == pytest.approx(13 / 7)
    assert one({"wy": 7.0}, level=0.5)["status"] == "ok"


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_the_denominator_is_weak_just_where_fieller_says(factor: float) -> None:
    """Solve wy = z·sd(wy) for wy, then go a little to either side."""
    square = NORMAL**2 * (29 * 19.875 / 15 + 0.72) / (1 + NORMAL**2 * 29 / 15**2)
    row = one({"wy": factor * math.sqrt(square), "wys": 9.0})
    assert (row["status"] == "unbounded") == (factor < 1)


def test_without_correction_only_sampling_makes_a_denominator_weak() -> None:
    group = {"wy": 1.5, "wyy": 0.2, "wys": 0.1, "w": 400.0, "ww": 400.0}
    assert NORMAL * math.sqrt(0.72) > 1.5
    assert one(group, method="no_correction")["status"] == "ok"
    for method in ("analytical", "monte_carlo"):
        assert one(group, method=method)["status"] == "unbounded"


@pytest.mark.parametrize("wyy", [-0.212, -4.0])
def test_a_negative_sampling_variance_does_not_cancel_the_noise(wyy: float) -> None:
    """Σwy = 1.5 with noise of sd 0.85 is weak, whatever noise did to Σwy²."""
    assert 29 * (wyy / 15 - (1.5 / 15) ** 2) + 0.72 < 0.03
    row = one({"wy": 1.5, "wyy": wyy, "wss": 40.0})
    assert row["status"] == "unbounded"


@pytest.mark.parametrize("wy", [0.0, -0.001, -13.75])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", SCALES)
def test_a_denominator_at_or_below_zero_has_no_ratio(
    wy: float, method: str, scale: str
) -> None:
    row = one({"wy": wy}, method=method, scale=scale, rng=1)
    assert row["status"] == "unbounded"
    assert math.isnan(row["ratio"])
    assert (row["ci_lower"], row["ci_upper"]) == (0.0, math.inf)


def test_where_there_is_no_ratio_there_is_no_logarithm_of_it() -> None:
    """Two negative sums have a positive quotient, and no meaning."""
    row = one({"wy": -13.75, "ws": -13.0}, scale="log")
    assert math.isnan(row["ratio"])
    assert math.isnan(row["log_ratio"])


def test_with_negative_bounds_only_zero_has_no_ratio() -> None:
    plan = plan_of(s=(-2, 2), y=(-2, 2))
    zero = one({"wy": 0.0}, plan=plan)
    assert math.isnan(zero["ratio"])
    weak = one({"wy": -0.5}, plan=plan)
    assert weak["ratio"] == pytest.approx(-26)
    for row in (zero, weak):
        assert row["status"] == "unbounded"
        assert (row["ci_lower"], row["ci_upper"]) == (-math.inf, math.inf)


def test_a_denominator_that_cannot_be_negative_is_weak_when_it_is() -> None:
    """Only the numerator may be negative here: Σwy < 0 can be nothing but noise."""
    row = one({"wy": -13.75}, plan=plan_of(s=(-2, 2)))
    assert row["status"] == "unbounded"
    assert math.isnan(row["ratio"])


@pytest.mark.parametrize("name", ["w", "ww"])
@pytest.mark.parametrize("size", [0.0, -3.0])
def test_a_group_that_seems_empty_is_unbounded(name: str, size: float) -> None:
    assert one({name: size})["status"] == "unbounded"


def test_an_empty_group_is_unbounded() -> None:
    row = one(dict.fromkeys(MOMENTS, 0.0))
    assert row["status"] == "unbounded"
    assert math.isnan(row["ratio"])
    assert (row["ci_lower"], row["ci_upper"]) == (0.0, math.inf)


def test_a_variance_that_noise_made_negative_is_floored_and_says_so() -> None:
    row = one({"wss": 5.0})
    assert row["status"] == "variance_floored"
    assert row["se_sampling"] > 0
    assert row["se"] ** 2 == pytest.approx(
        row["se_sampling"] ** 2 + row["se_privacy"] ** 2
    )
    assert 0 <= row["ci_lower"] <= row["ratio"] <= row["ci_upper"] < math.inf


@pytest.mark.parametrize("scale", SCALES)
def test_the_floor_is_one_standard_deviation_of_the_variance_s_noise(
    scale: str,
) -> None:
    """Of the noise in V, Σws² alone brings Σw²/Σw of its own; r̂ ≈ 1 brings the rest."""
    plan = plan_of(7000)
    row = one({"wss": 12.0}, plan=plan, scale=scale)
    assert row["status"] == "variance_floored"
    moments = moments_of(release_of(plan, {"wss": 12.0}))
    least = 29 / 15 * math.sqrt(moments.noise_covariance("wss", "wss")[0])
    size = 13.0 if scale == "log" else 13.75
    floor = row["se_sampling"] ** 2 * size**2
    assert least < floor < 4 * least


def test_the_floor_is_the_same_relative_error_on_both_scales() -> None:
    on_ratio, on_log = (one({"wss": 12.0}, scale=scale) for scale in SCALES)
    relative = on_ratio["se_sampling"] / on_ratio["ratio"]
    assert on_log["se_sampling"] == pytest.approx(relative, rel=1e-9)


@pytest.mark.parametrize("method", WALD_METHODS)
def test_a_floored_variance_is_floored_by_every_method(method: str) -> None:
    for scale in SCALES:
        row = one({"wss": 5.0}, method=method, scale=scale, rng=1)
        assert row["status"] == "variance_floored"


@pytest.mark.parametrize("ws", [0.0, -1.0])
def test_a_numerator_at_or_below_zero_has_no_logarithm(ws: float) -> None:
    row = one({"ws": ws}, scale="log")
    assert row["status"] == "unbounded"
    assert row["ratio"] == 0.0
    assert (row["ci_lower"], row["ci_upper"]) == (0.0, math.inf)
    assert (row["log_ci_lower"], row["log_ci_upper"]) == (-math.inf, math.inf)


def test_a_log_interval_too_wide_for_a_number_is_unbounded() -> None:
    """A numerator of one cell: log ± 10⁷ is finite, its exponential is not."""
    row = one({"ws": 2.0**-22}, scale="log")
    assert row["ci_upper"] == math.inf
    assert row["status"] == "unbounded"


# Options.


def test_log_intervals_need_bounds_that_cannot_be_negative() -> None:
    message = (
        "scale 'log' needs a numerator and denominator that cannot be negative, "
        "got 'log'. Use scale 'ratio'."
    )
    for bounds in ({"s": (-1, 2)}, {"y": (-1, 2)}):
        with pytest.raises(InvalidInput) as caught:
            answer(plan_of(**bounds), scale="log")
        assert str(caught.value) == message
        answer(plan_of(**bounds))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": "analytic"},
            r"^unknown method, got 'analytic'\. Did you mean 'ana",
        ),
        (
            {"scale": "logs"},
            r"^unknown scale, got 'logs'\. Did you mean 'log'\? Use one",
        ),
        ({"level": 0.0}, r"^level must lie between 0 and 1, got 0\.0\. 0\.95 is usual"),
        ({"level": 1.0}, "level must lie between 0 and 1"),
        ({"level": -0.5}, "level must lie between 0 and 1"),
        ({"level": 95}, "level must lie between 0 and 1, got 95"),
        ({"level": math.nan}, "level must lie between 0 and 1"),
        ({"level": "0.95"}, "level must lie between 0 and 1"),
        ({"level": True}, "level must lie between 0 and 1"),
        ({"draws": 1}, "draws must be at least 2, got 1"),
        ({"draws": 200.0}, "draws must be at least 2"),
        ({"draws": True}, "draws must be at least 2"),
        ({"rng": -1}, "rng"),
        ({"rng": "seed"}, "rng"),
        ({"rng": 1.5}, "rng"),
    ],
)
def test_an_option_that_is_not_one_is_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        answer(**{"method": "monte_carlo", **options})


def focused_release(*, weighted: bool = True) -> Release:
    """A release of ten thousand people around the ratio 1.1."""
    weights = {"w": Bounds(0.5, 3)} if weighted else {}
    plan = make_plan(
        Ratio("s", per="y", weight="w" if weighted else None),
        bounds={"s": Bounds(0, 2), "y": Bounds(0, 2), **weights},
        budget=Budget(1),
    )
    sums = {"z": 450.0, "h": 9450.0, "zz": 2500.0, "zh": 900.0, "hh": 13_000.0}
    cells = [round(sums[each.summand.name] / each.step) for each in plan.sums]
    return given_release(plan, np.array([cells]))


@pytest.mark.parametrize("method", METHODS)
def test_a_focused_release_is_answered_in_the_linearised_form(method: str) -> None:
    """S = 4950 and Y = 4500; Σ(a − rb)² from z², zh and h²."""
    found = estimate_ratios(focused_release(), method=method, rng=1)
    assert found.variance == "linearised"
    assert found.ratio == pytest.approx([1.1], rel=1e-6)
    assert found.status == ("ok",)
    # a − 1.1b = 1.05 z − 0.05 h.
    square = 1.05**2 * 2500 - 2 * 1.05 * 0.05 * 900 + 0.05**2 * 13_000
    assert found.se_sampling[0] == pytest.approx(math.sqrt(square) / 4500, rel=1e-6)
    named = estimate_ratios(
        focused_release(), method=method, rng=1, variance="linearised"
    )
    assert named.ci_lower == found.ci_lower


def test_the_kish_form_of_a_focused_release_is_refused_with_the_plan_to_make() -> None:
    with pytest.raises(InvalidInput) as caught:
        estimate_ratios(focused_release(), variance="kish")
    assert str(caught.value) == (
        "this release does not hold the sums of variance 'kish', got ['linearised']. "
        "It answers with 'linearised'. Make a plan with strategy='joint' or 'even', "
        "which measure the sums it needs."
    )


def test_the_linearised_form_of_weighted_paper_sums_is_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        answer(variance="linearised")
    assert str(caught.value) == (
        "this release does not hold the sums of variance 'linearised', got ['kish']. "
        "It answers with 'kish'. Make a plan with strategy='focused', which measures "
        "the sums it needs."
    )


@pytest.mark.parametrize("variance", ["kisch", "linearized", True, 1])
def test_an_unknown_form_of_the_variance_is_refused(variance: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="unknown variance"):
        answer(variance=variance)


@pytest.mark.parametrize("method", METHODS)
def test_without_weights_the_paper_s_sums_answer_in_both_forms(method: str) -> None:
    """Around zero, where the pivot takes squares, they are even the same."""
    plan = make_plan(
        Ratio("s", per="y"),
        bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
        budget=Budget(1),
        strategy="joint",
    )
    values = np.array([[50000, 25000, 27500, 16000, 15000]]) << 24
    release = given_release(plan, values)
    kish, linearised = (
        estimate_ratios(release, method=method, variance=form, rng=1)
        for form in ("kish", "linearised")
    )
    assert (kish.variance, linearised.variance) == ("kish", "linearised")
    assert linearised.se == pytest.approx(kish.se, rel=1e-12)
    assert linearised.ci_upper == pytest.approx(kish.ci_upper, rel=1e-7)
    usual = estimate_ratios(release, method=method, rng=1)
    assert usual.variance == "kish"


def test_a_wald_interval_of_a_focused_release_has_its_floor_too() -> None:
    release = focused_release()
    values = release.values.copy()
    values[0, 2] = -values[0, 2]
    noisy = given_release(release.plan, values)
    (row,) = estimate_ratios(noisy, method="analytical").to_dicts()
    assert row["status"] == "variance_floored"
    noise = {
        each.summand.name: 2 * (each.scale * each.step) ** 2
        for each in release.plan.sums
    }
    squared = (
        1.05**4 * noise["zz"]
        + (2 * 1.05 * 0.05) ** 2 * noise["zh"]
        + 0.05**4 * noise["hh"]
    )
    wanted = squared**0.25 / 4500
    assert row["se_sampling"] == pytest.approx(wanted, rel=1e-6)


def test_only_a_release_can_be_estimated() -> None:
    with pytest.raises(InvalidInput, match="release must be a Release, got 'loans"):
        estimate_ratios("loans.json")  # type: ignore[arg-type]


def test_a_seed_makes_monte_carlo_repeatable() -> None:
    def width(rng: int | np.random.Generator | None) -> float:
        return float(answer(method="monte_carlo", rng=rng).se_privacy[0])

    assert width(1) == width(1)
    assert width(1) == width(np.random.default_rng(1))
    assert width(1) != width(2)
    assert width(None) != width(None)
    generator = np.random.default_rng(1)
    assert width(generator) != width(generator)


def test_200_draws_are_the_default() -> None:
    assert inspect.signature(estimate_ratios).parameters["draws"].default == 200
    usual = answer(method="monte_carlo", rng=1)
    assert usual.se_privacy == answer(method="monte_carlo", rng=1, draws=200).se_privacy
    assert usual.se_privacy != answer(method="monte_carlo", rng=1, draws=201).se_privacy


def test_other_methods_draw_nothing() -> None:
    generator = np.random.default_rng(1)
    before = generator.bit_generator.state
    for method in ("analytical", "no_correction"):
        answer(method=method, rng=generator)
    assert generator.bit_generator.state == before


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
    plan = make_plan(
        Ratio("s", per="y"),
        bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
        budget=Budget(1),
        strategy="even",
    )
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
    plan = make_plan(
        [Ratio("s", per="y"), Ratio("t", per="y", guess=1.0)],
        bounds={"s": Bounds(0, 1), "t": Bounds(0, 2), "y": Bounds.binary()},
        budget=Budget(50),
        groups=[
            Groups("g", ["a", "b"]),
            Groups.cross(Keys("g", ["a", "b"]), Keys("h", [1, 2, 3])),
            None,
        ],
        weights=[1, 2, 3],
        strategy=strategy,
    )
    rng = np.random.default_rng(8)
    values = []
    for part in plan.parts:
        cells = (2, 6, 1)[part.partition]
        sums = {"w": 5000.0, "wy": 2500.0, "ws": 2750.0, "wss": 1600.0, "wys": 1500.0}
        sums |= {"z": 450.0, "h": 9450.0, "zz": 2500.0, "zh": 900.0, "hh": 13_000.0}
        row = np.array([sums[each.summand.name] / each.step for each in part.sums])
        values.append(np.rint(row * rng.uniform(0.95, 1.05, (cells, len(row)))))
    return plan, [each.astype(np.int64) for each in values]


def alone(plan: Plan, at: int, values: np.ndarray) -> Release:
    """One part of a plan, as a release of its own."""
    part = plan.parts[at]
    kept = replace(
        plan,
        partitions=(plan.partitions[part.partition],),
        parts=(replace(part, partition=0),),
    )
    return given_release(kept, values)


@pytest.mark.parametrize("strategy", ["even", "joint", "focused"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", SCALES)
def test_every_part_is_answered_as_if_it_were_alone(
    strategy: str, method: str, scale: str
) -> None:
    plan, values = several(strategy)
    options: dict[str, Any] = {"method": method, "scale": scale, "rng": 4}
    found = estimate_ratios(given_release(plan, *values), **options)
    assert len(found) == len(found.status) == 2 * (2 + 6 + 1)
    start = 0
    for at, each in enumerate(values):
        single = estimate_ratios(alone(plan, at, each), **options)
        stop = start + len(each)
        assert found.status[start:stop] == single.status
        names = ["ratio", "ci_lower", "ci_upper", "se", "se_sampling", "se_privacy"]
        names += ["log_ratio", "log_ci_lower", "log_ci_upper"] if scale == "log" else []
        for name in names:
            ours, theirs = getattr(found, name)[start:stop], getattr(single, name)
            assert np.array_equal(ours, theirs, equal_nan=True), name
        start = stop


def test_parts_are_answered_with_the_noise_of_their_share() -> None:
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


def test_log_intervals_need_every_ratio_to_be_positive() -> None:
    plan = make_plan(
        [Ratio("s", per="y"), Ratio("s", per="y", minus="t")],
        bounds={"s": Bounds(0, 1), "t": Bounds(0, 1), "y": Bounds.binary()},
        budget=Budget(1),
    )
    values = [np.full((1, 5), 2**30) for _ in plan.parts]
    release = given_release(plan, *values)
    with pytest.raises(InvalidInput, match="scale 'log' needs a numerator"):
        estimate_ratios(release, scale="log")
    assert len(estimate_ratios(release)) == 2


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
@pytest.mark.parametrize("scale", SCALES)
def test_keys_that_nobody_has_leave_a_part_without_rows(
    method: str, scale: str
) -> None:
    """Of keys that are found privately there may be none."""
    plan = make_plan(
        Ratio("s", per="y"),
        bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
        budget=Budget(1, "1e-6"),
        groups=[PrivateKeys("shop", Budget("0.1", "1e-7")), None],
        mechanism="laplace",
    )
    none = Groups.found("shop", str, ())
    empty, whole = (
        fresh_part(plan, part, groups, np.full((count, 5), 2**34))
        for part, groups, count in zip(plan.parts, (none, None), (0, 1), strict=True)
    )
    release = Release("0" * 32, plan, (empty, whole), "a test")
    found = estimate_ratios(release, method=method, scale=scale, rng=1)
    assert dict(found.labels) == {"shop": ["(all)"]}
    assert len(found) == len(found.status) == 1
    kept = replace(plan, partitions=plan.partitions[:1], parts=plan.parts[:1])
    alone = Release("0" * 32, kept, (empty,), "a test")
    nothing = estimate_ratios(alone, method=method, scale=scale, rng=1)
    assert len(nothing) == 0
    assert nothing.to_dicts() == []
    assert "shop" in str(nothing)


# Whatever integers a release holds.


@cache
def any_plan(which: int) -> Plan:
    """Plans of every kind: few and many sums, small and large units, each law."""
    tiny, huge = Bounds(0, 2.0**-100), Bounds(0, 2.0**100)
    unit = {"s": Bounds(0, 1), "y": Bounds.binary()}
    weighted = {"s": Bounds(-5, 1), "y": Bounds(-1, 7), "w": Bounds(0, 3)}
    if which >= 9:
        bounds, guess, mechanism = [
            (unit, 1.0, "laplace"),
            (unit | {"w": Bounds(1 / 3, 3)}, 1.0, "analytic_gaussian"),
            (weighted, 0.0, "laplace"),
            (weighted, -0.5, "laplace"),
        ][which - 9]
        return make_plan(
            Ratio("s", per="y", weight="w" if "w" in bounds else None, guess=guess),
            bounds=bounds,
            budget=Budget(1, "1e-6"),
            groups=Groups("g", [1, 2, 3]),
            mechanism=mechanism,
        )
    bounds, mechanism = [
        (unit, "laplace"),
        ({"s": Bounds(0, 1), "y": Bounds(0, 1)}, "analytic_gaussian"),
        ({"s": Bounds(0, 1), "y": Bounds.binary(), "w": Bounds(0, 3)}, "laplace"),
        (weighted, "laplace"),
        ({"s": Bounds(-5, 1), "y": Bounds.binary()}, "laplace"),
        ({"s": tiny, "y": tiny, "w": tiny}, "laplace"),
        ({"s": huge, "y": huge, "w": huge}, "analytic_gaussian"),
        ({"s": tiny, "y": huge, "w": huge}, "laplace"),
        ({"s": huge, "y": tiny, "w": tiny}, "laplace"),
    ][which]
    return make_plan(
        Ratio("s", per="y", weight="w" if "w" in bounds else None),
        bounds=bounds,
        budget=Budget(1, "1e-6"),
        groups=Groups("g", [1, 2, 3]),
        strategy="even",
        mechanism=mechanism,
    )


cells = st.one_of(
    st.sampled_from([0, 1, -1, 2**24, 2**36, 2**40, 2**53 + 1, 2**62, LARGEST]).flatmap(
        lambda size: st.sampled_from([size, -size])
    ),
    st.integers(-LARGEST, LARGEST),
    st.integers(0, 2**40),
)


@settings(deadline=None, max_examples=600)
@given(
    which=st.integers(0, 12),
    numbers=st.lists(cells, min_size=21, max_size=21),
    method=st.sampled_from(WALD_METHODS),
    scale=st.sampled_from(SCALES),
    level=st.sampled_from([1e-300, 0.5, 0.95, 0.99, 1 - 2.0**-53]),
)
@example(which=0, numbers=[0] * 21, method="analytical", scale="log", level=0.95)
@example(
    which=3, numbers=[LARGEST] * 21, method="monte_carlo", scale="ratio", level=0.5
)
@example(
    which=5, numbers=[-LARGEST] * 21, method="analytical", scale="ratio", level=0.95
)
@example(which=8, numbers=[1] * 21, method="no_correction", scale="log", level=0.95)
@example(which=9, numbers=[0] * 21, method="analytical", scale="log", level=0.95)
def test_every_release_has_an_answer(
    which: int, numbers: list[int], method: str, scale: str, level: float
) -> None:
    """Never an error, never a warning, and always a status that is true."""
    plan = any_plan(which)
    count = len(plan.sums)
    values = np.array(numbers[: 3 * count], dtype=np.int64).reshape(3, count)
    release = given_release(plan, values)
    bounds = plan.box(plan.parts[0])
    positive = bounds["s"].lower >= 0 and bounds["y"].lower >= 0
    if not positive:
        scale = "ratio"
    found = estimate_ratios(
        release, method=method, scale=scale, level=level, draws=20, rng=1
    )
    assert found.labels["g"] == (1, 2, 3)
    assert set(found.status) <= set(STATUSES)
    for row, wy in zip(found.to_dicts(), moments_of(release)["wy"], strict=True):
        check_row(row, float(wy), positive=positive)


def check_row(row: dict[str, Any], wy: float, *, positive: bool) -> None:
    ratio, lower, upper = row["ratio"], row["ci_lower"], row["ci_upper"]
    assert lower <= upper
    assert math.isnan(ratio) == (wy <= 0 if positive else wy == 0) or not positive
    if positive:
        assert lower >= 0
        assert upper >= 0
        assert math.isnan(ratio) or ratio >= 0
    if row["status"] == "unbounded":
        assert lower in {0.0, -math.inf}
        assert (upper, row["se"]) == (math.inf, math.inf)
        assert math.isnan(row["se_sampling"])
        assert math.isnan(row["se_privacy"])
        return
    assert lower <= ratio <= upper or ratio == pytest.approx(lower)
    assert all(map(math.isfinite, (ratio, lower, upper, row["se"])))
    assert row["se_sampling"] >= 0
    assert row["se_privacy"] >= 0
    parts = math.hypot(row["se_sampling"], row["se_privacy"])
    assert row["se"] == pytest.approx(parts, rel=1e-9)


@settings(deadline=None, max_examples=200)
@given(
    st.fixed_dictionaries(
        {name: st.floats(-1e4, 1e4) for name in ("ws", "wy", "wss", "wys", "wyy")}
    ),
    st.sampled_from(WALD_METHODS),
)
@example(
    {"ws": -900.0, "wy": 2000.0, "wss": 1.0, "wys": 1.0, "wyy": 1.0}, WALD_METHODS[0]
)
@example(
    {"ws": -1e-9, "wy": 14.0, "wss": 16.0, "wys": 16.0, "wyy": 20.0}, WALD_METHODS[0]
)
def test_with_bounds_from_zero_nothing_is_ever_negative(
    group: dict[str, float], method: str
) -> None:
    row = one(group, method=method, rng=1)
    assert row["ci_upper"] >= row["ci_lower"] >= 0
    (cell,) = moments_of(release_of(plan_of(), group))["wy"]
    assert math.isnan(row["ratio"]) == (cell <= 0)
    if cell > 0:
        exact = group["ws"] / group["wy"] if group["wy"] else 0.0
        assert row["ratio"] == pytest.approx(max(exact, 0.0), rel=1e-3, abs=1e-3) or (
            abs(group["wy"]) < 1e-3
        )
