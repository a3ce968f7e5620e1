"""A release holds noisy integers, their plan and their origin, and does not change."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.errors import InvalidInput
from dpratio.plan.laws import GAUSSIAN
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.release import Release, fresh_question, require_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from planned import plan_scores
from release.edited_documents import document_of
from release.releases_for_tests import RELEASES
from shown import released

IDENTITY = "0123456789abcdef" * 2
NAMES = ["score per label", "score per label by region"]
TEXT, MERGED = RELEASES["groups: text"], RELEASES["merged around two guesses"]
STAGED = RELEASES["two stages"]


def plan_of(keys: list[str] | None = None) -> Plan:
    return plan_scores(
        Budget("0.5"), groups=None if keys is None else Groups("region", keys)
    )


def release_of(**changes: Any) -> Release:  # noqa: ANN401
    """A release of one question; its ``values`` may be changed too."""
    plan = changes.setdefault("plan", plan_of(["north", "south"]))
    values = changes.pop("values", np.arange(10).reshape(2, 5))
    if "questions" not in changes:
        (asked,) = plan.measurements
        question = fresh_question(plan.law, asked, asked.groups, values)
        changes["questions"] = (question,)
    return Release(**{"id": IDENTITY, "made_by": "dpratio 0.1.0", **changes})


# --- Values ---------------------------------------------------------------------------


def test_values_are_a_copy_of_64_bit_integers_that_nobody_can_change() -> None:
    mine = np.zeros((2, 5), dtype=np.int64)
    (question,) = release_of(values=mine).questions
    mine[0, 0] = 7
    assert question.values.dtype == np.int64
    assert question.values[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        question.values[0, 0] = 7
    assert not MERGED.questions[0].beside[0].values.flags.writeable


def test_lists_of_whole_numbers_will_do() -> None:
    rows = [[2**63 - 1, -(2**63) + 1, 0, 1, -1]] * 2
    assert release_of(values=rows).questions[0].values.tolist() == rows


@pytest.mark.parametrize(
    "shape", [(1, 5), (5, 2), (2, 4), (2, 6), (2, 0), (3,), (2, 5, 1), (), (0, 5)]
)
def test_values_have_a_row_for_each_cell_and_a_column_for_each_sum(
    shape: tuple[int, ...],
) -> None:
    with pytest.raises(InvalidInput, match="values must be 2 rows of 5 sums, got"):
        release_of(values=np.zeros(shape, dtype=np.int64))


@pytest.mark.parametrize(
    "value", [1.5, 2.0, math.nan, math.inf, "1", 2**63, 2**64, -(2**63), None, 1j]
)
def test_a_sum_that_is_not_a_64_bit_whole_number_is_refused(value: object) -> None:
    """A value that exists is valid: nothing is cut off or wrapped around."""
    for row in ([value] * 5, [value]):
        with pytest.raises(InvalidInput, match="values must be whole numbers"):
            release_of(values=[[value] * 5, row])


def test_all_integers_are_shown_in_order() -> None:
    (question,) = MERGED.questions
    columns = np.concatenate([sums.values for sums in question.sums], axis=1)
    assert question.integers.tolist() == columns.tolist()


# --- What a release refuses -----------------------------------------------------------

HEAD = "0a" * 32
FIELDS: list[tuple[Release, dict[str, Any], str]] = [
    *(
        (TEXT, {"id": name}, "a release id is 32 hexadecimal digits, got")
        for name in ("", "A" * 32, "0" * 31, 5, None)
    ),
    (TEXT, {"sources": ("0" * 32, "0")}, "a release id is 32 hexadecimal digits"),
    *(
        (TEXT, {field: value}, "a hash is 64 hexadecimal digits, got")
        for field in ("ledger_head", "source_hash")
        for value in ("", "0" * 63, "g" * 64, "A" * 64, 7, b"0" * 64)
    ),
    (MERGED, {"ledger_heads": (HEAD, "0")}, "a hash is 64 hexadecimal digits, got"),
    *(
        (TEXT, {"made_by": name}, "made_by must be text, got")
        for name in (5, "\ud800", "a\x00b")
    ),
    (TEXT, {"is_simulated": "no"}, "is_simulated must be true or false, got 'no'"),
    (TEXT, {"origin": " "}, "origin must be plain text or None, got ' '"),
    (TEXT, {"origin": "Elsewhere"}, "has an origin if, and only if, it was measured"),
    (
        MERGED,
        {"cost_if_disjoint": Budget(3)},
        "one of several releases costs no more than all of them",
    ),
    (
        MERGED,
        {"cost_if_disjoint": Budget(1, "0.1")},
        "one of several releases costs no more than all of them",
    ),
    (TEXT, {"questions": ()}, "a release answers the questions of its plan"),
    (
        TEXT,
        {"questions": TEXT.questions * 2},
        "a release answers the questions of its plan",
    ),
    (
        TEXT,
        {"questions": (replace(TEXT.questions[0], first=(1, 2)),)},
        "totals of a first stage belong to a release in two stages",
    ),
    (
        STAGED,
        {"questions": (replace(STAGED.questions[0], first=None),)},
        "what was measured must be what the noisy totals of the first stage lead to",
    ),
    (
        MERGED,
        {"sources": MERGED.sources[:1]},
        "sums around other guesses belong to releases that were merged",
    ),
]


@pytest.mark.parametrize(("release", "fields", "message"), FIELDS)
def test_a_field_that_breaks_a_rule_is_refused(
    release: Release, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        replace(release, **fields)


(OWN,) = MERGED.questions
OTHER = OWN.beside[0]
JOINT_PLAN = plan_scores(Budget(1), strategy="joint")
(JOINT,) = release_of(plan=JOINT_PLAN, values=[[0] * 5]).questions
QUESTIONS: list[tuple[Any, dict[str, Any], str]] = [
    *(
        (STAGED.questions[0], {"first": totals}, "two whole numbers, got")
        for totals in ((1,), (1, 2, 3), [1, 2], (1.0, 2), (True, 2), (2**63, 0), "12")
    ),
    (OWN, {"beside": OWN.sums}, "only if their guesses or lattices differ"),
    (
        OWN,
        {"beside": (replace(OTHER, values=np.ones((1, 5), np.int64)),)},
        "values must be 4 rows of 5 sums",
    ),
    *(
        (OWN, {"noise": (layer,)}, "noise must have 5 scales from 2")
        for layer in (
            replace(OWN.noise[0], counts=np.ones(2, dtype=np.int64)),
            replace(OWN.noise[0], scales=(1.0,)),
            *(
                replace(OWN.noise[0], scales=(1.0, 1.0, scale, 1.0, 1.0))
                for scale in (0.0, 2.0**-11, 2.0**51, math.nan)
            ),
        )
    ),
    (
        JOINT,
        {"beside": (replace(OTHER, values=np.zeros((1, 5), np.int64)),)},
        "z and h of a focused plan, without limit",
    ),
]


@pytest.mark.parametrize(("question", "fields", "message"), QUESTIONS)
def test_a_question_that_breaks_a_rule_is_refused(
    question: Any,  # noqa: ANN401
    fields: dict[str, Any],
    message: str,
) -> None:
    with pytest.raises(InvalidInput, match=message):
        replace(question, **fields)


def test_what_is_no_release_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        require_release("loans.json")
    assert str(refused.value) == (
        "release must be a Release, got 'loans.json'. "
        "Read it first: read_release('loans.json')."
    )
    with pytest.raises(InvalidInput, match=r"release must be a Release, got 7\."):
        require_release(7)


# --- Equality -------------------------------------------------------------------------


def test_releases_are_equal_when_everything_is() -> None:
    assert release_of() == release_of()
    assert hash(release_of()) == hash(release_of())
    (question,) = release_of().questions
    (layer,) = question.noise
    different: list[Any] = [
        release_of(id="f" * 32),
        release_of(plan=plan_of(["north", "east"])),
        release_of(made_by="another"),
        release_of(is_simulated=True),
        release_of(sources=("0" * 32,)),
        *(
            release_of(questions=(changed,))
            for changed in (
                replace(question, values=question.values + 1),
                replace(question, groups=Groups("region", ["a", "b"])),
                replace(question, noise=()),
                replace(question, noise=(replace(layer, law=GAUSSIAN),)),
                replace(question, noise=(replace(layer, scales=(9.0,) * 5),)),
                replace(question, noise=(replace(layer, counts=layer.counts + 1),)),
            )
        ),
        object(),
    ]
    assert all(release_of() != other for other in different)
    assert replace(STAGED.questions[0], first=(1, 2)) != STAGED.questions[0]
    assert OTHER not in (replace(OTHER, values=OTHER.values + 1), "sums")
    assert layer != "a layer"
    assert question != "a question"
    for value in (question, layer, OTHER):
        assert hash(value) == hash(replace(value))


# --- What a release says --------------------------------------------------------------


def test_a_question_is_picked_by_its_name_or_its_number_from_1() -> None:
    groups = [None, Groups("region", ["north", "south"])]
    plan = plan_scores(Budget("0.5"), groups=groups)
    questions = tuple(
        fresh_question(plan.law, question, part, np.full((rows, 5), rows))
        for question, part, rows in zip(plan.measurements, groups, (1, 2), strict=True)
    )
    release = release_of(plan=plan, questions=questions)
    assert [question.name for question in release.questions] == NAMES
    for number, name in enumerate(NAMES, 1):
        assert release.question(number) is release.question(name)
    for wrong in (0, 3, True, "score", 1.0):
        with pytest.raises(InvalidInput, match="no such question"):
            release.question(wrong)  # type: ignore[arg-type]
    assert questions[0].keys == (None,)
    assert questions[1].keys == ("north", "south")
    assert " 3 answers, " in str(release)


def test_a_fresh_question_has_one_draw_of_the_plans_noise_in_every_cell() -> None:
    release = release_of()
    (layer,) = release.questions[0].noise
    assert layer.law == release.plan.law
    assert layer.scales == tuple(release.plan.measurements[0].scales)
    assert layer.counts.tolist() == [1]


def test_a_release_says_what_it_is() -> None:
    missing = release_of().plan.not_covered[0]
    assert str(release_of()) == (
        f"Release {IDENTITY}: Σ score / Σ label, 2 answers, 5 noisy sums each; "
        f"epsilon 0.5, delta 0. Not covered: {missing}"
    )
    plan = make_plan(
        [Ratio("score", per="label"), Ratio("other", per="label")],
        bounds={
            "score": Bounds(0, 1),
            "other": Bounds(0, 1),
            "label": Bounds.binary(),
        },
        budget=Budget("0.5"),
        clipping="unmeasured",
    )
    questions = tuple(
        fresh_question(plan, question, None, [[0] * 5])  # type: ignore[arg-type]
        for question in plan.measurements
    )
    two = str(release_of(plan=plan, questions=questions))
    assert ": Σ score / Σ label and Σ other / Σ label, 2 answers" in two
    assert " 1 answer, " in str(release_of(plan=plan_of(), values=[[0] * 5]))
    invented = str(release_of(is_simulated=True))
    assert invented.startswith("SIMULATED: the people in it are invented. Release ")
    derived = str(release_of(sources=("0" * 32, "1" * 32)))
    assert ", made from 2 other releases; epsilon" in derived
    assert ", made from 1 other release; " in str(release_of(sources=("0" * 32,)))
    assert "in all" not in str(TEXT)


def test_a_release_shows_itself_in_notebooks() -> None:
    shown = released(("<b>", "south"), people=50)._repr_html_()
    assert shown.startswith("<p>SIMULATED: the people in it are invented.")
    assert "<b>" not in shown
    assert "<table>" in shown


def test_a_release_in_two_stages_holds_its_plan_and_what_was_measured() -> None:
    stages = document_of(STAGED)["parts"][0]["stages"]
    assert STAGED.questions[0].first is not None
    assert [int(total) for total in stages["totals"]] == [*STAGED.questions[0].first]
    assert stages["guess"] == STAGED.questions[0].ratio.guess
    assert STAGED.measured.measurements[0] == STAGED.questions[0].planned
    assert STAGED.measured.measurements[0] != STAGED.plan.measurements[0]
    assert isinstance(STAGED.plan, Plan)
    assert STAGED.measured.stage == STAGED.plan.stage
    assert TEXT.measured is TEXT.plan


def test_answers_come_from_what_was_measured() -> None:
    """The same integers mean something else around another guess."""
    plain = replace(STAGED.measured, stage=None)
    (question,) = STAGED.questions
    same = replace(STAGED, plan=plain, questions=(replace(question, first=None),))
    answers = [estimate_ratios(release).ratio for release in (STAGED, same)]
    assert repr(answers[0]) == repr(answers[1])
