"""Many comparisons at once: adjusted p-values, and intervals that keep up with them."""

import numpy as np

from dpratio.arrays import Floats

ADJUSTMENTS = {
    "none": "p-values and intervals are of each comparison by itself",
    "bonferroni": (
        "p-values are multiplied by the number of comparisons, and all intervals hold "
        "at once (Bonferroni)"
    ),
    "holm": (
        "p-values are Holm's; intervals are Bonferroni's, which hold all at once: now "
        "and then Holm rejects what its interval still holds"
    ),
    "benjamini_hochberg": (
        "p-values control the false discovery rate (Benjamini & Hochberg 1995), "
        "intervals the false coverage rate (Benjamini & Yekutieli 2005)"
    ),
}


def adjusted(pvalues: Floats, adjust: str) -> Floats:
    """Adjust p-values for being many.

    Example:
        >>> adjusted(np.array([0.01, 0.04, 0.03]), "holm").tolist()
        [0.03, 0.06, 0.06]
    """
    count = len(pvalues)
    if adjust == "none" or count == 0:
        return pvalues
    if adjust == "bonferroni":
        return np.minimum(count * pvalues, 1.0)
    order = np.argsort(pvalues, kind="stable")
    rank = np.arange(1, count + 1)
    if adjust == "holm":
        # Holm (1979): step down.
        stepped = np.maximum.accumulate((count - rank + 1) * pvalues[order])
    else:
        # Benjamini & Hochberg (1995): step up.
        scaled = count / rank * pvalues[order]
        stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    changed = np.empty(count)
    changed[order] = np.minimum(stepped, 1.0)
    return changed


def family_level(pvalues: Floats, adjust: str, level: float) -> float:
    """Give the level at which single intervals are made.

    Under ``benjamini_hochberg`` R of m comparisons are found at rate α, and intervals
    are made at level 1 − Rα/m (Benjamini & Yekutieli 2005); those that
    were not found hold their null at this level too.
    """
    count = len(pvalues)
    if adjust == "none" or count == 0:
        return level
    rate = 1 - level
    found = 1
    if adjust == "benjamini_hochberg":
        found = max(int((adjusted(pvalues, adjust) < rate).sum()), 1)
    return 1 - found * rate / count
