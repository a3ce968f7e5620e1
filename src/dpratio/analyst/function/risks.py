"""Two shares compared, as functions of sums: relative risk and odds ratio."""

from typing import Any

from dpratio.analyst.function.function_of_sums import (
    FunctionOfSums,
    Sums,
    above_zero,
)
from dpratio.checks import require_one_of

# What a share is made of: the ratio itself, or the mean of a column of 0 and 1.
_SHARE = {"ratio": ("ws", "wy"), "numerator": ("ws", "w"), "per": ("wy", "w")}


def relative_risk(of: str = "ratio") -> FunctionOfSums:
    """Give the share of the first arm over that of the second, p₁/p₂.

    Args:
        of: ``"ratio"`` where the ratio is a share, as of conversions per visitor; or
            the mean of a column of 0 and 1, ``"numerator"`` or ``"per"``.

    Returns:
        A function for `estimate_function`; of a column the plan must have ``"means"``
        among its answers. If noise leaves no share, the status is ``"unbounded"``.

    Raises:
        InvalidInput: When ``of`` is none of the three.

    Example:
        >>> import dpratio as dpr
        >>> release, risk = dpr.example_release(), dpr.functions.relative_risk("per")
        >>> found = dpr.estimate_function(release, risk, arms=("west", "north"))
        >>> found.estimate.round(3)
        array([0.828])
    """
    return _compared("relative_risk", of, taken=0)


def odds_ratio(of: str = "ratio") -> FunctionOfSums:
    """Give the odds of the first arm over those of the second, p/(1 − p) each.

    Args:
        of: As for `relative_risk`: p must be a share.

    Returns:
        A function for `estimate_function`; of a column the plan must have ``"means"``
        among its answers. If noise leaves no odds, the status is ``"unbounded"``.

    Raises:
        InvalidInput: When ``of`` is none of the three.

    Example:
        >>> import dpratio as dpr
        >>> release, odds = dpr.example_release(), dpr.functions.odds_ratio("per")
        >>> found = dpr.estimate_function(release, odds, arms=("west", "north"))
        >>> found.estimate.round(3)
        array([0.709])
    """
    return _compared("odds_ratio", of, taken=1)


def _compared(name: str, of: str, *, taken: int) -> FunctionOfSums:
    """Divide the part of each arm by its whole, less ``taken`` times the part."""
    require_one_of(of, _SHARE, "share")
    part, whole = _SHARE[of]

    def other(sums: Sums) -> Any:  # noqa: ANN401 (an array of any kind)
        return sums[whole] - taken * sums[part]

    return FunctionOfSums(
        f"{name}_of_{of}",
        (part, whole),
        lambda first, second: (
            (first[part] / other(first)) / (second[part] / other(second))
        ),
        arms=2,
        link="log",
        lowest=0.0,
        divisor=lambda first, second: (
            above_zero(other(first)) * above_zero(second[part])
        ),
    )
