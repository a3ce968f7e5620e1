"""One extension point: any smooth function of the sums of a cell, or of two cells."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.function.gradient import gradient_of
from dpratio.arrays import Floats
from dpratio.checks import require, require_one_of

Sums = Mapping[str, Any]

# Scales on which intervals are symmetric: there, and back.
LINKS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "plain": (lambda value: value, lambda value: value),
    "log": (np.log, np.exp),
    "log_one_plus": (np.log1p, np.expm1),
    "fisher": (np.arctanh, np.tanh),
    # The variance of a column of 0 and 1, by the share of 1.
    "share": (
        lambda value: value,
        lambda value: _between(value) * (1 - _between(value)),
    ),
}
_MOST_ARMS = 2
_HALF = 0.5  # Where p(1 − p) turns.


def above_zero(value: Any) -> Any:  # noqa: ANN401 (an array of any kind)
    """Give a value that cannot be negative; NaN where noise made it so."""
    return np.sqrt(value) ** 2


def people(sums: Sums) -> Any:  # noqa: ANN401 (an array of any kind)
    """Give the weight of all people, by which means divide."""
    return above_zero(sums["w"])


def covariance(sums: Sums, first: str, second: str, product: str) -> Any:  # noqa: ANN401 (an array of any kind)
    """Give a covariance: the mean product less the product of means."""
    weight = sums["w"]
    return sums[product] / weight - sums[first] / weight * (sums[second] / weight)


def _between(share: Floats) -> Floats:
    return np.clip(share, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class FunctionOfSums:
    """A function of named sums, vectorised over cells.

    Args:
        name: What it is called in tables.
        needs: The sums it uses, named by their factors: ``w`` the weight, ``ws`` and
            ``wy`` the weighted numerator and denominator, ``wss``, ``wys``, ``wyy``
            their products; ``a`` = w·s and ``b`` = w·y in ``aa``, ``ab``, ``bb``.
        formula: Takes a mapping from names to arrays, one entry per cell, and gives an
            array; with two arms it takes two mappings. Without a gradient it must be
            made of arithmetic and analytic numpy functions, and is differentiated.
        gradient: Gives the derivatives: a mapping from names to arrays, or two.
        arms: How many cells it compares, 1 or 2.
        link: The scale of the interval: ``"plain"``, ``"log"``, ``"log_one_plus"``
            or ``"fisher"``; with ``"share"`` the formula gives p, and the function is
            p(1 − p).
        lowest: The smallest value there can be.
        highest: The largest value there can be.
        of_labels: The function to use instead if the denominator is 0 or 1.
        divisor: What the formula divides by; like the formula, it takes a mapping, or
            two, and may give NaN where noise made it impossible. Then the interval
            holds the values that a test of formula × divisor against value × divisor
            does not reject, and its status is that of a ratio.
        rests_on: Functions with divisors: where one of them is weak, so is this one.

    Raises:
        InvalidInput: When a name is repeated or an option unknown.

    Example:
        >>> FunctionOfSums("each", ("ws", "w"), lambda m: m["ws"] / m["w"]).arms
        1
    """

    name: str
    needs: tuple[str, ...]
    formula: Callable[..., Any]
    gradient: Callable[..., Any] | None = None
    arms: int = 1
    link: str = "plain"
    lowest: float = -np.inf
    highest: float = np.inf
    of_labels: "FunctionOfSums | None" = None
    divisor: Callable[..., Any] | None = None
    rests_on: tuple["FunctionOfSums", ...] = ()

    def __post_init__(self) -> None:
        named = isinstance(self.name, str) and self.name.isidentifier()
        require(named, "a function is named by one word", self.name)
        needs = self.needs if isinstance(self.needs, tuple) else ()
        once = 0 < len(set(needs)) == len(needs)
        require(once, "needs must be a tuple of names of sums", self.needs)
        rest = (self.gradient, self.divisor)
        called = callable(self.formula) and all(
            each is None or callable(each) for each in rest
        )
        rule = "formula, gradient and divisor must be functions"
        require(called, rule, self.formula)
        counted = self.arms in range(1, _MOST_ARMS + 1)
        require(counted, "a function compares 1 or 2 arms", self.arms)
        require_one_of(self.link, LINKS, "link")

    def on_link(self, values: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
        """Give the function on the scale of its interval.

        ``values`` are arrays of cells in the order of ``needs``, arm by arm.
        """
        there = LINKS[self.link][0]
        with np.errstate(all="ignore"):
            image: NDArray[np.generic] = there(self.formula(*self._arms(values)))
        return image

    def above(self, values: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
        """Give what the function divides by its divisor."""
        with np.errstate(all="ignore"):
            value: Any = self.formula(*self._arms(values))
            divided: NDArray[np.generic] = value * self.below(values)
            return divided

    def below(self, values: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
        """Give the divisor; 1 without any."""
        divisor = self.divisor or (lambda *_: np.ones(1))
        with np.errstate(all="ignore"):
            found: NDArray[np.generic] = divisor(*self._arms(values))
            return found

    def slopes(self, values: Sequence[Floats]) -> list[Floats]:
        """Give the derivative by each sum, on the scale of the interval."""
        if self.gradient is None:
            return gradient_of(self.on_link, values)
        given = self.gradient(*self._arms(values))
        by_arm = given if self.arms > 1 else (given,)
        with np.errstate(all="ignore"):
            value = np.asarray(self.formula(*self._arms(values)), dtype=np.float64)
            (chain,) = gradient_of(lambda m: LINKS[self.link][0](m[0]), [value])
            return [
                np.asarray(arm[name], dtype=np.float64) * chain
                for arm in by_arm
                for name in self.needs
            ]

    def back(self, values: Floats) -> Floats:
        """Come back from the scale of the interval, within the function's range."""
        with np.errstate(over="ignore"):
            shown: Floats = LINKS[self.link][1](values)
        return np.clip(shown, self.lowest, self.highest)

    def ends(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Come back with both ends of an interval: all that lies between them."""
        ends = self.back(lower), self.back(upper)
        if self.link != "share":
            return ends
        holds_peak = (lower <= _HALF) & (upper >= _HALF)
        peak = self.back(np.full_like(lower, _HALF))
        return np.minimum(*ends), np.where(holds_peak, peak, np.maximum(*ends))

    def _arms(self, values: Sequence[NDArray[np.generic]]) -> list[Sums]:
        size = len(self.needs)
        return [
            dict(zip(self.needs, values[at * size : (at + 1) * size], strict=True))
            for at in range(self.arms)
        ]
