"""Rules between terms: what is planned is priced, and what is refused is so twice."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.measurement import Stage
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, PrivateKeys, ScoreBins
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from edited_plans import with_terms
from plan.priced_plans import change_question, over, refuse, regroup

RATIO = Ratio("s", per="y")
WEIGHTED = Ratio("s", per="y", weight="w")
PAIRED = Ratio("s", per="y", minus="m", guess=0)
BOX = {"s": Bounds(0, 1), "y": Bounds.binary()}
WITH_WEIGHT = {**BOX, "w": Bounds(0.5, 3)}
TOTALS = {"s": Bounds(0, 5), "y": Bounds(0, 4)}
PERSON = PrivacyUnit("user", totals=TOTALS)
CHANGED = PrivacyUnit(neighbours="change-one")
KEYS = PrivateKeys("k", Budget("0.5", "1e-7"))
LETTERS = Groups("k", ["a"])
BINS = ScoreBins("s", 3)
TEST = ("ratio", "calibration")
CLASSICAL = "classical_gaussian"


def plan_of(ratio: Any = RATIO, **changes: Any) -> Plan:  # noqa: ANN401
    terms: dict[str, Any] = {"bounds": BOX, "budget": Budget(1, "1e-6"), "stage": 0}
    return make_plan(ratio, **terms | changes)


def limited(**terms: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"ratio": replace(RATIO, residual_bound=0.5)} | terms


def calibration(**terms: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"answers": TEST, "groups": BINS} | terms


REFUSED: list[tuple[str, str, list[dict[str, Any]]]] = [
    ("ratio", "at least one", [{"ratio": []}]),
    ("ratio", "asked for once", [{"ratio": [RATIO, RATIO]}]),
    ("name", "differ in name", [{"ratio": [RATIO, Question(PAIRED, name="s per y")]}]),
    ("budget", "must be a Budget", [{"budget": 1.0}, {"budget": None}]),
    ("unit", "must be a PrivacyUnit", [{"unit": "row"}]),
    ("groups", "must be Groups or None", [{"groups": "north"}, {"groups": [3]}]),
    ("answers", "answers must be a list", [{"answers": "ratio"}]),
    ("bounds", r"got \(0, 1\)", [{"bounds": {"s": (0, 1), "y": (0, 1)}}]),
    ("", "unknown strategy", [{"strategy": "evem"}, {"strategy": "external"}]),
    ("", "unknown mechanism", [{"mechanism": "laplase"}]),
    ("", "unknown clipping", [{"clipping": "guessed"}]),
    (
        "bounds",
        "map column names to Bounds",
        [
            {"bounds": bounds}
            for bounds in (None, [("s", Bounds(0, 1))], {**BOX, "y": (0, 1)})
        ],
    ),
    ("bounds", "needs bounds", [{"bounds": {}}, {"bounds": {"s": Bounds(0, 1)}}]),
    (
        "bounds",
        "no ratio has",
        [{"bounds": WITH_WEIGHT}, {"bounds": {**BOX, 3: Bounds(0, 1)}}],
    ),
    (
        "bounds",
        "lower bound of a weight",
        [{"ratio": WEIGHTED, "bounds": {**BOX, "w": Bounds(-1, 1)}}],
    ),
    (
        "answers",
        "answers must be 'ratio'",
        [{"answers": answers} for answers in (["means"], ["ratio"] * 2, ["ratio", 3])],
    ),
    ("strategy", "answer 'spread' needs", [{"answers": ("ratio", "spread")}]),
    ("n", "n must be", [{"n": n} for n in (0, -5, 5e3, True, "5000", 10**400)]),
    ("population", "must be a Population", [{"population": 1.1}]),
    (
        "mechanism",
        "no classical_gaussian noise",
        [{"strategy": name, "mechanism": CLASSICAL} for name in ("focused", "joint")],
    ),
    (
        "mechanism",
        "up to epsilon 1",
        [{"strategy": "even", "mechanism": CLASSICAL, "budget": Budget(7, "1e-6")}],
    ),
    (
        "residual_bound",
        "not use a residual bound",
        [limited(strategy="even"), limited(strategy="joint")],
    ),
    (
        "residual_bound",
        "which the box gives",
        [{"ratio": replace(RATIO, residual_bound=bound)} for bound in (1, 1.5, 2**50)],
    ),
    (
        "budget",
        "needs a delta",
        [
            {"mechanism": law, "budget": Budget(1), "strategy": "even"}
            for law in ("analytic_gaussian", CLASSICAL)
        ],
    ),
    (
        "budget",
        "noise must stay below",
        [
            {"budget": Budget("1e-12")},
            {
                "groups": PrivateKeys("k", Budget("1e-12", "1e-7")),
                "unit": replace(PERSON, most_groups=10**4),
            },
            *(
                {
                    "groups": PrivateKeys("k", Budget("0.001", "1e-7")),
                    "unit": replace(PERSON, most_groups=10**6),
                    "strategy": strategy,
                    "mechanism": "laplace",
                    "budget": Budget("0.01", "1e-6"),
                }
                for strategy in ("focused", "joint", "even")
            ),
        ],
    ),
    (
        "groups",
        "cannot be its group",
        [
            {"groups": Groups("y", ["a"])},
            {"groups": replace(KEYS, column="s")},
            {"groups": Groups.cross(ScoreBins("s", 2), Keys("y", [0, 1]))},
        ],
    ),
    (
        "unit",
        "ids cannot be",
        [
            {"unit": replace(PERSON, column="s")},
            {"unit": PERSON, "groups": Groups("user", ["a"])},
            {"unit": PERSON, "groups": replace(KEYS, column="user")},
            {"unit": replace(PERSON, column="s"), "groups": BINS},
        ],
    ),
    (
        "totals",
        "needs bounds of totals",
        [
            {"unit": PrivacyUnit("user")},
            {
                "unit": PrivacyUnit("user"),
                "ratio": Question(RATIO, totals={"s": Bounds(0, 9)}),
            },
        ],
    ),
    (
        "totals",
        "no ratio has",
        [
            {"unit": replace(PERSON, totals={**TOTALS, "w": Bounds(0, 1)})},
            {"unit": PERSON, "ratio": Question(RATIO, totals={"w": Bounds(0, 9)})},
        ],
    ),
    ("totals", "unit with a column", [{"ratio": Question(RATIO, totals=TOTALS)}]),
    (
        "totals",
        "may not exceed its total",
        [{"unit": replace(PERSON, totals={**TOTALS, "s": Bounds(0, 1e-10)})}],
    ),
    (
        "totals",
        "too narrow a range",
        [{"unit": replace(PERSON, totals={**TOTALS, "s": Bounds(1, 1 + 1e-9)})}],
    ),
    ("unit", "added or removed", [{"groups": KEYS, "unit": CHANGED}]),
    (
        "budget",
        "leave some of the budget",
        [
            {"groups": KEYS, "budget": Budget("0.5", "1e-6")},
            {"groups": KEYS, "budget": Budget(1, "1e-8")},
            {
                "groups": KEYS,
                "budget": Budget(1, "1e-7"),
                "mechanism": "analytic_gaussian",
            },
        ],
    ),
    (
        "answers",
        "measured by strategy 'focused'",
        [
            calibration(strategy="joint"),
            calibration(answers=("ratio", "means", "calibration")),
            calibration(unit=PERSON),
            calibration(ratio=PAIRED, bounds={**BOX, "m": Bounds(0, 1)}),
        ],
    ),
    ("stage", "known beforehand", [limited(stage=0.1), calibration(stage=0.2)]),
    (
        "groups",
        "needs bins",
        [calibration(groups=None), calibration(groups=LETTERS)],
    ),
    (
        "guess",
        "around the ratio 1",
        [
            calibration(ratio=replace(RATIO, guess=2)),
            calibration(bounds={"s": Bounds(0, 3), "y": Bounds(0, 1)}),
        ],
    ),
]


@pytest.mark.parametrize(
    ("field", "words", "terms"),
    [(field, words, case) for field, words, cases in REFUSED for case in cases],
    ids=str,
)
def test_terms_that_do_not_fit_are_not_planned(
    field: str, words: str, terms: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput, match=words) as caught:
        plan_of(**terms)
    assert (caught.value.field or "") == field


def several(strategy: str = "joint", **changes: Any) -> Plan:  # noqa: ANN401
    bounds = {**BOX, "m": Bounds(0, 1)}
    groups = [None, LETTERS, Groups.cross(ScoreBins("s", 2))]
    terms = {"bounds": bounds, "groups": groups, "mechanism": "laplace"} | changes
    return plan_of([RATIO, PAIRED], strategy=strategy, **terms)


def terms(**changes: Any) -> Callable[[Plan], Plan]:  # noqa: ANN401
    return lambda plan: with_terms(plan, **changes)


def second(**changes: Any) -> Callable[[Plan], Plan]:  # noqa: ANN401
    return lambda plan: change_question(plan, 1, **changes)


def grouped(groups: Any) -> Callable[[Plan], Plan]:  # noqa: ANN401
    return lambda plan: regroup(plan, groups, 1)


EDITS: list[tuple[Callable[[Plan], Plan], str]] = [
    (terms(strategy="focussed"), "unknown strategy"),
    (terms(clipping="perhaps"), "unknown clipping"),
    (terms(unit=PrivacyUnit("u")), "needs bounds of totals"),
    (terms(bounds={}), "needs bounds"),
    (lambda plan: replace(plan, stage="0.2"), "is a Stage with"),  # type: ignore[arg-type]
    (lambda plan: replace(plan, stage=Stage(0.2)), "an exact epsilon"),  # type: ignore[arg-type]
    (lambda plan: replace(plan, stage=Stage(Fraction(1, 5))), "strategy 'focused'"),
    (second(ratio=Ratio("s", per="z")), "needs bounds"),
    (second(ratio=RATIO), "asked for once"),
    (second(name="s per y"), "differ in name"),
    (second(budget_share=Fraction(1)), "at most 1 together"),
    (second(basis="other"), "basis of a plan"),
    (second(basis=None), "basis of a plan"),
    *(
        (second(answers=answers), "answers must be 'ratio'")
        for answers in ((), ("means",), ("ratio", "ratio"), ("ratio", None))
    ),
    (grouped(Groups("y", ["a"])), "cannot be its group"),
    (grouped(replace(KEYS, budget=Budget(1, "1e-7"))), "leave some of the budget"),
    (grouped(replace(KEYS, budget=Budget("0.1", "2e-6"))), "leave some of the budget"),
    (grouped(None), "asked for once"),
]


@pytest.mark.parametrize("strategy", ["joint", "even"])
@pytest.mark.parametrize(("edit", "words"), EDITS)
def test_terms_of_a_plan_that_were_edited_are_refused_at_the_door(
    strategy: str, edit: Callable[[Plan], Plan], words: str
) -> None:
    refuse(edit(several(strategy)), words)


@pytest.mark.parametrize(
    "edit",
    [
        lambda plan: with_terms(plan, mechanism="auto"),
        lambda plan: replace(plan, measurements=plan.measurements[:-1]),
        lambda plan: replace(plan, measurements=plan.measurements[::-1]),
    ],
)
def test_a_plan_states_its_law_and_measures_its_questions(
    edit: Callable[[Plan], Plan],
) -> None:
    with pytest.raises(InvalidInput):
        edit(several())


def test_questions_are_asked_of_every_partition_by_their_weights() -> None:
    shares = (0.1, Fraction(1, 2), 1)
    groups = [None, LETTERS, Groups.cross(ScoreBins("s", 2))]
    asked = over([RATIO, PAIRED], groups, shares)
    plan = plan_of(asked, bounds={**BOX, "m": Bounds(0, 1)}, strategy="joint")
    wanted = [Fraction(part, 32) for part in (1, 1, 5, 5, 10, 10)]
    assert [question.budget_share for question in plan.study.questions] == wanted
    assert [item.ratio for item in plan.measurements] == [RATIO, PAIRED] * 3
    settled = Groups.cross(ScoreBins("s", [0, 0.5, 1]))
    assert plan.study.partitions == (None, LETTERS, settled)
    bins = ScoreBins("s", 2)
    assert plan_of(groups=bins) == plan_of(groups=Groups.cross(bins))
    named = [Question(RATIO), Question(RATIO, groups=LETTERS, name="mine")]
    assert [item.name for item in plan_of(named).measurements] == ["s per y", "mine"]


def test_what_no_plan_depends_on_is_left_out_and_no_order_of_names_counts() -> None:
    box = dict(reversed(WITH_WEIGHT.items()))
    plan = plan_of(WEIGHTED, bounds=box, n=5_000, population=None)
    box["s"] = Bounds(0, 99)
    assert plan.study.n is None
    assert plan.bounds == WITH_WEIGHT
    assert str(plan) == str(plan_of(WEIGHTED, bounds=WITH_WEIGHT, n=5_000))
