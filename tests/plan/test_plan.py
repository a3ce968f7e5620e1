"""A plan is complete without data: a reader sees what will leave, and at what price."""

import dataclasses
import math
from fractions import Fraction
from typing import Any

import pytest

from dpratio.plan.contrast import Contrast
from dpratio.plan.make_plan import make_plan
from dpratio.plan.measured import MeasuredSum
from dpratio.plan.part import Part
from dpratio.plan.plan import Plan
from dpratio.plan.plan_words import NOT_COVERED
from dpratio.plan.sums import Summand
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Ratio
from dpratio.terms.unit import PrivacyUnit

SCORE, LABEL, WEIGHT = Bounds(0, 1), Bounds.binary(), Bounds(0.5, 3)


def hand_made(mechanism: str = "laplace", groups: Groups | None = None) -> Plan:
    """A plan written by hand, to see what a plan does with what it is given."""
    return Plan(
        bounds={"score": SCORE, "label": LABEL, "weight": WEIGHT},
        unit=PrivacyUnit(),
        partitions=(groups,),
        budget=Budget(3, "0.25"),
        strategy="even",
        mechanism=mechanism,
        answers=("ratio",),
        parts=(
            Part(
                Ratio("score", per="label", weight="weight"),
                partition=0,
                weight=Fraction(1),
                sums=(
                    MeasuredSum(Summand("w", ("w",)), 0.5, 6, 8.0),
                    MeasuredSum(Summand("wy", ("w", "y")), 2.0, 3, 4.0),
                ),
            ),
        ),
    )


def focused_plan(
    *,
    answers: tuple[str, ...] = ("ratio",),
    weighted: bool = True,
    **asked: Any,  # noqa: ANN401
) -> Plan:
    weight = "weight" if weighted else None
    weights = {"weight": WEIGHT} if weighted else {}
    return make_plan(
        Ratio("score", per="label", weight=weight, **asked),
        bounds={"score": SCORE, "label": LABEL, **weights},
        budget=Budget(1),
        answers=answers,
    )


def test_the_cost_is_the_whole_budget_but_for_a_delta_that_is_not_needed() -> None:
    plan = hand_made()
    assert plan.epsilon == 3
    assert plan.delta == 0
    assert isinstance(plan.delta, Fraction)
    for mechanism in ("analytic_gaussian", "classical_gaussian"):
        assert hand_made(mechanism).epsilon == 3
        assert hand_made(mechanism).delta == Fraction(1, 4)
    bare = dataclasses.replace(plan.parts[0], sums=())
    assert dataclasses.replace(plan, parts=(bare,)).epsilon == 3


@pytest.mark.parametrize("strategy", ["even", "joint"])
def test_only_a_focused_plan_has_a_contrast(strategy: str) -> None:
    plan = focused_plan()
    assert plan.contrast(plan.parts[0]) == Contrast(1.0)
    told = focused_plan(guess=2, residual_bound=0.5)
    (part,) = told.parts
    assert told.contrast(part) == Contrast(2.0, 0.5)
    assert dataclasses.replace(told, strategy=strategy).contrast(part) is None


@pytest.mark.parametrize("mechanism", ["laplace", "analytic_gaussian"])
@pytest.mark.parametrize("strategy", ["focused", "joint"])
def test_shares_are_those_of_the_row_that_costs_most(
    mechanism: str, strategy: str
) -> None:
    plan = make_plan(
        Ratio("score", per="label", weight="weight"),
        bounds={"score": SCORE, "label": LABEL, "weight": WEIGHT},
        budget=Budget(1, "1e-6"),
        strategy=strategy,
        mechanism=mechanism,
    )
    shares = plan.shares(plan.parts[0])
    assert sum(shares) == pytest.approx(1)
    power = 1 if mechanism == "laplace" else 2
    # At s = 1 and y = 0 or y = 1, with the largest weight.
    rows = [(1.0, 0.0), (1.0, 1.0)]
    costs = []
    for s, y in rows:
        factors = {"w": 3.0, "s": s, "y": y, "z": 3 * (s - y), "h": 3 * (s + y)}
        costs.append(
            [
                (
                    math.prod(factors[each] for each in measured.summand.factors)
                    / (measured.scale * measured.step)
                )
                ** power
                for measured in plan.sums
            ]
        )
    dearest = max(costs, key=sum)
    wanted = [cost / sum(dearest) for cost in dearest]
    assert shares == pytest.approx(wanted, rel=1e-6, abs=1e-9)


def test_equal_shares_are_equal() -> None:
    plan = hand_made()
    assert plan.shares(plan.parts[0]) == [0.5, 0.5]


def test_ratio_groups_and_sums_are_those_of_the_first_part() -> None:
    plan = hand_made(groups=Groups("g", [3, 1, 2]))
    assert plan.groups is plan.partitions[0]
    assert plan.ratio is plan.parts[0].ratio
    assert plan.sums is plan.parts[0].sums
    assert plan.parts[0].scales == [8.0, 4.0]
    assert hand_made().groups is None


def test_bounds_are_known_by_their_letters() -> None:
    plan = hand_made()
    assert plan.box(plan.parts[0]) == {"s": SCORE, "y": LABEL, "w": WEIGHT}
    unweighted = make_plan(
        Ratio("score", per="label"),
        bounds={"score": SCORE, "label": LABEL},
        budget=Budget(1),
    )
    assert unweighted.box(unweighted.parts[0]) == {"s": SCORE, "y": LABEL}


def test_the_table_speaks_the_units_of_the_data() -> None:
    assert hand_made().columns() == {
        "sum": ["Σ w", "Σ w·y"],
        "sensitivity": [3.0, 6.0],
        "noise_sd": [pytest.approx(4 * 2**0.5), pytest.approx(8 * 2**0.5)],
        "share": [0.5, 0.5],
    }


def test_a_gaussian_scale_is_its_standard_deviation() -> None:
    assert hand_made("analytic_gaussian").columns()["noise_sd"] == [4.0, 8.0]


def test_the_summary_says_who_is_protected_and_at_what_price() -> None:
    asked, counted, protected, price, answers = hand_made().summary()
    assert counted.endswith("; values outside are clipped.")
    assert asked == (
        "Asked: Σ weight·score / Σ weight·label, one answer for the whole table "
        "(s = score, y = label, w = weight)."
    )
    assert protected.startswith("Protected: one row, added or removed; the number of")
    assert price == (
        "Strategy even, mechanism laplace. Cost: epsilon 3, delta 0 "
        "(delta 0.25 is allowed; this noise needs none)."
    )
    assert answers == "Answers: the ratio, with variance 'kish', and means."


def test_the_summary_of_a_focused_plan_says_what_z_and_h_are() -> None:
    said = focused_plan().summary()
    assert said[4] == ("Measured around the guess 1: z = w·(s − 1·y), h = w·(s + 1·y).")
    assert said[5].startswith("Answers: the ratio, with variance 'linearised'. Means")
    assert len(said) == 6
    unweighted = focused_plan(weighted=False, guess=0.25).summary()[4]
    assert unweighted.endswith("guess 0.25: z = (s − 0.25·y), h = (s + 0.25·y).")
    around_zero = focused_plan(guess=0).summary()[4]
    assert around_zero.endswith("z = w·(s − 0·y), h = w·y.")
    assert focused_plan(weighted=False, guess=0).summary()[4].endswith("h = y.")


def test_the_summary_repeats_what_was_promised_of_z() -> None:
    said = focused_plan(residual_bound=0.5).summary()
    assert said[4] == (
        "Measured around the guess 1: z = w·(s − 1·y), h = w·(s + 1·y). Promised: |z| "
        "is at most 0.5; what lies beyond is clipped, and the ratio moves by as much."
    )
    assert len(said) == 6


def test_the_summary_says_what_can_be_answered() -> None:
    means = focused_plan(answers=("ratio", "means")).summary()[-1]
    assert means == ("Answers: the ratio and both means, with variance 'linearised'.")
    alone = focused_plan().summary()[-1]
    assert alone.endswith("need a plan with answers=('ratio', 'means').")


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
        mechanism="laplace",
    )
    said = plan.summary()[3]
    assert "delta 0 (delta 0.000001 is allowed; this noise needs none)" in said


def test_the_text_ends_with_what_is_not_covered() -> None:
    lines = str(hand_made()).splitlines()
    assert lines[-2:] == [f"Not covered: {sentence}" for sentence in NOT_COVERED]
    assert "Σ w·y" in lines[8]


def test_the_page_holds_summary_table_and_what_is_not_covered() -> None:
    page = hand_made()._repr_html_()
    assert page.count("<p>") == 5
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


# Several parts, people with many rows, and keys that are found.


def wide_plan(**changes: Any) -> Plan:  # noqa: ANN401
    terms: dict[str, Any] = {
        "bounds": {"score": SCORE, "label": LABEL, "old": SCORE},
        "budget": Budget(1, "1e-6"),
        "groups": [None, PrivateKeys("shop", Budget("0.2", "1e-7"))],
        "weights": [1, 3],
        "mechanism": "laplace",
    } | changes
    ratios = [Ratio("score", per="label"), Ratio("score", per="label", minus="old")]
    return make_plan(ratios, **terms)


def test_every_part_has_its_sentence_and_its_rows() -> None:
    plan = wide_plan()
    asked = plan.summary()[:4]
    assert asked[1] == (
        "Asked 2: Σ (score − old) / Σ label, one answer for the whole table "
        "(s = score, y = label, m = old). Share: 0.125."
    )
    assert asked[2] == (
        "Asked 3: Σ score / Σ label, one answer for each key of shop that enough "
        "people share (found with epsilon 0.2, delta 0.0000001) (s = score, y = label)."
        " Share: 0.375."
    )
    table = plan.columns()
    assert table["part"] == [part for part in (1, 2, 3, 4) for _ in range(5)]
    assert sum(table["share"]) == pytest.approx(1)
    said = [line for line in plan.summary() if line.startswith("Measured around")]
    assert len(said) == 2


def test_what_finding_keys_costs_is_not_there_for_sums() -> None:
    plan = wide_plan()
    assert plan.private_keys == [plan.partitions[1]]
    assert plan.for_sums == (Fraction(4, 5), Fraction(0))
    assert (plan.epsilon, plan.delta) == (Fraction(1), Fraction(1, 10**7))
    gaussian = wide_plan(mechanism="analytic_gaussian")
    assert gaussian.for_sums == (Fraction(4, 5), Fraction("9e-7"))
    assert gaussian.delta == Fraction(1, 10**6)


def test_the_summary_names_the_unit_and_its_totals() -> None:
    totals = {
        "score": Bounds(0, 5),
        "score - old": Bounds(-5, 5),
        "label": Bounds(0, 4),
    }
    unit = PrivacyUnit("user", totals=totals, most_groups=2)
    said = wide_plan(unit=unit, strategy="joint").summary()
    assert said[5] == (
        "Protected: all rows of one user, counted in at most 2 groups, added or "
        "removed; the number of user ids too."
    )
    assert said[6] == (
        "Totals of one user, within: score 0 to 5, score - old -5 to 5, label 0 to 4."
    )
    changed = wide_plan(
        unit=dataclasses.replace(unit, neighbours="change-one"),
        strategy="joint",
        groups=None,
        weights=None,
    ).summary()
    wanted = "all rows of one user, counted in at most 2 groups, changed."
    assert f"Protected: {wanted}" in changed


def test_the_columns_of_a_person_are_those_of_totals() -> None:
    unit = PrivacyUnit("user", totals={"score": Bounds(0, 5), "label": Bounds(0, 5)})
    plan = make_plan(
        Ratio("score", per="label", weight="weight"),
        bounds={"score": SCORE, "label": LABEL, "weight": WEIGHT},
        budget=Budget(1),
        unit=unit,
    )
    said = next(line for line in plan.summary() if line.startswith("Measured"))
    assert said == (
        "Measured around the guess 1: z = (s − 1·y), h = (s + 1·y), of one user's "
        "totals."
    )


def test_cells_of_several_columns_are_named_together() -> None:
    groups = Groups(["state", "sex"], [("CA", "f"), ("NY", None)])
    said = hand_made(groups=groups).summary()[0]
    assert "2 declared keys of state, sex (CA and f, NY and None)" in said


def test_the_summary_of_changed_rows_does_not_promise_their_number() -> None:
    plan = dataclasses.replace(hand_made(), unit=PrivacyUnit(neighbours="change-one"))
    assert plan.summary()[2] == "Protected: one row, changed."


def test_a_large_delta_draws_a_note_where_it_is_spent() -> None:
    assert "Note: delta 0.25 is large." in str(hand_made("classical_gaussian"))
    assert "Note: " not in str(hand_made("laplace"))
