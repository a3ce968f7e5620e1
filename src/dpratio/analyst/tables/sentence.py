"""Answers in words: percentages, intervals and who is above whom."""

import math
from collections.abc import Callable

_LEAST = 0.0001  # Below it the size of a p-value says nothing.


def chance_in_words(chance: float) -> str:
    """Say a p-value; of a tiny one its size says nothing.

    Example:
        >>> chance_in_words(0.0312), chance_in_words(2.4e-12)
        ('p = 0.031', 'p < 0.0001')
    """
    return f"p < {_LEAST:g}" if chance < _LEAST else f"p = {chance:.2g}"


def percent(share: float) -> str:
    """Show a share as a percentage.

    Example:
        >>> percent(0.0981), percent(-0.004), percent(math.inf), percent(2.5)
        ('9.8 %', '−0.40 %', 'no upper end', '250 %')
    """
    if math.isinf(share):
        return "no upper end" if share > 0 else "no lower end"
    size = abs(100 * share)
    digits = 0 if size >= 100 else 1 if size >= 1 else 2  # noqa: PLR2004
    return f"{100 * share:,.{digits}f} %".replace("-", "−")


def short(number: float) -> str:
    """Show a number with three digits, or more where it is large.

    Example:
        >>> short(0.09812), short(-1.5), short(math.inf)
        ('0.0981', '−1.5', 'no upper end')
    """
    if math.isinf(number):
        return "no upper end" if number > 0 else "no lower end"
    return f"{number:.3g}".replace("-", "−")


def interval_in_words(
    ends: tuple[float, float], level: float, show: Callable[[float], str]
) -> str:
    """Say where an answer lies.

    Example:
        >>> interval_in_words((0.061, 0.137), 0.95, percent)
        '95 % interval 6.1 % to 13.7 %'
    """
    if all(math.isinf(end) for end in ends):
        return f"no bounded {_level(level)} interval"
    return f"{_level(level)} interval {show(ends[0])} to {show(ends[1])}"


def range_in_words(shares: tuple[float, float]) -> str:
    """Say by how much something grows, given the least and the most it may.

    Example:
        >>> range_in_words((0.021, 0.06)), range_in_words((0.4, math.inf))
        ('by 2.1 % to 6.0 %', 'by at least 40.0 %')
        >>> range_in_words((-0.02, 0.31))
        'by at most 31.0 %'
    """
    least, most = shares
    if least <= 0:
        return f"by at most {percent(most)}"
    if math.isinf(most):
        return f"by at least {percent(least)}"
    ends = percent(least), percent(most)
    return f"by {ends[0]}" if ends[0] == ends[1] else f"by {ends[0]} to {ends[1]}"


def compared_in_words(first: object, second: object, value: float, link: str) -> str:
    """Say who is above whom, and by how much.

    Example:
        >>> compared_in_words("north", "south", 0.098, "lift")
        'north is 9.8 % above south'
        >>> compared_in_words("north", "south", -0.2, "difference")
        'north is 0.2 below south'
    """
    if math.isnan(value):
        return f"{first} cannot be compared with {second}"
    side = "above" if value >= 0 else "below"
    if link == "log_ratio":
        return f"{first} is {short(abs(value))} {side} {second} on the log scale"
    show = percent if link == "lift" else short
    size = "far" if math.isinf(value) else show(abs(value))
    return f"{first} is {size} {side} {second}"


def _level(level: float) -> str:
    return f"{100 * level:.4g} %"
