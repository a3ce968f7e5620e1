"""A plan in words: who is protected, what leaves at what price, what is not covered."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.plan import Plan
from dpratio.plan.words import NOT_COVERED, describe_delta, describe_epsilon
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys, ScoreBins
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.priced_plans import over
from plan.score_plans import RATIO, WEIGHTED, WITH_WEIGHT, focused, plan_of

REGIONS = Groups("region", ["north", "south"])


def weighted(**terms: Any) -> Plan:  # noqa: ANN401
    return plan_of(WEIGHTED, **{"bounds": WITH_WEIGHT, "budget": Budget(6)} | terms)


def line_of(plan: Plan, start: str) -> str:
    """The only sentence of a plan that starts so."""
    (line,) = (line for line in plan.summary() if line.startswith(start))
    return line


def test_a_plan_prints_itself() -> None:
    plan = weighted(groups=REGIONS)
    lines = str(plan).splitlines()
    assert lines[0] == (
        "Asked: Σ weight·score / Σ weight·label, one answer for each of 2 declared "
        "keys of region (north, south) (s = score, y = label, w = weight)."
    )
    starts = ["Counted within: label 0 or 1, score 0 to 1, weight 0.5 to 3; values"]
    starts += ["Protected: one row, added or removed; the number of rows"]
    starts += ["Strategy even, mechanism laplace. Cost: epsilon 6, delta 0."]
    starts += ["Answers: the ratio, with variance 'kish'", "Not covered: how columns"]
    starts += ["Not covered: the terms themselves", ""]
    for line, start in zip(lines[1:], starts, strict=False):
        assert line.startswith(start)
    assert lines[8:] == [
        "    sum  sensitivity  noise_sd    share",
        "    Σ w            3    4.2426  0.16667",
        "  Σ w·y            3    4.2426  0.16667",
        "  Σ w·s            3    4.2426  0.16667",
        "  Σ w·w            9    12.728  0.16667",
        "Σ w·s·s            3    4.2426  0.16667",
        "Σ w·y·s            3    4.2426  0.16667",
    ]
    page = plan._repr_html_()
    assert page.count("<p>") == 7
    assert "<td>Σ w·y</td>" in page


def test_a_plan_says_what_its_promise_leaves_out() -> None:
    made, terms = NOT_COVERED
    for word in ("scores and weights", "model", "several of them", "disjoint split"):
        assert word in made
    for word in ("bounds", "keys", "guesses", "budget"):
        assert word in terms


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        ({}, "guess 1: z = (s − 1·y), h = (s + 1·y)."),
        ({"weight": "weight"}, "guess 1: z = w·(s − 1·y), h = w·(s + 1·y)."),
        ({"weight": "weight", "guess": 0}, "guess 0: z = w·(s − 0·y), h = w·y."),
        ({"guess": 0.25}, "guess 0.25: z = (s − 0.25·y), h = y."),
        ({"guess": 0}, "guess 0: z = (s − 0·y), h = y."),
        ({"residual_bound": 0.5}, "h = (s + 1·y). Promised: |z| is at most 0.5;"),
    ],
    ids=str,
)
def test_a_focused_plan_says_what_z_and_h_are(
    ratio: dict[str, Any], words: str
) -> None:
    bounds = WITH_WEIGHT if "weight" in ratio else {**focused().bounds}
    plan = focused(Ratio("score", per="label", **ratio), bounds=bounds)
    assert words in line_of(plan, "Measured around the guess")
    assert len(plan.summary()) == 6


@pytest.mark.parametrize(
    ("strategy", "more", "words"),
    [
        ("focused", (), "Means, bin mass and curves need"),
        ("focused", ("means",), "the ratio and both means"),
        ("focused", ("calibration",), "the test of calibration"),
        ("joint", (), "'kish', and means."),
        ("joint", ("spread",), "'kish', and means; variances"),
    ],
)
def test_a_plan_says_what_can_be_answered(
    strategy: str, more: tuple[str, ...], words: str
) -> None:
    terms: dict[str, Any] = {"strategy": strategy, "answers": ("ratio", *more)}
    plan = focused(groups=ScoreBins("score", 2), **terms)
    assert words in line_of(plan, "Answers: ")


SHOPS = PrivateKeys("shop", Budget("0.2", "1e-7"))


def wide_plan(groups: Sequence[Any] = (None, SHOPS), **terms: Any) -> Plan:  # noqa: ANN401
    """A plan of several parts that finds keys."""
    ratios = [RATIO, Ratio("score", per="label", minus="old")]
    bounds = {"score": Bounds(0, 1), "label": Bounds.binary(), "old": Bounds(0, 1)}
    parts = over(ratios, groups, [1, 3][: len(groups)])
    return focused(parts, bounds=bounds, mechanism="laplace", **terms)


def test_every_part_has_its_sentence_and_its_rows() -> None:
    plan = wide_plan()
    assert line_of(plan, "Asked 2") == (
        "Asked 2: Σ (score − old) / Σ label, one answer for the whole table "
        "(s = score, y = label, m = old). Share: 0.125."
    )
    # Worked by hand: 1 + ⌈5 ln(1/2δ) + ½⌉ are named, 79, and ⌈79 − ½ + 5 ln 10⌉ = 91.
    keys = line_of(plan, "Asked 3")
    for words in (
        "each key of shop",
        "epsilon 0.2, delta 0.0000001",
        "in which 91 rows",
    ):
        assert words in keys
    table = plan.columns()
    assert table["question"] == [part for part in (1, 2, 3, 4) for _ in range(5)]
    assert sum(table["share"]) == pytest.approx(1)
    around = [line for line in plan.summary() if line.startswith("Measured around")]
    assert len(around) == 2


UNIT = PrivacyUnit(
    "user",
    totals={"score": Bounds(0, 5), "score - old": Bounds(-5, 5), "label": Bounds(0, 4)},
    most_groups=2,
)
UNIT_OF_TWO = PrivacyUnit("user", totals={"score": Bounds(0, 5), "label": Bounds(0, 5)})
OWN_TOTALS = [
    Question(RATIO, totals={"label": Bounds(0, 6)}),
    Question(RATIO, groups=REGIONS),
]
TWO_GROUPS = "Protected: all rows of one user, counted in at most 2 groups,"


@pytest.mark.parametrize(
    ("plan", "start", "end"),
    [
        (wide_plan(unit=UNIT, strategy="joint"), TWO_GROUPS, "of user ids too."),
        (
            wide_plan(unit=UNIT, strategy="joint"),
            "Totals of one user in each group, within: label 0 to 4, score 0 to 5,",
            "score - old -5 to 5; totals are clipped.",
        ),
        (
            wide_plan(unit=replace(UNIT, neighbours="change-one"), groups=[None]),
            TWO_GROUPS,
            "2 groups, changed.",
        ),
        (
            plan_of(unit=PrivacyUnit(neighbours="change-one")),
            "Protected: one row",
            "changed.",
        ),
        (
            focused(replace(WEIGHTED, guess=1), bounds=WITH_WEIGHT, unit=UNIT_OF_TWO),
            "Measured around the guess 1: z = (s − 1·y)",
            "of one user's totals.",
        ),
        (
            focused(WEIGHTED, bounds=WITH_WEIGHT, unit=UNIT_OF_TWO, groups=REGIONS),
            "Measured around",
            "of one user's totals in each group.",
        ),
        (
            plan_of(unit=UNIT_OF_TWO, ratio=OWN_TOTALS),
            "Totals of one user of question 1, within: label 0 to 6, score 0 to 5;",
            "clipped.",
        ),
        (
            plan_of(unit=UNIT_OF_TWO, ratio=OWN_TOTALS),
            "Totals of one user in each group of question 2, within: label 0 to 5",
            "clipped.",
        ),
        (plan_of(), "Strategy", "(delta 0.000001 is allowed; this noise needs none)."),
    ],
)
def test_a_plan_names_the_unit_its_totals_and_its_price(
    plan: Plan, start: str, end: str
) -> None:
    assert line_of(plan, start).endswith(end)


def test_a_title_travels_with_a_plan_and_is_said_to_be_published() -> None:
    plan = plan_of().titled("Loans of 2025")
    title = "Title, which is published with every release: Loans of 2025"
    assert plan.summary() == [title, *plan_of().summary()]
    with pytest.raises(InvalidInput, match="must be one line"):
        plan.titled("two\nlines")


TRAVELLERS = PrivacyUnit("id", noun="travellers")


@pytest.mark.parametrize(("epsilon", "notes"), [("9.99", 0), ("10", 1), ("50", 1)])
def test_a_large_epsilon_draws_a_note(epsilon: str, notes: int) -> None:
    lines = describe_epsilon(Fraction(epsilon), TRAVELLERS)
    assert len(lines) == notes
    assert all(f"epsilon {epsilon} is large" in line for line in lines)


def test_a_large_delta_draws_a_note_where_it_is_spent() -> None:
    budget = Budget(1, "0.25")
    spent = plan_of(budget=budget, mechanism="classical_gaussian")
    assert "Note: delta 0.25 is large." in str(spent)
    assert "Note: " not in str(plan_of(budget=budget))
    (note,) = describe_delta(Fraction("0.002"), TRAVELLERS, 1000)
    assert "0.002 is large for 1,000 travellers" in note
