"""A release holds noisy integers, their plan and their origin, and does not change."""

import math
from typing import Any

import numpy as np
import pytest

from dpratio.errors import InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import NOT_COVERED, Plan
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.question import Groups, Ratio

IDENTITY = "0123456789abcdef" * 2


def plan_of(keys: list[str] | None = None) -> Plan:
    return make_plan(
        Ratio("score", per="label"),
        bounds={"score": Bounds(0, 1), "label": Bounds.binary()},
        budget=Budget("0.5"),
        groups=None if keys is None else Groups("region", keys),
    )


def release_of(**changes: Any) -> Release:  # noqa: ANN401
    parts: dict[str, Any] = {
        "id": IDENTITY,
        "plan": plan_of(["north", "south"]),
        "values": np.arange(10).reshape(2, 5),
        "made_by": "dpratio 0.1.0",
        **changes,
    }
    return Release(**parts)


def test_values_are_kept_as_64_bit_integers_that_nobody_can_change() -> None:
    release = release_of()
    assert release.values.dtype == np.int64
    assert release.values.tolist() == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    with pytest.raises(ValueError, match="read-only"):
        release.values[0, 0] = 7


def test_a_release_keeps_its_own_copy() -> None:
    mine = np.zeros((2, 5), dtype=np.int64)
    release = release_of(values=mine)
    mine[0, 0] = 7
    assert release.values[0, 0] == 0
    assert mine.flags.writeable


def test_lists_of_whole_numbers_will_do() -> None:
    largest = 2**63 - 1
    release = release_of(values=[[largest, -largest, 0, 1, -1]] * 2)
    assert release.values[1].tolist() == [largest, -largest, 0, 1, -1]


@pytest.mark.parametrize("shape", [(2, 4), (1, 5), (5, 2), (10,), (2, 5, 1), ()])
def test_values_have_one_row_per_key_and_one_column_per_sum(
    shape: tuple[int, ...],
) -> None:
    with pytest.raises(InvalidInput) as caught:
        release_of(values=np.zeros(shape, dtype=np.int64))
    assert str(caught.value) == f"values must be of shape (2, 5), got {shape}."


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
    ]
    for other in different:
        assert release_of() != other
    assert release_of() != "a release"


def test_people_are_real_unless_it_says_otherwise() -> None:
    assert release_of().is_simulated is False


def test_a_release_says_what_it_is() -> None:
    assert str(release_of()) == (
        f"Release {IDENTITY}: Σ score / Σ label, 2 answers, 5 noisy sums each; "
        f"epsilon 0.5, delta 0. Not covered: {NOT_COVERED[0]}"
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
