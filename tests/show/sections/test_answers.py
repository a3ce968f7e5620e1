"""A report that answers what was asked: headline first, its chart, then the groups."""

import datetime as dt
import re
from dataclasses import replace

import numpy as np
import pytest

import dpratio as dpr
from dpratio.errors import InvalidInput
from dpratio.show.sections.answers import Answer, answer_terms
from dpratio.show.sections.page import render_report
from shown import HOSTILE, curved, monthly, released, spent

RELEASE = dpr.example_release()


def answers_of(release: dpr.Release) -> list[Answer]:
    """One answer of every kind about the regions of the example."""
    mean = dpr.functions.mean("per")
    return [
        dpr.compare_ratios(release, "west", "north"),
        dpr.assess_homogeneity(release, question=1),
        dpr.assess_equivalence(release, lower=0.9, upper=1.1, question=1),
        dpr.estimate_function(release, mean, question=1),
        dpr.calibration_curve(release),
    ]


def page_of(release: dpr.Release, *answers: Answer) -> str:
    """Render a report; spaces that hold a line together are plain ones here."""
    return render_report(release, answers=answers).replace("\xa0", " ")


def test_the_answer_comes_first_then_its_chart_then_the_groups() -> None:
    page = page_of(RELEASE, answers_of(RELEASE)[0])
    headline = page.index(
        "In region west, score per label is 20.7 % higher than in north: "
    )
    chart = page.index('<figure class="answer-chart">')
    groups = page.index('<h2 id="ratios">')
    assert page.index("<h1>") < headline < chart < groups
    assert page.index("9 ratios of score per label") > groups
    assert page.count("In region west, score per label is") == 1


def test_every_kind_of_answer_has_a_headline_and_a_chart() -> None:
    answers = answers_of(RELEASE)
    page = render_report(RELEASE, answers=answers)
    assert page.count('<p class="answer">') == 5
    assert page.count('<figure class="answer-chart">') == 4
    for words in (
        "west against north",
        "One ratio for all?",
        "Within the margins?",
        "mean of per",
        "Calibration of score",
    ):
        assert re.search(f'<h2 id="answer-.">{re.escape(words)}</h2>', page), words
    assert page.count("SIMULATED: the people in this release are invented.") == 1
    assert all(each["pictures"] for each in answer_terms(RELEASE, answers))


def test_a_curve_that_was_asked_for_stands_first_and_once() -> None:
    curve = dpr.calibration_curve(curved())
    page = render_report(curved(), answers=[curve])
    assert '<p class="answer">Calibration of score: north: expected cali' in page
    assert page.count('<figure class="curves">') == 1
    assert '<h2 id="curve">' not in page
    both = render_report(
        curved(), answers=[dpr.estimate_function(curved(), dpr.functions.mean())]
    )
    assert '<h2 id="curve">' in both


def test_open_ends_are_arrows() -> None:
    found = dpr.compare_ratios(spent(), "a", "b", link="difference")
    half = replace(found, ci_upper=np.array([np.inf]), codes=np.array([3], np.int8))
    nothing = replace(found, codes=np.array([4], np.int8))
    for answer, arrows in ((found, 0), (half, 1), (nothing, 2)):
        (drawn,) = answer_terms(spent(), [answer])
        assert drawn["pictures"][0].count('4.5v9z"') == arrows


def test_names_from_a_release_stay_text_in_answers() -> None:
    release = released(HOSTILE)
    answers: list[Answer] = [
        dpr.compare_ratios(release, HOSTILE[0], HOSTILE[1]),
        dpr.compare_ratios(release),
        dpr.assess_homogeneity(release),
        dpr.assess_equivalence(release, lower=0.5),
        dpr.estimate_function(release, dpr.functions.total()),
    ]
    page = render_report(release, answers=answers)
    assert page.count("<script") == 2
    assert "<img" not in page
    assert "\u202e" not in page


def test_a_long_answer_is_listed_in_part() -> None:
    keys = tuple(f"group {at}" for at in range(40))
    release = released(keys)
    (drawn,) = answer_terms(release, [dpr.compare_ratios(release)])
    assert drawn["more"] == 780 - 300
    assert drawn["table"].count("<tr>") == 301


def test_what_is_no_answer_to_this_release_is_refused() -> None:
    found = dpr.compare_ratios(RELEASE, "west", "north")
    with pytest.raises(InvalidInput, match="answers must be a list"):
        render_report(RELEASE, answers=found)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="answers must be comparisons"):
        render_report(RELEASE, answers=[dpr.estimate_ratios(RELEASE)])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="about the release of the report"):
        render_report(RELEASE, answers=[replace(found, is_simulated=False)])
    with pytest.raises(InvalidInput, match="got 'money per visits'"):
        render_report(RELEASE, answers=[replace(found, asked="money per visits")])
    with pytest.raises(InvalidInput, match="up to 20 answers, got 21"):
        render_report(RELEASE, answers=[found] * 21)
    long = replace(found, estimate=np.zeros(5_001))
    with pytest.raises(InvalidInput, match="up to 5,000 rows of an answer, got 5001"):
        render_report(RELEASE, answers=[long])


def test_a_comparison_of_nothing_has_no_chart() -> None:
    found = dpr.assess_homogeneity(RELEASE, question=1)
    (drawn,) = answer_terms(RELEASE, [replace(found, beside=())])
    assert drawn["pictures"] == []


def test_groups_carry_the_name_of_their_column() -> None:
    within = dpr.assess_equivalence(RELEASE, "north", lower=0.9, question=1)
    mean = dpr.estimate_function(RELEASE, dpr.functions.mean("per"), question=1)
    told = [each["headline"] for each in answer_terms(RELEASE, [within, mean])]
    assert told[0].startswith("In region north, score per label is 0.9 or more: ")
    assert told[1].startswith("The mean of per of 4 groups: north ")
    months = dpr.compare_ratios(monthly(), ("web", dt.date(2026, 1, 1)), reference=4)
    (drawn,) = answer_terms(monthly(), [months])
    assert drawn["headline"].startswith("In web, 2026-01-01, revenue per visit ")


def test_a_headline_breaks_at_no_number() -> None:
    (drawn, *_) = answer_terms(RELEASE, answers_of(RELEASE))
    assert " %" not in drawn["headline"]
    assert "p\xa0<\xa00.0001" in drawn["headline"]


def test_an_answer_of_another_release_is_refused_though_it_asks_the_same() -> None:
    other = replace(RELEASE, id="ab" * 16)
    mean = dpr.functions.mean("per")
    for answer in (
        dpr.compare_ratios(other, "west", "north"),
        dpr.assess_homogeneity(other, question=1),
        dpr.assess_equivalence(other, lower=0.9, upper=1.1, question=1),
        dpr.estimate_function(other, mean, question=1),
        dpr.calibration_curve(other),
        dpr.watch([other], question=1, people_are_new=True),
    ):
        with pytest.raises(InvalidInput, match=f"an answer of release {other.id}"):
            render_report(RELEASE, answers=[answer])
        assert render_report(other, answers=[answer])
