"""From values to places on an axis, with ticks that stand where they say.

A tick's text is its value, written out; the reference is always among the ticks, and
texts never touch each other.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dpratio.show.chart.words import width_of

_GAP = 12.0
_FEWEST, _MOST = 3, 7
_DECADE = 10.0
_STEPS = (1, 2, 5, 10, 20, 50, 100)
_ROOM = 0.04


@dataclass(frozen=True, slots=True)
class Tick:
    """A value on an axis, and what is written there."""

    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Scale:
    """The stretch of values that an axis shows.

    Args:
        low: The value where the axis begins.
        high: The value where it ends.
        is_log: Whether equal ways are equal factors.
        reference: A value that must be among the ticks.
        given: Ticks to choose from, where round numbers would say less: names,
            periods, the sizes that were tried.
    """

    low: float
    high: float
    is_log: bool = False
    reference: float | None = None
    given: tuple[Tick, ...] | None = None

    def share(self, value: float) -> float:
        """Give the part of the axis that lies below a value; ends are cut off."""
        if value <= self.low:
            return 0.0
        if value >= self.high:
            return 1.0
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def holds(self, value: float) -> bool:
        """Tell whether a value lies on the axis; NaN and infinity do not."""
        return self.low <= value <= self.high

    def ticks(self, length: float, *, upright: bool = False) -> list[Tick]:
        """Choose ticks for an axis of so many pixels, of which no texts touch."""
        needed = [
            Tick(value, f"{value:.4g}".replace("-", "−"))
            for value in (self.reference,)
            if value is not None and self.holds(value)
        ]
        if self.given is not None:
            inside = [each for each in self.given if self.holds(each.value)]
            return self._thinned(inside, length, upright=upright)
        chosen: list[Tick] = []
        for numbers in self._tries():
            ticks = [Tick(value, short_number(value)) for value in numbers]
            chosen = needed + [
                each
                for each in ticks
                if not any(self._touch(each, one, length, upright) for one in needed)
            ]
            if len(chosen) <= _MOST and self._all_apart(chosen, length, upright):
                break
        return sorted(chosen, key=lambda each: each.value)

    def _tries(self) -> Iterable[list[float]]:
        """Give round numbers on the axis, many first, then fewer."""
        if self.is_log:
            found = log_ticks(self.low, self.high)
            return [found, found[::2], found[::3], found[:1]]
        size = math.floor(math.log10(self.high - self.low)) - 1
        return [
            _multiples(self.low, self.high, step, size) for step in (*_STEPS, 10**6)
        ]

    def _thinned(
        self, ticks: Sequence[Tick], length: float, *, upright: bool
    ) -> list[Tick]:
        """Keep every tick, every second, every third, until texts are apart.

        Ticks that stand unevenly are kept one by one, with the first and the last.
        """
        if self.is_log and len(ticks) > 1:
            kept = [ticks[0]]
            for tick in ticks[1:-1]:
                if not any(
                    self._touch(tick, each, length, upright)
                    for each in (kept[-1], ticks[-1])
                ):
                    kept.append(tick)
            return [*kept, ticks[-1]]
        for step in range(1, len(ticks) + 1):
            kept = list(ticks[::step])
            if self._all_apart(kept, length, upright):
                return kept
        return list(ticks[:1])

    def _all_apart(self, ticks: Sequence[Tick], length: float, upright: bool) -> bool:  # noqa: FBT001
        ordered = sorted(ticks, key=lambda each: each.value)
        return not any(
            self._touch(*pair, length, upright) for pair in pairwise(ordered)
        )

    def _touch(self, one: Tick, other: Tick, length: float, upright: bool) -> bool:  # noqa: FBT001
        way = abs(self.share(one.value) - self.share(other.value)) * length
        needed = 1.2 * _GAP
        if not upright:
            needed = (width_of(one.text) + width_of(other.text)) / 2 + _GAP
        return way < needed


def spread(
    values: Iterable[float], *, reference: float | None = None, room: float = _ROOM
) -> Scale:
    """Make an axis that holds all finite values, with a little room at its ends."""
    shown = [each for each in values if math.isfinite(each)]
    shown += [] if reference is None else [reference]
    low, high = min(shown, default=0.0), max(shown, default=0.0)
    more = room * (high - low) or 0.5 * abs(low) or 1.0
    return Scale(low - more, high + more, reference=reference)


def spread_log(
    values: Iterable[float], *, given: tuple[Tick, ...] | None = None
) -> Scale:
    """Make a logarithmic axis that holds all finite values above zero."""
    shown = [each for each in values if 0 < each < math.inf]
    low, high = min(shown, default=1.0), max(shown, default=1.0)
    room = max((high / low) ** 0.05, 1.02)
    return Scale(low / room, high * room, is_log=True, given=given)


def log_ticks(low: float, high: float) -> list[float]:
    """Choose a few round numbers between two positive ones.

    Example:
        >>> log_ticks(0.1, 10)
        [0.1, 1.0, 10.0]
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    tries = [
        [float(f"{step}e{power}") for power in powers for step in steps]
        for steps in ((1,), (1, 3), (1, 2, 5))
    ]
    if high / low < _DECADE:
        size = math.floor(math.log10(high - low))
        tries = [
            _multiples(low, high, step, power)
            for power in (size, size - 1)
            for step in (5, 2, 1)
        ]
    for numbers in tries:
        found = [each for each in numbers if low <= each <= high]
        if len(found) >= _FEWEST:
            break
    return found[:: math.ceil(len(found) / _MOST) or 1]


def short_number(number: float) -> str:
    """Write a tick in few letters, and exactly: 10k, 3M, 0.05.

    Example:
        >>> [short_number(each) for each in (10_000, 3e6, 0.05, -1.5, 1234)]
        ['10k', '3M', '0.05', '−1.5', '1234']
    """
    size = abs(number)
    for unit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size >= max(unit, 1e4) and number % (unit / 100) == 0:
            return f"{number / unit:.12g}{letter}".replace("-", "−")
    return f"{number:.12g}".replace("-", "−")


def _multiples(low: float, high: float, step: int, power: int) -> list[float]:
    """List the multiples of step·10^power between two numbers, written exactly."""
    unit = step * 10.0**power
    counts = range(math.ceil(low / unit - 1e-9), math.floor(high / unit + 1e-9) + 1)
    numbers = [float(f"{count * step}e{power}") for count in counts]
    return [each for each in numbers if low <= each <= high]
