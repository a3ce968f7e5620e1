"""Who is protected: a row, or a person with many rows."""

from typing import Any

import pytest

from dpratio.errors import InvalidInput
from dpratio.terms.bounds import Bounds
from dpratio.terms.unit import NEIGHBOURS, PrivacyUnit

TOTALS = {"spent": Bounds(0, 50), "visits": Bounds(0, 5)}


def test_one_row_is_protected_by_default() -> None:
    unit = PrivacyUnit()
    assert (unit.column, unit.totals, unit.most_groups) == (None, {}, 1)
    assert unit.neighbours == "add-or-remove-one" == NEIGHBOURS[0]
    assert unit.key == "dpratio"
    assert str(unit) == "one row"
    assert repr(unit) == "PrivacyUnit(neighbours='add-or-remove-one')"


def test_a_person_is_all_rows_of_an_id() -> None:
    one = PrivacyUnit("user", totals=TOTALS)
    assert str(one) == "all rows of one user, counted in at most 1 group"
    assert repr(one) == "PrivacyUnit('user', at most 1 group each)"
    many = PrivacyUnit("user", totals=TOTALS, most_groups=1200)
    assert str(many) == "all rows of one user, counted in at most 1,200 groups"
    assert repr(many) == "PrivacyUnit('user', at most 1200 groups each)"


def test_a_unit_does_not_follow_later_changes_of_the_callers_totals() -> None:
    totals = dict(TOTALS)
    unit = PrivacyUnit("user", totals=totals)
    totals["spent"] = Bounds(0, 1)
    assert unit.totals == TOTALS


def test_units_are_values() -> None:
    one = PrivacyUnit("user", totals=TOTALS)
    assert one == PrivacyUnit("user", totals=dict(TOTALS))
    assert hash(one) == hash(PrivacyUnit("user", totals=dict(TOTALS)))
    others = {
        one,
        PrivacyUnit("user"),
        PrivacyUnit("user", totals=TOTALS, most_groups=2),
        PrivacyUnit("user", totals=TOTALS, neighbours="change-one"),
        PrivacyUnit("user", totals=TOTALS, key="other"),
        PrivacyUnit("id", totals=TOTALS),
    }
    assert len(others) == 6
    with pytest.raises(AttributeError):
        one.column = "id"  # type: ignore[misc]


@pytest.mark.parametrize("neighbours", ["swap", "Change-one", None, 1, ["change-one"]])
def test_there_are_two_neighbour_relations(neighbours: Any) -> None:  # noqa: ANN401
    assert NEIGHBOURS == ("add-or-remove-one", "change-one")
    for known in NEIGHBOURS:
        assert PrivacyUnit(neighbours=known).neighbours == known
    with pytest.raises(InvalidInput, match=r"^unknown neighbour relation, got "):
        PrivacyUnit(neighbours=neighbours)


@pytest.mark.parametrize(
    "totals", [None, [], [("s", Bounds(0, 1))], {"s": (0, 1)}, {"s": None}, "s"]
)
def test_totals_map_names_to_bounds(totals: Any) -> None:  # noqa: ANN401
    rule = r"^totals must map column names to Bounds, got "
    with pytest.raises(InvalidInput, match=rule):
        PrivacyUnit("user", totals=totals)


@pytest.mark.parametrize("groups", [0, -1, 1.0, 1.5, True, "2", None, 10**6 + 1])
def test_the_number_of_groups_is_a_whole_number(groups: Any) -> None:  # noqa: ANN401
    rule = r"^most_groups must be a whole number from 1 to 1,000,000, got "
    with pytest.raises(InvalidInput, match=rule):
        PrivacyUnit("user", most_groups=groups)
    assert PrivacyUnit("user", most_groups=10**6).most_groups == 10**6


@pytest.mark.parametrize("key", ["", "schlüssel", None, 1, b"key"])
def test_the_key_of_the_hash_is_plain_text(key: Any) -> None:  # noqa: ANN401
    with pytest.raises(InvalidInput, match=r"^the key of the hash must be plain text"):
        PrivacyUnit("user", key=key)


@pytest.mark.parametrize("column", ["", "a\x00b", "lone \ud800", 3, b"user"])
def test_the_column_of_ids_is_a_name(column: Any) -> None:  # noqa: ANN401
    with pytest.raises(
        InvalidInput, match=r"^a column name must be text without control"
    ):
        PrivacyUnit(column)


@pytest.mark.parametrize("terms", [{"totals": TOTALS}, {"most_groups": 2}], ids=str)
def test_rows_have_no_totals_and_lie_in_one_group(terms: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        PrivacyUnit(**terms)
    assert str(caught.value) == (
        "totals and most_groups need a unit with a column of ids."
    )
