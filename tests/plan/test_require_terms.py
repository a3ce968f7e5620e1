"""Terms that do not fit each other are refused, when planned and when edited."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.strategy.first_stage import Stage
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, Keys, Periods, PrivateKeys, ScoreBins
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
FOUND = PrivateKeys("k", Budget("0.5", "1e-7"))
LETTERS = Groups("k", ["a"])
DAYS = Periods("t", "day", "2026-01-01", "2026-01-02")


def plan_of(ratio: Any = RATIO, **changes: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {"bounds": BOX, "budget": Budget(1, "1e-6"), "stage": 0}
    return make_plan(ratio, **given | changes)


@pytest.mark.parametrize(
    "terms",
    [
        {"ratio": WEIGHTED, "bounds": {**BOX, "w": Bounds(0, 1)}},
        {"answers": ["ratio", "means"]},
        {"mechanism": "auto", "budget": Budget(1)},
        {"strategy": "joint", "mechanism": "analytic_gaussian"},
        {"strategy": "even", "mechanism": "classical_gaussian"},
        {"ratio": replace(RATIO, residual_bound=0.5)},
        {"ratio": replace(RATIO, guess=2), "strategy": "even"},
        {"unit": replace(PERSON, most_groups=3), "groups": FOUND},
        {"unit": CHANGED},
        {"groups": Groups.cross(ScoreBins("s", 3), DAYS)},
        {"groups": ScoreBins("age", 3), "bounds": {**BOX, "age": Bounds(0, 99)}},
        {"groups": [None, FOUND, LETTERS]},
        {"groups": FOUND, "budget": Budget(1, "1e-7")},
        {"ratio": WEIGHTED, "bounds": WITH_WEIGHT, "unit": PERSON},
    ],
    ids=str,
)
def test_terms_that_fit_each_other_are_planned_and_priced(
    terms: dict[str, Any],
) -> None:
    plan = plan_of(**terms)
    assert price(plan).epsilon == plan.epsilon


PAIR = r"bounds must map column names to Bounds"
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"ratio": []}, "at least one ratio must be planned"),
    ({"budget": 1.0}, r"must be a Budget, got 1\.0"),
    ({"unit": "row"}, "unit must be a PrivacyUnit, got 'row'"),
    ({"groups": "north"}, r"must be Groups or None.*Groups\('north', \['a', 'b'\]"),
    ({"groups": [3]}, r"must be Groups or None, got 3.*'region'"),
    ({"strategy": "evem"}, "unknown strategy.*mean 'even'.*focused, joint, even"),
    ({"mechanism": "laplase"}, "unknown mechanism.*'laplace'.*analytic_gauss.*auto"),
    ({"clipping": "guessed"}, "clipping"),
    ({"bounds": None}, r"got None\. Write {'score': Bounds\(0, 1\), …}"),
    ({"bounds": [("s", Bounds(0, 1))]}, "bounds must map .* got a list"),
    ({"bounds": {**BOX, "y": (0, 1)}}, PAIR),
    ({"bounds": {**BOX, 3: Bounds(0, 1)}}, "bounds .*3"),
    ({"bounds": {}}, r"every column of the ratio.*for: s, y\."),
    ({"bounds": WITH_WEIGHT}, r"columns not in the ratio, got \['w'\]"),
    (
        {"ratio": WEIGHTED, "bounds": {**BOX, "w": Bounds(-1, 1)}},
        "lower bound of a weight must be at least 0",
    ),
    ({"answers": "ratio"}, "answers must be 'ratio', and perhaps"),
    ({"answers": ["means"]}, "answers must be 'ratio', and perhaps .*each once"),
    ({"answers": ("ratio", "spread")}, "'spread' needs .*'joint' or 'even'"),
    *(
        ({"n": n}, "n must be a whole number of at least 1")
        for n in (0, -5, 5e3, True, "5000", 10**400)
    ),
    ({"population": 1.1}, "population must be a Population or None"),
    *(
        (
            {"strategy": strategy, "mechanism": "classical_gaussian"},
            f"'{strategy}' has no classical_gaussian noise",
        )
        for strategy in ("focused", "joint")
    ),
    *(
        ({"strategy": strategy, "ratio": replace(RATIO, residual_bound=0.5)}, words)
        for strategy in ("even", "joint")
        for words in (f"'{strategy}' does not use a residual bound, got 0.5",)
    ),
    *(
        ({"mechanism": law, "budget": Budget(1), "strategy": "even"}, "needs a delta")
        for law in ("analytic_gaussian", "classical_gaussian")
    ),
    (
        {
            "strategy": "even",
            "mechanism": "classical_gaussian",
            "budget": Budget(7, "1e-6"),
        },
        r"only up to epsilon 1 per sum, and a sum",
    ),
    ({"budget": Budget("1e-12")}, r"below 2\^50 cells, and .* Raise epsilon"),
    ({"groups": Groups("y", ["a"])}, "column of the ratio cannot be its group"),
    ({"groups": replace(FOUND, column="s")}, "cannot be its group, got 's'"),
    (
        {"groups": Groups.cross(ScoreBins("s", 2), Keys("y", [0, 1]))},
        "cannot be its group, got 'y'",
    ),
    ({"unit": PrivacyUnit("user")}, r"needs bounds of its totals.*for: s, y\."),
    (
        {"unit": replace(PERSON, totals={**TOTALS, "w": Bounds(0, 1)})},
        r"columns that no ratio adds up, got \['w'\]",
    ),
    ({"unit": replace(PERSON, column="s")}, "ids cannot be a column of the ratio"),
    ({"unit": PERSON, "groups": Groups("user", ["a"])}, "ids cannot be a group"),
    (
        {"unit": PERSON, "groups": replace(FOUND, column="user")},
        "ids cannot be a group",
    ),
    (
        {"unit": replace(PERSON, totals={**TOTALS, "s": Bounds(0, 1e-10)})},
        r"'s' may not exceed its total by a factor of 2\^30",
    ),
    (
        {"unit": replace(PERSON, totals={**TOTALS, "s": Bounds(1, 1 + 1e-9)})},
        "totals of 's' have too narrow a range",
    ),
    ({"groups": FOUND, "unit": CHANGED}, "proven for units that are added or removed"),
    ({"groups": FOUND, "budget": Budget("0.5", "1e-6")}, "must leave some.*got 1/2"),
    ({"groups": FOUND, "budget": Budget(1, "1e-8")}, "must leave .*got 1/10000000"),
    (
        {
            "groups": FOUND,
            "budget": Budget(1, "1e-7"),
            "mechanism": "analytic_gaussian",
        },
        "nothing of delta",
    ),
    (
        {
            "groups": PrivateKeys("k", Budget("1e-12", "1e-7")),
            "unit": replace(PERSON, most_groups=10**4),
        },
        r"below 2\^50 cells",
    ),
    *(
        (
            {
                "groups": PrivateKeys("k", Budget("0.001", "1e-7")),
                "unit": replace(PERSON, most_groups=10**6),
                "strategy": strategy,
                "mechanism": "laplace",
                "budget": Budget("0.01", "1e-6"),
            },
            r"below 2\^50 cells",
        )
        for strategy in ("focused", "joint", "even")
    ),
]


@pytest.mark.parametrize(("terms", "message"), REFUSED, ids=str)
def test_terms_that_do_not_fit_are_not_planned(
    terms: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        plan_of(**terms)


def several(strategy: str = "joint", **changes: Any) -> Plan:  # noqa: ANN401
    bounds = {**BOX, "m": Bounds(0, 1)}
    groups = [None, LETTERS, Groups.cross(ScoreBins("s", 2))]
    given = {"bounds": bounds, "groups": groups, "mechanism": "laplace"} | changes
    return plan_of([RATIO, PAIRED], strategy=strategy, **given)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"strategy": "focussed"}, "unknown strategy"),
        ({"clipping": "perhaps"}, "unknown clipping"),
        ({"unit": PrivacyUnit("k")}, "needs bounds of its totals"),
        ({"bounds": {}}, "needs bounds"),
    ],
    ids=str,
)
def test_terms_of_a_plan_that_were_edited_are_refused(
    changes: dict[str, Any], message: str
) -> None:
    refuse(with_terms(several(), **changes), message)


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        ("0.2", "stage must be a Stage"),
        (Stage(Fraction(1, 5), None, None, ()), "guess of strategy 'focused'"),
    ],
)
def test_a_stage_of_a_plan_that_was_edited_is_refused(
    stage: Any,  # noqa: ANN401
    message: str,
) -> None:
    refuse(replace(several(), stage=stage), message)


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
    with pytest.raises(InvalidInput, match=r"law of its noise|has one measurement"):
        edit(several())


@pytest.mark.parametrize("strategy", ["joint", "even"])
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ratio": Ratio("s", per="z")}, "needs bounds"),
        ({"ratio": RATIO}, "each ratio must be asked for once"),
        ({"name": "s per y"}, "questions must differ in name"),
        ({"budget_share": Fraction(1)}, "at most 1 together"),
        ({"basis": "other"}, "basis of a plan is"),
        ({"basis": None}, "basis of a plan is"),
        *(
            ({"answers": answers}, "answers must be 'ratio', and perhaps")
            for answers in ((), ("means",), ("ratio", "ratio"), ("ratio", None))
        ),
    ],
    ids=str,
)
def test_a_question_of_a_plan_that_was_edited_is_refused(
    strategy: str, changes: dict[str, Any], message: str
) -> None:
    refuse(change_question(several(strategy), 1, **changes), message)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("north", "must be Groups or None"),
        (Groups("y", ["a"]), "cannot be its group"),
        (replace(FOUND, budget=Budget(1, "1e-7")), "must leave some of the budget"),
        (replace(FOUND, budget=Budget("0.1", "2e-6")), "must leave some of the budget"),
        (None, "each ratio must be asked for once"),
        (Groups.cross(ScoreBins("a", 2)), "every binned column"),
    ],
    ids=str,
)
def test_groups_of_a_plan_that_were_edited_are_refused(
    groups: Any,  # noqa: ANN401
    message: str,
) -> None:
    refuse(regroup(several(), groups, 1), message)


def test_keys_are_found_only_for_units_that_are_added_or_removed() -> None:
    plan = plan_of(groups=FOUND)
    refuse(with_terms(plan, unit=CHANGED), "proven for units that are added or removed")


def test_questions_are_asked_of_every_partition_by_their_weights() -> None:
    shares = (0.1, Fraction(1, 2), 1)
    groups = [None, LETTERS, Groups.cross(ScoreBins("s", 2))]
    bounds = {**BOX, "m": Bounds(0, 1)}
    asked = over([RATIO, PAIRED], groups, shares)
    plan = plan_of(asked, bounds=bounds, strategy="joint")
    wanted = [Fraction(each, 32) for each in (1, 1, 5, 5, 10, 10)]
    assert [each.budget_share for each in plan.measurements] == wanted
    assert [each.ratio for each in plan.measurements] == [RATIO, PAIRED] * 3
    settled = Groups.cross(ScoreBins("s", [0, 0.5, 1]))
    assert plan.study.partitions == (None, LETTERS, settled)
    bins = ScoreBins("s", 2)
    assert plan_of(groups=bins) == plan_of(groups=Groups.cross(bins))
    named = [Question(RATIO), Question(RATIO, groups=LETTERS, name="mine")]
    assert [each.name for each in plan_of(named).measurements] == ["s per y", "mine"]
