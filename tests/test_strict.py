"""Documents are read strictly: each refusal carries its path."""

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.checks import show_given
from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.strict import Node

READERS: dict[str, Callable[[Node], object]] = {
    "fields": lambda node: node.fields("a"),
    "entries": Node.entries,
    "items": Node.items,
    "text": Node.text,
    "flag": Node.flag,
    "integer": Node.integer,
    "fraction": Node.fraction,
}
RULES = {
    "fields": "must be a table of fields",
    "entries": "must be a table of fields",
    "items": "must be a list",
    "text": "must be text",
    "flag": "must be true or false",
    "integer": "must be a whole number",
    "fraction": "must be text",
}
# What each reader takes; every other reader must refuse it.
SAMPLES: list[tuple[object, set[str]]] = [
    ({"a": 1}, {"fields", "entries"}),
    ([1], {"items"}),
    ("row", {"text"}),
    ("1/3", {"text", "fraction"}),
    (True, {"flag"}),
    (False, {"flag"}),
    (3, {"integer"}),
    (0.5, set()),
    (Decimal("0.5"), set()),
    (None, set()),
]
PAIRS = [(value, name, name in takers) for value, takers in SAMPLES for name in READERS]


@pytest.mark.parametrize(("value", "name", "taken"), PAIRS)
def test_each_reader_takes_its_own_type_and_no_other(
    value: object,
    name: str,
    taken: bool,  # noqa: FBT001
) -> None:
    node = Node(value, "$.here")
    if taken:
        READERS[name](node)
        return
    rule = RULES[name]
    if name == "fraction" and isinstance(value, str):
        rule = "must be an exact number such as '1/35' or '0.2'"
    with pytest.raises(DocumentRefused) as caught:
        READERS[name](node)
    assert str(caught.value) == f"$.here: {rule}, got {show_given(value)}."


def test_values_come_back_as_they_are() -> None:
    assert Node("é").text() == "é"
    assert Node(value=True).flag() is True
    assert Node(2**70).integer() == 2**70


def test_paths_grow_with_tables_and_lists() -> None:
    top = Node({"a": {"b": [{"c": "x"}]}})
    leaf = top.fields("a")["a"].entries()["b"].items()[0].fields("c")["c"]
    assert leaf.path == "$.a.b[0].c"
    with pytest.raises(DocumentRefused, match=r"^\$\.a\.b\[0\]\.c: must be a whole"):
        leaf.integer()


def test_a_missing_field_is_named_where_it_should_stand() -> None:
    with pytest.raises(DocumentRefused) as caught:
        Node({"a": 1}, "$.plan").fields("a", "b", optional=("c",))
    assert str(caught.value) == "$.plan: field 'b' is missing."


def test_an_unknown_field_is_named_with_the_known_ones() -> None:
    with pytest.raises(DocumentRefused) as caught:
        Node({"a": 1, "d": 2}).fields("b", "a", optional=["c"])
    assert str(caught.value) == "$: unknown field 'd'. Known fields: a, b, c."


def test_optional_fields_may_stay_away() -> None:
    assert set(Node({"a": 1}).fields("a", optional=("b",))) == {"a"}
    assert set(Node({"a": 1, "b": 2}).fields("a", optional=("b",))) == {"a", "b"}


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("1/35", Fraction(1, 35)),
        ("0.2", Fraction(1, 5)),
        ("7", Fraction(7)),
        ("-1/2", Fraction(-1, 2)),
        ("1" * 200, Fraction(int("1" * 200))),
    ],
)
def test_an_exact_number_is_read_exactly(text: str, exact: Fraction) -> None:
    assert Node(text).fraction() == exact


@pytest.mark.parametrize(
    "text", ["", "1/0", "1e-6", "1E6", "nan", "inf", "one", "1/2/3", "1" * 301]
)
def test_what_is_not_an_exact_number_is_refused(text: str) -> None:
    with pytest.raises(DocumentRefused, match=r"^\$\.x: must be an exact number"):
        Node(text, "$.x").fraction()


@given(st.fractions(max_denominator=10**60))
def test_fractions_survive_their_text(exact: Fraction) -> None:
    assert Node(str(exact)).fraction() == exact


def test_a_refusal_ends_with_its_hint() -> None:
    with pytest.raises(DocumentRefused) as caught:
        Node([1], "$.a").refuse("must be empty", "Remove it.")
    assert str(caught.value) == "$.a: must be empty, got [1]. Remove it."


def test_a_broken_rule_of_the_terms_gets_its_place() -> None:
    def refuse() -> None:
        raise InvalidInput("epsilon must be positive.")

    assert Node(0, "$.a").make(lambda: 5) == 5
    message = "$.a: epsilon must be positive."
    with pytest.raises(DocumentRefused, match=re.escape(message)) as caught:
        Node(0, "$.a").make(refuse)
    assert caught.value.__suppress_context__
