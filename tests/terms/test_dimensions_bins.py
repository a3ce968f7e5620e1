"""Bins of a score: edges as given or equal, without overlap, within the bounds."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.dimensions import Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups

SEX, BINS = Keys("sex", ["f", "m"]), ScoreBins("score", [0, 0.5, 1])
MONTHS = Periods("seen", "month", "2026-01-15", "2026-03-01")


@pytest.mark.parametrize(
    "edges",
    [[0, 0.5, 1], (0, 0.5, 1), [-1e9, 1e9], range(3), [0, 1e-9], np.linspace(0, 1, 5)],
    ids=repr,
)
def test_edges_are_kept_as_doubles(edges: Any) -> None:  # noqa: ANN401
    bins = ScoreBins("s", edges)
    assert bins.edges == tuple(float(edge) for edge in edges)
    assert {type(edge) for edge in bins.edges} == {float}
    assert len(bins.values) == len(edges) - 1


def test_bins_are_named_by_their_edges() -> None:
    assert ScoreBins("s", [0, 0.25, 1]).values == ("0 to 0.25", "0.25 to 1")
    assert Groups.cross(ScoreBins("s", [-1, 0, 1])).keys == ("-1 to 0", "0 to 1")


@pytest.mark.parametrize(
    "edges", [[1_000_000, 1_000_001, 1_000_002], [0.12345671, 0.12345672, 0.12345673]]
)
def test_no_two_bins_have_the_same_name(edges: list[float]) -> None:
    assert len(set(ScoreBins("s", edges).values)) == 2


@pytest.mark.parametrize(
    "edges",
    [
        [0, 0.5, 0.4],
        [1, 0],
        [0, 0],
        [0, 0.5, 0.5, 1],
        [math.nan, 1],
        [0, math.nan],
        [0, math.inf],
        [-math.inf, 0],
    ],
)
def test_bins_do_not_overlap(edges: list[float]) -> None:
    with pytest.raises(InvalidInput, match=r"^edges must rise: bins may not overlap"):
        ScoreBins("s", edges)


@pytest.mark.parametrize("bins", [0, -1, 1001, 10**9])
def test_the_number_of_bins_is_limited(bins: int) -> None:
    with pytest.raises(InvalidInput, match=r"^there must be 1 to 1,000 bins"):
        ScoreBins("s", bins)
    assert ScoreBins("s", 1000).bins == 1000
    assert ScoreBins("s").bins == 10


@pytest.mark.parametrize("edges", [[], [1], (0.5,), range(1002)], ids=len)
def test_bins_need_two_edges_or_more(edges: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^bins need two edges or more"):
        ScoreBins("s", edges)


@pytest.mark.parametrize("bins", [None, True, 2.5, "0 1", b"01", {0, 1}, {0: 1}])
def test_bins_are_a_number_or_edges(bins: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^bins must be a number or a list of"):
        ScoreBins("s", bins)


@pytest.mark.parametrize(
    "edges", [["0", "1"], ["a", "b"], [None, 1], [[0], [1]], [0, 1j]]
)
def test_edges_are_numbers(edges: list[Any]) -> None:
    with pytest.raises(InvalidInput):
        ScoreBins("s", edges)


@given(
    low=st.floats(-1e6, 1e6),
    width=st.floats(1e-3, 1e6),
    count=st.integers(1, 1000),
)
def test_equal_bins_fill_the_bounds(low: float, width: float, count: int) -> None:
    bounds = Bounds(low, low + width)
    equal = ScoreBins("s", count)
    assert (equal.edges, equal.values) == ((), ())
    settled = equal.within(bounds)
    assert (settled.edges[0], settled.edges[-1]) == (bounds.lower, bounds.upper)
    steps = np.diff(settled.edges)
    assert steps == pytest.approx(
        (bounds.upper - bounds.lower) / count, abs=1e-9 * max(abs(low), width)
    )
    assert settled.within(bounds) is settled


@pytest.mark.parametrize("edges", [[-0.1, 1], [0, 1.1], [-1, 2], [2, 3]])
def test_edges_lie_within_the_bounds(edges: list[float]) -> None:
    rule = r"^edges of bins must lie within the bounds of 's', got "
    with pytest.raises(InvalidInput, match=rule):
        ScoreBins("s", edges).within(Bounds(0, 1))


def test_groups_settle_all_their_bins() -> None:
    groups = Groups.cross(SEX, ScoreBins("score", 2), MONTHS)
    settled = groups.within({"score": Bounds(0, 1), "other": Bounds(0, 2)})
    assert settled == Groups.cross(SEX, BINS, MONTHS)
    assert settled.within({"score": Bounds(0, 1)}) == settled
    some = Groups.cross(SEX, BINS).only([(1, 1)])
    assert some.within({"score": Bounds(0, 1)}) == some


def test_a_binned_column_needs_bounds() -> None:
    with pytest.raises(InvalidInput) as caught:
        Groups.cross(SEX, BINS).within({"sex": Bounds(0, 1)})
    assert str(caught.value) == (
        "a binned column needs bounds. Add bounds for 'score'."
    )


@pytest.mark.parametrize("edges", [[0, 10**400], [-(10**400), 0]])
def test_whole_numbers_beyond_all_floats_are_no_edges(edges: list[int]) -> None:
    with pytest.raises(InvalidInput, match="edges must be numbers"):
        ScoreBins("score", edges)
