"""The terms of a scope: every rule of names, caps, accounting and units."""

import math
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from dpratio.curator.ledger.account.accounting import Charge, loss_within
from dpratio.curator.ledger.account.scope import Scope, require_words
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.unit import PrivacyUnit

MILLIONTH = Fraction(1, 10**6)
BASIC = Scope("loans", Budget(3, "1e-5"), unit="customer")
ZCDP = Scope("loans", Budget(3, "1e-5"), accounting="zcdp")


def scope_of(**terms: Any) -> Scope:  # noqa: ANN401
    given: dict[str, Any] = {"name": "loans", "budget": Budget(1, "1e-6")}
    return Scope(**(given | terms))


def refusal(**terms: Any) -> str:  # noqa: ANN401
    with pytest.raises(InvalidInput) as refused:
        scope_of(**terms)
    return str(refused.value)


# --- Names and words ------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["a", "loans", "north/loans: 2026-Q1.v2", "größe", "数", "_x", "x" * 100]
)
def test_a_plain_name_is_kept(name: str) -> None:
    assert scope_of(name=name).name == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " loans",
        ".loans",
        "-loans",
        "loans\n",
        "lo\tans",
        "lo\x00ans",
        "loans'; --",
        'lo"ans',
        "lo\\ans",
        "x" * 101,
        "😀",
        None,
        1,
        b"loans",
        ["loans"],
    ],
)
def test_a_name_that_is_not_plain_is_refused(name: object) -> None:
    said = refusal(name=name)
    assert said.startswith("a scope needs a plain name, got ")
    assert "within them spaces and . : / -" in said


@pytest.mark.parametrize("words", ["", "All loans, 2026", "x" * 200, "größe 😀"])
def test_a_line_of_words_is_accepted(words: str) -> None:
    assert scope_of(dataset=words).dataset == words


@pytest.mark.parametrize(
    "words", ["two\nlines", "tab\t", "nul\x00", "x" * 201, "\ud800", None, 1, b"x"]
)
def test_what_is_not_a_line_of_words_is_refused(words: object) -> None:
    rule = "must be one line of up to 200 letters, got "
    assert refusal(dataset=words).startswith(f"dataset {rule}")
    with pytest.raises(InvalidInput, match=f"^by {rule}"):
        require_words(words, "by")


# --- Caps -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "rule"),
    [
        (0, "epsilon must be positive, from 1e-12 to 1e6"),
        (-1, "epsilon must be positive, from 1e-12 to 1e6"),
        ("-0.1", "epsilon must be positive, from 1e-12 to 1e6"),
        (math.nan, "epsilon must be a finite number"),
        (math.inf, "epsilon must be a finite number"),
        ("-inf", "epsilon must be a finite number"),
        (5e-324, "epsilon must be positive, from 1e-12 to 1e6"),
        (1e-13, "epsilon must be positive, from 1e-12 to 1e6"),
        (10**7, "epsilon must be positive, from 1e-12 to 1e6"),
        (1e308, "epsilon must be positive, from 1e-12 to 1e6"),
        ("1e999999999", "epsilon must be a finite number"),
        ("three", "epsilon must be a finite number"),
        ("", "epsilon must be a finite number"),
        (True, "epsilon must be a number"),
        (None, "epsilon must be a number"),
        (Fraction(1, 10**12 - 1) / 10**90, "epsilon must be positive"),
    ],
)
def test_a_cap_of_epsilon_that_is_no_budget_is_refused(
    epsilon: Any,  # noqa: ANN401
    rule: str,
) -> None:
    with pytest.raises(InvalidInput) as refused:
        Scope("loans", Budget(epsilon, MILLIONTH))
    assert str(refused.value).startswith(rule)


@pytest.mark.parametrize(
    ("delta", "rule"),
    [
        (-1e-6, "delta must be 0, or at least"),
        (1, "delta must be 0, or at least"),
        (math.nan, "delta must be a finite number"),
        (math.inf, "delta must be a finite number"),
        (5e-324, "delta must be 0, or at least"),
        ("1e-101", "delta must be 0, or at least"),
        ("tiny", "delta must be a finite number"),
        (Fraction(1, 10**100 - 1) + Fraction(1, 10**99), "delta has too many digits"),
    ],
)
def test_a_cap_of_delta_that_is_no_budget_is_refused(delta: Any, rule: str) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput) as refused:
        Scope("loans", Budget(1, delta))
    assert str(refused.value).startswith(rule)


@pytest.mark.parametrize("budget", [1, (1, 1e-6), None, "3"])
def test_caps_are_a_budget(budget: object) -> None:
    said = refusal(budget=budget)
    assert said.startswith("caps are a Budget, got ")
    assert said.endswith("Write Budget(epsilon=3, delta=1e-5).")


def test_the_cap_of_basic_accounting_is_the_budget() -> None:
    assert BASIC.cap == Charge(Fraction(3), Fraction(1, 10**5))
    assert BASIC.converted == 0
    assert scope_of(budget=Budget(1)).cap == Charge(Fraction(1), Fraction(0))


def test_the_cap_of_zcdp_is_a_rho_and_the_rest_of_delta() -> None:
    half = Fraction(1, 2 * 10**5)
    assert ZCDP.conversion_delta == ZCDP.converted == half
    assert ZCDP.cap == Charge(loss_within("zcdp", Fraction(3), half), half)


def test_a_conversion_delta_is_read_as_the_decimal_that_was_written() -> None:
    scope = scope_of(accounting="zcdp", conversion_delta=4e-7)
    assert scope.converted == Fraction(4, 10**7)
    assert scope.cap.delta == Fraction(6, 10**7)


def test_the_whole_delta_may_go_into_the_conversion() -> None:
    scope = scope_of(accounting="zcdp", conversion_delta="1e-6")
    assert scope.cap.delta == 0
    assert scope.cap.loss == loss_within("zcdp", Fraction(1), MILLIONTH)


def test_the_cap_of_gdp_is_a_squared_mu_with_the_whole_delta() -> None:
    scope = scope_of(accounting="gdp")
    assert scope.converted == MILLIONTH
    assert scope.cap == Charge(loss_within("gdp", Fraction(1), MILLIONTH), Fraction(0))
    kept = scope_of(accounting="gdp", conversion_delta=4e-7)
    assert kept.cap.delta == Fraction(6, 10**7)
    assert kept.cap.loss == loss_within("gdp", Fraction(1), Fraction(4, 10**7))
    assert refusal(budget=Budget(1), accounting="gdp").startswith(
        "accounting 'gdp' needs a cap of delta above 0"
    )


def test_zcdp_needs_a_delta() -> None:
    assert refusal(budget=Budget(1), accounting="zcdp") == (
        "accounting 'zcdp' needs a cap of delta above 0, got 0. Give a cap such as "
        "1e-6, or use accounting 'basic'."
    )


def test_basic_accounting_converts_nothing() -> None:
    assert refusal(conversion_delta="1e-7") == (
        "accounting 'basic' converts nothing; leave conversion_delta out, got "
        "1/10000000."
    )


def test_zcdp_caps_without_room_are_refused() -> None:
    said = refusal(budget=Budget("1e-12", "1e-9"), accounting="zcdp")
    assert said.startswith("the caps must leave room for a rho above 0")


@pytest.mark.parametrize("name", ["largest_delta", "conversion_delta"])
@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ("2e-6", "{} must be above 0 and at most the cap of delta, got '2e-6'."),
        (0, "{} must be above 0 and at most the cap of delta, got 0."),
        (-1e-7, "{} must be above 0 and at most the cap of delta, got -1e-07."),
        (math.nan, "{} must be a finite number, got nan."),
        (math.inf, "{} must be a finite number, got inf."),
        ("small", "{} must be a finite number, got 'small'."),
        (True, "{} must be a number, got True."),
        (5e-324, "{} has too many digits, got 5e-324. Round it."),
    ],
)
def test_a_delta_outside_of_the_cap_is_refused(
    name: str, given: object, rule: str
) -> None:
    said = refusal(accounting="zcdp", **{name: given})
    assert said.startswith(rule.format(name))


@pytest.mark.parametrize("given", ["1e-6", 1e-6, Decimal("1e-6"), MILLIONTH])
def test_the_largest_delta_may_be_the_whole_cap(given: Any) -> None:  # noqa: ANN401
    assert scope_of(largest_delta=given).largest_delta == MILLIONTH


def test_without_a_cap_of_delta_there_is_no_largest_one() -> None:
    assert "at most the cap of delta" in refusal(
        budget=Budget(1), largest_delta=MILLIONTH
    )


# --- Accounting, unit, flags ----------------------------------------------------------


@pytest.mark.parametrize("accounting", ["rdp", "Basic", "", None, 1])
def test_an_unknown_accounting_is_refused(accounting: object) -> None:
    said = refusal(accounting=accounting)
    assert said.startswith("unknown accounting, got ")
    assert said.endswith("Use one of: basic, zcdp, gdp.")


@pytest.mark.parametrize("neighbours", ["add-one", "", None])
def test_an_unknown_neighbour_relation_is_refused(neighbours: object) -> None:
    said = refusal(neighbours=neighbours)
    assert said.startswith("unknown neighbour relation, got ")
    assert said.endswith("Use one of: add-or-remove-one, change-one.")


@pytest.mark.parametrize("unit", ["", 1, b"id", ["id"], "\ud800", "a\x00"])
def test_a_unit_that_is_no_column_is_refused(unit: object) -> None:
    assert refusal(unit=unit)


@pytest.mark.parametrize("name", ["needs_approval", "is_anchored"])
@pytest.mark.parametrize("given", [0, 1, "yes", None])
def test_a_flag_is_true_or_false(name: str, given: object) -> None:
    assert refusal(**{name: given}).startswith(f"{name} must be true or false, got ")


@pytest.mark.parametrize(
    ("unit", "protected"),
    [
        (PrivacyUnit("customer", totals={"s": Bounds(0, 1)}), True),
        (PrivacyUnit("customer", most_groups=9), True),
        (PrivacyUnit("customer", neighbours="change-one"), False),
        (PrivacyUnit("Customer"), False),
        (PrivacyUnit(), False),
    ],
)
def test_a_scope_protects_its_column_under_its_relation(
    *, unit: PrivacyUnit, protected: bool
) -> None:
    assert BASIC.protects(unit) is protected


def test_a_scope_of_rows_protects_rows() -> None:
    assert ZCDP.protects(PrivacyUnit())
    assert not ZCDP.protects(PrivacyUnit(neighbours="change-one"))
    assert not ZCDP.protects(PrivacyUnit("customer"))


def test_a_scope_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        BASIC.budget = Budget(9)  # type: ignore[misc]


def test_a_scope_is_shown_in_short() -> None:
    shown = "Scope('loans', epsilon 3, delta 0.00001, basic, unit 'customer')"
    assert repr(BASIC) == shown
    assert repr(ZCDP) == "Scope('loans', epsilon 3, delta 0.00001, zcdp, rows)"
