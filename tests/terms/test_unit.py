"""Who is protected: a row, or a person with many rows."""

from dataclasses import replace
from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.unit import NEIGHBOURS, PrivacyUnit

TOTALS = {"spent": Bounds(0, 50), "visits": Bounds(0, 5)}
USER = PrivacyUnit("user", totals=TOTALS, most_groups=1200)


def test_a_unit_says_who_is_protected() -> None:
    assert str(PrivacyUnit()) == "one row"
    assert str(replace(USER, most_groups=1)).endswith(
        "of one user, counted in at most 1 group"
    )
    assert str(USER) == "all rows of one user, counted in at most 1,200 groups"
    assert [PrivacyUnit().people, USER.people] == ["rows", "people"]
    assert PrivacyUnit(noun="loans").people == "loans"
    assert replace(USER, noun="aircraft").people == "aircraft"


def test_units_are_values() -> None:
    totals = dict(TOTALS)
    unit = PrivacyUnit("user", totals=totals, most_groups=1200)
    totals.clear()
    assert (unit, hash(unit)) == (USER, hash(USER))
    changes: list[dict[str, Any]] = [
        {"column": "id"},
        {"totals": {}},
        {"most_groups": 2},
        {"neighbours": NEIGHBOURS[1]},
        {"key": "other"},
        {"noun": "aircraft"},
    ]
    assert len({USER, *(replace(USER, **change) for change in changes)}) == 7


def test_a_changed_unit_enters_and_leaves_cells() -> None:
    assert USER.cells_moved == 1200
    assert replace(USER, neighbours="change-one").cells_moved == 2400


def test_a_question_may_have_totals_of_its_own() -> None:
    assert USER.of_question({}) is USER
    half = USER.of_question({"visits": Bounds(0, 1)})
    assert half == replace(USER, totals={**TOTALS, "visits": Bounds(0, 1)})


NO_NAME = "a column name must be text without control"
NO_TOTALS = "totals must map column names to Bounds, got "
NO_GROUPS = "most_groups must be a whole number from 1 to 1,000,000, got "
NO_KEY = "the key of the hash must be plain text, got "
NO_NOUN = "noun must be a plural of up to 40 letters, got "
NO_IDS = "totals and most_groups need a unit with a column of ids"
REFUSED: list[tuple[dict[str, Any], str]] = [
    *(({"column": name}, NO_NAME) for name in ("", "a\x00b", "\ud800", 3, b"user")),
    *(({"neighbours": word}, "unknown neighbour relation") for word in ("swap", None)),
    *(
        ({"totals": totals}, NO_TOTALS)
        for totals in (None, [], [("s", Bounds(0, 1))], {"s": (0, 1)}, {"s": None}, "s")
    ),
    *(
        ({"most_groups": most}, NO_GROUPS)
        for most in (0, -1, 1.0, 1.5, True, "2", None, 10**6 + 1)
    ),
    *(({"key": key}, NO_KEY) for key in ("", "schlüssel", None, 1, b"key")),
    *(
        ({"noun": noun}, NO_NOUN)
        for noun in ("", " ", "a" * 41, "two\nlines", "a\u202eb", "\x1b[2J", 5, b"cars")
    ),
    ({"column": None, "most_groups": 1}, NO_IDS),
    ({"column": None, "totals": {}}, NO_IDS),
]


@pytest.mark.parametrize(("terms", "message"), REFUSED, ids=repr)
def test_a_unit_that_breaks_a_rule_is_refused(
    terms: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=f"^{message}"):
        replace(USER, **terms)


def test_the_largest_terms_are_accepted() -> None:
    assert PrivacyUnit("user", most_groups=10**6, noun="a" * 40).most_groups == 10**6
