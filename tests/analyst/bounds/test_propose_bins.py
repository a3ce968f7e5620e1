"""Bins from a release of a histogram on a grid: the table, the words, the line."""

from typing import Any

import pytest

from analyst.bounds.releases_for_tests import grid_release, released
from dpratio.analyst.bounds.propose_bins import propose_bins
from dpratio.errors import InvalidInput
from dpratio.release.combine import merge
from dpratio.release.files import example_release
from dpratio.terms.groups import Groups, ScoreBins
from dpratio.terms.study_file import parse_study


def test_each_bin_has_a_row() -> None:
    found = propose_bins(grid_release([200] * 8 + [0] * 8), 4)
    assert found.bins == ScoreBins("score", [0, 0.125, 0.25, 0.375, 1])
    assert len(found) == 4
    assert found.to_dicts()[3] == {
        "lower": 0.375,
        "upper": 1.0,
        "people": 400,
        "share": 0.25,
    }
    assert found.lines() == ["bins = [0.0, 0.125, 0.25, 0.375, 1.0]"]
    assert "SIMULATED" in str(found)
    assert "Fewer bins" not in str(found)


def test_fewer_bins_and_none_are_said_in_words() -> None:
    few = propose_bins(grid_release([900, *[0] * 14, 900]), 4)
    assert few.bins is not None
    assert few.bins.edges == (0.0, 0.0625, 1.0)
    assert "2 bins of score at quantiles, 4 asked for." in str(few)
    assert "Fewer bins than asked for: noise does not carry more" in str(few)
    none = propose_bins(grid_release([0] * 15 + [9]), 4)
    assert (none.bins, none.lines(), len(none)) == (None, [], 0)
    assert "Too little is known for two bins" in str(none)


def test_the_line_is_that_of_a_study_file_which_reads_it_as_it_is() -> None:
    found = propose_bins(grid_release([200] * 16), 2)
    assert found.bins is not None
    (line,) = found.lines()
    study = parse_study(
        'ratio = { numerator = "score", per = "label" }\n'
        'bounds = { score = [0, 1], label = "binary" }\nprivacy = { epsilon = 1 }\n'
        f'[groups]\ncolumn = "score"\n{line}\n'
    )
    assert study.questions[0].groups == Groups.cross(found.bins)


def test_other_releases_propose_no_bins() -> None:
    merged = merge(
        [grid_release([9] * 16), grid_release([9] * 16, "1")], units_are_disjoint=True
    )
    ladder = released([{}, {}])
    for given in (None, example_release(), ladder, merged):
        with pytest.raises(InvalidInput, match="bins are proposed from"):
            propose_bins(given)  # type: ignore[arg-type]


@pytest.mark.parametrize("asked", [1, 1001, 2.0, True, "4", None])
def test_quantiles_are_so_many(asked: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match="2 to 1,000 bins at quantiles"):
        propose_bins(grid_release([9] * 16), asked)
