"""Which sums a strategy measures, and how moments come back from them.

``even`` is the paper's: its sums, each with the same share of epsilon and delta, added
up by basic composition. ``joint`` measures the same sums as one vector at its joint
price. ``focused`` measures z and h of `contrast`, most precisely where the ratio needs
it.
"""

from collections.abc import Mapping, Sequence

from dpratio.checks import require
from dpratio.plan.sensitivity.contrast import Contrast
from dpratio.plan.sensitivity.joint import Grid, grid_of
from dpratio.plan.sensitivity.sums import (
    CUT,
    MOMENTS,
    Summand,
    focused_summands,
    summands_for,
)
from dpratio.terms.bounds import Bounds

__all__ = [
    "ANSWERS",
    "EXTERNAL",
    "HISTOGRAM",
    "STRATEGIES",
    "reconstruction",
    "require_no_histogram",
    "sums_of",
]

STRATEGIES = ("focused", "joint", "even")
# Sums that were measured elsewhere: no strategy of ours, and `price` refuses it.
EXTERNAL = "external"
# Counts on a ladder, from which bounds are proposed: planned by `plan_bounds`.
HISTOGRAM = "histogram"
ANSWERS = ("ratio", "means", "spread", "calibration")

Box = Mapping[str, Bounds]
Matrix = dict[str, list[float]]


def sums_of(
    strategy: str,
    bounds: Box,
    contrast: Contrast,
    answers: Sequence[str],
    *,
    counts_cuts: bool = False,
) -> Grid:
    """Lay out the sums that a strategy measures for the answers wanted.

    The number of units that bounds cut comes last, where it is counted.
    """
    hint = "Make a plan with make_plan."
    require(strategy != EXTERNAL, "sums from elsewhere are not planned", strategy, hint)
    require_no_histogram(strategy)
    weighted, last = "w" in bounds, (CUT,) if counts_cuts else ()
    if strategy == "focused":
        summands = focused_summands(weighted=weighted, means="means" in answers)
        return grid_of((*summands, *last), bounds, contrast)
    summands = summands_for(
        weighted=weighted, binary=bounds["y"].is_binary, spread="spread" in answers
    )
    return grid_of((*summands, *last), bounds, None)


def require_no_histogram(strategy: str) -> None:
    """Refuse a plan of histograms where a ratio is asked for."""
    hint = "Ask it of a plan that make_plan makes."
    rule = "a plan of histograms holds no sums of a ratio"
    require(strategy != HISTOGRAM, rule, strategy, hint)


def reconstruction(summands: Sequence[Summand], contrast: Contrast | None) -> Matrix:
    """Give each moment as a combination of the measured sums.

    Moments are named by their factors; ``a`` stands for w·s and ``b`` for w·y. A moment
    that was left out may equal one that was measured: w² = w without weights,
    wy² = wy for a binary denominator.

    Example:
        >>> sums = summands_for(weighted=False, binary=True)
        >>> reconstruction(sums, None)["ww"]
        [1.0, 0.0, 0.0, 0.0, 0.0]
    """
    names = [each.name for each in summands]
    if contrast is not None:
        return _from_contrast(names, contrast)
    unweighted = not any("w" in each.factors for each in summands)
    # Sums from elsewhere may hold no weight, or squares of units' products instead.
    stand_ins = {"wyy": "wy"} if "wss" in names else {}
    if unweighted:
        stand_ins |= {"ww": "w", "aa": "wss", "ab": "wys", "bb": "wyy"}
        stand_ins |= {"wa": "ws", "wb": "wy"}
    sources: dict[str, str] = {}
    for name in dict.fromkeys((*MOMENTS, "aa", "ab", "bb", "wa", "wb", *names)):
        found = name if name in names else stand_ins.get(name, "")
        found = sources.get(found, found)
        if found in names:
            sources[name] = found
    return {
        moment: [float(source == name) for name in names]
        for moment, source in sources.items()
    }


def _from_contrast(names: Sequence[str], contrast: Contrast) -> Matrix:
    numerator, denominator = contrast.inverse()
    parts = {
        "ws": _first(numerator),
        "wy": _first(denominator),
        "aa": _second(numerator, numerator),
        "ab": _second(numerator, denominator),
        "bb": _second(denominator, denominator),
    }
    if "w" in names:
        parts["w"] = {"w": 1.0}
        parts["ww"] = {"ww": 1.0} if "ww" in names else {"w": 1.0}
        mark = "w" if "wz" in names else ""
        parts["wa"] = {mark + name: part for name, part in parts["ws"].items()}
        parts["wb"] = {mark + name: part for name, part in parts["wy"].items()}
    if CUT.name in names:
        parts[CUT.name] = {CUT.name: 1.0}
    return {
        moment: [given.get(name, 0.0) for name in names]
        for moment, given in parts.items()
    }


def _first(row: tuple[float, float]) -> dict[str, float]:
    return {"z": row[0], "h": row[1]}


def _second(
    first: tuple[float, float], second: tuple[float, float]
) -> dict[str, float]:
    return {
        "zz": first[0] * second[0],
        "zh": first[0] * second[1] + first[1] * second[0],
        "hh": first[1] * second[1],
    }
