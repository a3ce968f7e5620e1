"""A plan in words: who is protected, what leaves at what price, what is not covered."""

import dataclasses
from fractions import Fraction

import pytest

from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan_words import describe_epsilon
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.hand_made_plans import LABEL, SCORE, focused_plan, hand_made, wide_plan
from planned import plan_scores


def test_the_summary_says_who_is_protected_and_at_what_price() -> None:
    asked, counted, protected, price, answers = hand_made().summary()
    assert "; values outside are clipped. How many, the release will not" in counted
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
    assert unweighted.endswith("guess 0.25: z = (s − 0.25·y), h = y.")
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
    plan = plan_scores(Budget(1, "1e-6"), mechanism="laplace")
    said = plan.summary()[3]
    assert "delta 0 (delta 0.000001 is allowed; this noise needs none)" in said


def test_the_text_ends_with_what_is_not_covered() -> None:
    plan = hand_made()
    lines = str(plan).splitlines()
    assert lines[-2:] == [f"Not covered: {sentence}" for sentence in plan.not_covered]
    said = " ".join(plan.not_covered)
    for word in ("model", "weights", "disjoint split", "bounds", "keys", "budget"):
        assert word in said
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


def test_every_part_has_its_sentence_and_its_rows() -> None:
    plan = wide_plan()
    asked = plan.summary()[:4]
    assert asked[1] == (
        "Asked 2: Σ (score − old) / Σ label, one answer for the whole table "
        "(s = score, y = label, m = old). Share: 0.125."
    )
    # Worked by hand: 1 + ⌈5 ln(1/2δ) + ½⌉ are named, 79, and ⌈79 − ½ + 5 ln 10⌉ = 91.
    assert asked[2] == (
        "Asked 3: Σ score / Σ label, one answer for each key of shop that enough "
        "rows share (found with epsilon 0.2, delta 0.0000001; a key in which 91 "
        "rows count is found with a chance of 95 %) (s = score, y = label). "
        "Share: 0.375."
    )
    table = plan.columns()
    assert table["question"] == [at for at in (1, 2, 3, 4) for _ in range(5)]
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
        "Totals of one user in each group, within: score 0 to 5, score - old -5 to 5, "
        "label 0 to 4; totals are clipped."
    )
    changed = wide_plan(
        unit=dataclasses.replace(unit, neighbours="change-one"),
        strategy="joint",
        groups=None,
    ).summary()
    wanted = "all rows of one user, counted in at most 2 groups, changed."
    assert f"Protected: {wanted}" in changed


def test_cells_of_several_columns_are_named_together() -> None:
    groups = Groups(["state", "sex"], [("CA", "f"), ("NY", None)])
    said = hand_made(groups=groups).summary()[0]
    assert "2 declared keys of state, sex (CA and f, NY and None)" in said


def test_the_summary_of_changed_rows_does_not_promise_their_number() -> None:
    plan = dataclasses.replace(hand_made(), unit=PrivacyUnit(neighbours="change-one"))
    assert plan.summary()[2] == "Protected: one row, changed."


@pytest.mark.parametrize(("epsilon", "said"), [("9.99", 0), ("10", 1), ("50", 1)])
def test_a_large_epsilon_draws_a_note(epsilon: str, said: int) -> None:
    notes = describe_epsilon(Fraction(epsilon), PrivacyUnit())
    assert len(notes) == said
    assert all(note.startswith(f"Note: epsilon {epsilon} is large.") for note in notes)


@pytest.mark.parametrize(
    ("ratio", "groups", "about_scores"),
    [
        (Ratio("money", per="visits"), None, False),
        (Ratio("money", per="visits"), Groups("arm", ["a", "b"]), False),
        (
            Ratio("money", per="visits"),
            PrivateKeys("arm", Budget("0.1", "1e-7")),
            False,
        ),
        (Ratio("money", per="visits", weight="weight"), None, True),
        (Ratio("money", per="visits"), ScoreBins("age", 4), True),
        (Ratio("score", per="label"), None, True),
        (Ratio("score", minus="label", per="visits"), None, True),
    ],
)
def test_scores_and_weights_are_spoken_of_where_there_are_any(
    ratio: Ratio,
    groups: Groups | PrivateKeys | ScoreBins | None,
    *,
    about_scores: bool,
) -> None:
    bounds = {
        "money": Bounds(0, 60),
        "visits": Bounds(0, 10),
        "age": Bounds(0, 99),
        "weight": Bounds(0, 3),
        "score": Bounds(0, 1),
        "label": Bounds.binary(),
    }
    binned = [groups.column] if isinstance(groups, ScoreBins) else []
    used = {*ratio.columns, *binned}
    given = {name: each for name, each in bounds.items() if name in used}
    plan = make_plan(ratio, bounds=given, groups=groups, budget=Budget(1, "1e-6"))
    made, terms = plan.not_covered
    assert made.startswith("how scores and weights were made") == about_scores
    assert made.startswith("how columns were made") != about_scores
    assert "one row's values into other rows" in made
    assert terms.startswith("the terms themselves")
