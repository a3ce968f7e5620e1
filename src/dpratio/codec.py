"""Documents and values: one description reads strictly, writes and states its schema.

A `Field` knows one kind of value: how to read it from a document, how to write it, and
its JSON Schema. `record` puts fields together into a dataclass. What is read is refused
with the path inside the document. What is written holds exact numbers, whole keys and
dates as they are, for TOML; `canonical` writes them as text in JSON, by RFC 8785, so
that a document has one sequence of bytes.
"""

import contextlib
import datetime as dt
import json
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from json.encoder import encode_basestring
from typing import Any, NoReturn

from dpratio.checks import show_given
from dpratio.errors import DocumentRefused, InvalidInput

REQUIRED: Any = object()
_LONGEST_EXACT = 300
_DIGITS = re.compile(f"0|-?[1-9][0-9]{{0,{_LONGEST_EXACT}}}")
_LARGEST_COUNT = 2**53 - 1
_NAME = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
# Names joined by dots: the time that they take to read grows with their square.
_LONG_NAME = re.compile(
    rf"(?:^|[\[{{,])[ \t]*+{_NAME}(?:[ \t]*+\.[ \t]*+{_NAME}){{50}}", re.MULTILINE
)
_PLAIN = re.compile(r"[ !#-\[\]-~]*")


@dataclass(frozen=True, slots=True)
class Field:
    """One kind of value in a document.

    Args:
        read: Return the value of what stands at a path, or raise DocumentRefused.
        write: Return what stands in the document for a value.
        schema: The JSON Schema of what stands there.
        default: The value where the field is missing; a required field has none.
        parts: Of a table with known names, its fields.
    """

    read: Callable[[Any, str], Any]
    write: Callable[[Any], Any]
    schema: Mapping[str, Any]
    default: Any = REQUIRED
    parts: Mapping[str, "Field"] = field(default_factory=dict)

    def optional(self, default: Any = None) -> "Field":  # noqa: ANN401
        """Return the field that may be missing, and then has a default."""
        return replace(self, default=default)

    def described(self, meaning: str) -> "Field":
        """Return the field with its meaning, where no docstring has it."""
        return replace(self, schema={**self.schema, "description": meaning})


def refuse(path: str, rule: str, value: object) -> NoReturn:
    """Raise DocumentRefused for what stands at a path."""
    raise DocumentRefused(f"{path}: {rule}, got {show_given(value)}.", field=path)


def _same(value: Any) -> Any:  # noqa: ANN401
    return value


def _read_text(value: Any, path: str) -> str:  # noqa: ANN401
    if not isinstance(value, str):
        refuse(path, "must be text", value)
    if "\x00" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        refuse(path, "must be text without NUL, and valid Unicode", value)
    return value


TEXT = Field(_read_text, _same, {"type": "string"})


def choice(*names: str) -> Field:
    """Return the field of one of the known words."""

    def read(value: Any, path: str) -> str:  # noqa: ANN401
        if value not in names:
            refuse(path, f"must be one of {', '.join(names)}", value)
        return str(value)

    return Field(read, _same, {"enum": list(names)})


def integer(lowest: int = 0, highest: int = _LARGEST_COUNT) -> Field:
    """Return the field of a count, which is small enough for a JSON number."""

    def read(value: Any, path: str) -> int:  # noqa: ANN401
        if type(value) is not int:
            refuse(path, "must be a whole number", value)
        if not lowest <= value <= highest:
            refuse(path, f"must lie between {lowest} and {highest}", value)
        return value

    schema = {"type": "integer", "minimum": lowest, "maximum": highest}
    return Field(read, _same, schema)


def _read_number(value: Any, path: str) -> float:  # noqa: ANN401
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        refuse(path, "must be a number", value)
    try:
        number = float(value) + 0.0  # −0 is 0.
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        refuse(path, "must be a finite number", value)
    return number


NUMBER = Field(_read_number, _same, {"type": "number"})


class Whole(int):
    """An integer that is no count, such as a key: JSON holds it as text."""


def _read_exact(value: Any, path: str) -> Fraction:  # noqa: ANN401
    if not isinstance(value, str):
        _read_number(value, path)
        # A larger exponent would make a number of as many digits.
        if abs(Decimal(value).adjusted()) > _LONGEST_EXACT:
            refuse(path, "must be a number of at most 300 digits", value)
        return Fraction(value)
    # No exponents: "1e999999999" would be a very long number.
    if len(value) <= _LONGEST_EXACT and "e" not in value.lower():
        with contextlib.suppress(ValueError, ZeroDivisionError):
            return Fraction(value)
    refuse(path, "must be an exact number such as '1/35' or '0.2'", value)


def _read_digits(value: Any, path: str) -> int:  # noqa: ANN401
    if not _DIGITS.fullmatch(_read_text(value, path)):
        refuse(path, "must be a whole number written as text", value)
    return int(value)


# An integer of any size that a term may have.
DIGITS = Field(_read_digits, str, {"type": "string", "pattern": "^(0|-?[1-9][0-9]*)$"})

EXACT = Field(
    _read_exact,
    _same,
    {"type": "string", "pattern": "^-?[0-9]+(/[1-9][0-9]*)?$", "maxLength": 300},
)


def many(item: Field, least: int = 0, most: float = math.inf) -> Field:
    """Return the field of a list of some items; its value is a tuple."""

    def read(value: Any, path: str) -> tuple[Any, ...]:  # noqa: ANN401
        if not isinstance(value, list):
            refuse(path, "must be a list", value)
        if not least <= len(value) <= most:
            words = f"{least}" if most == least else f"at least {least}"
            refuse(path, f"must be a list of {words}", value)
        return tuple(
            item.read(part, f"{path}[{index}]") for index, part in enumerate(value)
        )

    return Field(
        read,
        lambda parts: [item.write(part) for part in parts],
        {"type": "array", "items": item.schema, "minItems": least},
    )


def mapping(item: Field) -> Field:
    """Return the field of a table whose names are free."""

    def read(value: Any, path: str) -> dict[str, Any]:  # noqa: ANN401
        table = _table(value, path)
        return {name: item.read(table[name], f"{path}.{name}") for name in table}

    return Field(
        read,
        lambda table: {name: item.write(value) for name, value in table.items()},
        {"type": "object", "additionalProperties": item.schema},
    )


def list_or(several: Field, single: Field) -> Field:
    """Return the field of a list, or of a single value of another kind."""
    return Field(
        lambda value, path: (several if isinstance(value, list) else single).read(
            value, path
        ),
        lambda value: (several if isinstance(value, list | tuple) else single).write(
            value
        ),
        {"anyOf": [several.schema, single.schema]},
    )


def record(
    make: Callable[..., Any],
    split: Callable[[Any], Mapping[str, Any]] | None = None,
    about: Iterable[object] = (),
    /,
    **parts: Field,
) -> Field:
    """Return the field of a table with known names, and the value made of it.

    Args:
        make: The dataclass, or a function with the same names. What it refuses gets
            the path of the table, or of the one field that it names.
        split: Return the parts of a value by their names; by default its attributes.
        about: What has meanings of fields in its docstring, besides `make`.
        parts: The fields by their names. Those that are missing from a document are
            not passed on; those that have their default are not written.
    """

    def read(value: Any, path: str) -> Any:  # noqa: ANN401
        table = _table(value, path)
        _require_known(table, path, parts)
        for name, part in parts.items():
            if name not in table and part.default is REQUIRED:
                raise DocumentRefused(
                    f"{path}: field '{name}' is missing.", field=f"{path}.{name}"
                )
        known = _read_parts(table, path, parts)
        return made(path, lambda: make(**known), parts)

    def write(value: Any) -> dict[str, Any]:  # noqa: ANN401
        if split is not None:
            return _write_parts(split(value), parts)
        return _write_parts({name: getattr(value, name) for name in parts}, parts)

    required = [name for name, part in parts.items() if part.default is REQUIRED]
    schema = {
        "type": "object",
        "properties": _properties((*about, make), parts),
        "required": required,
        "additionalProperties": False,
    }
    return Field(read, write, schema, parts=parts)


def beside(
    name: str,
    inner: Field,
    make: Callable[..., Any],
    about: Iterable[object] = (),
    /,
    **parts: Field,
) -> Field:
    """Return the field of a table that holds the fields of a value, and others.

    Args:
        name: What the value is called among the others, by `make` and as an attribute.
        inner: The field of the value, which is a table with known names.
        make: Return the whole of the value and the others, which are not passed on
            where they are missing.
        about: What has meanings of the others in its docstring, besides `make`.
        parts: The others by their names.
    """

    def read(value: Any, path: str) -> Any:  # noqa: ANN401
        table = _table(value, path)
        _require_known(table, path, {**inner.parts, **parts})
        own = inner.read({k: table[k] for k in table if k not in parts}, path)
        known = _read_parts(table, path, parts)
        return made(path, lambda: make(**{name: own}, **known), parts)

    def write(value: Any) -> dict[str, Any]:  # noqa: ANN401
        others = {part: getattr(value, part) for part in parts}
        return {**inner.write(getattr(value, name)), **_write_parts(others, parts)}

    schema = _with_properties(inner.schema, _properties((*about, make), parts))
    return Field(read, write, schema, parts={**inner.parts, **parts})


def _with_properties(
    schema: Mapping[str, Any], others: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the schema of a table, or of tables of several kinds, with more fields."""
    if "anyOf" in schema:
        return {"anyOf": [_with_properties(kind, others) for kind in schema["anyOf"]]}
    return {**schema, "properties": {**schema["properties"], **others}}


def _require_known(table: Mapping[str, Any], path: str, known: Iterable[str]) -> None:
    for name in table:
        if name not in known:
            raise DocumentRefused(
                f"{path}: unknown field '{name}'. Known fields: "
                f"{', '.join(sorted(known))}.",
                field=f"{path}.{name}",
            )


def _read_parts(
    table: Mapping[str, Any], path: str, parts: Mapping[str, Field]
) -> dict[str, Any]:
    return {
        name: part.read(table[name], f"{path}.{name}")
        for name, part in parts.items()
        if name in table
    }


def _write_parts(
    values: Mapping[str, Any], parts: Mapping[str, Field]
) -> dict[str, Any]:
    return {
        name: part.write(values[name])
        for name, part in parts.items()
        if part.default is REQUIRED or values[name] != part.default
    }


def _properties(
    about: Iterable[object], parts: Mapping[str, Field]
) -> dict[str, Mapping[str, Any]]:
    """Return the schemas of fields, with defaults, and meanings from a docstring."""
    lines: list[tuple[str, str]] = []
    for thing in about:
        _, _, arguments = (thing.__doc__ or "").partition("Args:\n")
        lines += re.findall(r"^ +(\w+): (.+(?:\n {12,}.+)*)", arguments, re.MULTILINE)
    help_of = {name: " ".join(words.split()) for name, words in lines}
    properties: dict[str, Mapping[str, Any]] = {}
    for name, part in parts.items():
        described = {"description": help_of[name]} if name in help_of else {}
        has_default = isinstance(part.default, str | int | float)
        default = {"default": part.default} if has_default else {}
        properties[name] = {**part.schema, **described, **default}
    return properties


def made(path: str, make: Callable[[], Any], names: Iterable[str] = ()) -> Any:  # noqa: ANN401
    """Return a value made of what stands at a path, or refuse it at its place."""
    try:
        return make()
    except InvalidInput as error:
        # Of a list, the field may name one: "where[2]".
        is_part = (error.field or "").partition("[")[0] in set(names)
        place = f"{path}.{error.field}" if is_part else path
        raise DocumentRefused(f"{place}: {error}", field=place) from None


def one_of(kinds: Mapping[str, Field], kind_of: Callable[[Any], str]) -> Field:
    """Return the field of a table of one of several kinds.

    Args:
        kinds: The tables of each kind, by a name that only this kind holds; the last
            kind is that of a table with none of these names.
        kind_of: Return the kind of a value.
    """

    def read(value: Any, path: str) -> Any:  # noqa: ANN401
        table = _table(value, path)
        *_, last = kinds
        return kinds[next((name for name in kinds if name in table), last)].read(
            value, path
        )

    return Field(
        read,
        lambda value: kinds[kind_of(value)].write(value),
        {"anyOf": [kind.schema for kind in kinds.values()]},
        parts={
            name: part for kind in kinds.values() for name, part in kind.parts.items()
        },
    )


def _table(value: Any, path: str) -> dict[str, Any]:  # noqa: ANN401
    if not isinstance(value, dict):
        refuse(path, "must be a table of fields", value)
    return value


def parse_json(text: str) -> Any:  # noqa: ANN401
    """Return the value of a JSON text.

    Raises:
        DocumentRefused: When it is too deep, repeats a key, or holds what is
            no number.
    """
    try:
        return json.loads(
            text,
            object_pairs_hook=_unique_keys,
            parse_constant=_refuse_constant,
            parse_int=_whole_or_double,
        )
    except (ValueError, RecursionError) as error:
        place = getattr(error, "pos", 0)
        raise DocumentRefused(
            f"$: not valid JSON at character {place}; the file may be truncated."
        ) from None


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text; numbers are the decimals that were written.

    Raises:
        DocumentRefused: When it is not TOML, is too deep, or has too long a number.
    """
    if _LONG_NAME.search(text):
        raise DocumentRefused("$: a field has more than 50 names in a row.")
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise DocumentRefused(f"$: not valid TOML: {error}.") from None
    except (ValueError, ArithmeticError, RecursionError):
        raise DocumentRefused(
            "$: not valid TOML: a number is too long or a list too deep."
        ) from None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise DocumentRefused("$: a field is given twice in one table.")
    return table


def _whole_or_double(digits: str) -> float:
    """Read a number as other readers do: beyond 2^53 it is the nearest double."""
    number = int(digits)
    return number if abs(number) <= _LARGEST_COUNT else float(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise DocumentRefused(f"$: {name} is not a number a document may hold.")


def canonical(value: Any) -> bytes:  # noqa: ANN401
    r"""Return the bytes of a document as RFC 8785 has them.

    Example:
        >>> canonical({"b": 1.0, "a": [1e21, "é", None, 1e-7]})
        b'{"a":[1e+21,"\xc3\xa9",null,1e-7],"b":1}'
    """
    try:
        return "".join(_pieces(value)).encode()
    except RecursionError:
        raise ValueError("a document is not so deep") from None
    except UnicodeEncodeError:
        raise ValueError("text in a document must be valid Unicode") from None


def _pieces(value: Any) -> Iterable[str]:  # noqa: ANN401
    if isinstance(value, Mapping):
        # RFC 8785, 3.2.3: by UTF-16 code units.
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        yield "{"
        for index, name in enumerate(names):
            yield f"{',' if index else ''}{encode_basestring(name)}:"
            yield from _pieces(value[name])
        yield "}"
    elif isinstance(value, list | tuple):
        yield "["
        if all(type(part) is str for part in value) and _PLAIN.fullmatch(
            "".join(value)
        ):
            # Millions of sums: nothing in them needs an escape.
            yield '"' + '","'.join(value) + '"' if value else ""
        else:
            for index, part in enumerate(value):
                yield "," if index else ""
                yield from _pieces(part)
        yield "]"
    else:
        yield _scalar(value)


def _scalar(value: Any) -> str:  # noqa: ANN401
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return _shortest(value)
    if type(value) is int:
        if abs(value) > _LARGEST_COUNT:
            raise ValueError("an integer beyond 2^53 is written as text")
        return str(value)
    if isinstance(value, Whole | dt.date):
        kind = "date" if isinstance(value, dt.date) else "integer"
        return f'{{"{kind}":"{value}"}}'
    return encode_basestring(str(value))


def _shortest(number: float) -> str:
    """Return a number as ECMAScript writes it: ECMA-262, Number::toString."""
    if not math.isfinite(number):
        raise ValueError("a document holds finite numbers")
    text = float.__repr__(number)  # NumPy has words around it.
    sign, digits, exponent = Decimal(text).normalize().as_tuple()
    shown = "".join(map(str, digits))
    point = len(shown) + int(exponent)  # Where the point stands in the digits.
    if number == 0:
        return "0"
    if len(shown) <= point <= 21:  # noqa: PLR2004 (of the standard)
        text = shown + "0" * (point - len(shown))
    elif 0 < point <= 21:  # noqa: PLR2004
        text = f"{shown[:point]}.{shown[point:]}"
    elif -6 < point <= 0:  # noqa: PLR2004
        text = f"0.{'0' * -point}{shown}"
    else:
        tail = f".{shown[1:]}" if len(shown) > 1 else ""
        text = f"{shown[0]}{tail}e{point - 1:+d}"
    return f"-{text}" if sign else text
