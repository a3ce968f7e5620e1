"""Files of releases that were merged around different guesses."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.release.files import read_release, write_release
from dpratio.terms.budget import Budget
from release.edited_documents import check_reading, checksum, document_of, signed
from release.golden_releases import golden_document
from release.releases_for_tests import RELEASES

GOLDEN_GUESSES = Path(__file__).parent / "golden" / "release_v1_guesses.json"
MERGED = RELEASES["merged around two guesses"]


def test_the_golden_file_of_two_guesses_is_read_value_by_value(tmp_path: Path) -> None:
    release = read_release(GOLDEN_GUESSES)
    (question,) = release.questions
    own, other = question.sums
    assert own.contrast == Contrast(1.0)
    assert other.contrast == Contrast(0.75, basis="denominator")
    assert own.values.tolist() == [[1, -2, 3, -4, 5]]
    assert other.values.tolist() == [[-6, 7, -8, 9, 2**53 + 1]]
    assert other.steps == (2.0**-24, 2.0**-24, 2.0**-24, 2.0**-25, 2.0**-24)
    (layer,) = other.noise
    assert (layer.mechanism, layer.counts.tolist()) == ("laplace", [3])
    assert layer.scales == (2.0**28, 2.0**29, 2.0**28, 2.0**30, 2.0**28)
    assert len(release.sources) == 4
    assert release.cost == Budget(4)
    assert release.cost_if_disjoint == Budget(1)
    write_release(release, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == GOLDEN_GUESSES.read_bytes()


def test_other_guesses_stand_beside_the_own_sums() -> None:
    document = golden_document(GOLDEN_GUESSES)
    assert document["sha256"] == checksum(document)
    (part,) = document["parts"]
    assert set(part["beside"][0]) == {"guess", "basis", "steps", "noise"}
    assert document["values"] == [
        [["1", "-2", "3", "-4", "5", "-6", "7", "-8", "9", "9007199254740993"]]
    ]


def beside(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["parts"][0]["beside"][0]
    return found


def noise(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = beside(document)["noise"][0]
    return found


HERE = "$.parts[0].beside[0]"
EDITS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no guess": (lambda given: beside(given).pop("guess"), f"{HERE}: field 'guess'"),
    "a guess too large": (
        lambda given: beside(given).update(guess=1e300),
        f"{HERE}.guess: the guess of a ratio must be 0, or between",
    ),
    "the guess of the plan": (
        lambda given: beside(given).update(guess=1.0),
        f"{HERE}.steps: must be the lattice of the bounds and the guess",
    ),
    "another basis": (
        lambda given: beside(given).update(basis="y"),
        f"{HERE}.basis: must be",
    ),
    "another lattice": (
        lambda given: beside(given).update(steps=[0.5] * 5),
        f"{HERE}.steps: must be the lattice of the bounds and the guess",
    ),
    "a step too few": (
        lambda given: beside(given)["steps"].pop(),
        f"{HERE}.steps: must be the lattice of the bounds and the guess",
    ),
    "noise on too few sums": (
        lambda given: noise(given)["scales"].pop(),
        f"{HERE}.noise[0].scales: must be 5 noise scales",
    ),
    "draws of other cells": (
        lambda given: noise(given).update(counts=[1, 1, 1]),
        f"{HERE}.noise[0].counts: must be 1 or 4 numbers of draws",
    ),
    "another field": (
        lambda given: beside(given).update(other=1),
        f"{HERE}: unknown field 'other'",
    ),
    "the same guess twice": (
        lambda given: (
            given["parts"][0]["beside"].append(beside(given)),
            given.update(values=[[[*row, *row[5:]] for row in given["values"][0]]]),
        ),
        "$: sums may stand side by side only if their guesses or lattices differ",
    ),
    "sums that are missing": (
        lambda given: given["values"][0][0].pop(),
        "$.values[0][0]: must hold 10 sums",
    ),
    "one source": (
        lambda given: given.update(
            sources=given["sources"][:1],
            derived={"ledgers": [], "cost_if_disjoint": None},
        ),
        "$: sums around other guesses belong to releases that were merged",
    ),
}


@pytest.mark.parametrize("what", EDITS)
def test_sums_around_other_guesses_are_checked(what: str, tmp_path: Path) -> None:
    change, message = EDITS[what]
    document = document_of(MERGED)
    change(document)
    check_reading(signed(document), message, tmp_path / "edited.json")


def test_only_focused_plans_hold_sums_around_guesses(tmp_path: Path) -> None:
    joint = RELEASES["two ratios of unequal width"]
    document = document_of(joint)
    added = beside(document_of(MERGED))
    document["parts"][0]["beside"] = [added]
    document["values"][0] = [[*row, *row] for row in document["values"][0]]
    said = "$.parts[0].noise: must be null where nothing was added up"
    document["parts"][0]["noise"] = []
    check_reading(signed(document), said, tmp_path / "edited.json")


def test_all_integers_are_shown_in_order() -> None:
    (question,) = MERGED.questions
    wanted = np.concatenate([each.values for each in question.sums], axis=1)
    assert question.integers.tolist() == wanted.tolist()
