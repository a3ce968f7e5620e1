"""A study of people, and what a command on it gives."""

from collections.abc import Callable

from typer.testing import CliRunner

from dpratio.cli.main import app
from dpratio.errors import DpratioError
from planned import question_text

__all__ = [
    "QUESTION",
    "STUDY",
    "Call",
    "Done",
    "flowing",
    "is_refused",
    "refusal",
    "rows_of_people",
    "shown",
]

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


def is_refused(done: Done, code: int, said: str) -> bool:
    """Whether a command ended with a code, and said so on standard error."""
    return done[0] == code and said in done[2]


def rows_of_people(pairs: int) -> str:
    """The file of people: pairs of rows, whose ratio is 0.75."""
    return "score,label\n" + "0.5,1\n0.25,0\n" * pairs


def shown(*words: object) -> str:
    """What a command prints, which must succeed; an error is raised as it is."""
    given = [str(word) for word in words]
    done = CliRunner().invoke(app, given, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def flowing(*words: object) -> str:
    """What a command prints, without the ends of lines."""
    return " ".join(shown(*words).split())


def refusal(*words: object) -> DpratioError:
    """The error of ours that ends a command."""
    error = CliRunner().invoke(app, [str(word) for word in words]).exception
    assert isinstance(error, DpratioError)
    return error
