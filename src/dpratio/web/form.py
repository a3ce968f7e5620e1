"""What the planner's form says: every field as the text that was typed."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from urllib.parse import urlencode

from dpratio.checks import require, require_one_of, to_exact
from dpratio.errors import InvalidInput
from dpratio.terms.dimensions import EVERY

__all__ = [
    "CHOICES",
    "DEFAULTS",
    "LONGEST_KEPT",
    "FieldMissing",
    "FieldWrong",
    "Form",
    "read_form",
]

DEFAULTS = {
    "n": "5000",
    "epsilon": "1",
    "delta": "1e-6",
    "level": "0.95",
    "width": "",
    "numerator": "score",
    "numerator_kind": "range",
    "numerator_lower": "0",
    "numerator_upper": "1",
    "per": "label",
    "per_kind": "binary",
    "per_lower": "0",
    "per_upper": "1",
    "weights": "off",
    "weight": "weight",
    "weight_lower": "0.25",
    "weight_upper": "3",
    "groups": "none",
    "groups_column": "region",
    "groups_count": "4",
    "groups_keys": "",
    "groups_every": "month",
    "groups_first": "",
    "groups_last": "",
    "unit_column": "",
    "numerator_total_lower": "0",
    "numerator_total_upper": "",
    "per_total_lower": "0",
    "per_total_upper": "",
    "most_groups": "1",
    "neighbours": "add-or-remove-one",
    "strategy": "focused",
    "mechanism": "auto",
    "guess": "",
    "guess_is": "close",
    "numerator_mean": "",
    "numerator_sd": "",
    "per_mean": "",
    "per_sd": "",
    "weight_mean": "",
    "weight_sd": "",
    "correlation": "",
    "weight_with_numerator": "",
    "weight_with_per": "",
    "against": "",
    "kept": "",
}

CHOICES = {
    "numerator_kind": ("range", "binary"),
    "per_kind": ("binary", "range", "counted"),
    "weights": ("off", "range"),
    "groups": ("none", "keys", "bins", "periods"),
    "groups_every": EVERY,
}

_LONGEST = 200
LONGEST_KEPT = 10_000
# Fields of many lines; a query has its limits too.
_LONG = {"groups_keys": 5_000, "kept": LONGEST_KEPT}

# What a message calls a field whose name alone would not say it.
_WORDS = {
    "numerator_lower": "the numerator's lower bound",
    "numerator_upper": "the numerator's upper bound",
    "per_lower": "the denominator's lower bound",
    "per_upper": "the denominator's upper bound",
    "weight_lower": "the weight's lower bound",
    "weight_upper": "the weight's upper bound",
    "groups_count": "the number of groups",
    "numerator_total_lower": "the lowest total of the numerator",
    "numerator_total_upper": "the highest total of the numerator",
    "per_total_lower": "the lowest total of the denominator",
    "per_total_upper": "the highest total of the denominator",
    "most_groups": "the most groups of one person",
    "guess": "the guess of the ratio",
    "numerator_mean": "the numerator's mean",
    "numerator_sd": "the numerator's sd",
    "per_mean": "the denominator's mean",
    "per_sd": "the denominator's sd",
    "weight_mean": "the weight's mean",
    "weight_sd": "the weight's sd",
    "weight_with_numerator": "the weight's correlation with the numerator",
    "weight_with_per": "the weight's correlation with the denominator",
    "against": "the ratio to test against",
    "width": "the width that is wanted",
}

_HINTS = {"level": "0.9, 0.95 and 0.99 are usual."}


class FieldWrong(InvalidInput):
    """A field breaks a rule; ``field`` is its name."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


class FieldMissing(FieldWrong):
    """A field has to be filled before there is a study."""


@contextlib.contextmanager
def _about(field: str) -> Iterator[None]:
    """Say of a refusal which field it is about."""
    try:
        yield
    except FieldWrong:
        raise
    except InvalidInput as error:
        raise FieldWrong(str(error), field) from None


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of the planner, by name.

    Example:
        >>> read_form({"epsilon": "0.5"}).number("epsilon")
        '0.5'
    """

    given: Mapping[str, str]

    def text(self, name: str) -> str:
        """Give what was typed, or refuse what is too long for its field.

        Raises:
            FieldWrong: When it has more than 200 characters, or more of a long one.
        """
        typed = self.given[name]
        longest = _LONG.get(name, _LONGEST)
        rule = f"a field holds at most {longest} characters"
        hint = "Write more into the study file by hand."
        with _about(name):
            require(len(typed) <= longest, rule, len(typed), hint)
        return typed

    def choice(self, name: str) -> str:
        """Give one of the known words.

        Raises:
            FieldWrong: When it is none of them.
        """
        with _about(name):
            require_one_of(self.text(name), CHOICES[name], name)
        return self.text(name)

    @property
    def has_units(self) -> bool:
        """Whether people have many rows: their ids lie in a column."""
        return not self.is_empty("unit_column")

    def is_empty(self, name: str) -> bool:
        """Tell whether a field was left empty."""
        return not self.text(name).strip()

    def exact(
        self, name: str, *, within: tuple[Fraction, Fraction] | None = None
    ) -> Fraction:
        """Give the very number that was typed.

        Raises:
            FieldWrong: When it is no finite number, or lies outside.
        """
        typed, words = self.text(name).strip(), _WORDS.get(name, name)
        with _about(name):
            exact = to_exact(typed, words)
            if within is not None:
                low, high = (f"{float(end):g}".replace("e+0", "e") for end in within)
                rule = f"{words} must lie between {low} and {high}"
                inside = within[0] <= exact <= within[1]
                require(inside, rule, typed, _HINTS.get(name, ""))
        return exact

    def number(self, name: str) -> str:
        """Give a number as the shorter way to write the decimal that was typed.

        Raises:
            FieldWrong: When it is no finite number.
        """
        typed = self.text(name).strip()
        self.exact(name)
        decimal = Decimal(typed)
        return min(str(decimal).lower(), f"{decimal:e}", key=len)

    def whole(self, name: str) -> int:
        """Give a whole number.

        Raises:
            FieldWrong: When it is not a whole number, or is below 1.
        """
        exact = self.exact(name)
        whole = exact.denominator == 1 and exact >= 1
        rule = f"{_WORDS.get(name, name)} must be a whole number of at least 1"
        with _about(name):
            require(whole, rule, self.text(name))
        return int(exact)

    def query(self) -> str:
        """Write the fields that differ from the defaults as a query."""
        changed = {
            name: typed for name, typed in self.given.items() if typed != DEFAULTS[name]
        }
        return urlencode(changed)


def read_form(query: Mapping[str, str]) -> Form:
    """Read the fields that a query has, and the defaults of the others."""
    return Form({name: query.get(name, default) for name, default in DEFAULTS.items()})
