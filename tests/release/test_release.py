"""A release holds noisy integers, their plan and their origin, and does not change."""

import hashlib
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.errors import InvalidInput
from dpratio.plan.laws import GAUSSIAN
from dpratio.plan.plan import Plan
from dpratio.plan.words import NOT_COVERED
from dpratio.release.release import (
    NoisySums,
    Release,
    fresh_question,
    id_of,
    require_id,
    require_release,
)
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from planned import plan_scores
from release.edited_documents import document_of
from release.releases_for_tests import RELEASES
from shown import released

TEXT, MERGED = RELEASES["groups: text"], RELEASES["merged around two guesses"]
STAGED, ROLLED = RELEASES["two stages"], RELEASES["rolled up"]
OWN, OTHER = MERGED.questions[0].sums


def release_of(values: Any) -> Release:  # noqa: ANN401
    """A release of two groups and five sums."""
    plan = plan_scores(Budget("0.5"), groups=Groups("region", ["north", "south"]))
    (asked,) = plan.measurements
    question = fresh_question(plan.law, asked, asked.groups, values)  # type: ignore[arg-type]
    return Release("0123456789abcdef" * 2, plan, (question,), "dpratio 0.1.0")


# --- Values ---------------------------------------------------------------------------


def test_values_are_a_copy_of_64_bit_integers_that_nobody_can_change() -> None:
    mine = np.zeros((2, 5), dtype=np.int64)
    (question,) = release_of(mine).questions
    mine[0, 0] = 7
    assert question.values.dtype == np.int64
    assert question.values[0, 0] == 0
    for values in (question.values, OTHER.values):
        with pytest.raises(ValueError, match="read-only"):
            values[0, 0] = 7
    rows = [[2**63 - 1, -(2**63) + 1, 0, 1, -1]] * 2
    assert release_of(rows).questions[0].values.tolist() == rows


@pytest.mark.parametrize(
    "values",
    [
        *(
            np.zeros(shape, dtype=np.int64)
            for shape in ((1, 5), (5, 2), (2, 4), (2, 6), (2, 0), (3,), (2, 5, 1), ())
        ),
        *(
            [[value] * 5, row]
            for value in (1.5, math.nan, "1", 2**63, 2**64, -(2**63), None, 1j)
            for row in ([value] * 5, [value])
        ),
    ],
)
def test_anything_but_a_row_of_whole_numbers_for_each_cell_is_refused(
    values: object,
) -> None:
    """A value that exists is valid: nothing is cut off or wrapped around."""
    with pytest.raises(InvalidInput) as refused:
        release_of(values)
    assert refused.value.field == "values"


# --- What is refused ------------------------------------------------------------------

HEAD = "0a" * 32
LAYER = OWN.noise[0]
JOINT = plan_scores(Budget(1), strategy="joint")
REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    *((TEXT, {"id": name}, "id") for name in ("", "A" * 32, "0" * 31, 5, None)),
    (TEXT, {"sources": ("0" * 32, "0")}, "sources"),
    *(
        (TEXT, {field: value}, field)
        for field in ("ledger_head", "source_hash")
        for value in ("", "0" * 63, "g" * 64, "A" * 64, 7, b"0" * 64)
    ),
    (MERGED, {"ledger_heads": (HEAD, "0")}, "ledger_heads"),
    (TEXT, {"is_simulated": "no"}, "is_simulated"),
    (MERGED, {"cost_if_disjoint": Budget(3)}, "cost_if_disjoint"),
    (MERGED, {"cost_if_disjoint": Budget(1, "0.1")}, "cost_if_disjoint"),
    (TEXT, {"questions": ()}, "questions"),
    (TEXT, {"questions": TEXT.questions * 2}, "questions"),
    (TEXT, {"questions": (replace(TEXT.questions[0], first=(1, 2)),)}, "questions"),
    (STAGED, {"questions": (replace(STAGED.questions[0], first=None),)}, "questions"),
    (MERGED, {"sources": ()}, "sources"),
    (replace(ROLLED), {"sources": ()}, "sources"),
    *(
        (STAGED.questions[0], {"first": totals}, "stages")
        for totals in ((1,), (1, 2, 3), [1, 2], (1.0, 2), (True, 2), (2**63, 0), "12")
    ),
    *(
        (MERGED.questions[0], {"sums": sums}, "others")
        for sums in ((), (OTHER,), (OTHER, OWN), (OWN, OTHER, OTHER))
    ),
    (TEXT.questions[0], {"groups": Groups("g", ["a"])}, "values"),
    (
        fresh_question(
            JOINT.law, JOINT.measurements[0], TEXT.questions[0].groups, OWN.values
        ),
        {
            "sums": (
                NoisySums(
                    None,
                    tuple(part.step for part in JOINT.measurements[0].sums),
                    OWN.values,
                    OWN.noise,
                ),
                OTHER,
            )
        },
        "others",
    ),
    *(
        (OWN, {"noise": (layer,)}, "noise")
        for layer in (
            replace(LAYER, counts=(1, 1)),
            replace(LAYER, scales=(1.0,)),
            *(
                replace(LAYER, scales=(1.0, 1.0, scale, 1.0, 1.0))
                for scale in (0.0, 2.0**-11, 2.0**51, math.nan)
            ),
        )
    ),
]


@pytest.mark.parametrize(("value", "changes", "field"), REFUSED)
def test_what_breaks_a_rule_is_refused(
    value: Any,  # noqa: ANN401
    changes: dict[str, Any],
    field: str,
) -> None:
    with pytest.raises(InvalidInput) as refused:
        replace(value, **changes)
    assert refused.value.field == field


def test_what_is_no_release_of_ratios_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"read_release\('loans.json'\)"):
        require_release("loans.json")
    with pytest.raises(InvalidInput, match="must be a Release"):
        require_release(7)


# --- Equality -------------------------------------------------------------------------


def test_releases_are_equal_when_everything_is() -> None:
    values = np.arange(10).reshape(2, 5)
    assert release_of(values) == release_of(values)
    assert hash(release_of(values)) == hash(release_of(values))
    same: list[Any] = [TEXT, *TEXT.questions, OWN, LAYER]
    changed: list[Any] = [
        *(
            replace(TEXT, **changes)
            for changes in (
                {"id": "f" * 32},
                {"made_by": "another"},
                {"is_simulated": True},
                {"sources": ("0" * 32,)},
            )
        ),
        replace(STAGED.questions[0], first=(1, 2)),
        *(
            replace(OWN, **changes)
            for changes in (
                {"values": OWN.values + 1},
                {"noise": ()},
                {"noise": (replace(LAYER, law=GAUSSIAN),)},
                {"noise": (replace(LAYER, scales=(9.0,) * 5),)},
                {"noise": (replace(LAYER, counts=(2,)),)},
            )
        ),
        "sums",
    ]
    for value in same:
        assert replace(value) == value
        assert value not in changed
    assert STAGED.questions[0] not in changed


# --- What a release says --------------------------------------------------------------


def test_a_question_is_picked_by_its_name_or_its_number_from_1() -> None:
    release = RELEASES["several parts"]
    names = ["score per label", "score per label by g and h", "score per label by p"]
    assert [question.name for question in release.questions] == names
    for number, name in enumerate(names, 1):
        assert release.question(number) is release.question(name)
    for wrong in (0, 4, True, "score", 1.0):
        with pytest.raises(InvalidInput, match="no such question"):
            release.question(wrong)  # type: ignore[arg-type]
    assert release.questions[0].keys == (None,)
    assert release.questions[2].keys == ("x",)


def test_a_fresh_question_has_one_draw_of_the_plans_noise_in_every_cell() -> None:
    (layer,) = TEXT.questions[0].noise
    assert (layer.law, layer.counts) == (TEXT.plan.law, (1,))
    assert layer.scales == tuple(TEXT.plan.measurements[0].scales)


def test_a_release_says_what_it_is() -> None:
    missing = NOT_COVERED[0]
    assert str(TEXT) == (
        f"Release {TEXT.id}: score per label by g, noisy sums in 4 rows; epsilon 1, "
        f"delta 0. Not covered: {missing}"
    )
    assert str(replace(TEXT, is_simulated=True)).startswith("SIMULATED: ")
    assert ", made from other releases: 2; epsilon" in str(MERGED)
    shown = released(("<b>", "south"), people=50)._repr_html_()
    assert shown.startswith("<p>SIMULATED: the people in it are invented.")
    assert "<b>" not in shown
    assert "<table>" in shown


# --- Two stages -----------------------------------------------------------------------


def test_a_release_in_two_stages_holds_its_plan_and_what_was_measured() -> None:
    stages = document_of(STAGED)["questions"][0]["stages"]
    assert tuple(map(int, stages["totals"])) == STAGED.questions[0].first
    assert stages["guess"] == STAGED.questions[0].ratio.guess
    assert STAGED.measured.measurements[0] == STAGED.questions[0].planned
    assert STAGED.measured.measurements[0] != STAGED.plan.measurements[0]
    assert isinstance(STAGED.measured, Plan)
    assert isinstance(STAGED.plan, Plan)
    assert STAGED.measured.stage == STAGED.plan.stage
    assert TEXT.measured is TEXT.plan


def test_answers_come_from_what_was_measured() -> None:
    """The same integers mean something else around another guess."""
    assert isinstance(STAGED.measured, Plan)
    plain = replace(STAGED.measured, stage=None)
    (question,) = STAGED.questions
    same = replace(STAGED, plan=plain, questions=(replace(question, first=None),))
    answers = [estimate_ratios(release).ratio for release in (STAGED, same)]
    assert repr(answers[0]) == repr(answers[1])


# --- Ids ------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["orders 2026-11", "20261116", "Übersicht", "f" * 15])
def test_a_text_stands_for_its_hash_and_an_id_for_itself(text: str) -> None:
    hashed = hashlib.sha256(f"dpratio release id:{text}".encode()).hexdigest()[:32]
    assert id_of(text) == hashed != id_of(f"{text}.")
    assert id_of(hashed) == hashed
    require_id(hashed)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", " a", "a ", "a\nb", "\x1b[2J", "x" * 1001, 7, None, b"a"),
        # Nearly an id: a mistyped one would be charged as a new release.
        *("0" * 31, "0" * 33, "A" * 32, "f" * 16, "1" * 20),
    ],
)
def test_what_is_no_line_of_text_or_nearly_an_id_is_refused(text: object) -> None:
    with pytest.raises(InvalidInput, match="a release id"):
        id_of(text)
