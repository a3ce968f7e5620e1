"""Which sums a ratio needs, and how each is written."""

import pytest

from dpratio.plan.sensitivity.sums import (
    MOMENTS,
    Summand,
    focused_summands,
    summands_for,
)

FOURTH = ["wsss", "wyss", "wyys", "wyyy", "wssss", "wysss", "wyyss", "wyyys", "wyyyy"]
RATIO = ["z", "h", "zz", "zh", "hh"]


@pytest.mark.parametrize(
    ("weighted", "binary", "spread", "names"),
    [
        (True, False, False, [*MOMENTS]),
        (True, True, False, ["w", "wy", "ws", "ww", "wss", "wys"]),
        (False, False, False, ["w", "wy", "ws", "wyy", "wss", "wys"]),
        (False, True, False, ["w", "wy", "ws", "wss", "wys"]),
        (True, False, True, [*MOMENTS, *FOURTH]),
    ],
)
def test_the_sums_of_the_paper_are_named_by_their_factors(
    weighted: bool,  # noqa: FBT001
    binary: bool,  # noqa: FBT001
    spread: bool,  # noqa: FBT001
    names: list[str],
) -> None:
    """Without weights a sum has no factor w."""
    summands = summands_for(weighted=weighted, binary=binary, spread=spread)
    assert [each.name for each in summands] == names
    factors = [tuple(name if weighted else name[1:]) for name in names]
    assert [each.factors for each in summands] == factors


@pytest.mark.parametrize(
    ("weighted", "means", "names"),
    [
        # With weights as without: z and h hold the weight already.
        (False, False, RATIO),
        (True, False, RATIO),
        (False, True, [*RATIO, "w"]),
        (True, True, [*RATIO, "w", "ww", "wz", "wh"]),
    ],
)
def test_the_ratio_needs_five_sums_and_means_a_count(
    weighted: bool,  # noqa: FBT001
    means: bool,  # noqa: FBT001
    names: list[str],
) -> None:
    summands = focused_summands(weighted=weighted, means=means)
    assert [each.name for each in summands] == names
    factors = [() if not weighted and name == "w" else tuple(name) for name in names]
    assert [each.factors for each in summands] == factors


@pytest.mark.parametrize(
    ("factors", "label"), [("", "Σ 1"), ("ws", "Σ w·s"), ("ss", "Σ s·s")]
)
def test_a_sum_is_labelled_as_a_formula(factors: str, label: str) -> None:
    assert Summand("x", tuple(factors)).label == label
