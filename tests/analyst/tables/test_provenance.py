"""Every answer says first what to know about the release it is made of."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import dpratio as dpr
from dpratio.analyst.tables.provenance import LOOK_WORDS, stamps
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
def test_an_answer_after_a_look_says_so(name: str, release: Release) -> None:
    plain = ANSWERS[name](release)
    marked = ANSWERS[name](replace(release, is_after_look=True))
    assert LOOK_WORDS not in plain.notes()
    assert marked.notes()[:2] == [plain.notes()[0], LOOK_WORDS]
    assert [each for each in marked.notes() if each != LOOK_WORDS] == plain.notes()


def test_the_sentence_of_the_ratios_says_so(release: Release) -> None:
    marked = dpr.estimate_ratios(replace(release, is_after_look=True))
    said = dpr.estimate_ratios(release).summary()
    assert marked.summary() == f"{said}; terms set after a look at the data"


def test_a_watch_says_so_where_one_of_its_releases_does(release: Release) -> None:
    marked = replace(release, is_after_look=True, id="f" * 32)
    assert LOOK_WORDS in dpr.watch([marked, release], question=1).notes()
    assert LOOK_WORDS in dpr.watch([release, marked], question=1).notes()


def test_a_report_says_so_above_and_in_its_record(release: Release) -> None:
    marked = replace(release, is_after_look=True)
    page = render_report(marked, answers=[ANSWERS["homogeneity"](marked)])
    assert page.count(LOOK_WORDS) == 1
    assert "set after a look at the data</td>" in page.replace("</dd>", "</td>")
    assert "after a look" not in render_report(release)
    with pytest.raises(InvalidInput, match="about the release of the report"):
        render_report(marked, answers=[ANSWERS["homogeneity"](release)])


def test_stamps_stand_together(release: Release) -> None:
    marked = replace(release, is_simulated=True, is_after_look=True)
    said = stamps(marked, "another system")
    assert [each.partition(":")[0] for each in said] == [
        "SIMULATED",
        "EXTERNAL",
        "Terms set after a look at the data",
    ]
