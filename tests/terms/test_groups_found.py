"""Keys that are found privately: what finding costs, and what was found."""

from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import KINDS, Keys
from dpratio.terms.groups import Groups, PrivateKeys


def test_private_keys_are_asked_for_with_a_budget_of_their_own() -> None:
    keys = PrivateKeys("shop", Budget("0.2", "1e-7"))
    assert (keys.columns, keys.kind) == (("shop",), "text")
    for kind in KINDS:
        assert PrivateKeys("shop", keys.budget, kind).kind == kind


@pytest.mark.parametrize("budget", [None, 0.2, ("0.2", "1e-7")])
def test_the_budget_of_private_keys_is_a_budget(budget: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^budget must be a Budget, got "):
        PrivateKeys("shop", budget)


def test_finding_keys_needs_a_delta() -> None:
    with pytest.raises(InvalidInput) as caught:
        PrivateKeys("shop", Budget("0.2"))
    assert str(caught.value) == (
        "finding keys needs a delta above 0. Give a delta such as 1e-7."
    )


@pytest.mark.parametrize("kind", ["number", "Text", None, str])
def test_the_kind_of_private_keys_is_one_word(kind: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^unknown kind of key, got "):
        PrivateKeys("shop", Budget(1, "1e-7"), kind)


@pytest.mark.parametrize("kind", KINDS.values())
def test_found_keys_may_be_none_at_all(kind: type) -> None:
    empty = Groups.found("shop", kind, [])
    assert (empty.keys, empty.count, empty.columns) == ((), 0, ("shop",))
    (dimension,) = empty.dimensions
    assert isinstance(dimension, Keys)
    assert dimension.kind is kind


def test_found_keys_are_groups_like_declared_ones() -> None:
    assert Groups.found("shop", str, ["a", "b"]) == Groups("shop", ["a", "b"])
