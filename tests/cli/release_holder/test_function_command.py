"""The command of functions of sums."""

import json
from functools import partial
from pathlib import Path

import pytest

import dpratio as dpr
from cli import commands_for_tests
from cli.commands_for_tests import refusal
from dpratio.errors import InvalidInput
from planned import plan_scores

shown = partial(commands_for_tests.shown, "function")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    path = tmp_path / "release.json"
    dpr.write_release(dpr.example_release(), path)
    return path


def test_a_mean_is_what_python_gives(release: Path) -> None:
    found = dpr.estimate_function(
        dpr.example_release(), dpr.functions.mean("per"), question=1
    )
    words = (release, "mean", "--of", "per", "--question", "1")
    rows = json.loads(shown(*words, "--format", "json"))
    assert [row["estimate"] for row in rows] == found.estimate.tolist()
    assert "Estimates of mean of per" in shown(*words)


def test_arms_are_two_keys_and_the_numerator_is_taken_by_default(
    release: Path,
) -> None:
    found = dpr.estimate_function(
        dpr.example_release(), dpr.functions.lift(), arms=("west", "north")
    )
    words = (release, "lift", "--arms", "west", "north", "--format", "json")
    (row,) = json.loads(shown(*words))
    assert row["estimate"] == found.estimate[0]
    assert "west" in shown(release, "ratio_of_ratios", *words[2:5])


def test_keys_that_are_numbers_are_found_by_what_they_are_written_as(
    tmp_path: Path,
) -> None:
    plan = plan_scores(
        dpr.Budget(4), answers=("ratio", "means"), groups=dpr.Groups("arm", [1, 2])
    )
    table = {"score": [0.2, 0.8] * 2000, "label": [1, 0] * 2000, "arm": [1, 2] * 2000}
    path = tmp_path / "r.json"
    dpr.write_release(dpr.release_sums(table, plan, ledger=None), path)
    (row,) = json.loads(shown(path, "lift", "--arms", "2", "1", "--format", "json"))
    assert row["estimate"] == pytest.approx(3, abs=0.2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("median",), "function"),
        (("slope", "--of", "per"), "slope is about both columns"),
        (("mean", "--of", "score"), "column of the ratio"),
        (("lift", "--arms", "west", "nowhere"), "nowhere"),
        (("mean", "--arms", "west", "north"), "compares no arms"),
    ],
)
def test_what_cannot_be_answered_is_refused(
    words: tuple[str, ...], said: str, release: Path
) -> None:
    error = refusal("function", release, *words)
    assert isinstance(error, InvalidInput)
    assert said in str(error)
