"""Statuses of rows: small numbers inside, words for readers, and what they mean."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int8]

# What the status "variance_floored" means, of every answer.
FLOORED = (
    "noise drowned the sampling variance; what stands in for it follows from the noise "
    "alone"
)


def codes_of(statuses: Iterable[str]) -> dict[str, np.int8]:
    """Number the statuses of an answer, in their order.

    Example:
        >>> codes_of(["ok", "unbounded"])["unbounded"]
        np.int8(1)
    """
    return {name: np.int8(code) for code, name in enumerate(statuses)}


def words_of(codes: Codes, statuses: Iterable[str]) -> tuple[str, ...]:
    """Name the status of every row."""
    names = np.array(list(statuses), dtype=object)
    return tuple(names[codes].tolist())


def meanings_of(codes: Codes, statuses: Mapping[str, str]) -> list[str]:
    """Say what the statuses that occur mean, except ``"ok"``."""
    seen = np.bincount(codes, minlength=len(statuses)) > 0
    return [
        f"{name}: {words}."
        for (name, words), is_there in zip(statuses.items(), seen, strict=True)
        if is_there and name != "ok"
    ]
