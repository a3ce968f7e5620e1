"""Bins at quantiles say which release proposed them; others are as they were."""

from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.bins.score_bins import ProposedBins, ScoreBins
from dpratio.terms.bounds import Bounds, Proposed
from dpratio.terms.groups import Groups
from dpratio.terms.study_file import parse_study

NAME = "0123456789abcdef" * 2
ORIGIN = ProposedBins(NAME, Fraction(1, 10), 4)
FOUND = ScoreBins("score", [0, 0.25, 1], proposed=ORIGIN)
STUDY = """
ratio = { numerator = "score", per = "label" }
bounds = { score = [0, 1], label = "binary" }
privacy = { epsilon = 1 }
"""


def test_bins_at_quantiles_name_their_release() -> None:
    given = ("score", 4, [0, 0.25, 1])
    assert ScoreBins.quantiles(*given, by=NAME, epsilon="0.1") == FOUND
    assert FOUND.within(Bounds(0, 1)) is FOUND
    assert str(FOUND.proposed) == f"proposed by release {NAME} at epsilon 0.1"
    assert f"proposed={ORIGIN!r}" in repr(FOUND)


def test_without_the_release_they_are_any_bins() -> None:
    plain = ScoreBins("score", [0, 0.25, 1])
    assert plain != FOUND
    assert FOUND.by_hand() == plain
    assert plain.by_hand() is plain
    # Ids of merged releases are made of it.
    assert repr(plain) == "ScoreBins(column='score', bins=(0.0, 0.25, 1.0))"
    keys = Groups("sex", ["f", "m"]).dimensions[0]
    crossed = Groups.cross(keys, FOUND).only([(0, 1), (1, 0)])
    wanted = Groups.cross(keys, plain).only([(0, 1), (1, 0)])
    assert crossed.by_hand() == wanted


@pytest.mark.parametrize(
    ("bins", "proposed"),
    [(4, ORIGIN), ([0, 1], NAME), ([0, 1], Proposed(NAME, Fraction(1, 10)))],
)
def test_only_edges_are_proposed(bins: Any, proposed: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="proposed bins have edges, and name"):
        ScoreBins("score", bins, proposed=proposed)


@pytest.mark.parametrize("asked", [1, 1001, 2.0, True, "4", None])
def test_quantiles_are_so_many(asked: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="2 to 1,000 bins at quantiles"):
        ProposedBins(NAME, Fraction(1, 10), asked)


def test_bounds_are_not_proposed_by_a_grid_of_bins() -> None:
    with pytest.raises(InvalidInput, match="proposed bounds name their release"):
        Bounds(0, 1, proposed=ORIGIN)


def test_a_study_file_reads_them() -> None:
    told = f'{{ quantiles = 4, edges = [0, 0.25, 1], by = "{NAME}", epsilon = 0.1 }}'
    study = parse_study(f'{STUDY}[groups]\ncolumn = "score"\nbins = {told}\n')
    assert study.questions[0].groups == Groups.cross(FOUND)


@pytest.mark.parametrize("edges", [[0, 10**400], [-(10**400), 0]])
def test_whole_numbers_beyond_all_floats_are_no_edges(edges: list[int]) -> None:
    with pytest.raises(InvalidInput, match="edges must be numbers"):
        ScoreBins("score", edges)
