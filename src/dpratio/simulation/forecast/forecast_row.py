"""What a plan will give, as values: rows, and a forecast that holds them."""

from dataclasses import dataclass
from typing import Any

from dpratio.tabular import Tabular

__all__ = ["Forecast", "ForecastRow"]


@dataclass(frozen=True, slots=True)
class ForecastRow:
    """One question of a plan at one size: what its intervals will be like.

    ``width`` is the mean over bounded intervals, ``width_public`` that without noise.
    ``people_lost`` is how many fewer people a non-private study would need. ``power``
    is the chance to find that the guessed ratio differs from ``against``;
    ``detectable`` the smallest ratio above ``against`` that is found with the wanted
    power; ``…_between`` the same for two groups of this size.
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
class Forecast(Tabular):
    """One row per question, size and epsilon.

    Example:
        >>> import dpratio as dpr
        >>> dpr.forecast(dpr.example_release().plan, n=5_000).level
        0.95
    """

    rows: tuple[ForecastRow, ...]
    level: float
    against: float
    power: float

    def columns(self) -> dict[str, list[Any]]:
        """The rows as a table."""
        several = len({each.question for each in self.rows}) > 1
        kept = ("question",) if several else ()
        names = [*kept, *ForecastRow.__slots__[2:]]
        return {name: [getattr(each, name) for each in self.rows] for name in names}

    def notes(self) -> list[str]:
        """Say what was assumed, and that nothing was spent."""
        guessed = dict.fromkeys(f"{each.ratio:.4g}" for each in self.rows)
        ratios = " or ".join(guessed)
        return [
            (
                f"Forecast for a guessed ratio of {ratios}, intervals at level "
                f"{self.level:g}. No data were read and nothing was spent."
            ),
            (
                f"power: chance to tell the ratio from {self.against:g}; detectable: "
                f"least ratio above it found with power {self.power:g}; …_between: "
                "for two groups of this size."
            ),
        ]

    def said(self) -> list[str]:
        """The notes."""
        return self.notes()
