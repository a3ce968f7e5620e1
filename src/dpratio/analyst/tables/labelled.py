"""Answers beside their labels, which give way where names are the same."""

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["labelled"]


def labelled(
    labels: Mapping[str, Sequence[Any]], answers: Mapping[str, list[Any]]
) -> dict[str, list[Any]]:
    """Put label columns before answers, under names that no other column has.

    Example:
        >>> labelled({"se": ["south-east"]}, {"se": [0.1]})
        {'se_key': ['south-east'], 'se': [0.1]}
    """
    table: dict[str, list[Any]] = {}
    taken = set(answers)
    for label, cells in labels.items():
        # A column may be called like an answer; both must be seen.
        shown = label
        while shown in taken or (shown != label and shown in labels):
            shown = f"{shown}_key"
        taken.add(shown)
        table[shown] = list(cells)
    return table | dict(answers)
