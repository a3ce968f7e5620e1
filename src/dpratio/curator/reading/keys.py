"""How a cell becomes a key, a day or an id, and how the groups of an id are ranked."""

import datetime as dt
import hashlib
import re
import uuid
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dpratio.terms.groups import Key
from dpratio.terms.ratio import is_unicode
from dpratio.terms.source import ISO_DATES

# Ids are ranked in the field of this prime; ids that are whole numbers by their number.
RANK_FIELD = 2**31 - 1
RANK_FACTOR = 1_103_515_245
WHOLE_ID = "0|-?[1-9][0-9]{0,17}"
LARGEST_ID = 10**18 - 1

# The form of a key in the text of a file, by its type; any text is a key of text.
KEY_FORMS = {int: "0|-?[1-9][0-9]{0,18}", bool: "true|false"}

_LONGEST_KEY = 14_000  # bits; 4,214 digits
_DIGITS = {"YYYY": "{4}", "MM": "{2}", "DD": "{2}", "M": "{1,2}", "D": "{1,2}"}
_MONTHS = {"Y": 12, "M": 1}
_TICKS_OF_A_DAY = {"D": 1, "h": 24, "m": 1_440} | {
    unit: 86_400 * 1_000**power
    for power, unit in enumerate(["s", "ms", "us", "ns", "ps", "fs", "as"])
}
_EPOCH = dt.date(1970, 1, 1).toordinal()
_FIRST_DAY, _LAST_DAY = 1 - _EPOCH, dt.date.max.toordinal() - _EPOCH
# The ends of 64 bits are no times: databases keep infinities there, pandas what is
# missing.
_ENDLESS = 2**63 - 1


def rank_key(key: str) -> int:
    """Return the key of a release as a number."""
    hashed = hashlib.md5(key.encode(), usedforsecurity=False).hexdigest()
    return int(hashed[:15], 16) % (RANK_FIELD - 1)


def can_be_declared(text: str, kind: str) -> bool:
    """Whether a key of a table could have been declared."""
    if kind == "integer":
        return abs(int(text)) < 2**63
    return "\x00" not in text


def key_from(text: str, kind: str) -> Key:
    """Return the key that a text was written from."""
    if kind == "integer":
        return int(text)
    if kind == "boolean":
        return text == "true"
    return dt.date.fromisoformat(text) if kind == "date" else text


def key_text(value: object) -> str | None:
    """Return a key as text: text itself, whole numbers, true and false, UUIDs.

    A UUID is written as all databases write it: in small letters, with hyphens.

    Example:
        >>> key_text("north"), key_text(7), key_text(True), key_text(0.5)
        ('north', '7', 'true', None)
    """
    try:
        return _key_text(value)
    except Exception:  # noqa: BLE001 (a class of the data holder's that stops)
        return None


def _key_text(value: object) -> str | None:
    if isinstance(value, np.bool_ | np.integer) and value.dtype.kind != "m":
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        # Python writes no longer ones; a row must not stop a release.
        return str(int(value)) if value.bit_length() <= _LONGEST_KEY else None
    if isinstance(value, uuid.UUID):
        return str(uuid.UUID(int=value.int))
    if isinstance(value, str) and is_unicode(value):
        return str(value)
    return None


def day_of(value: object) -> dt.date | None:
    """Return the UTC day of a date, a time or an ISO date in text; else None.

    Example:
        >>> day_of(dt.datetime(2026, 1, 31, 23)), day_of("31.1.2026")
        (datetime.date(2026, 1, 31), None)
    """
    try:
        return _day_of(value)
    except Exception:  # noqa: BLE001 (beyond the calendar, or a zone that stops)
        return None


def _day_of(value: object) -> dt.date | None:
    if isinstance(value, str):
        return day_in_text(value)
    if isinstance(value, np.datetime64):
        return _numpy_day(value)
    if isinstance(value, dt.datetime):
        if value != value:  # noqa: PLR0124 (a missing time is not itself)
            return None
        aware = value.tzinfo is not None
        return (value.astimezone(dt.UTC) if aware else value).date()
    return value if isinstance(value, dt.date) else None


def _numpy_day(value: np.datetime64) -> dt.date | None:
    """Return the day of a time of numpy by whole numbers: numpy's own may overflow."""
    if np.isnat(value):
        return None
    unit, count = np.datetime_data(value.dtype)
    ticks = int(value.astype(np.int64)) * count
    if unit in _MONTHS:
        years, month = divmod(ticks * _MONTHS[unit], 12)
        return dt.date(1970 + years, month + 1, 1)
    days = ticks * 7 if unit == "W" else ticks // _TICKS_OF_A_DAY[unit]
    return dt.date(1970, 1, 1) + dt.timedelta(days)


def day_in_text(text: str) -> dt.date | None:
    """Return the ISO day that a text begins with; None for no day.

    Example:
        >>> day_in_text("2026-01-31 23:59"), day_in_text("2026-02-30")
        (datetime.date(2026, 1, 31), None)
    """
    match = re.fullmatch(day_pattern(ISO_DATES), text)
    try:
        return None if match is None else dt.date(*map(int, match.groups()))
    except ValueError:
        return None


def whole_days(
    ticks: NDArray[np.int64], unit: str
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the days since 1970 of ticks, and which of them are on the calendar.

    Conversions of frames stop at times that Python cannot hold, and differ on
    nanoseconds before 1970; a floor of integers does neither.
    """
    days = np.floor_divide(ticks, _TICKS_OF_A_DAY[unit])
    on_calendar = (days >= _FIRST_DAY) & (days <= _LAST_DAY)
    return days, on_calendar & (ticks < _ENDLESS) & (ticks > -_ENDLESS)


@cache
def day_pattern(form: str) -> str:
    """Return the pattern of a day in text, in the syntax that re and RE2 share.

    A time may stand behind it, which does not count.
    """
    plain = form.replace(".", r"\.")
    written = re.sub("Y+|M+|D+", lambda part: f"([0-9]{_DIGITS[part[0]]})", plain)
    return f"(?s:{written}(?:[ T].*)?)"


@cache
def day_groups(form: str) -> tuple[int, ...]:
    """Return in which group of the pattern year, month and day stand."""
    order = sorted("YMD", key=form.index)
    return tuple(order.index(letter) + 1 for letter in "YMD")
