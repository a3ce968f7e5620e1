"""Every answer says first what to know about the release it is made of."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import dpratio as dpr
from dpratio.analyst.tables.provenance import stamps
from dpratio.errors import InvalidInput
from dpratio.release.release import Release
from dpratio.show.sections.page import render_report

ANSWERS: dict[str, Callable[[Release], Any]] = {
    "estimates": dpr.estimate_ratios,
    "comparison": lambda given: dpr.compare_ratios(given, "north", "south", question=1),
    "equivalence": lambda given: dpr.assess_equivalence(
        given, lower=0.5, upper=2, question=1
    ),
    "homogeneity": lambda given: dpr.assess_homogeneity(given, question=1),
    "function": lambda given: dpr.estimate_function(
        given, dpr.functions.mean("numerator"), question=1
    ),
    "curve": lambda given: dpr.calibration_curve(given, question=2),
    "watch": lambda given: dpr.watch([given], question=1),
}


@pytest.fixture(scope="module")
def release() -> Release:
    return dpr.example_release()


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_says_first_that_people_are_invented(
    name: str, release: Release
) -> None:
    assert ANSWERS[name](release).notes()[0].startswith("SIMULATED: ")
    real = ANSWERS[name](replace(release, is_simulated=False))
    assert not any("SIMULATED" in each for each in real.notes())


def test_a_report_takes_no_answer_from_real_people_for_one_from_invented(
    release: Release,
) -> None:
    real = replace(release, is_simulated=False)
    with pytest.raises(InvalidInput, match="about the release of the report"):
        render_report(real, answers=[ANSWERS["homogeneity"](release)])


def test_stamps_stand_together() -> None:
    said = stamps("another system", is_simulated=True)
    assert [each.partition(":")[0] for each in said] == ["SIMULATED", "EXTERNAL"]
