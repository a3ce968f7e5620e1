"""A plan is complete without data: a reader sees what will leave, and at what price."""

import dataclasses
from fractions import Fraction

import pytest

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import NOT_COVERED, MeasuredSum, Plan
from dpratio.plan.sums import Summand
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.question import Groups, Ratio

SCORE, LABEL, WEIGHT = Bounds(0, 1), Bounds.binary(), Bounds(0.5, 3)


def hand_made(mechanism: str = "laplace", groups: Groups | None = None) -> Plan:
    """A plan written by hand, to see what a plan does with what it is given."""
    return Plan(
        ratio=Ratio("score", per="label", weight="weight"),
        bounds={"score": SCORE, "label": LABEL, "weight": WEIGHT},
        groups=groups,
        budget=Budget(3, "0.25"),
        strategy="even",
        mechanism=mechanism,
        sums=(
            MeasuredSum(Summand("w", ("w",)), 0.5, 6, 8.0, Fraction(1, 3), Fraction(0)),
            MeasuredSum(
                Summand("wy", ("w", "y")), 2.0, 3, 4.0, Fraction(1, 6), Fraction(1, 8)
            ),
        ),
    )


def test_the_cost_is_the_exact_sum_of_the_shares() -> None:
    plan = hand_made()
    assert plan.epsilon == Fraction(1, 2)
    assert plan.delta == Fraction(1, 8)
    empty = dataclasses.replace(plan, sums=())
    assert empty.epsilon == empty.delta == 0
    assert isinstance(empty.epsilon, Fraction)


def test_a_table_without_groups_has_one_answer_without_a_key() -> None:
    assert hand_made().keys == (None,)


def test_keys_are_the_declared_ones_in_their_order() -> None:
    assert hand_made(groups=Groups("g", [3, 1, 2])).keys == (3, 1, 2)


def test_bounds_are_known_by_their_letters() -> None:
    assert hand_made().factor_bounds == {"s": SCORE, "y": LABEL, "w": WEIGHT}
    unweighted = make_plan(
        Ratio("score", per="label"),
        bounds={"score": SCORE, "label": LABEL},
        budget=Budget(1),
    )
    assert unweighted.factor_bounds == {"s": SCORE, "y": LABEL}


def test_the_table_speaks_the_units_of_the_data() -> None:
    assert hand_made().columns() == {
        "sum": ["Σ w", "Σ w·y"],
        "sensitivity": [3.0, 6.0],
        "noise_sd": [pytest.approx(4 * 2**0.5), pytest.approx(8 * 2**0.5)],
        "epsilon": ["1/3", "1/6"],
        "delta": ["0", "0.125"],
    }


def test_a_gaussian_scale_is_its_standard_deviation() -> None:
    assert hand_made("analytic_gaussian").columns()["noise_sd"] == [4.0, 8.0]


def test_the_summary_says_who_is_protected_and_at_what_price() -> None:
    asked, counted, protected, price = hand_made().summary()
    assert counted.endswith("; values outside are clipped.")
    assert asked == (
        "Asked: Σ weight·score / Σ weight·label, one answer for the whole table "
        "(s = score, y = label, w = weight)."
    )
    assert protected.startswith("Protected: one row, added or removed; the number of")
    assert price.startswith(
        "Strategy even, mechanism laplace. Cost: epsilon 0.5, delta 0.125"
    )


def test_the_summary_counts_the_declared_keys() -> None:
    said = hand_made(groups=Groups("region", ["north", "south"])).summary()[0]
    assert "one answer for each of 2 declared keys of region (north, south)" in said
    many = hand_made(groups=Groups("region", range(20))).summary()[0]
    assert "20 declared keys" in many
    assert "10, 11, …)" in many


def test_a_delta_that_is_allowed_and_not_needed_is_explained() -> None:
    plan = make_plan(
        Ratio("score", per="label"),
        bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        budget=Budget(1, "1e-6"),
    )
    said = plan.summary()[-1]
    assert "delta 0 (delta 0.000001 is allowed; this noise needs none)" in said


def test_the_text_ends_with_what_is_not_covered() -> None:
    lines = str(hand_made()).splitlines()
    assert lines[-2:] == [f"Not covered: {sentence}" for sentence in NOT_COVERED]
    assert "Σ w·y" in lines[7]


def test_the_page_holds_summary_table_and_what_is_not_covered() -> None:
    page = hand_made()._repr_html_()
    assert page.count("<p>") == 4
    assert page.count("<li>Not covered: ") == 2
    assert "<td>Σ w·y</td>" in page


def test_a_hostile_column_name_stays_text_on_the_page() -> None:
    name = "<script>alert(1)</script>"
    plan = make_plan(
        Ratio(name, per="label"),
        bounds={name: SCORE, "label": LABEL},
        budget=Budget(1),
        groups=Groups('"><img src=x>', ["<b>"]),
    )
    page = plan._repr_html_()
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page


def test_plans_with_the_same_terms_are_equal() -> None:
    assert hand_made() == hand_made()
    assert hand_made() != hand_made("analytic_gaussian")


def test_a_plan_does_not_change() -> None:
    with pytest.raises(AttributeError):
        hand_made().strategy = "other"  # type: ignore[misc]
