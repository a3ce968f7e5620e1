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
        {"noun": "aircraft"},
    ]
    assert len({USER, *(replace(USER, **change) for change in changes)}) == 6


def test_a_changed_unit_enters_and_leaves_cells() -> None:
    assert USER.cells_moved == 1200
    assert replace(USER, neighbours="change-one").cells_moved == 2400


def test_totals_may_be_others() -> None:
    assert USER.with_totals({}) is USER
    half = USER.with_totals({"visits": Bounds(0, 1)})
    assert half == replace(USER, totals={**TOTALS, "visits": Bounds(0, 1)})


REFUSED: list[tuple[dict[str, Any], str | None]] = [
    *(({"column": name}, None) for name in ("", "a\x00b", "\ud800", 3, b"user")),
    *(({"neighbours": word}, None) for word in ("swap", None)),
    ({"totals": None}, "totals"),
    ({"totals": {"s": (0, 1)}}, "totals"),
    *(
        ({"most_groups": most}, "most_groups")
        for most in (0, -1, 1.0, 1.5, True, "2", None, 10**6 + 1)
    ),
    *(
        ({"noun": noun}, "noun")
        for noun in ("", " ", "a" * 41, "two\nlines", "a\u202eb", "\x1b[2J", 5, b"cars")
    ),
    ({"column": None, "most_groups": 1}, "totals"),
    ({"column": None, "totals": {}}, "most_groups"),
]


@pytest.mark.parametrize(("terms", "field"), REFUSED, ids=repr)
def test_a_unit_that_breaks_a_rule_is_refused(
    terms: dict[str, Any], field: str | None
) -> None:
    with pytest.raises(InvalidInput) as refused:
        replace(USER, **terms)
    assert refused.value.field == field


def test_the_largest_terms_are_accepted() -> None:
    assert PrivacyUnit("user", most_groups=10**6, noun="a" * 40).most_groups == 10**6
