"""Documents: what is written is read again, and one value has one sequence of bytes."""

import struct
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.checks import show_given
from dpratio.codec import (
    EXACT,
    NUMBER,
    TEXT,
    Field,
    Whole,
    canonical,
    choice,
    integer,
    many,
    mapping,
    one_of,
    parse_json,
    record,
)
from dpratio.errors import DocumentRefused, InvalidInput

FIELDS: dict[str, tuple[Field, str, list[object]]] = {
    "text": (TEXT, "must be text", ["é", ""]),
    "choice": (choice("row", "person"), "must be one of row, person", ["row"]),
    "integer": (integer(), "must be a whole number", [0, 3, 2**53 - 1]),
    "number": (NUMBER, "must be a number", [0, 0.5, Decimal("0.1")]),
    "exact": (EXACT, "must be", ["1/3", "0.2", 3, Decimal("1e-6")]),
    "many": (many(NUMBER), "must be a list", [[], [1, 2.5]]),
    "mapping": (mapping(NUMBER), "must be a table of fields", [{}, {"a": 1}]),
}
OTHERS: list[object] = [None, True, 3, 0.5, "row", [None], {"a": None}]


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_takes_its_own_values_and_no_other(name: str) -> None:
    field, rule, own = FIELDS[name]
    for value in own:
        read = field.read(value, "$.here")
        written = field.write(read)
        plain = str(written) if isinstance(written, Fraction) else written
        assert field.read(plain, "$.here") == read
    taken = {type(value) for value in own} - ({str} if name == "exact" else set())
    for value in OTHERS:
        if type(value) in taken or (name in {"number", "exact"} and value == 0.5):
            continue
        with pytest.raises(DocumentRefused) as caught:
            field.read(value, "$.here")
        message = str(caught.value)
        assert message.startswith(f"$.here: {rule}")
        assert f"got {show_given(value)}" in message
        assert caught.value.field == "$.here"


@dataclass(frozen=True, slots=True)
class Sum:
    name: str
    scale: float
    values: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.scale <= 0:
            raise InvalidInput("scale must be positive", field="scale")


SUM = record(Sum, name=TEXT, scale=NUMBER, values=many(NUMBER).optional(()))
SHAPES = one_of(
    {"sums": record(dict, sums=many(SUM)), "sum": record(dict, sum=SUM)},
    lambda value: "sums" if "sums" in value else "sum",
)


def test_a_list_may_need_an_item() -> None:
    with pytest.raises(DocumentRefused, match=r"^\$\.a: must be a list of at least 1"):
        many(NUMBER, least=1).read([], "$.a")


def test_a_record_is_written_without_what_it_need_not_say() -> None:
    assert SUM.write(Sum("z", 2.0)) == {"name": "z", "scale": 2.0}
    assert SUM.read({"name": "z", "scale": 2}, "$") == Sum("z", 2.0)
    assert SHAPES.read({"sum": {"name": "z", "scale": 2}}, "$") == {
        "sum": Sum("z", 2.0)
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"name":"z"}', "$: field 'scale' is missing."),
        ('{"name":"z","scale":1,"scle":2}', "$: unknown field 'scle'. Known fields:"),
        ('{"name":1,"scale":1}', "$.name: must be text, got 1."),
        ('{"name":"z","scale":true}', "$.scale: must be a number, got True."),
        ('{"name":"z","scale":1e999}', "$.scale: must be a finite number"),
        ('{"name":"z","scale":-1}', "$.scale: scale must be positive"),
        ('{"name":"z","scale":1,"values":[1,"2"]}', "$.values[1]: must be a number"),
        ('{"name":"\\u0000","scale":1}', "$.name: must be text without NUL"),
        ('{"name":"\\ud800","scale":1}', "$.name: must be text without NUL"),
        ('{"name":"z","name":"y"}', "$: a field is given twice in one table."),
        ('{"name":NaN}', "$: NaN is not a number a document may hold."),
        ("[]", "$: must be a table of fields, got []."),
        ("", "$: not valid JSON at character 0"),
        ("[" * 10**6, "$: not valid JSON at character"),
        ("[" + "9" * 10**7 + "]", "$: not valid JSON at character"),
        ('["' + "\\" * 10**6, "$: not valid JSON at character"),
    ],
)
def test_a_hostile_document_is_refused_with_its_path(text: str, message: str) -> None:
    with pytest.raises(DocumentRefused) as caught:
        SUM.read(parse_json(text), "$")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        # RFC 8785, appendix B.
        (0x0000000000000000, "0"),
        (0x8000000000000000, "0"),
        (0x0000000000000001, "5e-324"),
        (0x8000000000000001, "-5e-324"),
        (0x7FEFFFFFFFFFFFFF, "1.7976931348623157e+308"),
        (0xFFEFFFFFFFFFFFFF, "-1.7976931348623157e+308"),
        (0x4340000000000000, "9007199254740992"),
        (0xC340000000000000, "-9007199254740992"),
        (0x4430000000000000, "295147905179352830000"),
        (0x44B52D02C7E14AF5, "9.999999999999997e+22"),
        (0x44B52D02C7E14AF6, "1e+23"),
        (0x44B52D02C7E14AF7, "1.0000000000000001e+23"),
        (0x444B1AE4D6E2EF4E, "999999999999999700000"),
        (0x444B1AE4D6E2EF4F, "999999999999999900000"),
        (0x444B1AE4D6E2EF50, "1e+21"),
        (0x3EB0C6F7A0B5ED8C, "9.999999999999997e-7"),
        (0x3EB0C6F7A0B5ED8D, "0.000001"),
        (0x41B3DE4355555553, "333333333.3333332"),
        (0x41B3DE4355555554, "333333333.33333325"),
        (0x41B3DE4355555555, "333333333.3333333"),
        (0x41B3DE4355555556, "333333333.3333334"),
        (0x41B3DE4355555557, "333333333.33333343"),
        (0xBECBF647612F3696, "-0.0000033333333333333333"),
        (0x43143FF3C1CB0959, "1424953923781206.2"),
    ],
)
def test_numbers_are_written_as_the_standard_has_them(bits: int, text: str) -> None:
    (number,) = struct.unpack(">d", bits.to_bytes(8, "big"))
    assert canonical(number) == text.encode()


def test_a_document_is_written_as_the_standard_has_it() -> None:
    """The examples of RFC 8785, 3.2.2 and 3.2.3."""
    value = {
        "numbers": [
            333333333.33333329,
            1e30,
            4.50,
            2e-3,
            0.000000000000000000000000001,
        ],
        "string": '€$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    assert (
        canonical(value)
        == (
            '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,'
            '1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
        ).encode()
    )
    names = ["€", "\r", "\ufb33", "1", "\U0001f600", "\x80", "ö"]
    order = ["\r", "1", "\x80", "ö", "€", "\U0001f600", "\ufb33"]
    assert list(parse_json(canonical(dict.fromkeys(names)).decode())) == order


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda part: st.lists(part) | st.dictionaries(st.text(), part),
)


@given(value=values)
def test_what_is_written_is_read_again(value: object) -> None:
    try:
        written = canonical(value)
    except ValueError:  # A lone surrogate has no bytes.
        return
    assert parse_json(written.decode()) == value
    assert canonical(parse_json(written.decode())) == written


def test_no_two_keys_have_the_same_bytes() -> None:
    keys = [1, 1.5, True, "1", Whole(1), Whole(2**53 + 1), Whole(2**63 - 1), None]
    assert len({canonical(key) for key in keys}) == len(keys)


def test_a_document_that_is_too_deep_or_no_text_is_not_written() -> None:
    deep: list[object] = []
    for _ in range(10**4):
        deep = [deep]
    for value, rule in ((deep, "not so deep"), ("\ud800", "valid Unicode")):
        with pytest.raises(ValueError, match=rule):
            canonical(value)


@pytest.mark.parametrize("value", [2**53, -(2**53), float("nan"), float("inf")])
def test_what_other_readers_would_alter_is_not_written(value: float) -> None:
    with pytest.raises(ValueError, match=r"beyond 2\^53|finite"):
        canonical(value)


def test_exact_numbers_are_exact() -> None:
    assert EXACT.read(Decimal("0.1"), "$") == Fraction(1, 10)
    assert canonical(EXACT.write(Fraction(1, 3))) == b'"1/3"'
    for absurd in (Decimal("1e-99999999"), "1e5", "9" * 301, "1/0", "x"):
        with pytest.raises(DocumentRefused):
            EXACT.read(absurd, "$")
