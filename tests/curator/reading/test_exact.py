"""Exact sums are secret: nothing shows them, and only noise lets them out."""

import copy
import pickle
import pprint
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.curator.reading.exact import LARGEST_SUM, ExactSums
from dpratio.plan.sensitivity.joint import Mixture

CANARY = 271828182845


def secret(value: int = CANARY) -> ExactSums:
    return ExactSums(np.array([[value, -value]], dtype=np.int64))


@pytest.mark.parametrize(
    "show",
    [
        repr,
        str,
        format,
        pprint.pformat,
        lambda sums: f"{sums!a:>80}",
        lambda sums: repr([sums, {"sums": sums}]),
        lambda sums: repr(np.asarray(sums)),
    ],
)
def test_exact_sums_do_not_show_themselves(show: Callable[[object], str]) -> None:
    assert str(CANARY) not in show(secret())
    assert "secret" in show(secret())


@pytest.mark.parametrize(
    ("use", "verb"),
    [
        (pickle.dumps, "pickled or copied"),
        (lambda sums: pickle.dumps([sums], protocol=0), "pickled or copied"),
        (copy.copy, "pickled or copied"),
        (copy.deepcopy, "pickled or copied"),
        (lambda sums: sums == sums, "compared"),  # noqa: PLR0124
        (lambda sums: sums == 0, "compared"),
        (lambda sums: sums != 0, "compared"),
        ([secret()].index, "compared"),
        (hash, "hashed"),
        (lambda sums: {sums: 1}, "hashed"),
        (iter, "iterated"),
        (list, "iterated"),
        (bool, "tested"),
        (lambda sums: 1 if sums else 0, "tested"),
        (lambda sums: not sums, "tested"),
    ],
)
def test_exact_sums_refuse_whatever_could_leak_them(
    use: Callable[[Any], object], verb: str
) -> None:
    with pytest.raises(TypeError, match=f"cannot be {verb}: they are secret") as caught:
        use(secret())
    assert str(CANARY) not in str(caught.value)


@pytest.mark.parametrize(
    "use",
    [
        len,
        int,
        float,
        sum,
        max,
        sorted,
        vars,
        lambda sums: sums < secret(),
        lambda sums: sums + 1,
        lambda sums: sums[0],
    ],
)
def test_exact_sums_have_no_other_manners(use: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError) as caught:
        use(secret())
    assert str(CANARY) not in str(caught.value)


def test_noise_is_added_one_integer_per_sum() -> None:
    sums = ExactSums(np.array([[1, 2], [3, 4]], dtype=np.int64))
    noisy = sums.plus(np.array([[10, -10], [0, 5]], dtype=np.int64))
    assert noisy.tolist() == [[11, -8], [3, 9]]
    assert noisy.dtype == np.int64


def test_a_later_change_of_the_given_array_changes_nothing() -> None:
    cells = np.array([[1]], dtype=np.int64)
    sums = ExactSums(cells)
    cells[0, 0] = 99
    assert sums.plus(np.zeros((1, 1), np.int64)).tolist() == [[1]]


def test_sums_up_to_2_to_the_62_are_kept_as_they_are() -> None:
    cells = np.array([[2**62, -(2**62), 2**61 + 1, 1 - 2**62]], dtype=np.int64)
    kept = ExactSums(cells).plus(np.zeros((1, 4), np.int64))
    assert kept.tolist() == cells.tolist()


def test_sums_are_clamped_so_that_noise_cannot_overflow() -> None:
    limits = np.array([[2**63 - 1, -(2**63), LARGEST_SUM + 1, 5]], dtype=np.int64)
    clamped = ExactSums(limits).plus(np.zeros((1, 4), np.int64))
    assert clamped.tolist() == [[LARGEST_SUM, -LARGEST_SUM, LARGEST_SUM, 5]]
    # The furthest noise that 63 bits and the largest scale give is below 2^56.
    noise = np.full((1, 4), 2**56, dtype=np.int64)
    assert np.all(ExactSums(limits).plus(noise) > np.array([[0, -(2**63), 0, 0]]))
    assert LARGEST_SUM + 2**56 < 2**63


whole = st.integers(-(2**63), 2**63 - 1)


@given(first=whole, second=whole)
def test_clamping_never_moves_two_sums_apart(first: int, second: int) -> None:
    nothing = np.zeros((1, 1), np.int64)
    ends = [
        int(ExactSums(np.array([[each]], np.int64)).plus(nothing)[0, 0])
        for each in (first, second)
    ]
    assert abs(ends[0] - ends[1]) <= abs(first - second)


def test_long_sums_are_kept_until_they_leave() -> None:
    long = np.array([[2**70, -(2**70)], [1, 2]], dtype=object)
    sums = ExactSums(long)
    long[0, 0] = 99
    found = sums.plus(np.zeros((2, 2), np.int64))
    assert found.tolist() == [[LARGEST_SUM, -LARGEST_SUM], [1, 2]]
    assert found.dtype == np.int64
    (both,) = sums.mixed([Mixture({0: 1, 1: 1}, 1)]).plus(np.zeros((2, 1), np.int64)).T
    assert both.tolist() == [0, 3]


def test_mixtures_are_rounded_down_from_the_half_exactly() -> None:
    cells = np.array([[-4], [-5], [4], [5], [3 * 2**58 + 1]], dtype=np.int64)
    third = ExactSums(cells).mixed([Mixture({0: 1}, 3)])
    found = third.plus(np.zeros((5, 1), np.int64))
    assert found.T.tolist() == [[-1, -2, 1, 2, 2**58]]


def test_first_totals_add_up_over_all_groups() -> None:
    sums = ExactSums(np.array([[2**62, 1, 7], [2**62, -4, 7]], dtype=np.int64))
    totals = sums.first_totals(2)
    assert totals.plus(np.zeros((1, 2), np.int64)).tolist() == [[LARGEST_SUM, -3]]
    halved = totals.mixed([Mixture({0: 1}, 8)]).plus(np.zeros((1, 1), np.int64))
    assert halved.tolist() == [[2**60]]
