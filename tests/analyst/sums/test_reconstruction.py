"""Moments come back from the sums that a plan measures."""

import numpy as np
import pytest

from dpratio.analyst.sums.moments import reconstruction
from dpratio.plan.sensitivity.sums import (
    CUT,
    MOMENTS,
    Contrast,
    focused_summands,
    summands_for,
)

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
@pytest.mark.parametrize("binary", [True, False], ids=["binary", "general"])
def test_spread_adds_products_of_three_and_four_values(
    weighted: bool,  # noqa: FBT001
    binary: bool,  # noqa: FBT001
) -> None:
    """Each comes back from the sum of its name."""
    summands = summands_for(weighted=weighted, binary=binary, spread=True)
    moments = reconstruction(summands, None)
    for index, summand in enumerate(summands):
        assert moments[summand.name][index] == sum(moments[summand.name]) == 1


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
