"""Read one figure from what a command prints."""

import json
from collections.abc import Callable, Iterator
from statistics import mean
from typing import Any

__all__ = ["READINGS", "read_figure"]

Row = dict[str, Any]

# The sentence that states the figure says "from ε = 0.5 on".
_LEAST_EPSILON = 0.5


def read_figure(reads: str, printed: str) -> float:
    """Apply a reading to JSON rows, or find a line ``name value target``."""
    if reads in READINGS:
        return READINGS[reads](json.loads(printed))
    lines = [line.split() for line in printed.splitlines() if line.strip()]
    (value,) = (words[1] for words in lines if words[0] == reads)
    return float(value)


def _on_ratio(rows: list[Row]) -> Iterator[Row]:
    return (row for row in rows if row["link"] == "ratio")


def _percent_wider(row: Row) -> float:
    return 100 * (float(row["width_over_one_query"]) - 1)


def _narrower_than_paper(rows: list[Row]) -> float:
    return max(float(row["width_paper"] / row["width"]) for row in _on_ratio(rows))


def _least_wider(rows: list[Row]) -> float:
    return min(map(_percent_wider, _on_ratio(rows)))


def _most_wider(rows: list[Row]) -> float:
    return max(map(_percent_wider, _on_ratio(rows)))


def _most_wider_from_half(rows: list[Row]) -> float:
    settings = (row for row in _on_ratio(rows) if row["epsilon"] >= _LEAST_EPSILON)
    return max(map(_percent_wider, settings))


def _least_coverage(rows: list[Row]) -> float:
    return min(float(row["coverage"]) for row in _on_ratio(rows))


def _mean_coverage(rows: list[Row]) -> float:
    return mean(float(row["coverage"]) for row in _on_ratio(rows))


def _cells_that_agree(rows: list[Row]) -> float:
    return sum(bool(row["agrees"]) for row in rows)


READINGS: dict[str, Callable[[list[Row]], float]] = {
    "narrower_than_paper": _narrower_than_paper,
    "least_wider": _least_wider,
    "most_wider": _most_wider,
    "most_wider_from_half": _most_wider_from_half,
    "least_coverage": _least_coverage,
    "mean_coverage": _mean_coverage,
    "cells_that_agree": _cells_that_agree,
}
