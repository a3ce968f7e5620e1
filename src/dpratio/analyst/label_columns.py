"""Label columns that give way to columns of answers.

Floor: analyst. Imports: nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["label_columns"]


def label_columns(
    labels: Mapping[str, Sequence[Any]], answers: set[str]
) -> dict[str, list[Any]]:
    """Copy labels under names that no answer and no other label has.

    Example:
        >>> label_columns({"se": ["south-east"]}, {"se"})
        {'se_key': ['south-east']}
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
    return table
