"""The terms of a scope are the same after a trip through JSON, or refused."""

import json
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import pytest

from dpratio.curator.ledger.account.scope import Scope, scope_from_document
from dpratio.errors import DocumentRefused
from dpratio.strict import Node
from dpratio.terms.budget import Budget

BASIC = Scope("loans", Budget(3, "1e-5"), unit="customer")
ZCDP = Scope("loans", Budget(3, "1e-5"), accounting="zcdp")
FULL = Scope(
    "north/loans: 2026-Q1.v2",
    Budget("0.5", "1e-5"),
    accounting="zcdp",
    unit="größe '",
    neighbours="change-one",
    dataset="All loans, größe 😀",
    largest_delta=Fraction(1, 10**7),
    conversion_delta=Fraction(1, 3 * 10**6),
    needs_approval=True,
    is_anchored=True,
    approvals_by_others=True,
)
LATER = {"approvals_by_others"}  # terms that scopes of before did not have


@pytest.mark.parametrize("scope", [BASIC, ZCDP, FULL], ids=["basic", "zcdp", "full"])
def test_terms_come_back_from_a_document(scope: Scope) -> None:
    text = json.dumps(scope.to_document())
    again = scope_from_document(Node(json.loads(text)))
    assert again == scope
    assert again.hash == scope.hash
    assert again.cap == scope.cap


@pytest.mark.parametrize(
    "change",
    [
        {"name": "loan"},
        {"budget": Budget("0.51", "1e-5")},
        {"budget": Budget("0.5", "1.1e-5")},
        {"unit": None},
        {"neighbours": "add-or-remove-one"},
        {"dataset": ""},
        {"largest_delta": None},
        {"conversion_delta": Fraction(1, 10**6)},
        {"needs_approval": False, "approvals_by_others": False},
        {"approvals_by_others": False},
        {"is_anchored": False},
        {"accounting": "basic", "conversion_delta": None},
    ],
)
def test_every_term_is_in_the_hash(change: dict[str, Any]) -> None:
    assert replace(FULL, **change).hash != FULL.hash


def test_every_term_is_in_the_document() -> None:
    named = {field.name for field in fields(Scope)} - {"budget", "cap"}
    assert set(FULL.to_document()) == named | {"epsilon", "delta"}


def test_a_scope_without_a_later_term_has_the_document_of_before() -> None:
    assert not LATER & set(BASIC.to_document())
    assert set(FULL.to_document()) >= LATER


@pytest.mark.parametrize("name", sorted(set(FULL.to_document()) - LATER))
def test_a_missing_term_is_refused(name: str) -> None:
    document = FULL.to_document()
    del document[name]
    with pytest.raises(DocumentRefused, match=rf"\$: field '{name}' is missing"):
        scope_from_document(Node(document))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("name", 1, "$.name: must be text"),
        ("epsilon", 3, "$.epsilon: must be text"),
        ("epsilon", "1e3", "$.epsilon: must be an exact number"),
        ("epsilon", "1/0", "$.epsilon: must be an exact number"),
        ("epsilon", "-1", "$: epsilon must be positive"),
        ("delta", "nan", "$.delta: must be an exact number"),
        ("accounting", "rdp", "$: unknown accounting"),
        ("unit", 1, "$.unit: must be text"),
        ("largest_delta", "1", "$: largest_delta must be above 0"),
        ("conversion_delta", 0.1, "$.conversion_delta: must be text"),
        ("needs_approval", "true", "$.needs_approval: must be true or false"),
        ("is_anchored", 1, "$.is_anchored: must be true or false"),
        ("cap", "9", "$: unknown field 'cap'"),
    ],
)
def test_a_term_that_breaks_a_rule_is_refused(
    name: str, value: object, said: str
) -> None:
    with pytest.raises(DocumentRefused) as refused:
        scope_from_document(Node({**FULL.to_document(), name: value}))
    assert str(refused.value).startswith(said)
