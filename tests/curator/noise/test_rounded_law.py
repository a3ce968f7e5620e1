"""A million draws against exact probabilities: the law, its scale, its lowest bits."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import erfc, gammaincc

from curator.bits_for_tests import LAWS, SIDES, Floats, stream
from dpratio.curator.noise.rounded import draw_rounded
from dpratio.plan.laws import GAUSSIAN

DRAWS = 10**6
# Below this probability a correct sampler does not fall, in the life of the project.
FALSE_ALARM = 1e-9


def upper_tail(name: str, x: Floats) -> Floats:
    """P(N > x) at scale 1, for x of either sign, in doubles."""
    if name == "laplace":
        half = 0.5 * np.exp(-np.abs(x))
        return np.where(x >= 0, half, 1 - half)
    return np.asarray(0.5 * erfc(x / math.sqrt(2)))


def bin_edges(name: str, scale: float) -> Floats:
    """Half-integers between bins: every integer at small scales, about 60 at large."""
    parts = np.linspace(-1, 1, 61) * {"laplace": 9.0, "gaussian": 3.8}[name]
    return np.unique(np.floor(parts * scale)) + 0.5


def p_value(name: str, claimed: float, drawn: NDArray[np.int64]) -> float:
    """Pearson's chi-square of draws against round(claimed · N), bin by bin."""
    edges = bin_edges(name, claimed)
    tails = upper_tail(name, edges / claimed)
    expected = len(drawn) * -np.diff(np.concatenate(([1.0], tails, [0.0])))
    assert expected.min() > 10
    observed = np.bincount(np.searchsorted(edges, drawn), minlength=len(expected))
    statistic = float(np.sum((observed - expected) ** 2 / expected))
    return float(gammaincc((len(expected) - 1) / 2, statistic / 2))


@SIDES
@pytest.mark.parametrize("scale", [0.4, 1.7, 6.03, 2.0**30])
def test_a_million_draws_have_the_exact_probabilities(name: str, scale: float) -> None:
    drawn = draw_rounded(LAWS[name], scale, DRAWS, stream(f"{name} {scale}"))
    assert p_value(name, scale, drawn) > FALSE_ALARM


@SIDES
@pytest.mark.parametrize("wrong", [0.98, 1.02])
@pytest.mark.parametrize("scale", [1.7, 2.0**30])
def test_a_scale_two_per_cent_off_is_noticed(
    name: str, wrong: float, scale: float
) -> None:
    drawn = draw_rounded(LAWS[name], wrong * scale, DRAWS, stream(f"{name} {scale}"))
    assert p_value(name, scale, drawn) < FALSE_ALARM


def test_the_other_law_of_the_same_spread_is_noticed() -> None:
    drawn = draw_rounded(GAUSSIAN, 1.7 * math.sqrt(2), DRAWS, stream("other"))
    assert p_value("laplace", 1.7, drawn) < FALSE_ALARM


@SIDES
def test_the_lowest_bits_of_large_noise_are_uniform(name: str) -> None:
    """At scale 2^30 the last bits of the integer carry no trace of the float."""
    drawn = draw_rounded(LAWS[name], 2.0**30, DRAWS, stream(f"low {name}"))
    observed = np.bincount(drawn % 64, minlength=64)
    statistic = float(np.sum((observed - DRAWS / 64) ** 2 / (DRAWS / 64)))
    assert gammaincc(63 / 2, statistic / 2) > FALSE_ALARM


@SIDES
def test_neighbouring_draws_do_not_depend_on_each_other(name: str) -> None:
    drawn = draw_rounded(LAWS[name], 2.0**30, DRAWS, stream(f"pairs {name}"))
    sign, size = drawn > 0, np.abs(drawn) > 2**30
    for a, b in ((sign[1:], sign[:-1]), (size[1:], size[:-1]), (sign, size)):
        agreement = float(np.corrcoef(a, b)[0, 1])
        assert abs(agreement) < 7 / math.sqrt(DRAWS)
