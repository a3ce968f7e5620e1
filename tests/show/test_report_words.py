"""The headline of a report: it counts after adjusting, and names no noise."""

from dataclasses import replace

import numpy as np
import pytest

import dpratio as dpr
from dpratio.show.report_words import answer_of, chances_of, sure_of
from planned import plan_scores
from shown import released

pytestmark = pytest.mark.usefixtures("fixed_noise")

KEYS = tuple(f"group {at}" for at in range(50))


@pytest.mark.parametrize(
    ("ratio", "chances", "words"),
    [
        (
            [1.2, 1.0, 1.0],
            [0.01, 1, 1],
            " One group differs from 1 after adjusting for 3 comparisons (Holm): a, ",
        ),
        ([1.2, 1.3, 0.6], [0.01, 0.001, 0.01], "(Holm): 2 above and 1 below."),
        (
            [0.7, 0.7, 1.0],
            [0.01, 0.02, 0.9],
            "(Holm): all below. The clearest is a, with 0.7,",
        ),
        ([0.7, 2.7, 1.0], [0.06, 0.2, 0.9], " None can be told from 1 after adjusting"),
    ],
)
def test_the_answer_counts_after_adjusting_and_names_no_noise(
    ratio: list[float], chances: list[float], words: str
) -> None:
    found = replace(
        dpr.estimate_ratios(released(("a", "b", "c"))), ratio=np.array(ratio)
    )
    said = answer_of(found, 1.0, np.array(chances))
    assert words in said
    assert said.startswith("3 ratios of score per label. ")
    assert "2.7" not in said


def test_the_answer_says_how_many_have_no_interval() -> None:
    found = dpr.estimate_ratios(released(("a", "b", "c")))
    some = replace(found, ci_upper=np.array([1.0, 1.0, np.inf]))
    none = replace(found, ci_upper=np.full(3, np.inf))
    said = answer_of(some, None, None)
    assert said.startswith("3 ratios of score per label: a is ")
    assert said.endswith(
        " 1 has no bounded interval: too little budget for their size."
    )
    many = dpr.estimate_ratios(released(KEYS))
    assert "half of them are estimated between" in answer_of(many, None, None)
    assert answer_of(none, 1.0, np.ones(3)).endswith(
        ", all without a bounded interval: too little budget for their size."
    )


def test_ratios_that_are_all_the_same_seem_to_differ_in_no_report() -> None:
    """Of 300 intervals some leave 1 out by chance; the headline does not count them."""
    rng = np.random.default_rng(4)
    label = (rng.random(60_000) < 0.4).astype(int)
    keys = [f"group {at}" for at in range(300)]
    plan = plan_scores(dpr.Budget(4), groups=dpr.Groups("group", keys))
    table = {
        "score": np.clip(0.4 + 0.3 * (label - 0.4), 0, 1),
        "label": label,
        "group": np.repeat(keys, 200),
    }
    release = dpr.release_sums(table, plan, ledger=None)
    estimates = dpr.estimate_ratios(release)
    leaves = (estimates.ci_lower > 1) | (estimates.ci_upper < 1)
    chances = chances_of(release, 1.0)
    assert chances is not None
    # By chance three of them differ in one of 50,000 runs.
    assert (chances < 0.05).sum() <= min(2, leaves.sum())


def test_one_ratio_says_whether_it_differs_from_its_reference() -> None:
    found = dpr.estimate_ratios(dpr.roll_up(dpr.example_release(), question=1))
    said = answer_of(found, 1.0, np.array([0.03]))
    assert said.endswith(" The ratio differs from 1: p = 0.03.")
    said = answer_of(found, 1.0, np.array([0.3]))
    assert said.endswith(" The ratio cannot be told from 1: p = 0.3.")
    assert "The ratio" not in answer_of(found, None, None)


def test_how_often_intervals_hold_is_said_at_their_own_level() -> None:
    found = dpr.estimate_ratios(released(("a", "b")), level=0.8)
    assert "In the long run 80 % of such intervals hold" in sure_of(found)[0]


def test_groups_of_several_columns_are_called_ratios() -> None:
    found = dpr.estimate_ratios(dpr.example_release())
    said = answer_of(found, 1.0, np.array([0.01, *[1.0] * 8]))
    assert " One ratio differs from 1 after adjusting for 9 comparisons" in said
