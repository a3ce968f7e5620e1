"""The planner: the forecast of a form, and what lies around it."""

import pytest

from dpratio.simulation.forecast.forecast import forecast
from dpratio.simulation.forecast.forecast_row import ForecastRow
from dpratio.web.form import FieldMissing, read_form
from dpratio.web.pages import charts_part
from dpratio.web.planner import look_around, plan_form
from dpratio.web.reached import reach_width
from tiers import quick_first
from web.page_for_tests import DESCRIBED


def test_a_form_is_forecast_as_its_study_is() -> None:
    planned = plan_form(read_form({"n": "300", "level": "0.9", "against": "1.2"}))
    again = forecast(planned.plan, n=300, level=0.9, against=1.2)
    assert planned.forecast == again
    assert planned.command.endswith("study.toml --level 0.9 --against 1.2")


def test_the_same_study_is_not_planned_twice() -> None:
    first = plan_form(read_form({"n": "301"}))
    assert plan_form(read_form({"n": "3.01e2"})) is first
    assert look_around(first) is look_around(first)


def test_around_a_study_lie_round_numbers_in_order_and_itself() -> None:
    planned = plan_form(read_form({"n": "700", "epsilon": "0.7"}))
    around = look_around(planned)
    epsilons = [each.epsilon for each in around.by_epsilon]
    assert epsilons == [0.1, 0.2, 0.5, 0.7, 1.0, 2.0, 5.0]
    sizes = [each.n for each in around.by_people]
    assert sizes == [10, 30, 100, 300, 700, 1000, 3000, 10_000, 30_000]
    assert planned.row in around.by_epsilon
    assert planned.row in around.by_people


@pytest.mark.parametrize("epsilon", ["1e6", "1e-4"])
def test_budgets_that_cannot_be_planned_are_left_out(epsilon: str) -> None:
    planned = plan_form(read_form({"epsilon": epsilon}))
    found = [each.epsilon for each in look_around(planned).by_epsilon]
    assert float(epsilon) in found
    assert 1e-12 <= min(found) <= max(found) <= 1e6


def test_a_larger_budget_and_more_people_give_narrower_intervals() -> None:
    around = look_around(plan_form(read_form({"n": "50000"})))
    for rows in (around.by_epsilon, around.by_people):
        for end in ("width_low", "width_high"):
            widths = [getattr(each, end) for each in rows]
            assert len(widths) > 5
            assert widths == sorted(widths, reverse=True)


def test_people_who_are_described_give_one_figure() -> None:
    planned = plan_form(read_form({"n": "5000", **DESCRIBED}))
    assert planned.forecast.ranges == ()
    assert len(look_around(planned).by_people) > 5
    for strategy in ("joint", "even"):
        plan_form(read_form({"strategy": strategy, **DESCRIBED}))
        with pytest.raises(FieldMissing, match="Say what the people are like") as said:
            plan_form(read_form({"strategy": strategy}))
        assert said.value.field == "numerator_mean"


def test_described_people_are_rehearsed_on_the_page() -> None:
    shown, status = charts_part(read_form({"n": "5000", **DESCRIBED}))
    assert (status, "answer 20" in shown, "holds the truth" in shown) == (
        200,
        True,
        True,
    )
    shown, status = charts_part(read_form({"n": "5000"}))
    assert (status, "answer 20" in shown) == (200, False)
    assert "Describe the people" in shown


@pytest.mark.parametrize("width", quick_first(["0.2", "0.1"]))
def test_a_width_that_is_wanted_is_reached_by_the_epsilon_that_is_named(
    width: str,
) -> None:
    form = read_form({"n": "5000", "width": width, **DESCRIBED})
    reached = reach_width(form, plan_form(form))
    assert reached is not None
    own = plan_form(read_form({**form.given, "epsilon": reached.epsilon}))
    assert isinstance(own.row, ForecastRow)
    assert own.row.width == pytest.approx(float(width), rel=0.02)
    assert f"epsilon={reached.epsilon}" in reached.query
    shown, status = charts_part(form)
    assert (status, f"Plan with epsilon {reached.epsilon}" in shown) == (200, True)


def test_a_width_that_no_epsilon_reaches_is_said_and_leads_nowhere() -> None:
    form = read_form({"n": "100", "width": "0.001"})
    shown, _ = charts_part(form)
    assert "With 100 people no epsilon gives it: they are too few." in shown
    assert "Plan with epsilon" not in shown
    assert "To reach" not in charts_part(read_form({"n": "100"}))[0]
    assert charts_part(read_form({"width": "0"}))[1] == 422
