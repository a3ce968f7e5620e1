"""Messages of the library in the words of the command line.

Python says ``design='baseline'`` where a command says ``--design baseline``, and
``replace=True`` where one says ``--force``.
"""

import re

_OPTIONS = (
    "bins|design|lower|new_draw|people_are_new|question|reference|release_id"
    "|units_are_disjoint|upper"
)
# A quote before the name: it belongs to something that was given, not to advice.
_SAID = re.compile(rf"(?<![\w'\"])({_OPTIONS})=(True|'[^']*'|-?\d+(?:\.\d+)?)")


def in_options(message: str) -> str:
    """Say in options what a message advises as arguments.

    Example:
        >>> in_options("Say question=1, or design='rest'.")
        'Say --question 1, or --design rest.'
    """
    return _SAID.sub(_option, message).replace("replace=True", "--force")


def _option(said: re.Match[str]) -> str:
    name, value = said[1], said[2]
    if value == "True":
        return f"--{name.replace('_', '-')}"
    plain = value.strip("'")
    needs_quotes = re.search(r"[^\w.-]", plain)
    option = "id" if name == "release_id" else name
    return f"--{option} {value if needs_quotes else plain}"
