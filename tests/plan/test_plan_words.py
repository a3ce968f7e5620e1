"""A plan in words: who is protected, what leaves at what price, what is not covered."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.words import describe_delta, describe_epsilon
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys, ScoreBins
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.priced_plans import over
from plan.score_plans import RATIO, WEIGHTED, WITH_WEIGHT, focused, plan_of

REGIONS = Groups("region", ["north", "south"])


def weighted(**terms: Any) -> Plan:  # noqa: ANN401
    return plan_of(WEIGHTED, **{"bounds": WITH_WEIGHT, "budget": Budget(6)} | terms)


def test_a_plan_prints_itself() -> None:
    plan = weighted(groups=REGIONS)
    lines = str(plan).splitlines()
    assert lines[0] == (
        "Asked: Σ weight·score / Σ weight·label, one answer for each of 2 declared "
        "keys of region (north, south) (s = score, y = label, w = weight)."
    )
    assert lines[1].startswith("Counted within: score 0 to 1, label 0 or 1, weight ")
    assert "; values outside are clipped. How many, the release will not" in lines[1]
    assert lines[2].startswith("Protected: one row, added or removed; the number of")
    assert lines[3] == "Strategy even, mechanism laplace. Cost: epsilon 6, delta 0."
    assert lines[4] == "Answers: the ratio, with variance 'kish', and means."
    assert lines[5:] == [
        "",
        "    sum  sensitivity  noise_sd    share",
        "    Σ w            3    4.2426  0.16667",
        "  Σ w·y            3    4.2426  0.16667",
        "  Σ w·s            3    4.2426  0.16667",
        "  Σ w·w            9    12.728  0.16667",
        "Σ w·s·s            3    4.2426  0.16667",
        "Σ w·y·s            3    4.2426  0.16667",
        "",
        f"Not covered: {plan.not_covered[0]}",
        f"Not covered: {plan.not_covered[1]}",
    ]


def test_the_page_holds_summary_table_and_what_is_not_covered() -> None:
    page = weighted()._repr_html_()
    assert page.count("<p>") == 5
    assert page.count("<li>Not covered: ") == 2
    assert "<td>Σ w·y</td>" in page


def test_a_hostile_column_name_stays_text_on_the_page() -> None:
    name = "<script>alert(1)</script>"
    bounds = {name: Bounds(0, 1), "label": Bounds.binary()}
    groups = Groups('"><img src=x>', ["<b>"])
    page = focused(Ratio(name, per="label"), bounds=bounds, groups=groups)._repr_html_()
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page


def test_the_text_ends_with_what_is_not_covered() -> None:
    plan = weighted()
    lines = str(plan).splitlines()
    assert lines[-2:] == [f"Not covered: {sentence}" for sentence in plan.not_covered]
    said = " ".join(plan.not_covered)
    for word in ("model", "weights", "disjoint split", "bounds", "keys", "budget"):
        assert word in said


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        ({}, "guess 1: z = (s − 1·y), h = (s + 1·y)."),
        ({"weight": "weight"}, "guess 1: z = w·(s − 1·y), h = w·(s + 1·y)."),
        ({"weight": "weight", "guess": 0}, "guess 0: z = w·(s − 0·y), h = w·y."),
        ({"guess": 0.25}, "guess 0.25: z = (s − 0.25·y), h = y."),
        ({"guess": 0}, "guess 0: z = (s − 0·y), h = y."),
        (
            {"residual_bound": 0.5},
            (
                "guess 1: z = (s − 1·y), h = (s + 1·y). Promised: |z| is at most 0.5; "
                "what lies beyond is clipped, and the ratio moves by as much."
            ),
        ),
    ],
    ids=str,
)
def test_a_focused_plan_says_what_z_and_h_are(ratio: dict[str, Any], said: str) -> None:
    bounds = WITH_WEIGHT if "weight" in ratio else {**focused().bounds}
    summary = focused(Ratio("score", per="label", **ratio), bounds=bounds).summary()
    assert summary[4] == f"Measured around the {said}"
    assert len(summary) == 6


@pytest.mark.parametrize(
    ("strategy", "more", "said"),
    [
        ("focused", (), "the ratio, with variance 'linearised'. Means, bin mass and"),
        (
            "focused",
            ("means",),
            "the ratio and both means, with variance 'linearised'.",
        ),
        ("focused", ("calibration",), "the test of calibration"),
        ("joint", (), "the ratio, with variance 'kish', and means."),
        ("joint", ("spread",), "the ratio, with variance 'kish', and means; variances"),
    ],
)
def test_a_plan_says_what_can_be_answered(
    strategy: str, more: tuple[str, ...], said: str
) -> None:
    terms: dict[str, Any] = {"strategy": strategy, "answers": ("ratio", *more)}
    plan = focused(groups=ScoreBins("score", 2), **terms)
    assert plan.summary()[-1].startswith(f"Answers: {said}")


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (None, "one answer for the whole table"),
        (Groups("day", range(20)), "20 declared keys of day (0, 1, 2, 3, 4, 5, 6, 7, "),
        (Groups("day", range(20)), ", 11, …)"),
        (
            Groups(["state", "sex"], [("CA", "f"), ("NY", None)]),
            "2 declared keys of state, sex (CA and f, NY and None)",
        ),
    ],
)
def test_a_plan_says_which_keys_are_declared(groups: Groups | None, said: str) -> None:
    assert said in plan_of(groups=groups).summary()[0]


def test_a_delta_that_is_allowed_and_not_needed_is_explained() -> None:
    said = plan_of().summary()[3]
    assert "delta 0 (delta 0.000001 is allowed; this noise needs none)" in said


SHOPS = PrivateKeys("shop", Budget("0.2", "1e-7"))


def wide_plan(groups: Sequence[Any] = (None, SHOPS), **terms: Any) -> Plan:  # noqa: ANN401
    """A plan of several parts that finds keys."""
    ratios = [RATIO, Ratio("score", per="label", minus="old")]
    bounds = {"score": Bounds(0, 1), "label": Bounds.binary(), "old": Bounds(0, 1)}
    parts = over(ratios, groups, [1, 3][: len(groups)])
    return focused(parts, bounds=bounds, mechanism="laplace", **terms)


def test_every_part_has_its_sentence_and_its_rows() -> None:
    plan = wide_plan()
    said = plan.summary()
    assert said[1] == (
        "Asked 2: Σ (score − old) / Σ label, one answer for the whole table "
        "(s = score, y = label, m = old). Share: 0.125."
    )
    # Worked by hand: 1 + ⌈5 ln(1/2δ) + ½⌉ are named, 79, and ⌈79 − ½ + 5 ln 10⌉ = 91.
    assert said[2] == (
        "Asked 3: Σ score / Σ label, one answer for each key of shop that enough "
        "rows share (found with epsilon 0.2, delta 0.0000001; a key in which 91 "
        "rows count is found with a chance of 95 %) (s = score, y = label). "
        "Share: 0.375."
    )
    table = plan.columns()
    assert table["question"] == [at for at in (1, 2, 3, 4) for _ in range(5)]
    assert sum(table["share"]) == pytest.approx(1)
    assert len([line for line in said if line.startswith("Measured around")]) == 2


def test_a_plan_names_the_unit_and_its_totals() -> None:
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
        unit=replace(unit, neighbours="change-one"), groups=[None]
    ).summary()
    wanted = "all rows of one user, counted in at most 2 groups, changed."
    assert f"Protected: {wanted}" in changed
    row = plan_of(unit=PrivacyUnit(neighbours="change-one"))
    assert row.summary()[2] == "Protected: one row, changed."


@pytest.mark.parametrize(("groups", "where"), [(None, ""), (REGIONS, " in each group")])
def test_the_columns_of_a_person_are_those_of_totals(
    groups: Groups | None, where: str
) -> None:
    unit = PrivacyUnit("user", totals={"score": Bounds(0, 5), "label": Bounds(0, 5)})
    guessed = replace(WEIGHTED, guess=1)
    plan = focused(guessed, bounds=WITH_WEIGHT, unit=unit, groups=groups)
    said = next(line for line in plan.summary() if line.startswith("Measured"))
    around = "Measured around the guess 1: z = (s − 1·y), h = (s + 1·y), of one user's"
    assert said == f"{around} totals{where}."


def test_a_title_travels_with_a_plan_and_is_said_to_be_published() -> None:
    plan = plan_of().titled("Loans of 2025")
    said = "Title, which is published with every release: Loans of 2025"
    assert plan.summary() == [said, *plan_of().summary()]
    with pytest.raises(InvalidInput, match="one line of up to"):
        plan.titled("two\nlines")


TRAVELLERS = PrivacyUnit("id", noun="travellers")


@pytest.mark.parametrize(("epsilon", "notes"), [("9.99", 0), ("10", 1), ("50", 1)])
def test_a_large_epsilon_draws_a_note(epsilon: str, notes: int) -> None:
    said = describe_epsilon(Fraction(epsilon), TRAVELLERS)
    assert len(said) == notes
    assert all(note.startswith(f"Note: epsilon {epsilon} is large.") for note in said)


def test_a_large_delta_draws_a_note_where_it_is_spent() -> None:
    budget = Budget(1, "0.25")
    assert "Note: delta 0.25 is large." in str(
        plan_of(budget=budget, mechanism="classical_gaussian")
    )
    assert "Note: " not in str(plan_of(budget=budget))
    (note,) = describe_delta(Fraction("0.002"), TRAVELLERS, 1000)
    assert "0.002 is large for 1,000 travellers" in note


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
