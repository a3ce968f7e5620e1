"""What is asked: a ratio of two sums, perhaps weighted, perhaps by group.

Floor: terms. Imports: checks.
"""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass

from dpratio.checks import require, require_one_of

__all__ = ["NEARNESS", "Groups", "Key", "Ratio", "is_unicode"]

Key = str | int | bool

# How far the ratio may lie from its guess, relative to the guess.
NEARNESS = {"close": 0.15, "unknown": 1.0}

_LARGEST_KEY = 2**63 - 1
_SMALLEST_SIZE, _LARGEST_SIZE = 2.0**-50, 2.0**50


@dataclass(frozen=True, slots=True)
class Ratio:
    """The sum of one column per the sum of another, optionally weighted.

    Args:
        numerator: Column summed above the line, a model's score for instance.
        per: Column summed below the line, the true label for instance.
        weight: Column that multiplies both, or None for equal weights.
        guess: A public guess of the ratio, around which the focused strategy
            measures most precisely; by default 1 where both columns share bounds.
        guess_is: ``"close"``, for a ratio within some 15 % of the guess, or
            ``"unknown"``. A wrong word costs width, never coverage.
        residual_bound: A promise that |weight·(numerator − guess·per)| stays below
            this; what lies beyond is clipped, and the answer moves by as much.

    Raises:
        InvalidInput: When a name is empty, a column is used twice, or a number is
            not usable.

    Example:
        >>> str(Ratio("score", per="label", weight="weight"))
        'Σ weight·score / Σ weight·label'
    """

    numerator: str
    _: KW_ONLY
    per: str
    weight: str | None = None
    guess: float | None = None
    guess_is: str = "close"
    residual_bound: float | None = None

    def __post_init__(self) -> None:
        columns = [self.numerator, self.per]
        columns += [] if self.weight is None else [self.weight]
        for column in columns:
            _require_column_name(column)
        distinct = len(set(columns)) == len(columns)
        hint = "Copy a column under another name if it must play two parts."
        require(distinct, "numerator, denominator and weight differ", columns, hint)
        require_one_of(self.guess_is, NEARNESS, "guess_is")
        if self.guess is not None:
            rule = "the guess of a ratio must be 0, or between 2^-50 and 2^50 in size"
            is_zero = isinstance(self.guess, int | float) and self.guess == 0
            usable = (is_zero and self.guess is not False) or _is_size(self.guess)
            require(usable, rule, self.guess)
            object.__setattr__(self, "guess", float(self.guess))
        if self.residual_bound is not None:
            bound = self.residual_bound
            usable = _is_size(bound) and bound > 0
            require(usable, "the residual bound must be a positive number", bound)
            object.__setattr__(self, "residual_bound", float(bound))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns the question needs, in the order s, y, w."""
        named = (self.numerator, self.per, self.weight)
        return tuple(column for column in named if column is not None)

    def __str__(self) -> str:
        times = "" if self.weight is None else f"{self.weight}·"
        return f"Σ {times}{self.numerator} / Σ {times}{self.per}"


@dataclass(frozen=True, slots=True, init=False)
class Groups:
    """Public keys of one column; every declared key is answered, in this order.

    Keys are declared, never read from the data: a key that exists only because one
    person is in the table would give that person away.

    Args:
        column: The column that holds the keys.
        keys: All text, all whole numbers, or all true/false; no key twice.

    Raises:
        InvalidInput: When keys are missing, repeated or of mixed types.

    Example:
        >>> Groups("region", ["north", "south"]).keys
        ('north', 'south')
    """

    column: str
    keys: tuple[Key, ...]

    def __init__(self, column: str, keys: Iterable[Key]) -> None:
        _require_column_name(column)
        hint = "Declare the public keys, for instance ['north', 'south']."
        listed = not isinstance(keys, str | bytes) and isinstance(keys, Iterable)
        require(listed, "group keys must be a list", keys, hint)
        declared = tuple(keys)
        require(declared, "groups need at least one key", declared, hint)
        kinds = {type(key) for key in declared}
        same = len(kinds) == 1 and kinds <= {str, int, bool}
        rule = "group keys must be all text, all whole numbers or all true/false"
        require(same, rule, declared, "Convert the keys to one type.")
        for key in declared:
            _require_key(key)
        seen: set[Key] = set()
        repeated = [key for key in declared if key in seen or seen.add(key)]  # type: ignore[func-returns-value]
        require(not repeated, "a group key is declared once", repeated)
        object.__setattr__(self, "column", column)
        object.__setattr__(self, "keys", declared)


def _is_size(given: object) -> bool:
    if not isinstance(given, int | float) or isinstance(given, bool):
        return False
    return _SMALLEST_SIZE <= abs(given) <= _LARGEST_SIZE


def _require_column_name(name: object) -> None:
    usable = isinstance(name, str) and name != "" and _is_clean(name)
    require(usable, "a column name must be text without NUL", name)


def _require_key(key: Key) -> None:
    if isinstance(key, str):
        require(_is_clean(key), "a text key must be valid Unicode without NUL", key)
    else:
        fits = -_LARGEST_KEY <= key <= _LARGEST_KEY
        require(fits, "a whole-number key must fit in 64 bits", key)


def is_unicode(text: str) -> bool:
    """Tell whether a text can be written as UTF-8."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _is_clean(text: str) -> bool:
    return "\x00" not in text and is_unicode(text)
