"""Counts of those whom bounds cut: written and read, rolled up, merged, left out."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpratio.errors import InvalidInput
from dpratio.release.files import read_release, write_release
from dpratio.release.release import Release
from dpratio.release.roll_up import roll_up
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from release.releases_for_tests import add_up, plan_of, release_of

REGIONS = Groups("g", ["b", "a"])


def counted(seed: int = 1, clipping: str = "measured", **terms: Any) -> Release:  # noqa: ANN401
    return release_of(plan_of(REGIONS, clipping=clipping, **terms), seed)


def test_a_count_is_written_and_read(tmp_path: Path) -> None:
    file = tmp_path / "release.json"
    write_release(counted(), file)
    assert read_release(file) == counted()


def test_counts_of_groups_are_rolled_up() -> None:
    release = counted()
    (before,), (after,) = release.questions, roll_up(release).questions
    assert after.values[0, -1] == before.values[:, -1].sum()
    assert after.noise[0].counts.tolist() == [2]


@pytest.mark.parametrize("strategy", ["focused", "even"])
def test_counts_are_added_where_all_have_them(strategy: str, tmp_path: Path) -> None:
    both = [counted(seed, strategy=strategy) for seed in (1, 2)]
    (merged,) = add_up(both).questions
    wanted = sum(each.questions[0].values for each in both)
    assert np.array_equal(merged.values, wanted)
    write_release(add_up(both), tmp_path / "both.json")
    assert read_release(tmp_path / "both.json") == add_up(both)


def test_counts_are_left_out_where_one_has_none(tmp_path: Path) -> None:
    """Sums around other guesses lose theirs too."""
    around = [
        counted(at, ratio=Ratio("score", per="label", guess=guess))
        for at, guess in enumerate((1.0, 1.5))
    ]
    plain = counted(3, "unmeasured")
    for given in ([around[0], plain], [plain, around[0]], [add_up(around), plain]):
        merged = add_up(given)
        assert merged.plan.clipping == "unmeasured"
        (question,) = merged.questions
        names = [each.summand.name for each in question.asked.sums]
        assert names == ["z", "h", "zz", "zh", "hh"]
        assert {len(each.steps) for each in question.sums} == {5}
        file = tmp_path / "merged.json"
        write_release(merged, file)
        assert read_release(file) == merged
        file.unlink()
    first = around[0].questions[0].values[:, :5] + plain.questions[0].values
    assert np.array_equal(add_up([around[0], plain]).questions[0].values, first)


def test_releases_with_other_bounds_are_refused_all_the_same() -> None:
    with pytest.raises(InvalidInput, match="another strategy"):
        add_up([counted(1), counted(2, "unmeasured", strategy="joint")])
