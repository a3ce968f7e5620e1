"""What is asked: a ratio of two sums, perhaps weighted."""

from dataclasses import KW_ONLY, dataclass

from dpratio.checks import require_one_of, show_given
from dpratio.errors import InvalidInput
from dpratio.tabular import printable
from dpratio.terms.bounds import settle

# What is counted, unless a column of that name has bounds.
COUNTED = ("rows", "people")

GUESSES = ("close", "unknown")

SMALLEST_GUESS, LARGEST_GUESS = 2.0**-50, 2.0**50


@dataclass(frozen=True, slots=True)
class Ratio:
    """The sum of one column per the sum of another, optionally weighted.

    Args:
        numerator: Column summed above the line, a model's score for instance.
        per: Column summed below the line, the true label for instance; ``"rows"`` to
            count rows, or ``"people"`` to count those whose ids the unit names. Where
            bounds are declared for a column of that name, the column is meant.
        weight: Column that multiplies both; without one, weights are equal.
        minus: Column that is taken off the numerator, row by row: a second model's
            score, for a paired comparison. The guess is then 0 by default.
        guess: A public guess of the ratio, around which the focused strategy
            measures most precisely. Without one it is 1 for a score in [0, 1] per
            binary label, and otherwise a first stage finds it.
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
    minus: str | None = None
    guess: float | None = None
    guess_is: str = "close"
    residual_bound: float | None = None

    def __post_init__(self) -> None:
        columns = self.columns
        for column in (self.numerator, self.per, *columns):
            require_column_name(column)
        if len(set(columns)) != len(columns):
            raise InvalidInput(
                f"the columns of a ratio differ, got {show_given(list(columns))}. Copy "
                "a column under another name if it must play two parts."
            )
        require_one_of(self.guess_is, GUESSES, "guess_is")
        guess, limit = self.guess, self.residual_bound
        if guess is not None:
            if not _is_size(guess) and (guess != 0 or guess is False):
                raise InvalidInput(
                    "the guess of a ratio must be 0, or between 2^-50 and 2^50 in "
                    f"size, got {show_given(guess)}.",
                    field="guess",
                )
            settle(self, guess=float(guess))
        if limit is not None:
            if not _is_size(limit) or limit <= 0:
                raise InvalidInput(
                    "the residual bound must be a positive number, got "
                    f"{show_given(limit)}.",
                    field="residual_bound",
                )
            settle(self, residual_bound=float(limit))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns the question needs."""
        return tuple(self.letters.values())

    @property
    def totals(self) -> tuple[str, str]:
        """The names of what is added up: ``"a - b"`` where b is taken off a."""
        taken = "" if self.minus is None else f" - {self.minus}"
        return f"{self.numerator}{taken}", self.per

    @property
    def letters(self) -> dict[str, str]:
        """The columns by their letters: s, y, w, and m for what is taken off s."""
        named = {"s": self.numerator, "y": self.per, "w": self.weight, "m": self.minus}
        return {letter: name for letter, name in named.items() if name is not None}

    def __str__(self) -> str:
        times = "" if self.weight is None else f"{self.weight}·"
        top = self.numerator
        if self.minus is not None:
            top = f"({self.numerator} − {self.minus})"
        return f"Σ {times}{top} / Σ {times}{self.per}"


def _is_size(number: object) -> bool:
    if not isinstance(number, int | float) or isinstance(number, bool):
        return False
    return SMALLEST_GUESS <= abs(number) <= LARGEST_GUESS


def require_column_name(name: object) -> None:
    """Raise InvalidInput unless `name` can name a column, and prints as it is."""
    if not isinstance(name, str) or not name or printable(name) != name:
        raise InvalidInput(
            "a column name must be text without control characters and marks of "
            f"direction, got {show_given(name)}."
        )


def require_line(text: object, name: str, most: int = 200) -> None:
    """Raise InvalidInput unless a term is one line of plain words, of such a length."""
    is_line = isinstance(text, str) and printable(text) == text == text.strip()
    if not is_line or not 0 < len(str(text)) <= most:
        raise InvalidInput(
            f"{name} must be one line of up to {most} letters, got {show_given(text)}.",
            field=name,
        )


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
