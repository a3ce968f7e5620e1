"""A series of noise that comes again is found, wherever it lies."""

import numpy as np
from numpy.typing import NDArray

from dpratio.simulation.audit.repeats import echoes_of, fours_of

Ints = NDArray[np.int64]


def drawn(seed: int, draws: int, sums: int = 2) -> Ints:
    rng = np.random.default_rng(seed)
    return rng.integers(-(2**24), 2**24, size=(draws, sums))


def echoes(*releases: Ints) -> list[int]:
    counted = echoes_of([fours_of(each) for each in releases], 2)
    return [int(each) for each in counted]


def test_a_series_that_begins_with_a_multiple_of_sixteen_is_kept() -> None:
    noise = np.array([[32, 1], [2, -16], [3, 5], [4, 6], [16, 7]])
    assert fours_of(noise).tolist() == [[0, 32, 2, 3, 4], [1, -16, 5, 6, 7]]


def test_independent_noise_has_no_echo() -> None:
    assert echoes(drawn(1, 100_000), drawn(2, 100_000)) == [0, 0]


def test_releases_that_are_too_short_for_a_series_have_none() -> None:
    assert echoes() == [0, 0]
    assert echoes(drawn(3, 0), drawn(3, 3), drawn(3, 3)) == [0, 0]


def test_a_series_of_another_release_is_found_at_any_place() -> None:
    first, second = drawn(4, 5_000), drawn(5, 5_000)
    second[777:2_777, 1] = first[1_234:3_234, 1]
    in_one, in_other = echoes(first, second)
    assert in_one == 0
    assert 75 < in_other < 175  # One in sixteen of 2,000.


def test_a_generator_of_a_short_period_is_found() -> None:
    noise = np.tile(drawn(6, 1_000), (3, 1))
    assert min(echoes(noise)) > 60


def test_the_same_series_of_another_sum_is_no_echo() -> None:
    """Scales differ; what sums have in common is found by how much they are alike."""
    noise = drawn(7, 5_000)
    noise[:, 1] = noise[:, 0]
    assert echoes(noise) == [0, 0]
