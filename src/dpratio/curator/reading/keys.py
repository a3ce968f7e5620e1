"""How a cell becomes a key, an id or a place, the same in every engine."""

import bisect
import datetime as dt
import hashlib
import re
import uuid
from collections.abc import Callable

import numpy as np

from dpratio.curator.reading.days import day_in_text
from dpratio.curator.reading.frames import day_of, key_text
from dpratio.curator.reading.statement import ColumnType
from dpratio.terms.groups import Dimension, Key, Keys, Periods, ScoreBins, period_of

# From a cell to the place of its key, or None where it has none.
Placer = Callable[[object], int | None]

# Ids are ranked in the field of this prime; ids that are whole numbers by their number.
RANK_FIELD = 2**31 - 1
RANK_FACTOR = 1_103_515_245
WHOLE_ID = "0|-?[1-9][0-9]{0,17}"
LARGEST_ID = 10**18 - 1

_TEXTS = str | uuid.UUID
_IDS = _TEXTS | int | np.integer

# The form of a key in the text of a file, by its type; any text is a key of text.
KEY_FORMS = {int: "0|-?[1-9][0-9]{0,18}", bool: "true|false"}


def placer_of(dimension: Dimension, given: ColumnType) -> Placer:
    """Make the function that places a cell of a column of this type."""
    if isinstance(dimension, ScoreBins):
        return lambda value: _bin_of(float(value), dimension.edges)  # type: ignore[arg-type]
    places = {_text_of(key): at for at, key in enumerate(dimension.values)}
    if isinstance(dimension, Periods):
        every = dimension.every

        def place_day(value: object) -> int | None:
            day = _day_in(value, given)
            return (
                None if day is None else places.get(period_of(day, every).isoformat())
            )

        return place_day
    read = key_reader(dimension, given)
    return lambda value: places.get(read(value))


def id_text(value: object, kind: str) -> str | None:
    """Write an id as text: text, a whole number or a UUID; None where it is missing."""
    if kind == "csv":
        return str(value) or None
    if isinstance(value, bool | np.bool_):
        return None
    return key_text(value) if isinstance(value, _IDS) else None


def rank_of(key: str, unit: str, place: int) -> int:
    """Rank a group of an id: so many of the smallest are kept.

    Ids are spread over a prime field by their number, or by a hash of their text; each
    group multiplies by a number of its own. No two groups of one id share a rank.

    Example:
        >>> ranks = [rank_of("dpratio", "ann", place) for place in range(1000)]
        >>> len(set(ranks))
        1000
    """
    start = rank_key(key)
    spread = (place * RANK_FACTOR + start) % RANK_FIELD
    return ((number_of_id(unit) + start) % (RANK_FIELD - 1) + 1) * spread % RANK_FIELD


def number_of_id(unit: str) -> int:
    """Give the number of an id: its own, or one from a hash of its text."""
    return int(unit) if re.fullmatch(WHOLE_ID, unit) else int(md5_of(unit)[:15], 16)


def rank_key(key: str) -> int:
    """Turn the key of a release into a number."""
    return int(md5_of(key)[:15], 16) % (RANK_FIELD - 1)


def md5_of(text: str) -> str:
    """Hash a text: to spread ids and to order keys, not to hide them."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def key_reader(dimension: Keys, given: ColumnType) -> Callable[[object], str | None]:
    """Make the function that reads a cell as the text of a key."""
    wanted, kind = dimension.kind, given.kind
    if wanted is dt.date:

        def read_day(value: object) -> str | None:
            day = _day_in(value, given)
            return None if day is None else day.isoformat()

        return read_day
    if kind == "csv":
        missing = None in dimension.values or not dimension.values
        lower = wanted is bool
        form = KEY_FORMS.get(wanted, "(?s:.*)")

        def read_text(value: object) -> str | None:
            text = str(value).lower() if lower else str(value)
            readable = text or not missing
            return text if readable and re.fullmatch(form, text) else None

        return read_text
    if kind == "any":
        # Python's own rule: a text "1", a number 1 and a truth are three keys.
        allowed = {str: _TEXTS, int: int | np.integer, bool: bool | np.bool_}[wanted]

        def read_plain(value: object) -> str | None:
            is_truth = isinstance(value, bool | np.bool_)
            fits = isinstance(value, allowed) and is_truth == (wanted is bool)
            return key_text(value) if fits else None

        return read_plain
    return key_text


def can_be_declared(text: str, kind: str) -> bool:
    """Tell whether a key that was found could have been declared."""
    if kind == "integer":
        return abs(int(text)) < 2**63
    return "\x00" not in text


def key_from(text: str, kind: str) -> Key:
    """Read the text of a key back."""
    if kind == "integer":
        return int(text)
    if kind == "boolean":
        return text == "true"
    return dt.date.fromisoformat(text) if kind == "date" else text


def _day_in(value: object, given: ColumnType) -> dt.date | None:
    """Read a cell as a day; times in UTC, text in its declared form."""
    if given.kind == "csv" and given.dates is not None:
        return day_in_text(str(value), given.dates)
    return day_of(value)


def _text_of(key: object) -> str | None:
    return key.isoformat() if isinstance(key, dt.date) else key_text(key)


def _bin_of(value: float, edges: tuple[float, ...]) -> int | None:
    if not edges[0] <= value <= edges[-1]:
        return None
    return min(bisect.bisect_right(edges, value), len(edges) - 1) - 1
