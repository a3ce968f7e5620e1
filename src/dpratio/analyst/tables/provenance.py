"""What every answer says first about the release it is made of."""

from typing import Protocol

from dpratio.release.release import AFTER_LOOK, EXTERNAL_WORDS
from dpratio.tabular import PUBLIC

__all__ = ["LOOK_WORDS", "PUBLIC_WORDS", "Stamped", "heading_stamp", "stamps"]

LOOK_WORDS = (
    f"{AFTER_LOOK.capitalize()}: somebody had seen how they are written, or may have. "
    "The guarantee does not cover the choice of its terms."
)

PUBLIC_WORDS = (
    "NOT PRIVATE: these are exact sums of a table that was declared public or "
    "invented. There is no noise in them, and they are no release."
)


class Stamped(Protocol):
    """A release, or an answer that was made of one."""

    @property
    def is_simulated(self) -> bool:
        """Whether its people are invented."""
        ...

    @property
    def is_after_look(self) -> bool:
        """Whether somebody looked at the data before its terms were set."""
        ...


def stamps(given: Stamped, origin: str | None = None) -> list[str]:
    """Say that people are invented, sums from elsewhere, or terms set after a look."""
    lines = []
    if given.is_simulated:
        lines.append("SIMULATED: the people in this release are invented.")
    if origin == PUBLIC:
        lines.append(PUBLIC_WORDS)
    elif origin is not None:
        lines.append(f"EXTERNAL: {EXTERNAL_WORDS.format(origin=origin)}")
    if given.is_after_look:
        lines.append(LOOK_WORDS)
    return lines


def heading_stamp(origin: str | None, *, is_simulated: bool) -> str:
    """Give what the title of a chart or report begins with."""
    private = "NOT PRIVATE: " if origin == PUBLIC else ""
    return f"{private}SIMULATED: " if is_simulated else private
