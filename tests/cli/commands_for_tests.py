"""A study of people, and what a command on it gives."""

from collections.abc import Callable

from planned import question_text

__all__ = ["QUESTION", "STUDY", "Call", "Done", "rows_of_people"]

QUESTION = question_text()
STUDY = f"""
[data]
path = "people.csv"
{QUESTION}
[privacy]
epsilon = 2
"""

# Exit code, standard output, standard error; and what runs the words of a command.
Done = tuple[int, str, str]
Call = Callable[..., Done]


def rows_of_people(pairs: int) -> str:
    """The file of people: pairs of rows, whose ratio is 0.75."""
    return "score,label\n" + "0.5,1\n0.25,0\n" * pairs
