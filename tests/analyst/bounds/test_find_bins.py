"""Which edges noisy counts on a grid propose: exact, rising, each bin beyond noise."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.analyst.bounds.propose_bins import FoundBins, find_bins
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import ScoreBins
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study

GRID = ScoreBins("score", 16).within(Bounds(0, 16))
NONE = FoundBins((), ())


def found(counts: list[int], asked: int = 4, scale: float = 1.0) -> FoundBins:
    return find_bins(GRID, counts, scale=scale, asked=asked)


def study_of(groups: ScoreBins | None = None) -> Study:
    return Study(
        Ratio("score", per="label"),
        bounds={"score": Bounds(0, 16), "label": Bounds.binary()},
        budget=Budget(1),
        groups=groups,
    )


def test_as_many_people_are_in_each_bin() -> None:
    assert found([100] * 16) == FoundBins((0.0, 4.0, 8.0, 12.0, 16.0), (400,) * 4)
    skewed = [800, 800, 400, 400, 400, 400, *[0] * 10]
    assert found(skewed).edges == (0.0, 1.0, 2.0, 4.0, 16.0)


def test_noise_below_zero_takes_nobody_out_again() -> None:
    counts = [500, -30, -30, 500, -30, 500, -30, 500, *[-2] * 8]
    assert found(counts).edges == (0.0, 1.0, 4.0, 6.0, 16.0)


def test_a_cell_that_holds_several_bins_gives_fewer() -> None:
    assert found([50, 50, 3000, 50, 50, *[0] * 10, 900]).edges == (0.0, 2.0, 3.0, 16.0)
    # All in one cell: one side of every edge is empty.
    assert found([0] * 8 + [5000] + [0] * 7) == NONE
    assert found([5000] + [0] * 15) == NONE


def test_noise_carries_so_many_bins() -> None:
    # A bin of n/k must reach 2 sd of 16/k cells: k <= n^2 / (8 * 16 * scale^2).
    counts = [100] * 16
    wanted = {1.0: 8, 40.0: 8, 50.0: 8, 60.0: 5, 90.0: 2, 99.0: 2, 101.0: 0}
    for scale, size in wanted.items():
        assert found(counts, 8, scale).size == size
    assert found([0] * 16) == NONE
    assert found([-100] * 16) == NONE


@given(
    counts=st.lists(st.integers(-60, 400), min_size=16, max_size=16),
    asked=st.integers(2, 20),
    scale=st.floats(0.1, 80),
)
def test_whatever_is_counted_edges_rise_on_the_grid(
    counts: list[int], asked: int, scale: float
) -> None:
    bins = found(counts, asked, scale)
    assert bins == find_bins(GRID, tuple(counts), scale=scale, asked=asked)
    assert bins.size <= asked
    if bins.size:
        assert bins.size >= 2
        assert bins.edges[0] == 0
        assert bins.edges[-1] == 16
        assert set(bins.edges) <= set(GRID.edges)
        assert all(low < high for low, high in itertools.pairwise(bins.edges))
        assert min(bins.people) > 0
        assert sum(bins.people) == sum(counts)


@pytest.mark.parametrize("ends", [(0.1, 0.7), (-3.0, 1e9)])
def test_edges_are_those_of_equal_bins(ends: tuple[float, float]) -> None:
    grid = ScoreBins("score", 100).within(Bounds(*ends))
    bins = find_bins(grid, [100] * 100, scale=1.0, asked=10)
    assert bins.edges == grid.edges[::10]
