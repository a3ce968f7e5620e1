"""How many digits an answer is shown with: as many as its interval knows."""

from collections.abc import Iterable

import numpy as np

from dpratio.arrays import Floats


def rounded_to(
    uncertainty: Floats, *, values: Iterable[str], ends: Iterable[str] = ()
) -> dict[str, list[float]]:
    """Give the uncertainty of columns, for `Tabular.precision`.

    Where it is infinite a value says nothing and is shown as "–"; the ends of its
    interval say that, and stay.

    Example:
        >>> rounded_to(np.array([0.1, np.inf]), values=["ratio"], ends=["ci_lower"])
        {'ratio': [0.1, inf], 'ci_lower': [0.1, nan]}
    """
    of_ends = np.where(np.isinf(uncertainty), np.nan, uncertainty)
    return dict.fromkeys(values, uncertainty.tolist()) | dict.fromkeys(
        ends, of_ends.tolist()
    )
