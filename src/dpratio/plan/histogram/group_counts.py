"""People by the number of declared groups they have rows in: one cell for each of them.

Nobody is left out of a group here, so that the counts tell how many a limit would cut.
"""

from dataclasses import dataclass

from dpratio.plan.histogram.ladder import Ladder
from dpratio.terms.groups import Groups

__all__ = ["GroupCounts", "groups_called", "ladder_of_groups"]


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """What is counted: people, by how many of the groups ``within`` they are in.

    ``letters`` are the column that must be a number for a row to count, as s.
    """

    name: str
    ladder: Ladder
    letters: dict[str, str]
    within: Groups


def groups_called(column: str) -> str:
    """Call these counts by the column of ids."""
    return f"groups per {column}"


def ladder_of_groups(groups: Groups) -> Ladder:
    """Give the cells: 1, 2 to 3, 4 to 7 and so on, as far as there are groups."""
    return Ladder(0, max(2, groups.count.bit_length()), steps=1)
