"""From terms to a plan: what is refused, and what a plan says of itself."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.plan.calibrate import calibrate
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.plan_words import NOT_COVERED
from dpratio.plan.price import price
from dpratio.plan.strategy import reconstruction
from dpratio.plan.sums import MOMENTS, Summand, summands_for
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.guess import ColumnGuess, Guess
from dpratio.terms.question import Ratio
from dpratio.terms.unit import PrivacyUnit

RATIO = Ratio("score", per="label")
WEIGHTED = Ratio("score", per="label", weight="weight")
BINARY = {"score": Bounds(0, 1), "label": Bounds.binary()}
WITH_WEIGHT = {**BINARY, "weight": Bounds(0.5, 3)}


def plan_of(ratio: Ratio = RATIO, **changes: Any) -> Plan:  # noqa: ANN401
    """Plan as the paper does, unless something else is asked for."""
    terms: dict[str, Any] = {
        "bounds": BINARY,
        "budget": Budget(1, "1e-6"),
        "strategy": "even",
        "mechanism": "laplace",
        **changes,
    }
    return make_plan(ratio, **terms)


def focused(ratio: Ratio = RATIO, **changes: Any) -> Plan:  # noqa: ANN401
    """Plan as it is done when nothing is said about strategy and mechanism."""
    terms: dict[str, Any] = {"bounds": BINARY, "budget": Budget(1, "1e-6"), **changes}
    return make_plan(ratio, **terms)


def names(plan: Plan) -> list[str]:
    return [each.summand.name for each in plan.sums]


def test_seven_six_or_five_sums_are_measured() -> None:
    general = {"score": Bounds(0, 1), "label": Bounds(0, 1)}
    weights = {"weight": Bounds(0.5, 3)}
    assert names(plan_of()) == ["w", "wy", "ws", "wss", "wys"]
    assert names(plan_of(bounds=general)) == ["w", "wy", "ws", "wyy", "wss", "wys"]
    weighted = plan_of(WEIGHTED, bounds=WITH_WEIGHT)
    assert names(weighted) == ["w", "wy", "ws", "ww", "wss", "wys"]
    assert names(plan_of(WEIGHTED, bounds=general | weights)) == list(MOMENTS)


def test_without_weights_a_sum_has_no_weight_among_its_factors() -> None:
    assert [each.summand.factors for each in plan_of().sums] == [
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
    for each in plan.sums:
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
    assert plan.mechanism == "laplace"
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
    for each in plan.sums:
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
        f"Not covered: {NOT_COVERED[0]}",
        f"Not covered: {NOT_COVERED[1]}",
    ]


def test_what_is_not_covered_names_models_weights_and_terms() -> None:
    said = " ".join(NOT_COVERED)
    for word in ("model", "weights", "disjoint split", "bounds", "keys", "budget"):
        assert word in said


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


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ratio": "score / label"}, "ratio must be a Ratio, got 'score / label'."),
        (
            {"budget": 1.0},
            "budget must be a Budget, got 1.0. Write Budget(epsilon=1).",
        ),
        (
            {"groups": ["north"]},
            (
                "groups must be Groups or None, got 'north'. "
                "Write Groups('north', ['a', 'b']), with its public keys."
            ),
        ),
        (
            {"groups": "north"},
            (
                "groups must be Groups or None, got 'north'. "
                "Write Groups('north', ['a', 'b']), with its public keys."
            ),
        ),
        (
            {"strategy": "evem"},
            (
                "unknown strategy, got 'evem'. Did you mean 'even'? "
                "Use one of: focused, joint, even."
            ),
        ),
        (
            {"mechanism": "laplase"},
            (
                "unknown mechanism, got 'laplase'. Did you mean 'laplace'? "
                "Use one of: laplace, analytic_gaussian, classical_gaussian, auto."
            ),
        ),
        (
            {"bounds": [("score", Bounds(0, 1))]},
            (
                "bounds must map column names to Bounds, got a list. "
                "Write {'score': Bounds(0, 1), …}."
            ),
        ),
        (
            {"bounds": {"score": (0, 1), "label": "binary"}},
            (
                "bounds must map column names to Bounds, got (0, 1) for 'score'. "
                "Write Bounds(0, 1)."
            ),
        ),
        (
            {"bounds": {"score": Bounds(0, 1)}},
            (
                "every column of the ratio needs bounds, got ['score']. "
                "Add bounds for: label."
            ),
        ),
        (
            {"bounds": {}},
            (
                "every column of the ratio needs bounds, got []. "
                "Add bounds for: score, label."
            ),
        ),
        (
            {"bounds": {**BINARY, "lable": Bounds.binary()}},
            (
                "bounds are given for columns not in the ratio, got ['lable']. "
                "Remove them, or check the spelling."
            ),
        ),
        (
            {"ratio": WEIGHTED, "bounds": {**BINARY, "weight": Bounds(-1, 1)}},
            (
                "the lower bound of a weight must be at least 0, got -1.0. "
                "Weights count people; they cannot be negative."
            ),
        ),
        (
            {"groups": Groups("label", ["north"])},
            (
                "a column of the ratio cannot be its group, got 'label'. "
                "Group by another column, or by bins of it."
            ),
        ),
        (
            {"budget": Budget(1), "mechanism": "analytic_gaussian"},
            (
                "Gaussian noise needs a delta above 0, got '0'. "
                "Give the budget a delta such as 1e-6, or use mechanism 'laplace'."
            ),
        ),
        (
            {"budget": Budget(6, "1e-6"), "mechanism": "classical_gaussian"},
            (
                "classical_gaussian is proven only up to epsilon 1 per sum, got 1.2. "
                "Use mechanism 'analytic_gaussian', which is proven for every epsilon."
            ),
        ),
    ],
    ids=lambda given_value: None if isinstance(given_value, dict) else "",
)
def test_a_term_that_breaks_a_rule_is_refused(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        plan_of(**changes)
    assert str(caught.value) == message


def test_bounds_with_a_name_that_is_not_text_are_refused_in_our_own_words() -> None:
    with pytest.raises(InvalidInput, match=r"bounds .*3"):
        plan_of(bounds={**BINARY, 3: Bounds(0, 1)})


def test_a_budget_too_small_for_64_bit_noise_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"below 2\^50 cells, got .* Raise epsilon"):
        plan_of(budget=Budget("1e-12"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"answers": "ratio"},
            "answers must be a list such as ['ratio', 'means'], got 'ratio'.",
        ),
        (
            {"answers": {"ratio"}},
            "answers must be a list such as ['ratio', 'means'], got a set.",
        ),
        (
            {"answers": ["means"]},
            (
                "answers must be 'ratio', and perhaps 'means' and 'spread', each once, "
                "got ('means',)."
            ),
        ),
        ({"n": 0}, "n must be a whole number of at least 1, got 0."),
        ({"n": -5}, "n must be a whole number of at least 1, got -5."),
        ({"n": 5e3}, "n must be a whole number of at least 1, got 5000.0."),
        ({"n": True}, "n must be a whole number of at least 1, got True."),
        ({"n": "5000"}, "n must be a whole number of at least 1, got '5000'."),
        ({"guess": 1.1}, "guess must be a Guess or None, got 1.1."),
        (
            {"bounds": {"score": Bounds(0, 1), "label": Bounds(0, 2)}},
            (
                "the ratio needs a public guess where its columns have different "
                "bounds, got None. Write Ratio(…, guess=…), or guess = … in a study, "
                "with guess_is 'unknown' where it is not more than a size; or use "
                "strategy 'joint'."
            ),
        ),
        (
            {"mechanism": "classical_gaussian"},
            (
                "strategy 'focused' has no classical_gaussian noise, got "
                "'classical_gaussian'. Use 'analytic_gaussian', which composes "
                "exactly, or strategy 'even'."
            ),
        ),
    ],
    ids=lambda given_value: None if isinstance(given_value, dict) else "",
)
def test_a_term_that_a_focused_plan_cannot_use_is_refused(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        focused(**changes)
    assert str(caught.value) == message


# What is planned when nothing is said.


def test_a_plan_is_focused_by_default() -> None:
    plan = focused()
    assert plan.strategy == "focused"
    assert plan.answers == ("ratio",)
    assert names(plan) == ["z", "h", "zz", "zh", "hh"]
    assert names(focused(WEIGHTED, bounds=WITH_WEIGHT)) == names(plan)
    means = focused(WEIGHTED, bounds=WITH_WEIGHT, answers=["ratio", "means"])
    assert names(means) == [*names(plan), "w", "ww", "wz", "wh"]
    assert means.answers == ("ratio", "means")


def test_a_focused_plan_states_its_guess() -> None:
    """1 where both columns share bounds, also where one of them is binary."""
    assert focused().ratio == Ratio("score", per="label", guess=1.0)
    asked = Ratio("score", per="label", guess=1.25, guess_is="unknown")
    assert focused(asked).ratio == asked
    assert plan_of().ratio.guess is None
    assert plan_of(strategy="joint").ratio.guess is None


def test_another_guess_measures_other_columns() -> None:
    sizes = {
        guess: focused(Ratio("score", per="label", guess=guess)).columns()[
            "sensitivity"
        ]
        for guess in (0, 1, 2)
    }
    assert sizes == {0: [1, 1, 1, 1, 1], 1: [1, 2, 1, 1, 4], 2: [2, 3, 4, 4, 9]}


def test_a_residual_bound_lowers_sensitivity_and_noise() -> None:
    free = focused(mechanism="laplace")
    bound = focused(
        Ratio("score", per="label", residual_bound=0.25), mechanism="laplace"
    )
    assert bound.columns()["sensitivity"] == [0.25, 2, 0.0625, 0.4375, 4]
    assert bound.columns()["noise_sd"][0] < free.columns()["noise_sd"][0] / 2


@pytest.mark.parametrize("strategy", ["focused", "joint", "even"])
def test_auto_takes_the_noise_that_promises_less(strategy: str) -> None:
    """At delta 1e-6 and few sums Laplace wins; where delta is large Gaussian does."""
    small, large = Budget("0.2", "1e-6"), Budget("0.2", "0.1")
    assert focused(strategy=strategy, budget=small).mechanism == "laplace"
    assert focused(strategy=strategy, budget=large).mechanism == "analytic_gaussian"
    for budget in (small, large):
        chosen = focused(strategy=strategy, budget=budget)
        other = {"laplace": "analytic_gaussian", "analytic_gaussian": "laplace"}
        rejected = focused(
            strategy=strategy, budget=budget, mechanism=other[chosen.mechanism]
        )
        first, second = (plan.columns()["noise_sd"][0] for plan in (chosen, rejected))
        assert first < second
        assert chosen == focused(
            strategy=strategy, budget=budget, mechanism=chosen.mechanism
        )


@pytest.mark.parametrize("strategy", ["focused", "joint", "even"])
def test_auto_without_a_delta_is_laplace(strategy: str) -> None:
    plan = focused(strategy=strategy, budget=Budget(1))
    assert plan.mechanism == "laplace"
    assert plan.delta == 0


def test_a_guess_of_the_people_shares_the_budget_differently() -> None:
    """Rare labels make the denominator the hard part."""
    rare = Guess(ColumnGuess(0.02, 0.05), ColumnGuess(0.02))
    usual, told = focused(mechanism="laplace"), focused(mechanism="laplace", guess=rare)
    assert told.columns()["noise_sd"][1] < 0.9 * usual.columns()["noise_sd"][1]
    assert told.columns()["noise_sd"][0] > usual.columns()["noise_sd"][0]
    assert price(told).epsilon == price(usual).epsilon


def test_the_number_of_people_shares_the_budget_differently() -> None:
    """The more people, the less their variance needs."""
    few, many = (focused(mechanism="laplace", n=n) for n in (500, 500_000))
    assert many.columns()["noise_sd"][2] > 2 * few.columns()["noise_sd"][2]
    assert many.columns()["noise_sd"][0] < few.columns()["noise_sd"][0]
    assert focused() == focused(n=5_000)


def test_an_unknown_ratio_pays_more_for_its_denominator() -> None:
    close, unknown = (
        focused(Ratio("score", per="label", guess_is=word), mechanism="laplace")
        for word in ("close", "unknown")
    )
    assert unknown.columns()["noise_sd"][1] < close.columns()["noise_sd"][1] / 1.5


def test_a_focused_plan_has_far_less_noise_where_the_ratio_needs_it() -> None:
    """var(Σws − r·Σwy) of both plans at the guess."""
    paper, ours = plan_of(), focused(mechanism="laplace")
    noise = dict(zip(names(paper), paper.columns()["noise_sd"], strict=True))
    even = math.hypot(noise["ws"], noise["wy"])
    assert ours.columns()["noise_sd"][0] < even / 5


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


# Several ratios, several partitions.

PAIRED = Ratio("score", per="label", minus="old")
THREE = {**BINARY, "old": Bounds(0, 1)}


def test_every_ratio_is_asked_of_every_partition() -> None:
    groups = [None, Groups("region", ["north"])]
    plan = plan_of(
        [RATIO, PAIRED],  # type: ignore[arg-type]
        bounds=THREE,
        groups=groups,
        weights=[1, Fraction(3)],
    )
    asked = [(part.ratio, part.partition, part.weight) for part in plan.parts]
    assert asked == [
        (RATIO, 0, Fraction(1, 8)),
        (PAIRED, 0, Fraction(1, 8)),
        (RATIO, 1, Fraction(3, 8)),
        (PAIRED, 1, Fraction(3, 8)),
    ]
    assert plan.partitions == tuple(groups)
    price(plan)


@pytest.mark.parametrize(
    "weights",
    [
        [],
        [1],
        [1, 1, 1],
        [1, 0],
        [1, -1],
        [1, math.nan],
        [1, math.inf],
        [1, "1"],
        [1, True],
    ],
    ids=repr,
)
def test_each_partition_has_one_positive_weight(weights: list[Any]) -> None:
    with pytest.raises(InvalidInput, match=r"^each partition has one positive weight"):
        plan_of(groups=[None, Groups("region", ["north"])], weights=weights)


def test_a_weight_is_the_decimal_that_was_written() -> None:
    plan = plan_of(groups=[None, Groups("region", ["north"])], weights=[0.1, 0.9])
    assert [part.weight for part in plan.parts] == [Fraction(1, 10), Fraction(9, 10)]


def test_a_list_without_ratios_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^at least one ratio is asked for"):
        plan_of([])  # type: ignore[arg-type]


def test_equal_bins_are_settled_into_edges() -> None:
    plan = plan_of(groups=Groups.cross(ScoreBins("score", 2)))
    assert plan.groups == Groups.cross(ScoreBins("score", [0, 0.5, 1]))


@pytest.mark.parametrize(("delta", "law"), [("1e-7", "laplace"), ("1e-3", None)])
def test_no_gaussian_noise_is_tried_where_keys_take_all_of_delta(
    delta: str, law: str | None
) -> None:
    keys = PrivateKeys("shop", Budget("0.1", "1e-7"))
    plan = focused(groups=keys, budget=Budget(1, delta))
    assert law is None or plan.mechanism == law
    price(plan)


@pytest.mark.parametrize("strategy", ["focused", "joint", "even"])
def test_noise_beyond_64_bits_is_refused_when_the_plan_is_made(strategy: str) -> None:
    """A plan that is made can be priced."""
    totals = {"score": Bounds(0, 5), "label": Bounds(0, 5)}
    terms: dict[str, Any] = {
        "groups": PrivateKeys("shop", Budget("0.001", "1e-7")),
        "unit": PrivacyUnit("user", totals=totals, most_groups=10**6),
        "strategy": strategy,
        "budget": Budget("0.01", "1e-6"),
    }
    with pytest.raises(InvalidInput, match=r"below 2\^50 cells"):
        price(plan_of(**terms))


def test_a_threshold_beyond_64_bits_is_refused_when_the_plan_is_made() -> None:
    keys = PrivateKeys("shop", Budget("1e-12", "1e-7"))
    totals = {"score": Bounds(0, 5), "label": Bounds(0, 5)}
    unit = PrivacyUnit("user", totals=totals, most_groups=10**4)
    with pytest.raises(InvalidInput, match=r"below 2\^50 cells"):
        plan_of(groups=keys, unit=unit)


def test_auto_keeps_the_law_that_can_be_planned() -> None:
    """At this epsilon Laplace noise would pass 2^50 cells; Gaussian noise does not."""
    little = Budget("1e-4", "1e-6")
    assert focused(budget=little, mechanism="auto").mechanism == "analytic_gaussian"
    with pytest.raises(InvalidInput, match=r"2\^50"):
        focused(budget=little, mechanism="laplace")


def test_more_people_than_doubles_can_count_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 1"):
        focused(n=10**400)


def test_a_plan_for_spread_says_what_it_answers() -> None:
    plan = make_plan(
        Ratio("score", per="label"),
        bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        budget=Budget(1),
        strategy="joint",
        answers=("ratio", "spread"),
    )
    assert "variances, correlation and slope with their intervals." in str(plan)
    with pytest.raises(InvalidInput, match="Use strategy 'joint' or 'even'"):
        make_plan(
            plan.ratio,
            bounds=plan.bounds,
            budget=plan.budget,
            answers=("ratio", "spread"),
        )


def test_a_dimension_stands_for_groups_of_it_alone() -> None:
    bins = ScoreBins("score", 4)
    alone, within = plan_of(groups=bins), plan_of(groups=Groups.cross(bins))
    assert alone == within
    assert plan_of(groups=[None, bins]).partitions == (None, alone.groups)
