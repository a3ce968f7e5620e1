"""How moments come back from the sums that were measured."""

from collections.abc import Sequence

from dpratio.plan.sensitivity.sums import CUT, MOMENTS, Contrast, Summand

Matrix = dict[str, list[float]]


def reconstruction(summands: Sequence[Summand], contrast: Contrast | None) -> Matrix:
    """Give each moment as a combination of the measured sums.

    Moments are named by their factors; ``a`` stands for w·s and ``b`` for w·y. A moment
    that was left out may equal one that was measured: w² = w without weights,
    wy² = wy for a binary denominator.

    Example:
        >>> from dpratio.plan.sensitivity.sums import summands_for
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
