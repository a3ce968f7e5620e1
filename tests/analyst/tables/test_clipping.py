"""How many were cut: an interval, a flag that errs seldom, and words."""

from typing import Any

import numpy as np
import pytest

from analyst.given import given_moments, given_plan, given_release, noise_on
from dpratio.analyst.ratio.estimate import clipping_of, estimate_ratios
from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.tables.clipping import Clipping
from dpratio.analyst.tables.estimates import Estimates
from dpratio.plan.plan import Plan
from dpratio.release.combine import merge
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups

NAMES = ("ws", "wy", "w", "c")
ROW = 2**24


def counted(*cuts: float, law: str = "laplace", everyone: float = 100.0) -> Moments:
    noise = noise_on("c", 10.0, law, names=NAMES)
    return given_moments(NAMES, [(1.0, 2.0, everyone, cut) for cut in cuts], noise)


def clipping(*moments: Moments, weighted: bool = False) -> Clipping:
    found = clipping_of(moments, [weighted] * len(moments), "people")
    assert found is not None
    return found


def test_an_interval_is_as_wide_as_its_noise_says() -> None:
    """Of a Laplace variable of scale 10, 95 in 100 lie within 10·ln 20 = 29.957."""
    found = clipping(counted(29.0, 31.0, 100.4, -50.0))
    assert found.people.tolist() == [29, 31, 100, 0]
    assert found.lower.tolist() == [0, 2, 71, 0]
    assert found.upper.tolist() == [58, 60, 130, 0]


@pytest.mark.parametrize(("law", "enough"), [("laplace", 30.0), ("gaussian", 20.0)])
def test_one_row_is_clipped_where_its_interval_leaves_nobody_out(
    law: str, enough: float
) -> None:
    """At 10·ln 20 = 29.957, and at 1.96 standard deviations."""
    quiet, cut = (
        clipping(counted(enough - 1, law=law)),
        clipping(counted(enough, law=law)),
    )
    assert (quiet.status, cut.status) == (("not seen",), ("clipped",))
    assert (quiet.lower.tolist(), cut.lower.tolist()) == ([0], [1])


def test_of_several_rows_each_needs_more_to_be_called_clipped() -> None:
    """Of three rows and their sum, each tail is 0.05/4: 10·ln 40 = 36.889."""
    found = clipping(counted(36.0, 37.0), counted(-70.0))
    assert found.lower.tolist() == [7, 8, 0]
    assert found.surely.tolist() == [0, 1, 0]
    assert found.status == ("not seen", "clipped", "not seen")


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("rows", [1, 4, 20, 200])
def test_one_release_in_twenty_at_most_says_so_where_nobody_is_cut(
    law: str, rows: int
) -> None:
    """Rows of one question or of two, and their sum, are one family."""
    rng = np.random.default_rng(27)
    draw = rng.laplace if law == "laplace" else rng.normal
    said = 0
    for _ in range(1_000):
        noise = draw(0.0, 10.0, rows)
        parts = [each for each in (noise[::2], noise[1::2]) if len(each)]
        found = clipping(*(counted(*each, law=law) for each in parts))
        said += bool(found.briefly())
        assert bool(found.briefly()) == ("bounds cut" in found.said(names(rows))[0])
    assert 0.01 < said / 1_000 < 0.062


def names(rows: int) -> dict[str, list[int]]:
    return {"g": list(range(rows))}


@pytest.mark.parametrize("law", ["laplace", "gaussian"])
def test_an_interval_holds_its_count(law: str) -> None:
    rng = np.random.default_rng(27)
    draw = rng.laplace if law == "laplace" else rng.normal
    inside = clipping(counted(*(500 + draw(0.0, 10.0, 20_000)), law=law))
    held = ((inside.lower <= 500) & (inside.upper >= 500)).mean()
    assert held == pytest.approx(0.95, abs=0.006)


def test_cuts_that_no_row_shows_are_seen_in_their_sum() -> None:
    """Thirty people in each of twenty rows: 600 ± 28, and no row above 53."""
    found = clipping(counted(*[30.0] * 20))
    assert set(found.status) == {"not seen"}
    (said,) = found.said(names(20))
    assert said.startswith(
        "Clipping: bounds cut people, but noise hides in which rows. All rows "
        "together: about 600 people, 95 % interval "
    )
    assert found.briefly() == "; bounds cut people in some of them"


def test_a_share_needs_a_number_of_people() -> None:
    known = clipping(counted(50.0, 500.0))
    assert known.share.tolist() == [0.5, 1.0]
    assert "clipped_share" in known.columns()
    assert np.isnan(clipping(counted(50.0, everyone=-3.0)).share).all()
    weighted = clipping(counted(50.0), weighted=True)
    assert "clipped_share" not in weighted.columns()


def test_a_question_with_natural_bounds_is_beside_one_that_counts() -> None:
    bare = given_moments(("ws", "wy"), [(1.0, 2.0)])
    assert clipping_of([bare], [False], "people") is None
    both = clipping(bare, counted(80.0))
    assert both.status == ("natural", "clipped")
    assert np.isnan(both.people[0])
    (said,) = both.said({"question": ["one", "two"]})
    assert said.startswith(
        "Clipping: bounds cut people in 1 of 1 rows; the surest is two: about 80 "
        "people, surely 51 or more. All rows"
    )


def test_what_may_have_been_cut_without_being_seen_is_said() -> None:
    assert clipping(counted(5.0)).said({}) == [
        "Clipping: no cut was seen; at most 34 people may have been cut, at level 0.95."
    ]
    (many,) = clipping(counted(5.0, 7.0)).said({"g": ["a", "b"]})
    assert "at most 36 people in each row" in many
    assert clipping(counted(5.0)).briefly() == ""


def test_noise_that_may_be_everyone_is_said_to_hide_what_was_cut() -> None:
    hidden = counted(5.0, everyone=34.0)
    assert clipping(hidden).said({}) == [
        "Clipping: noise hides it; any number of people may have been cut."
    ]
    (some,) = clipping(hidden, counted(7.0)).said({"g": ["a", "b"]})
    assert some == (
        "Clipping: no cut was seen; at most 36 people in each row may have been cut, "
        "at level 0.95. In 1 of 2 rows that may be everybody."
    )


def test_one_answer_says_how_many_and_what_it_means() -> None:
    found = clipping(counted(80.0), weighted=True)
    (said,) = found.said({})
    assert said == (
        "Clipping: bounds cut about 80 people, 95 % interval 51 to 109. Ratios are "
        "those of clipped values; what was cut off is not in them."
    )
    assert found.briefly() == "; bounds cut about 80 people"
    assert clipping(counted(80.0, 1.0)).briefly() == "; bounds cut people in 1 of them"


def plan_of(clipping: str = "measured", **terms: Any) -> Plan:  # noqa: ANN401
    given = {"guess": 1.0, "mechanism": "laplace", "clipping": clipping, **terms}
    return given_plan(budget=Budget(1, "1e-6"), **given)


def answered(plan: Plan, *cuts: int) -> Estimates:
    question = plan.measurements[0]
    names = [each.summand.name for each in question.sums]
    sums = {"z": 20, "h": 400, "zz": 100, "zh": 10, "hh": 800}
    rows = [[{**sums, "c": cut}[name] for name in names] for cut in cuts]
    steps = np.array([each.step for each in question.sums])
    return estimate_ratios(given_release(plan, np.rint(rows / steps).astype(np.int64)))


def test_estimates_carry_the_people_that_were_cut() -> None:
    groups = Groups("g", ["a", "b"])
    found = answered(plan_of(groups=groups), 300, 0)
    assert found.clipped_people is not None
    assert found.clipped_people.tolist() == [300, 0]
    columns = found.columns()
    assert list(columns)[-5:] == [
        "status",
        "clipped_people",
        "clipped_lower",
        "clipped_upper",
        "clipping",
    ]
    assert columns["clipping"] == ["clipped", "not seen"]
    assert columns["status"] == ["ok", "ok"]
    assert found.summary().endswith("; bounds cut rows in 1 of them")
    assert any(line.startswith("Clipping: bounds cut") for line in found.notes())


def test_people_see_columns_of_cuts_where_one_was_seen_and_programs_always() -> None:
    quiet, cut = (answered(plan_of(), each) for each in (0, 300))
    assert list(quiet.shown())[-1] == "status"
    assert "clipped_people" not in quiet.to_text() + quiet.to_markdown()
    assert quiet.to_dicts()[0]["clipping"] == "not seen"
    assert list(cut.shown())[-1] == "clipping"
    assert "| clipped_people |" in cut.to_markdown()


def test_estimates_without_a_count_are_as_before() -> None:
    found = answered(plan_of("unmeasured"), 0)
    assert found.clipped_people is None
    assert list(found.columns())[-1] == "status"
    assert not any(line.startswith("Clipping") for line in found.notes())


def test_counts_around_two_guesses_add_up_with_their_noise() -> None:
    groups = Groups("g", ["a"])
    releases = []
    for at, guess in enumerate((1.0, 1.5)):
        plan = given_plan(guess=guess, groups=groups, clipping="measured")
        values = np.full((1, 6), 40 * ROW)
        releases.append(given_release(plan, values, id=f"{at:032}"))
    both = estimate_ratios(merge(releases, units_are_disjoint=True))
    alone = estimate_ratios(releases[0])
    assert both.clipping is not None
    assert alone.clipping is not None
    assert both.clipping.people.tolist() == [80]
    wide = both.clipping.upper - both.clipping.people
    narrow = alone.clipping.upper - alone.clipping.people
    assert 1.3 * narrow < wide < 1.5 * narrow


def test_no_keys_have_no_words() -> None:
    nobody = counted(5.0).only(np.zeros(1, dtype=bool))
    assert clipping(nobody).said({"g": []}) == []
