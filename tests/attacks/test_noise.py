"""Rows 1 and 2: what the digits of released numbers give away."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.stats import beta

from dpratio.curator.release_sums import release_sums
from dpratio.plan.plan import Plan
from dpratio.release.files import release_from_bytes, release_to_bytes
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from planned import plan_scores

Values = NDArray[np.int64]

GROUPS = 200_000  # of five sums each
EMPTY = GROUPS // 2
ROW = 2**24  # The cells of a row at its bound.


def plan_of(epsilon: str) -> Plan:
    """Ask for five sums, each between 0 and 1 in one row, with equal noise."""
    return plan_scores(
        Budget(epsilon),
        groups=Groups("region", range(GROUPS)),
        strategy="even",
        mechanism="laplace",
    )


def half_full() -> object:
    """A table with one row, at the bounds, in every group of the second half."""
    full = np.arange(EMPTY, GROUPS)
    ones = np.ones(len(full))
    return pa.table({"score": ones, "label": ones, "region": full})


def test_01_a_million_released_values_lie_on_the_public_lattice() -> None:
    """Every released value is a whole number of public lattice cells.

    Source: Mironov (2012), On significance of the least significant bits for
    differential privacy. More: tests/curator/noise/test_rounded.py
    """
    release = release_sums(half_full(), plan_of("1"), ledger=None)
    read = release_from_bytes(release_to_bytes(release))
    for values in (release.questions[0].values, read.questions[0].values):
        assert values.size == 1_000_000
        assert values.dtype == np.int64
        assert np.array_equal(values, np.floor(values))


def test_01_the_lattice_has_no_holes_where_noise_cannot_fall() -> None:
    """No more of a million values coincide than under noise that can fall anywhere.

    Noise of scale b makes two values equal with probability 1/(4b), three pairs here;
    noise from floats of 24 bits makes thousands. More than 60 pairs: 1 in 10^50.

    Source: Mironov (2012), On significance of the least significant bits for
    differential privacy. More: tests/curator/noise/test_rounded_law.py
    """
    plan = plan_of("0.01")
    values = release_sums(half_full(), plan, ledger=None).questions[0].values
    pairs = values.shape[1] * GROUPS**2 / 2
    assert pairs / (4 * plan.measurements[0].sums[0].scale) < 3
    twice = sum(len(each) - len(np.unique(each)) for each in values.T)
    assert twice <= 60


def events(values: Values) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """List events of low-order digits, in all values and in ranges of them."""
    ranges = {
        "all": np.ones(len(values), np.bool_),
        "negative": values < 0,
        "up to the row": (values >= 0) & (values < ROW),
        "above the row": values >= ROW,
    }
    for exponent in (-28, -20, -8, 1, 2, 4, 8, 16, 24):
        whole = np.mod(values, 2.0**exponent) == 0
        for name, inside in ranges.items():
            yield f"{name}, in steps of 2^{exponent}", inside & whole
            yield f"{name}, not in steps of 2^{exponent}", inside & ~whole


def test_02_no_event_of_low_order_digits_tells_a_sum_of_one_from_zero() -> None:
    """Between sums of 0 and of 1 no event is more likely than by a factor e^ε.

    Bounds of Clopper and Pearson at 10^-13 on either side, for 720 comparisons.

    Source: Haney, Desfontaines, Hartman, Shrestha & Hay (2022), Precision-based attacks
    and interval refining: how to break, then fix, differential privacy on finite
    computers. More: tests/curator/noise/test_rounded_law.py
    """
    plan = plan_of("1")
    values = release_sums(half_full(), plan, ledger=None).questions[0].values
    for column, measured in zip(values.T, plan.measurements[0].sums, strict=True):
        cost = ROW / Fraction(measured.scale)
        assert cost <= plan.epsilon / 5
        for name, happened in events(column):
            zero = int(happened[:EMPTY].sum())
            one = int(happened[EMPTY:].sum())
            for less, more in ((zero, one), (one, zero)):
                at_least = beta.ppf(1e-13, more, EMPTY - more + 1) if more else 0.0
                at_most = beta.isf(1e-13, less + 1, EMPTY - less) if less < EMPTY else 1
                assert at_least <= np.exp(float(cost)) * at_most, name
