"""Constants of views, each written anew as one of its column's own type.

How a database reads a number, a day or a text depends on the type that it assumes. A
constant is accepted only if that type is the column's, and if it is read here as the
database reads it. Proof: docs/proofs/warehouse.md.
"""

import datetime as dt
import math
import re
import struct
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import ibis
from sqlglot import expressions as sql

from dpratio.curator.warehouse.dialect import Dialect, Value

__all__ = ["NotPlainError", "bare", "require_plain", "write_constant"]

_WHOLE = re.compile(r"-?[0-9]{1,19}")
_DECIMAL = re.compile(r"-?[0-9]{1,38}(\.[0-9]{1,38})?")
_NUMBER = re.compile(r"-?([0-9]+)(?:\.([0-9]*))?(?:[eE][+-]?[0-9]{1,3})?")
_MOMENT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?: ([0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?)(\+00)?)?"
)

# A type of Ibis, which is not typed.
Kind = Any

# The sizes of whole numbers, by the names that sqlglot gives types of all databases.
_BITS = {"SMALLINT": 15, "INT": 31, "BIGINT": 63}
_NUMBERS = {*_BITS, "DECIMAL", "DOUBLE", "FLOAT"}
_TIMES = {"TIMESTAMP", "TIMESTAMPNTZ"}

# Up to here digits and powers of ten are doubles, and one division rounds once.
_MOST_DIGITS, _MOST_PLACES = 15, 22
_LEAST = 1e-290

# A decimal of 38 digits may be a 128-bit integer, which such a decimal does not hold.
_WIDEST = 38

# The default number of digits of a second.
_MICROSECONDS = 6


class NotPlainError(Exception):
    """A view does more than it may; the argument says what, without its constants."""


def require_plain(fits: bool, what: str) -> None:  # noqa: FBT001 (one word, one test)
    """Refuse a view that holds something else than it may."""
    if not fits:
        raise NotPlainError(what)


def bare(node: sql.Expression) -> sql.Expression:
    """Take the parentheses off."""
    while type(node) is sql.Paren:
        node = node.this
    return node


@dataclass(frozen=True, slots=True)
class _Written:
    """A constant as it is written: its text, and the types it is cast to."""

    text: str
    is_text: bool
    casts: frozenset[str]


def write_constant(
    node: sql.Expression, column: Value, dialect: Dialect, native: str
) -> Value:
    """Write a constant of the type of a column it is compared with.

    Args:
        node: The constant in the tree of the view.
        column: What it is compared with.
        dialect: Of the database.
        native: The database's own name of the column's type; empty where Ibis's will
            do.

    Raises:
        NotPlainError: When it is no constant, or of another type.
    """
    kind = column.type()
    given = _read(node, dialect)
    writers: dict[Any, bool] = {
        _boolean: kind.is_boolean(),
        _text: kind.is_string(),
        _date: kind.is_date(),
        _time: kind.is_timestamp(),
        _whole: kind.is_integer(),
        _decimal: kind.is_decimal(),
        _double: kind.is_floating(),
    }
    what = f"a comparison of a column of {str(kind).removeprefix('!').split('(')[0]}"
    for write, fits in writers.items():
        if fits:
            written = write(given, kind, dialect, native)
            require_plain(written is not None, f"{what} with a constant of another")
            return written
    raise NotPlainError(what)


def _read(node: sql.Expression, dialect: Dialect) -> _Written:
    """Look through the casts that databases write around constants."""
    casts = set()
    node = bare(node)
    while type(node) is sql.Cast:
        name = node.args["to"].sql()
        require_plain(name in dialect.casts_in_views, f"a cast to {name}")
        casts.add(name)
        node = bare(node.this)
    sign = ""
    if type(node) is sql.Neg:
        sign, node = "-", bare(node.this)
        is_number = type(node) is sql.Literal and not node.is_string
        require_plain(is_number, "a minus before something else than a number")
    if type(node) is sql.Boolean:
        return _Written(
            str(bool(node.this)).lower(), is_text=False, casts=frozenset(casts)
        )
    require_plain(type(node) is sql.Literal, "something else than a constant")
    text = str(node.this)
    require_plain("\x00" not in text, "a text with a zero byte")
    return _Written(sign + text, bool(node.is_string), frozenset(casts))


def _boolean(given: _Written, *_: object) -> Value | None:
    spelled = {"true": True, "false": False}
    if given.is_text:
        spelled |= {"t": True, "f": False}
    fits = given.casts == ({"BOOLEAN"} if given.is_text else set())
    if not fits or given.text not in spelled:
        return None
    return ibis.literal(spelled[given.text])


def _text(given: _Written, _: Kind, __: Dialect, native: str) -> Value | None:
    names = {"BPCHAR"} if native == "bpchar" else {"TEXT", "VARCHAR"}
    fits = given.is_text and given.casts <= names
    return ibis.literal(given.text) if fits else None


def _date(given: _Written, *_: object) -> Value | None:
    found = _moment(given, {"DATE"})
    if found is None or found[1] is not None:
        return None
    return ibis.date(dt.date.fromisoformat(found[0]))


def _time(given: _Written, kind: Kind, *_: object) -> Value | None:
    """A time of day, which a zone has an offset for; midnight by default."""
    zoned = kind.timezone is not None
    found = _moment(given, {"TIMESTAMPTZ"} if zoned else {*_TIMES, "DATE"})
    if found is None or kind.scale not in {None, _MICROSECONDS}:
        return None
    day, clock, offset = found
    if zoned != (offset is not None) or ("DATE" in given.casts and clock is not None):
        return None
    return ibis.literal(f"{day} {clock or '00:00:00'}{offset or ''}").cast(kind)


def _moment(
    given: _Written, names: set[str]
) -> tuple[str, str | None, str | None] | None:
    """Take a day, a time and an offset apart, if all are written in full."""
    found = _MOMENT.fullmatch(given.text)
    if found is None or not given.is_text or not given.casts <= names:
        return None
    try:
        dt.datetime.fromisoformat(f"{found[1]} {found[2] or '00:00:00'}")
    except ValueError:
        return None
    return found[1], found[2], found[3]


def _whole(given: _Written, *_: object) -> Value | None:
    fits = given.casts <= set(_BITS) and (bool(given.casts) or not given.is_text)
    if not fits or not _is_whole(given, 63):
        return None
    return ibis.literal(int(given.text), "int64")


def _is_whole(given: _Written, most: int) -> bool:
    """Tell whether a text is a whole number that every cast leaves as it is."""
    if not _WHOLE.fullmatch(given.text):
        return False
    bits = [_BITS[name] for name in given.casts if name in _BITS]
    return bool(abs(int(given.text)) < 2 ** min([most, *bits]))


def _fits_numbers(given: _Written) -> bool:
    """Tell whether a number is cast, if at all, so that it stays what it is."""
    is_cast = bool(given.casts)
    is_whole = not given.casts & set(_BITS) or _is_whole(given, 63)
    return given.casts <= _NUMBERS and is_whole and (is_cast or not given.is_text)


def _decimal(given: _Written, kind: Kind, __: Dialect, native: str) -> Value | None:
    inexact = given.casts & {"DOUBLE", "FLOAT"}
    if inexact or not _DECIMAL.fullmatch(given.text) or not _fits_numbers(given):
        return None
    if native:  # Decimals of any number of digits, each compared as it is.
        return ibis.literal(given.text).cast("decimal")
    whole, _, places = given.text.lstrip("-").partition(".")
    room = (kind.precision or _WIDEST) - (kind.scale or 0)
    fits = len(places) <= (kind.scale or 0) and len(whole.lstrip("0")) <= room
    if not fits or (kind.precision or _WIDEST) >= _WIDEST:
        return None
    return ibis.literal(Decimal(given.text), kind)


def _double(given: _Written, kind: Kind, dialect: Dialect, _: str) -> Value | None:
    found = _NUMBER.fullmatch(given.text)
    if found is None or not _fits_numbers(given):
        return None
    value, places = float(given.text), found[2] or ""
    digits = len((found[1] + places).strip("0"))
    is_plain = digits <= _MOST_DIGITS and len(places) <= _MOST_PLACES
    is_normal = value == 0 or _LEAST < abs(value) < math.inf
    if not is_plain or not is_normal:
        return None
    # Databases differ in whether they compare single precision with doubles.
    single = "FLOAT" in given.casts or str(kind).endswith("float32")
    if single and not _is_single(value):
        return None
    return dialect.double(value)


def _is_single(value: float) -> bool:
    try:
        return bool(struct.unpack("<f", struct.pack("<f", value))[0] == value)
    except OverflowError:
        return False
