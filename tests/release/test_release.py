"""A release holds noisy integers, their plan and their origin, and does not change."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.noisy_sums import NoiseLayer, layers_add_up
from dpratio.release.release import Release, fresh_question, require_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from planned import plan_scores

IDENTITY = "0123456789abcdef" * 2

NAMES = ["score per label", "score per label by region"]


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
        changes["questions"] = (
            fresh_question(plan, asked, plan.partitions[0], values),
        )
    fields: dict[str, Any] = {
        "id": IDENTITY,
        "made_by": "dpratio 0.1.0",
        **changes,
    }
    return Release(**fields)


def test_values_are_kept_as_64_bit_integers_that_nobody_can_change() -> None:
    release = release_of()
    assert release.questions[0].values.dtype == np.int64
    assert release.questions[0].values.tolist() == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    with pytest.raises(ValueError, match="read-only"):
        release.questions[0].values[0, 0] = 7


def test_a_release_keeps_its_own_copy() -> None:
    mine = np.zeros((2, 5), dtype=np.int64)
    release = release_of(values=mine)
    mine[0, 0] = 7
    assert release.questions[0].values[0, 0] == 0
    assert mine.flags.writeable


def test_lists_of_whole_numbers_will_do() -> None:
    largest = 2**63 - 1
    release = release_of(values=[[largest, -largest, 0, 1, -1]] * 2)
    assert release.questions[0].values[1].tolist() == [largest, -largest, 0, 1, -1]


@pytest.mark.parametrize("shape", [(1, 5), (5, 2), (3,), (2, 5, 1), (), (0, 5)])
def test_values_have_one_row_per_cell(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInput) as caught:
        release_of(values=np.zeros(shape, dtype=np.int64))
    said = show_given(shape)
    assert str(caught.value) == f"values must have 2 rows, got {said}."


@pytest.mark.parametrize("columns", [0, 1, 4, 6])
def test_values_have_one_column_per_sum(columns: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        release_of(values=np.zeros((2, columns), dtype=np.int64))
    assert str(caught.value) == f"values must hold 5 sums, got {columns}."


def test_a_release_has_the_questions_of_its_plan() -> None:
    given = release_of()
    for questions in ((), given.questions * 2):
        with pytest.raises(InvalidInput, match="answers the questions of its plan"):
            release_of(questions=questions)


def test_a_question_is_found_by_its_name_or_its_number_from_1() -> None:
    asked = [None, Groups("region", ["north", "south"])]
    plan = plan_scores(Budget("0.5"), groups=asked)
    questions = tuple(
        fresh_question(plan, question, groups, np.full((rows, 5), rows))
        for question, groups, rows in zip(plan.measurements, asked, (1, 2), strict=True)
    )
    release = release_of(plan=plan, questions=questions)
    assert [each.name for each in release.questions] == NAMES
    for at, name in enumerate(NAMES, 1):
        assert release.question(at) is release.question(name)
    for wrong in (0, 3, True, "score", 1.0):
        with pytest.raises(InvalidInput, match="Questions are: 1 'score per label', 2"):
            release.question(wrong)  # type: ignore[arg-type]
    assert [question.keys for question in release.questions] == [
        (None,),
        ("north", "south"),
    ]
    assert " 3 answers, " in str(release)


def test_two_ratios_are_both_named() -> None:
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
    values = np.zeros((1, 5), dtype=np.int64)
    questions = tuple(
        fresh_question(plan, question, None, values) for question in plan.measurements
    )
    said = str(release_of(plan=plan, questions=questions))
    assert ": Σ score / Σ label and Σ other / Σ label, 2 answers" in said


def test_a_fresh_question_has_one_draw_of_the_plans_noise_in_every_cell() -> None:
    release = release_of()
    (layer,) = release.questions[0].noise
    assert layer.mechanism == release.plan.law.name
    assert layer.scales == tuple(
        each.scale for each in release.plan.measurements[0].sums
    )
    assert layer.counts.tolist() == [1]


def layer_of(
    counts: list[int], mechanism: str = "laplace", scale: float = 1.0
) -> NoiseLayer:
    return NoiseLayer(mechanism, (scale,), np.array(counts, dtype=np.int64))


def test_layers_of_the_same_law_and_scales_are_put_together() -> None:
    others = [layer_of([2, 3]), layer_of([1], scale=0.5), layer_of([5], "gaussian")]
    added = layers_add_up([layer_of([1]), *others, layer_of([4])])
    assert added == (
        layer_of([5], "gaussian"),
        layer_of([1], scale=0.5),
        layer_of([7, 8]),
    )
    assert layers_add_up([layer_of([4]), *others[::-1], layer_of([1])]) == added


def test_layers_are_equal_when_law_scales_and_counts_are() -> None:
    layer = layer_of([1, 2])
    assert layer == layer_of([1, 2])
    assert hash(layer) == hash(layer_of([1, 2]))
    different = [layer_of([1, 3]), layer_of([1, 2], "g"), layer_of([1, 2], scale=2.0)]
    for other in (*different, "a layer"):
        assert layer != other


def test_questions_are_equal_when_cells_values_and_noise_are() -> None:
    question = release_of().questions[0]
    assert question == release_of().questions[0]
    assert hash(question) == hash(release_of().questions[0])
    different = [
        replace(question, groups=Groups("region", ["a", "b"])),
        replace(question, values=question.values + 1),
        replace(question, noise=()),
    ]
    for other in (*different, "a question"):
        assert question != other


@pytest.mark.parametrize("name", ["", "A" * 32, "0" * 31, 5, None])
def test_a_source_is_named_like_a_release(name: Any) -> None:  # noqa: ANN401
    for field in ({"id": name}, {"sources": ("0" * 32, name)}):
        with pytest.raises(InvalidInput, match="a release id is 32 hexadecimal digits"):
            release_of(**field)


def test_a_release_made_from_others_says_from_how_many() -> None:
    said = str(release_of(sources=("0" * 32, "1" * 32)))
    assert ", made from 2 other" in said


@pytest.mark.parametrize(
    "value", [1.5, 2.0, math.nan, math.inf, "1", 2**63, 2**64, None, 1j]
)
def test_a_sum_that_is_not_a_64_bit_whole_number_is_refused(value: object) -> None:
    """A value that exists is valid: nothing is cut off or wrapped around."""
    with pytest.raises(InvalidInput, match="values must be"):
        release_of(values=[[value] * 5] * 2)


def test_rows_of_different_length_are_refused_in_our_own_words() -> None:
    with pytest.raises(InvalidInput, match="values must be"):
        release_of(values=[[1, 2, 3, 4, 5], [1]])


def test_releases_are_equal_when_everything_is() -> None:
    assert release_of() == release_of()
    assert hash(release_of()) == hash(release_of())
    different = [
        release_of(id="f" * 32),
        release_of(plan=plan_of(["north", "east"])),
        release_of(values=np.ones((2, 5), dtype=np.int64)),
        release_of(made_by="another"),
        release_of(is_simulated=True),
        release_of(sources=("0" * 32,)),
    ]
    for other in different:
        assert release_of() != other
    assert release_of() != object()


def test_people_are_real_unless_it_says_otherwise() -> None:
    assert release_of().is_simulated is False


def test_a_release_says_what_it_is() -> None:
    missing = release_of().plan.not_covered[0]
    assert str(release_of()) == (
        f"Release {IDENTITY}: Σ score / Σ label, 2 answers, 5 noisy sums each; "
        f"epsilon 0.5, delta 0. Not covered: {missing}"
    )


def test_one_answer_is_not_called_answers() -> None:
    release = release_of(plan=plan_of(), values=np.zeros((1, 5), dtype=np.int64))
    assert " 1 answer, " in str(release)


def test_a_simulated_release_says_so_first() -> None:
    said = str(release_of(is_simulated=True))
    assert said.startswith("SIMULATED: the people in it are invented. Release ")


def test_a_release_does_not_change() -> None:
    with pytest.raises(AttributeError):
        release_of().id = "f" * 32  # type: ignore[misc]


def test_the_name_of_a_file_is_no_release_and_is_to_be_read_first() -> None:
    with pytest.raises(InvalidInput) as refused:
        require_release("loans.json")
    assert str(refused.value) == (
        "release must be a Release, got 'loans.json'. "
        "Read it first: read_release('loans.json')."
    )
    with pytest.raises(InvalidInput, match="release must be a Release, got 7"):
        require_release(7)


@pytest.mark.parametrize("name", ["ledger_head", "source_hash"])
@pytest.mark.parametrize("given", ["", "0" * 63, "g" * 64, "A" * 64, 7, b"0" * 64])
def test_a_head_and_the_hash_of_a_source_are_64_digits(
    name: str,
    given: Any,  # noqa: ANN401
) -> None:
    assert getattr(release_of(**{name: "0a" * 32}), name) == "0a" * 32
    with pytest.raises(InvalidInput, match="is 64 hexadecimal digits"):
        release_of(**{name: given})
