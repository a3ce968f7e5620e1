"""Which sums a ratio needs, and how each is written."""

import pytest

from dpratio.plan.sensitivity.sums import (
    MOMENTS,
    Summand,
    focused_summands,
    summands_for,
)


def names(*, weighted: bool, binary: bool) -> list[str]:
    return [each.name for each in summands_for(weighted=weighted, binary=binary)]


def test_seven_sums_with_weights_and_a_general_denominator() -> None:
    assert names(weighted=True, binary=False) == list(MOMENTS)
    assert len(MOMENTS) == 7


def test_six_sums_with_weights_and_a_binary_denominator() -> None:
    assert names(weighted=True, binary=True) == ["w", "wy", "ws", "ww", "wss", "wys"]


def test_six_sums_without_weights_and_a_general_denominator() -> None:
    assert names(weighted=False, binary=False) == ["w", "wy", "ws", "wyy", "wss", "wys"]


def test_five_sums_without_weights_and_a_binary_denominator() -> None:
    assert names(weighted=False, binary=True) == ["w", "wy", "ws", "wss", "wys"]


def test_spread_adds_every_product_of_three_and_four_values() -> None:
    orders = ["wsss", "wyss", "wyys", "wyyy"]
    orders += ["wssss", "wysss", "wyyss", "wyyys", "wyyyy"]
    spread = summands_for(weighted=True, binary=False, spread=True)
    assert [each.name for each in spread] == [*MOMENTS, *orders]


def test_the_factors_of_a_sum_are_the_letters_of_its_name() -> None:
    weighted = summands_for(weighted=True, binary=False)
    assert all(each.factors == tuple(each.name) for each in weighted)


def test_without_weights_a_sum_has_no_factor_w() -> None:
    unweighted = summands_for(weighted=False, binary=False)
    assert all(each.factors == tuple(each.name[1:]) for each in unweighted)
    assert unweighted[0].factors == ()


@pytest.mark.parametrize(
    ("summand", "label"),
    [
        (Summand("w", ()), "Σ 1"),
        (Summand("ws", ("w", "s")), "Σ w·s"),
        (Summand("wss", ("s", "s")), "Σ s·s"),
    ],
)
def test_a_sum_is_labelled_as_a_formula(summand: Summand, label: str) -> None:
    assert summand.label == label


RATIO = ["z", "h", "zz", "zh", "hh"]


@pytest.mark.parametrize("weighted", [False, True])
def test_the_ratio_alone_needs_five_sums_and_no_count(weighted: bool) -> None:  # noqa: FBT001
    """With weights as without: z and h hold the weight already."""
    listed = focused_summands(weighted=weighted, means=False)
    assert [each.name for each in listed] == RATIO
    assert [each.factors for each in listed] == [tuple(name) for name in RATIO]


def test_means_need_a_count_and_with_weights_its_products_too() -> None:
    alone = focused_summands(weighted=False, means=True)
    assert [each.name for each in alone] == [*RATIO, "w"]
    assert alone[-1].factors == ()
    weighted = focused_summands(weighted=True, means=True)
    assert [each.name for each in weighted] == [*RATIO, "w", "ww", "wz", "wh"]
    assert all(each.factors == tuple(each.name) for each in weighted)
