"""Answers in sentences: who is higher, by how much, how sure; and nothing withheld."""

from dataclasses import replace

import numpy as np
import pytest

import dpratio as dpr
from dpratio.analyst.function.function_results import FUNCTION_STATUSES
from dpratio.show.sections.answer_words import heading_of, headline_of
from shown import released, spent

LOST = list(FUNCTION_STATUSES).index("unbounded")
RELEASE = dpr.example_release("joint")


def test_a_difference_is_said_with_its_interval_and_chance() -> None:
    found = dpr.compare_ratios(RELEASE, "west", "north")
    assert headline_of(found) == (
        "In west, score per label is 19.8 % higher than in north: 95 % interval 14.5 % "
        "to 25.3 %, p < 0.0001."
    )
    assert heading_of(found) == "west against north"


def test_what_may_be_chance_is_called_no_difference() -> None:
    found = dpr.compare_ratios(RELEASE, "north", "east")
    assert headline_of(found).startswith(
        "In north, score per label cannot be told from that in east: it is estimated "
        "1.8 % lower, 95 % interval −5.8 % to 2.5 %, p = 0.4"
    )
    value = dpr.compare_ratios(RELEASE, "north", reference=1)
    assert "cannot be told from 1: it is estimated 2.0 % higher" in headline_of(value)


def test_other_scales_follow_in_sentences_of_their_own() -> None:
    links = ["difference", "lift", "log_ratio"]
    found = dpr.compare_ratios(RELEASE, "west", "north", link=links)
    said = headline_of(found)
    assert said.startswith("In west, score per label is 0.202 higher than in north: ")
    assert ". As a lift: 19.8 %, 95 % interval 14.5 % to 25.3 %." in said
    assert said.endswith(" As a log ratio: 0.181, 95 % interval 0.136 to 0.226.")
    codes = np.array([0, 4, 0], dtype=np.int8)
    assert "As a lift, nothing is known." in headline_of(replace(found, codes=codes))
    logs = dpr.compare_ratios(RELEASE, "west", "north", link="log_ratio")
    assert "is 0.181 higher on the log scale than in north:" in headline_of(logs)


def test_several_comparisons_are_counted_in_words_that_fit() -> None:
    found = dpr.compare_ratios(RELEASE, "north", design="baseline", adjust="holm")
    assert headline_of(found).startswith(
        "2 of 3 comparisons of score per label show a difference, adjusted for their "
        "number (Holm). The clearest: in west, score per label is "
    )
    assert heading_of(found) == "The comparisons"
    one = replace(found, pvalue_adjusted=np.array([0.4, 0.01, 0.4]), adjust="none")
    assert headline_of(one).startswith(
        "One of 3 comparisons of score per label shows a difference, not adjusted"
    )
    none = replace(found, pvalue_adjusted=np.array([0.4, 0.1, 0.4]))
    assert headline_of(none) == (
        "None of 3 comparisons of score per label shows a difference, adjusted for "
        "their number (Holm)."
    )
    # What is clearest of three is judged by its adjusted p-value.
    pair = dpr.compare_ratios(RELEASE, "west", "north")
    chance = replace(pair, pvalue_adjusted=np.array([0.3]), adjust="holm")
    assert "cannot be told from that in north" in headline_of(chance)
    assert headline_of(chance).endswith("p = 0.3.")
    empty = np.array([])
    nothing = replace(found, estimate=empty, link=[], first=[], second=[])
    assert headline_of(nothing) == "Nothing was compared."


def test_one_sided_tests_say_what_was_tested() -> None:
    found = dpr.compare_ratios(
        RELEASE, "west", "north", null=0.1, alternative="greater"
    )
    assert headline_of(found).endswith(
        " to no upper end, p = 0.00015 (tested: above 10.0 %)."
    )


def test_what_is_withheld_is_not_said() -> None:
    found = dpr.compare_ratios(spent(), "a", "empty 1")
    codes = np.full(1, 4, dtype=np.int8)
    said = headline_of(replace(found, codes=codes))
    assert "cannot be compared with that in empty 1: too little is known" in said
    assert "%" not in said
    value = dpr.compare_ratios(spent(), "empty 1", reference=2)
    said = headline_of(replace(value, codes=codes))
    assert "cannot be compared with 2: too little is known" in said


def test_the_rest_the_whole_and_long_names_are_named() -> None:
    rest = dpr.compare_ratios(RELEASE, "west", design="rest")
    assert "% higher than in all others together: " in headline_of(rest)
    whole = replace(rest, first=[None], second=None, reference=1.0)
    assert headline_of(whole).startswith("Overall, score per label is 16.4 % above 1: ")
    assert heading_of(whole) == "All against 1"
    far = replace(whole, estimate=np.array([np.inf]), first=["x" * 900])
    said = headline_of(far)
    assert said.startswith(f"In {'x' * 59}…, score per label is far above 1: ")


def test_homogeneity_is_a_sentence() -> None:
    found = dpr.assess_homogeneity(RELEASE, question=1)
    assert headline_of(found) == (
        "The 4 groups do not have one score per label: p < 0.0001."
    )
    alike = replace(found, pvalue=0.4)
    assert headline_of(alike) == (
        "One score per label, 1.088, may hold for all 4 groups: p = 0.4."
    )
    lost = replace(alike, ratio=np.nan)
    assert "One score per label may hold" in headline_of(lost)
    assert heading_of(found) == "One ratio for all?"


@pytest.mark.parametrize(
    ("groups", "lower", "upper", "said"),
    [
        ((), 0.5, None, "In all 4 groups, score per label is 0.5 or more: p < "),
        (("north",), 0.9, 1.1, "In north, score per label is with"),
        (
            ("west",),
            None,
            1.1,
            "In west, score per label is not 1.1 or less: p = ",
        ),
        (
            ("south",),
            None,
            1.1,
            "In south, score per label may or may not be 1.1 ",
        ),
        (
            (),
            0.9,
            1.1,
            "Some groups have a score per label that is not within 0.9 to 1.1: of 4, ",
        ),
        (
            ("north", "south"),
            None,
            1.1,
            "It is not known whether score per label is 1.1 or less in all groups: of",
        ),
    ],
)
def test_margins_are_answered_in_a_sentence(
    groups: tuple[str, ...], lower: float | None, upper: float | None, said: str
) -> None:
    found = dpr.assess_equivalence(
        RELEASE, *groups, lower=lower, upper=upper, question=1
    )
    assert headline_of(found).startswith(said)
    assert heading_of(found) == "Within the margins?"


def test_functions_are_listed_and_many_are_summed_up() -> None:
    found = dpr.estimate_function(RELEASE, dpr.functions.mean("per"), question=1)
    assert headline_of(found).startswith("The mean of per of 4 groups: north 0.489, ")
    assert heading_of(found) == "mean of per"
    codes = np.array([0, 0, 0, LOST], dtype=np.int8)
    assert headline_of(replace(found, codes=codes)).endswith("; of 1 nothing is known.")
    lost = replace(found, codes=np.full(4, LOST, dtype=np.int8))
    assert headline_of(lost) == (
        "The mean of per of 4 groups: too little is known for groups of this size."
    )
    many = dpr.estimate_function(
        released(tuple("abcdef"), people=2_000), dpr.functions.total("per")
    )
    assert "of 6 groups: half of them lie between" in headline_of(many)


def test_one_value_of_a_function_has_its_interval() -> None:
    lift = dpr.functions.lift("per")
    found = dpr.estimate_function(RELEASE, lift, arms=("west", "north"), question=1)
    assert headline_of(found).startswith(
        "The lift of means of per of west against north: −0.165, 95 % interval "
    )
    lost = replace(found, codes=np.full(1, LOST, dtype=np.int8))
    assert headline_of(lost).endswith(": too little is known for groups of this size.")
