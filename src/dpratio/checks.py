"""The one place where bad arguments become messages."""

import difflib
import importlib
import math
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from types import ModuleType
from typing import NoReturn

from dpratio.errors import InvalidInput, MissingExtra

_LONGEST_SHOWN = 80
_LARGEST_EXPONENT = 1000
_MOST_LISTED = 3
_LONGEST_REASON = 200
# No index has our name yet: by the name alone, pip could bring a stranger\'s package.
_WHERE = "in the repository, or with a wheel of dpratio in place of the dot"
_PLAIN = {str, int, float, bool, complex, bytes, type(None)}


def require(condition: object, rule: str, given: object, hint: str = "") -> None:
    """Raise `InvalidInput` unless the condition holds.

    Args:
        condition: What must be true.
        rule: The rule, as a sentence without its full stop.
        given: What was given instead; public values only.
        hint: What to do about it, as a sentence.

    Example:
        >>> require(2 > 1, "two must exceed one", (2, 1))
    """
    if not condition:
        refuse(rule, given, hint)


def refuse(rule: str, given: object, hint: str = "") -> NoReturn:
    """Raise `InvalidInput`; arguments as for `require`."""
    raise InvalidInput(f"{rule}, got {show_given(given)}. {hint}".rstrip())


def require_one_of(given: object, allowed: Iterable[str], what: str) -> None:
    """Raise `InvalidInput` unless a name is one of the known ones."""
    names = list(allowed)
    if isinstance(given, str) and given in names:
        return
    close = difflib.get_close_matches(str(given), names, n=1)
    meant = f"Did you mean '{close[0]}'? " if close else ""
    refuse(f"unknown {what}", given, f"{meant}Use one of: {', '.join(names)}.")


def show_given(given: object) -> str:
    """Show a public value in a message, shortened where it is long.

    Only plain terms are shown: names, numbers, and short lists of them. Anything else,
    a frame passed by mistake for instance, is named by its type.

    Example:
        >>> show_given("nort"), show_given(0.5), show_given(object())
        ("'nort'", '0.5', 'an object')
    """
    try:
        text = _show(given)
    except ValueError:  # Python writes no integer of more than 4300 digits.
        text = "a number of thousands of digits"
    if len(text) > _LONGEST_SHOWN:
        return text[: _LONGEST_SHOWN - 1] + "…"
    return text


def _show(given: object) -> str:
    if type(given) in {Decimal, Fraction}:
        return str(given)
    if type(given) in _PLAIN:
        return repr(given)
    is_listed = type(given) in {list, tuple} and len(given) <= _MOST_LISTED  # type: ignore[arg-type]
    if is_listed and all(type(each) in _PLAIN for each in given):  # type: ignore[attr-defined]
        return repr(given)
    name = type(given).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def to_exact(number: object, name: str) -> Fraction:
    """Read a number as the decimal that was written, not as its binary neighbour.

    Returns:
        The exact value: ``0.1`` is one tenth, whether given as text or as a float.

    Example:
        >>> to_exact(0.1, "epsilon")
        Fraction(1, 10)
    """
    hint = "Give a decimal number such as 0.5 or '1e-6'."
    is_number = isinstance(number, int | float | str | Decimal | Fraction)
    readable = is_number and not isinstance(number, bool)
    require(readable, f"{name} must be a number", number, hint)
    if isinstance(number, Fraction):
        return number
    try:
        decimal = Decimal(str(number).strip())
    except (InvalidOperation, ValueError):
        decimal = Decimal(math.nan)
    # Larger exponents are no budget, and make fractions of a million digits.
    usable = decimal.is_finite() and abs(decimal.adjusted()) <= _LARGEST_EXPONENT
    require(usable, f"{name} must be a finite number", number, hint)
    return Fraction(decimal)


def import_extra(module: str, extra: str) -> ModuleType:
    """Import an optional package, or name the extra that brings it.

    Raises:
        MissingExtra: When it is not installed, or is installed and does not load.

    Example:
        >>> import_extra("math", "arrow").__name__
        'math'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # Another module that is missing is the package's own trouble.
        if f"{module}.".startswith(f"{error.name}."):
            raise MissingExtra(
                f"this needs the package '{module}', which is not installed. "
                f"Install it with: pip install '.[{extra}]' {_WHERE}"
            ) from None
        raise _does_not_load(module, extra, error) from None
    except Exception as error:  # noqa: BLE001 (of packages that do not fit, any)
        raise _does_not_load(module, extra, error) from None


def _does_not_load(module: str, extra: str, error: Exception) -> MissingExtra:
    """Say why a package that is there does not load: mostly another does not fit."""
    reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    if len(reason) > _LONGEST_REASON:
        reason = reason[: _LONGEST_REASON - 1] + "…"
    return MissingExtra(
        f"this needs the package '{module}', which is installed but does not load: "
        f"{reason}. Take versions that fit each other with: pip install --upgrade "
        f"--upgrade-strategy eager '.[{extra}]' {_WHERE}"
    )
