"""What is asked names columns and keys, and nothing twice."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.question import Groups, Ratio

BAD_NAMES = ["", "a\x00b", "lone \ud800", None, 3, b"score", ["score"]]


def test_a_ratio_names_its_columns_in_order() -> None:
    assert Ratio("score", per="label").columns == ("score", "label")
    weighted = Ratio("score", per="label", weight="weight")
    assert weighted.columns == ("score", "label", "weight")


def test_a_ratio_reads_as_a_formula() -> None:
    assert str(Ratio("score", per="label")) == "Σ score / Σ label"
    weighted = Ratio("score", per="label", weight="weight")
    assert str(weighted) == "Σ weight·score / Σ weight·label"


@pytest.mark.parametrize("name", BAD_NAMES)
@pytest.mark.parametrize("part", ["numerator", "per", "weight"])
def test_a_column_name_is_text(part: str, name: object) -> None:
    if part == "weight" and name is None:
        return
    given: dict[str, Any] = {"numerator": "score", "per": "label", part: name}
    with pytest.raises(InvalidInput, match=r"^a column name must be text without NUL"):
        Ratio(given.pop("numerator"), **given)


@pytest.mark.parametrize(
    ("numerator", "per", "weight"),
    [("a", "a", None), ("a", "a", "b"), ("a", "b", "a"), ("a", "b", "b")],
)
def test_a_column_plays_one_part(numerator: str, per: str, weight: str | None) -> None:
    with pytest.raises(InvalidInput, match=r"^numerator, .* differ, got .* two parts"):
        Ratio(numerator, per=per, weight=weight)


def test_questions_are_values() -> None:
    assert Ratio("a", per="b") == Ratio("a", per="b", weight=None)
    assert len({Ratio("a", per="b"), Ratio("a", per="b"), Ratio("b", per="a")}) == 2
    with pytest.raises(AttributeError):
        Ratio("a", per="b").per = "c"  # type: ignore[misc]


@pytest.mark.parametrize(
    "keys",
    [
        ["north", "south"],
        ("south", "north"),
        iter(["b", "a"]),
        [3, 1, 2],
        range(3),
        [True, False],
        [""],
        ["Ä", "\x01", "'; DROP TABLE loans; --"],
        [2**63 - 1, -(2**63 - 1)],
    ],
)
def test_keys_keep_their_order(keys: Iterable[str | int]) -> None:
    declared = list(keys)
    groups = Groups("region", iter(declared))
    assert groups.keys == tuple(declared)
    assert groups.column == "region"


@pytest.mark.parametrize("name", BAD_NAMES)
def test_the_group_column_is_text(name: object) -> None:
    with pytest.raises(InvalidInput, match=r"^a column name must be text without NUL"):
        Groups(name, ["north"])  # type: ignore[arg-type]


@pytest.mark.parametrize("keys", ["north", b"north", 5, None])
def test_keys_are_a_list(keys: object) -> None:
    with pytest.raises(InvalidInput, match=r"^group keys must be a list, .*'south'\]"):
        Groups("region", keys)  # type: ignore[arg-type]


def test_at_least_one_key_is_declared() -> None:
    with pytest.raises(InvalidInput, match=r"^groups need at least one key, got \(\)"):
        Groups("region", [])


@pytest.mark.parametrize(
    "keys",
    [
        ["a", 1],
        [1, True],
        [1.0],
        [None],
        [b"a"],
        [("a",)],
        ["a", None],
        [np.str_("a")],
        [np.int64(1)],
    ],
)
def test_keys_are_of_one_plain_type(keys: list[Any]) -> None:
    rule = "^group keys must be all text, all whole numbers or all true/false, got "
    with pytest.raises(InvalidInput, match=rule):
        Groups("region", keys)


@pytest.mark.parametrize("keys", [["a", "b", "a"], [1, 1], [True, True]])
def test_a_key_is_declared_once(keys: list[str | int]) -> None:
    repeated = keys[0]
    with pytest.raises(InvalidInput) as caught:
        Groups("region", keys)
    assert str(caught.value) == f"a group key is declared once, got [{repeated!r}]."


@pytest.mark.parametrize("key", ["a\x00", "\udfff"])
def test_a_text_key_is_clean(key: str) -> None:
    with pytest.raises(InvalidInput, match=r"^a text key must be valid Unicode"):
        Groups("region", ["fine", key])


@pytest.mark.parametrize("key", [2**63, -(2**63), 10**30])
def test_a_whole_number_key_fits_in_64_bits(key: int) -> None:
    with pytest.raises(InvalidInput, match=r"^a whole-number key must fit in 64 bits"):
        Groups("region", [0, key])
