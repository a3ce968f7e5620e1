"""What a plan will give, as values: rows or ranges, and a forecast that holds them."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from dpratio.tabular import Tabular

# Who is assumed where nobody said; docs/methods/forecast.md has the figures.
_KINDS = (
    "Labels are those of "
    "one in twenty to four in five; a denominator that is no label lies between a "
    "tenth and the middle of its range; the numerator follows it closely or varies "
    "widely; ratios lie around the plan's guess."
)
FAMILY = f"Nobody described the people: ranges go over a family of them. {_KINDS}"
_ONE_FIGURE = (
    "A description of the people gives one figure: population=Population(…), or a "
    "table [population] in the study."
)


@dataclass(frozen=True, slots=True)
class ForecastRow:
    """One question of a plan at one size: what its intervals will be like.

    ``width`` is the median, infinite where most intervals have no end;
    ``width_public`` is that without noise. ``people_lost`` is how many fewer people a
    non-private study would need. ``power`` is the chance to find that the guessed ratio
    differs from ``against``; ``detectable`` the smallest ratio above ``against`` that
    is found with the wanted power; ``…_between`` the same for two groups of this size.
    """

    question: str
    ratio: float
    n: int
    epsilon: float
    mechanism: str
    width: float
    width_public: float
    unbounded: float
    people_lost: int
    power: float
    detectable: float
    power_between: float
    detectable_between: float


@dataclass(frozen=True, slots=True)
class ForecastRange:
    """One question of a plan at one size, for people whom nobody described.

    Figures are those of a `ForecastRow`, from the people of a stated family with the
    narrowest intervals to those with the widest.
    """

    question: str
    n: int
    epsilon: float
    mechanism: str
    width_low: float
    width_high: float
    width_public_low: float
    width_public_high: float
    detectable_low: float
    detectable_high: float
    detectable_between_low: float
    detectable_between_high: float

    @classmethod
    def around(cls, row: ForecastRow) -> "ForecastRange":
        """Give the range of a row: both ends are the same."""
        ends = {
            f"{name}_{end}": getattr(row, name)
            for name in ("width", "width_public", "detectable", "detectable_between")
            for end in ("low", "high")
        }
        return cls(row.question, row.n, row.epsilon, row.mechanism, **ends)


@dataclass(frozen=True, slots=True)
class Forecast(Tabular):
    """One row per question, size and epsilon; a range where nobody guessed the people.

    Either ``rows`` or ``ranges`` is empty. ``assumed`` says what ranges go over.

    Example:
        >>> import dpratio as dpr
        >>> population = dpr.Population(dpr.MeanSd(0.5, 0.2), dpr.MeanSd(0.45))
        >>> plan = dpr.example_release().plan
        >>> found = dpr.forecast(plan, n=5_000, population=population)
        >>> found.level, len(found.rows), len(found.ranges)
        (0.95, 2, 0)
    """

    spare: ClassVar = (
        "detectable_between*",
        "mechanism",
        "detectable*",
        "width_public*",
        "people_lost*",
    )

    rows: tuple[ForecastRow, ...]
    ranges: tuple[ForecastRange, ...]
    level: float
    against: float
    power: float
    assumed: str = f"{FAMILY} {_ONE_FIGURE}"

    def columns(self) -> dict[str, list[Any]]:
        """The rows as a table."""
        shown: tuple[ForecastRow | ForecastRange, ...] = self.rows or self.ranges
        several = len({each.question for each in shown}) > 1
        hidden = {"ratio"} if several else {"ratio", "question"}
        names = [name for name in type(shown[0]).__slots__ if name not in hidden]
        return {name: [getattr(each, name) for each in shown] for name in names}

    def precision(self) -> dict[str, list[float]]:
        """Half of each figure of a range: two digits say all that it knows."""
        if self.rows:
            return {}
        start = {"width": 0.0, "detectable": self.against}
        return {
            name: [_half(each - start[name.split("_")[0]]) for each in cells]
            for name, cells in self.columns().items()
            if name.split("_")[0] in start
        }

    def notes(self) -> list[str]:
        """Say what was assumed, and that nothing was spent."""
        detectable = (
            f"detectable: least ratio above {self.against:g} found with power "
            f"{self.power:g}; …_between: for two groups of this size."
        )
        free = "No data were read and nothing was spent."
        if not self.rows:
            told = f"Forecast of median widths at level {self.level:g}. {free}"
            return [told, self.assumed, detectable]
        guessed = dict.fromkeys(f"{each.ratio:.4g}" for each in self.rows)
        ratios = " or ".join(guessed)
        return [
            (
                f"Forecast for a guessed ratio of {ratios}, median widths at level "
                f"{self.level:g}. {free}"
            ),
            f"power: chance to tell the ratio from {self.against:g}; {detectable}",
        ]


def told_apart(undescribed: list[str]) -> str:
    """Say that a guess is not about some questions, which have totals of their own."""
    named = ", ".join(f"'{each}'" for each in dict.fromkeys(undescribed))
    return (
        f"The guess is about the unit's totals, and not about those of {named}: there, "
        f"ranges go over a family of people. {_KINDS} Their totals are described by "
        "population=Population(…) with question=…."
    )


def _half(size: float) -> float:
    return size / 2 if math.isfinite(size) else math.nan
