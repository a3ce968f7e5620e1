"""Constants of conditions, each written anew as one of its column's own type.

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

from dpratio.curator.warehouse.dialect import Value, double

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

_TOO_LARGE = 2**63

# Up to here digits and powers of ten are doubles, and one division rounds once.
_MOST_DIGITS, _MOST_PLACES = 15, 22
_LEAST = 1e-290

# A decimal of 38 digits may be a 128-bit integer, which such a decimal does not hold.
_WIDEST = 38

# The default number of digits of a second.
_MICROSECONDS = 6


class NotPlainError(Exception):
    """A condition does more than it may; the argument says what, without constants."""


def require_plain(fits: bool, what: str) -> None:  # noqa: FBT001 (one word, one test)
    """Refuse a condition that holds something else than it may."""
    if not fits:
        raise NotPlainError(what)


def bare(node: sql.Expression) -> sql.Expression:
    """Take the parentheses off."""
    while type(node) is sql.Paren:
        node = node.this
    return node


@dataclass(frozen=True, slots=True)
class _Written:
    """A constant as it is written: its letters, and whether it is a text."""

    text: str
    is_text: bool


def write_constant(node: sql.Expression, column: Value, native: str) -> Value:
    """Write a constant of the type of a column it is compared with.

    Args:
        node: The constant in the tree of the condition.
        column: What it is compared with.
        native: The database's own name of the column's type; empty where Ibis's will
            do.

    Raises:
        NotPlainError: When it is no constant, or of another type.
    """
    kind = column.type()
    given = _read(node)
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
            written = write(given, kind, native)
            require_plain(written is not None, f"{what} with a constant of another")
            return written
    raise NotPlainError(what)


def _read(node: sql.Expression) -> _Written:
    sign, node = "", bare(node)
    if type(node) is sql.Neg:
        sign, node = "-", bare(node.this)
        is_number = type(node) is sql.Literal and not node.is_string
        require_plain(is_number, "a minus before something else than a number")
    if type(node) is sql.Boolean:
        return _Written(str(bool(node.this)).lower(), is_text=False)
    require_plain(type(node) is sql.Literal, "something else than a constant")
    text = str(node.this)
    require_plain("\x00" not in text, "a text with a zero byte")
    return _Written(sign + text, bool(node.is_string))


def _boolean(given: _Written, *_: object) -> Value | None:
    fits = not given.is_text and given.text in {"true", "false"}
    return ibis.literal(given.text == "true") if fits else None


def _text(given: _Written, *_: object) -> Value | None:
    return ibis.literal(given.text) if given.is_text else None


def _date(given: _Written, *_: object) -> Value | None:
    found = _moment(given)
    if found is None or found[1] is not None:
        return None
    return ibis.date(dt.date.fromisoformat(found[0]))


def _time(given: _Written, kind: Kind, *_: object) -> Value | None:
    """A time of day, which a zone has an offset for; midnight by default."""
    found = _moment(given)
    if found is None or kind.scale not in {None, _MICROSECONDS}:
        return None
    day, clock, offset = found
    if (kind.timezone is not None) != (offset is not None):
        return None
    return ibis.literal(f"{day} {clock or '00:00:00'}{offset or ''}").cast(kind)


def _moment(given: _Written) -> tuple[str, str | None, str | None] | None:
    """Take a day, a time and an offset apart, if all are written in full."""
    found = _MOMENT.fullmatch(given.text)
    if found is None or not given.is_text:
        return None
    try:
        dt.datetime.fromisoformat(f"{found[1]} {found[2] or '00:00:00'}")
    except ValueError:
        return None
    return found[1], found[2], found[3]


def _whole(given: _Written, *_: object) -> Value | None:
    fits = not given.is_text and _WHOLE.fullmatch(given.text) is not None
    if not fits or abs(int(given.text)) >= _TOO_LARGE:
        return None
    return ibis.literal(int(given.text), "int64")


def _decimal(given: _Written, kind: Kind, native: str) -> Value | None:
    if given.is_text or not _DECIMAL.fullmatch(given.text):
        return None
    if native:  # Decimals of any number of digits, each compared as it is.
        return ibis.literal(given.text).cast("decimal")
    whole, _, places = given.text.lstrip("-").partition(".")
    room = (kind.precision or _WIDEST) - (kind.scale or 0)
    fits = len(places) <= (kind.scale or 0) and len(whole.lstrip("0")) <= room
    if not fits or (kind.precision or _WIDEST) >= _WIDEST:
        return None
    return ibis.literal(Decimal(given.text), kind)


def _double(given: _Written, kind: Kind, _: str) -> Value | None:
    found = _NUMBER.fullmatch(given.text)
    if found is None or given.is_text:
        return None
    value, places = float(given.text), found[2] or ""
    digits = len((found[1] + places).strip("0"))
    is_plain = digits <= _MOST_DIGITS and len(places) <= _MOST_PLACES
    is_normal = value == 0 or _LEAST < abs(value) < math.inf
    if not is_plain or not is_normal:
        return None
    # Databases differ in whether they compare single precision with doubles.
    if str(kind).endswith("float32") and not _is_single(value):
        return None
    return double(value)


def _is_single(value: float) -> bool:
    try:
        return bool(struct.unpack("<f", struct.pack("<f", value))[0] == value)
    except OverflowError:
        return False
