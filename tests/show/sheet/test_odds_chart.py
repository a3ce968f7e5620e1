"""What a reader may come to believe: Bayes' rule, at the most that epsilon allows."""

import math

from hypothesis import given
from hypothesis import strategies as st

import dpratio as dpr
from dpratio.show.sheet.odds_chart import odds_chart, turned
from planned import plan_scores


@given(st.floats(0.001, 0.999), st.floats(-20, 20))
def test_odds_change_by_the_loss(belief: float, loss: float) -> None:
    after = turned(belief, loss)
    odds = after / (1 - after) if after < 1 else math.inf
    assert math.isclose(
        math.log(odds), math.log(belief / (1 - belief)) + loss, abs_tol=1e-6
    )


def test_who_is_sure_stays_sure_at_any_loss() -> None:
    assert [turned(0.0, 700.0), turned(1.0, -700.0)] == [0.0, 1.0]
    assert turned(0.5, 700.0) == 1.0


def test_the_picture_says_what_one_half_becomes() -> None:
    plan = dpr.example_release().plan
    odds = math.exp(float(plan.epsilon))
    high = 100 * odds / (1 + odds)
    assert f"between {100 - high:.1f} % and {high:.1f} %" in odds_chart(plan).note


def test_a_huge_epsilon_is_not_shown_as_certainty() -> None:
    assert "99.999" in odds_chart(plan_scores(dpr.Budget(12))).note
