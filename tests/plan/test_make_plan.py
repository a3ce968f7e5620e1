"""From terms to a plan: which sums, at what noise, and what it says of itself."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.analyst.sums.reconstruction import reconstruction
from dpratio.errors import InvalidInput
from dpratio.plan.laws import calibrate
from dpratio.plan.make_plan import make_plan
from dpratio.plan.price import price
from dpratio.plan.sensitivity.sums import MOMENTS, Summand, summands_for
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from plan.score_plans import BINARY, WEIGHTED, WITH_WEIGHT, names, plan_of
from planned import plan_scores


def test_seven_six_or_five_sums_are_measured() -> None:
    general = {"score": Bounds(0, 1), "label": Bounds(0, 1)}
    weights = {"weight": Bounds(0.5, 3)}
    assert names(plan_of()) == ["w", "wy", "ws", "wss", "wys"]
    assert names(plan_of(bounds=general)) == ["w", "wy", "ws", "wyy", "wss", "wys"]
    weighted = plan_of(WEIGHTED, bounds=WITH_WEIGHT)
    assert names(weighted) == ["w", "wy", "ws", "ww", "wss", "wys"]
    assert names(plan_of(WEIGHTED, bounds=general | weights)) == list(MOMENTS)


def test_without_weights_a_sum_has_no_weight_among_its_factors() -> None:
    assert [each.summand.factors for each in plan_of().questions[0].sums] == [
        (),
        ("y",),
        ("s",),
        ("s", "s"),
        ("y", "s"),
    ]


def test_a_summand_reads_as_a_formula() -> None:
    assert Summand("w", ()).label == "Σ 1"
    assert Summand("wys", ("w", "y", "s")).label == "Σ w·y·s"
    assert [each.label for each in summands_for(weighted=True, binary=True)] == [
        "Σ w",
        "Σ w·y",
        "Σ w·s",
        "Σ w·w",
        "Σ w·s·s",
        "Σ w·y·s",
    ]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("binary", [False, True])
def test_every_moment_comes_from_the_sum_that_equals_it(
    weighted: bool,  # noqa: FBT001
    binary: bool,  # noqa: FBT001
) -> None:
    summands = summands_for(weighted=weighted, binary=binary)
    stands_for = {
        "ww": "ww" if weighted else "w",
        "wyy": "wy" if binary else "wyy",
    }
    matrix = reconstruction(summands, None)
    assert list(matrix)[:7] == list(MOMENTS)
    for name in MOMENTS:
        source = stands_for.get(name, name)
        assert matrix[name] == [int(each.name == source) for each in summands]


def test_every_sum_gets_the_same_share_of_the_budget() -> None:
    plan = plan_of(
        budget=Budget("0.1", "1e-6"), mechanism="analytic_gaussian", bounds=BINARY
    )
    for each in plan.measurements[0].sums:
        assert each.scale == calibrate(
            "analytic_gaussian",
            sensitivity=each.sensitivity,
            epsilon=Fraction(1, 50),
            delta=Fraction(1, 5 * 10**6),
        )
    assert plan.columns()["share"] == [0.2] * 5
    assert (plan.epsilon, plan.delta) == (Fraction(1, 10), Fraction(1, 10**6))


def test_laplace_noise_spends_no_delta() -> None:
    plan = plan_of(budget=Budget(1, "1e-6"))
    assert plan.law == LAPLACE
    assert plan.strategy == "even"
    assert plan.delta == 0
    assert plan.epsilon == 1


def test_the_sensitivity_is_the_largest_size_over_the_box() -> None:
    """Not the paper's u_w for every sum: Σw² moves by u_w², and signs count."""
    bounds = {
        "score": Bounds(-2, 1),
        "label": Bounds(-0.5, 4),
        "weight": Bounds(0.5, 3),
    }
    plan = plan_of(WEIGHTED, bounds=bounds)
    shown = dict(zip(names(plan), plan.columns()["sensitivity"], strict=True))
    assert shown == {
        "w": 3,
        "wy": 12,
        "ws": 6,
        "ww": 9,
        "wyy": 48,
        "wss": 12,
        "wys": 24,
    }


def test_the_sensitivity_includes_the_rounding_to_a_cell() -> None:
    plan = plan_of(bounds={"score": Bounds(0, 0.1), "label": Bounds.binary()})
    for each in plan.measurements[0].sums:
        assert each.sensitivity >= 2**24
        assert math.frexp(each.step)[0] == 0.5
        product = 0.1 ** each.summand.factors.count("s")
        assert each.sensitivity == math.floor(product / each.step + 0.5)


def test_laplace_noise_has_the_textbook_scale() -> None:
    """b = Δ k/ε for k sums; its standard deviation is b√2."""
    plan = plan_of(WEIGHTED, bounds=WITH_WEIGHT, budget=Budget(2))
    wanted = [math.sqrt(2) * reach * 6 / 2 for reach in (3, 3, 3, 9, 3, 3)]
    assert plan.columns()["noise_sd"] == pytest.approx(wanted, rel=1e-12)


def test_classical_gaussian_noise_has_the_scale_of_equation_5() -> None:
    """Miao & Li (2022), eq. 5: σ = Δ√(2 log(1.25/δ))/ε, at a sixth of the budget."""
    plan = plan_of(
        WEIGHTED,
        bounds=WITH_WEIGHT,
        budget=Budget(1, "1e-6"),
        mechanism="classical_gaussian",
    )
    unit = math.sqrt(2 * math.log(1.25 / (1e-6 / 6))) / (1 / 6)
    assert unit == pytest.approx(33.760773, rel=1e-7)
    wanted = [unit * reach for reach in (3, 3, 3, 9, 3, 3)]
    assert plan.columns()["noise_sd"] == pytest.approx(wanted, rel=1e-12)


def test_analytic_gaussian_noise_is_smaller_than_classical() -> None:
    sizes = [
        plan_of(mechanism=mechanism).columns()["noise_sd"][0]
        for mechanism in ("analytic_gaussian", "classical_gaussian")
    ]
    assert sizes[0] < sizes[1]


def test_a_plan_prints_itself() -> None:
    plan = plan_of(
        WEIGHTED,
        bounds=WITH_WEIGHT,
        groups=Groups("region", ["north", "south"]),
        budget=Budget(6),
    )
    lines = str(plan).splitlines()
    assert lines[0] == (
        "Asked: Σ weight·score / Σ weight·label, one answer for each of 2 declared "
        "keys of region (north, south) (s = score, y = label, w = weight)."
    )
    assert lines[1].startswith("Counted within: score 0 to 1, label 0 or 1, weight ")
    assert lines[2].startswith("Protected: one row, added or removed; the number of")
    assert lines[3] == "Strategy even, mechanism laplace. Cost: epsilon 6, delta 0."
    assert lines[4] == "Answers: the ratio, with variance 'kish', and means."
    assert lines[5:] == [
        "",
        "    sum  sensitivity  noise_sd    share",
        "    Σ w            3    4.2426  0.16667",
        "  Σ w·y            3    4.2426  0.16667",
        "  Σ w·s            3    4.2426  0.16667",
        "  Σ w·w            9    12.728  0.16667",
        "Σ w·s·s            3    4.2426  0.16667",
        "Σ w·y·s            3    4.2426  0.16667",
        "",
        f"Not covered: {plan.not_covered[0]}",
        f"Not covered: {plan.not_covered[1]}",
    ]


def test_bounds_follow_the_order_of_the_ratio_not_of_the_caller() -> None:
    reversed_bounds = dict(reversed(WITH_WEIGHT.items()))
    plan = plan_of(WEIGHTED, bounds=reversed_bounds)
    assert list(plan.bounds) == ["score", "label", "weight"]
    assert plan == plan_of(WEIGHTED, bounds=WITH_WEIGHT)


def test_a_plan_does_not_follow_later_changes_of_the_callers_bounds() -> None:
    bounds = dict(BINARY)
    plan = plan_of(bounds=bounds)
    bounds["score"] = Bounds(0, 99)
    assert plan.bounds["score"] == Bounds(0, 1)


def finite_bounds() -> st.SearchStrategy[Bounds]:
    ends = st.floats(-1e6, 1e6, allow_subnormal=False)
    pairs = st.tuples(ends, ends).map(sorted)
    usable = pairs.filter(lambda pair: pair[0] < pair[1] and max(map(abs, pair)) > 1e-6)
    return usable.map(lambda pair: Bounds(pair[0], pair[1])) | st.just(Bounds.binary())


@settings(deadline=None, max_examples=60)
@given(
    score=finite_bounds(),
    label=finite_bounds(),
    top=st.floats(1e-3, 1e3),
    epsilon=st.decimals("0.01", "20", places=3),
    mechanism=st.sampled_from(["laplace", "analytic_gaussian", "auto"]),
    strategy=st.sampled_from(["focused", "joint", "even"]),
    guess=st.sampled_from([0.0, 1.0, -1.0, 0.3, 40.0]),
    answers=st.sampled_from([("ratio",), ("ratio", "means")]),
)
@example(
    score=Bounds(-1, 1),
    label=Bounds(-1, 1),
    top=1.0,
    epsilon=Decimal(1),
    mechanism="auto",
    strategy="focused",
    guess=1.0,
    answers=("ratio",),
)
def test_the_door_accepts_every_plan_that_is_made(  # noqa: PLR0913, PLR0917 (any terms)
    score: Bounds,
    label: Bounds,
    top: float,
    epsilon: Decimal,
    mechanism: str,
    strategy: str,
    guess: float,
    answers: tuple[str, ...],
) -> None:
    """A plan never costs more than its budget, whatever its terms."""
    try:
        plan = make_plan(
            Ratio("score", per="label", weight="weight", guess=guess),
            bounds={"score": score, "label": label, "weight": Bounds(0, top)},
            budget=Budget(epsilon, "1e-6"),
            mechanism=mechanism,
            strategy=strategy,
            answers=answers,
        )
    except InvalidInput as error:
        # Columns so narrow that doubles cannot tell their rows apart.
        assert "noise must stay below" in str(error)  # noqa: PT017
        return
    cost = price(plan)
    assert cost.epsilon == plan.epsilon == Fraction(epsilon)
    assert cost.delta == plan.delta <= Fraction(1, 10**6)
    assert str(plan)


@pytest.mark.parametrize("size", [2.0**-100, 2.0**100])
@pytest.mark.parametrize("guess", [1.0, 0.0, -1.0])
@pytest.mark.parametrize("strategy", ["focused", "joint", "even"])
def test_bounds_of_extreme_size_can_be_planned(
    size: float, guess: float, strategy: str
) -> None:
    """Products of four such values are still doubles; shares have no units."""
    plan = make_plan(
        Ratio("score", per="label", weight="weight", guess=guess),
        bounds=dict.fromkeys(("score", "label", "weight"), Bounds(0, size)),
        budget=Budget(1, "1e-6"),
        strategy=strategy,
        answers=("ratio", "means"),
    )
    assert price(plan).epsilon == 1


def test_a_plan_for_spread_says_what_it_answers() -> None:
    plan = plan_scores(Budget(1), strategy="joint", answers=("ratio", "spread"))
    assert "variances, correlation and slope with their intervals." in str(plan)
    with pytest.raises(InvalidInput, match="Use strategy 'joint' or 'even'"):
        make_plan(
            plan.measurements[0].ratio,
            bounds=plan.bounds,
            budget=plan.budget,
            answers=("ratio", "spread"),
        )
