"""What an interval says about a reference value: in words, and in a look.

Colours follow Okabe & Ito (2008), which colour-blind readers tell apart; each verdict
has a shape too, so that it is told apart in print and without colours.
"""

import math
from collections.abc import Iterable

from dpratio.show.chart.picture import Sign

# Of each verdict its class in the style sheet, and its shape.
VERDICT_STYLES = {
    "above": ("above", "up"),
    "below": ("below", "down"),
    "not told apart": ("even", "circle"),
    "no finite interval": ("endless", "cross"),
    "finite interval": ("bounded", "square"),
    "within": ("bounded", "square"),
    "outside": ("above", "diamond"),
    "undecided": ("even", "circle"),
}


def verdict_of(low: float, high: float, reference: float | None) -> str:
    """Say where an interval lies beside the reference, if there is one.

    Example:
        >>> verdict_of(1.1, 1.3, 1.0), verdict_of(1.1, math.inf, 1.0)
        ('above', 'above')
        >>> verdict_of(0.9, math.inf, 1.0), verdict_of(0.9, 1.2, None)
        ('no finite interval', 'finite interval')
    """
    is_bounded = math.isfinite(low) and math.isfinite(high)
    if reference is None:
        return "finite interval" if is_bounded else "no finite interval"
    if low > reference:
        return "above"
    if high < reference:
        return "below"
    return "not told apart" if is_bounded else "no finite interval"


def signs_of(verdicts: Iterable[str]) -> list[Sign]:
    """Explain the verdicts that are there, in their usual order.

    Where every interval is finite and there is nothing to hold it to, nothing is said.
    """
    seen = set(verdicts)
    if seen == {"finite interval"}:
        return []
    return [
        Sign(name, *style) for name, style in VERDICT_STYLES.items() if name in seen
    ]
