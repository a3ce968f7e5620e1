"""Two groups at every look: ends, words, and an error that looks do not add up."""

from typing import Any

import numpy as np
import pytest

import dpratio as dpr
from analyst.simulated import Setting
from analyst.watch.looks_for_tests import looks_of
from dpratio.analyst.watch.arms import apart_by
from dpratio.errors import InvalidInput


def watched(**options: object) -> dpr.results.Watch:
    given = {"people_are_new": True, "question": 1, "last_look": 1} | options
    return dpr.watch([dpr.example_release()], **given)  # type: ignore[arg-type]


def test_differences_lie_between_the_ends_of_both_sequences() -> None:
    found = watched()
    arms = found.compare("west", "north", link="difference")
    assert arms.cs_lower[0] == found.cs_lower[0, 3] - found.cs_upper[0, 0]
    assert arms.cs_upper[0] == found.cs_upper[0, 3] - found.cs_lower[0, 0]
    lift = found.compare("west", "north")
    assert lift.link == "lift"
    assert lift.cs_lower[0] == found.cs_lower[0, 3] / found.cs_upper[0, 0] - 1
    assert lift.estimate[0] == found.running[0, 3] / found.running[0, 0] - 1
    back = found.compare("north", "west", link="difference")
    assert (back.apart[0], lift.apart[0]) == (-1, 1)


def test_people_who_return_are_compared_period_by_period() -> None:
    found = watched(people_are_new=False)
    arms = found.compare("west", "north", link="difference")
    assert arms.cs_upper[0] == found.ci_upper[0, 3] - found.ci_lower[0, 0]
    assert "ratios of single periods" in arms.notes()[-1]


def test_a_lift_has_no_end_where_the_other_may_be_nothing() -> None:
    known, unknown = np.array([1.0, 1.0]), np.array([0.0, np.inf])
    ends = (known[:1], known[1:] + 1)
    lower, upper = apart_by(ends, (unknown[:1], unknown[1:]), "lift")
    assert (lower[0], upper[0]) == (-1, np.inf)


def test_the_answer_says_since_when_and_that_one_may_stop() -> None:
    arms = watched().compare("west", "north")
    said = arms.summary()
    assert said.startswith("west is above north, seen at 1; at 1 west is 20.7 % above")
    assert "confidence sequence" in said
    assert "at all looks at once with 95 % at least" in arms.said()[-1]
    names = ["period", "estimate", "cs_lower", "cs_upper", "apart"]
    assert list(arms.columns()) == names
    assert (len(arms), arms.columns()["apart"]) == (1, ["above"])
    assert "west against north" in arms.chart().title
    alike = watched().compare("east", "south", link="difference")
    assert alike.summary().startswith("east and south cannot be told apart so far; at")


@pytest.mark.parametrize(
    ("groups", "options", "words"),
    [
        (("west", "nroth"), {}, "no such group, got 'nroth'. Groups are: north, east"),
        (("west", "west"), {}, "two groups must be compared"),
        (("west", "north"), {"adjust": "none"}, "all sequences hold together"),
    ],
)
def test_what_breaks_a_rule_is_refused(
    groups: tuple[str, str], options: dict[str, object], words: str
) -> None:
    found = watched(**options)
    with pytest.raises(InvalidInput, match=words):
        found.compare(*groups)
    with pytest.raises(InvalidInput, match="log"):
        watched().compare("west", "north", link="log")


@pytest.mark.parametrize("declared", [{"last_look": 8}, {"looks": 8}])
def test_equal_arms_are_hardly_ever_told_apart_at_any_look(
    declared: dict[str, Any],
) -> None:
    releases = looks_of(Setting(500, 1), 8, 2_000, seed=5)
    # Half of the error for each arm, as two groups would have it.
    found = dpr.watch(
        releases, people_are_new=True, level=0.975, adjust="none", **declared
    )
    one, two = ((found.cs_lower[:, at::2], found.cs_upper[:, at::2]) for at in (0, 1))
    lower, upper = apart_by(one, two, "lift")
    wrong = ((lower > 0) | (upper < 0)).any(axis=0)
    assert wrong.mean() < 0.01
