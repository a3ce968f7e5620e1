"""Which rows of a source count: conditions that compare its columns with constants.

A row counts if it meets all of them. Each is ``(column, operator, value)``, with values
in place of one after ``in``, or ``(column, "is null")`` or ``(column, "not null")``.
"""

import datetime as dt
import math
from collections.abc import Sequence
from typing import Any

from dpratio.checks import show_given
from dpratio.errors import InvalidInput
from dpratio.terms.ratio import is_unicode, require_column_name

Condition = tuple[Any, ...]
Where = Sequence[Sequence[Any]]

NULLS = ("is null", "not null")
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=", "in")
_MOST_CONDITIONS, _MOST_VALUES = 100, 1000
_LARGEST_WHOLE = 2**63 - 1
_EXACT = 2**53  # Below it, a double without a fraction is that whole number.


def as_where(where: object) -> tuple[Condition, ...]:
    """Return conditions as tuples, or raise InvalidInput."""
    if not isinstance(where, list | tuple) or len(where) > _MOST_CONDITIONS:
        raise InvalidInput(
            f"where must be a list of up to {_MOST_CONDITIONS} conditions, got "
            f'{show_given(where)}. Write where = [["day", ">=", "2026-11-09"]].',
            field="where",
        )
    return tuple(map(as_condition, where))


def as_condition(condition: object) -> Condition:
    """Return a condition as a tuple, or raise InvalidInput."""
    parts = tuple(condition) if isinstance(condition, list | tuple) else ()
    is_null = len(parts) == 2 and parts[1] in NULLS  # noqa: PLR2004
    is_comparison = len(parts) == 3 and parts[1] in _COMPARISONS  # noqa: PLR2004
    if not is_null and not is_comparison:
        raise InvalidInput(
            f"a condition is a column, one of {', '.join(_COMPARISONS)} and a value, "
            f"or a column and one of {', '.join(NULLS)}, got {show_given(condition)}.",
            field="where",
        )
    column, operator, *values = parts
    require_column_name(column)
    if operator != "in":
        return column, operator, *map(_constant, values)
    listed = values[0]
    if not isinstance(listed, list | tuple) or not 0 < len(listed) <= _MOST_VALUES:
        raise InvalidInput(
            f"in takes a list of 1 to {_MOST_VALUES} values, got {show_given(listed)}.",
            field="where",
        )
    return column, operator, tuple(map(_constant, listed))


def _constant(value: object) -> str | float:
    """Return a text, number or truth value; a date is its text."""
    if type(value) is dt.date:
        return value.isoformat()
    if isinstance(value, str) and "\x00" not in value and is_unicode(value):
        return value
    if isinstance(value, float) and math.isfinite(value):
        # JSON writes 5.0 as 5; and 0 has no sign.
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    if isinstance(value, int) and abs(value) <= _LARGEST_WHOLE:
        return value
    raise InvalidInput(
        "a condition compares with a text without NUL, a finite number, a whole number "
        f"of 64 bits, true, false or a date, got {show_given(value)}.",
        field="where",
    )
