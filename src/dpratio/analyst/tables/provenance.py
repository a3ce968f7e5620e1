"""What every answer says first about the release it is made of."""

from dpratio.release.release import AFTER_LOOK, EXTERNAL_WORDS
from dpratio.tabular import PUBLIC

__all__ = ["LOOK_WORDS", "PUBLIC_WORDS", "heading_stamp", "stamps"]

LOOK_WORDS = (
    f"{AFTER_LOOK.capitalize()}: somebody had seen how they are written, or may have. "
    "The guarantee does not cover the choice of its terms."
)

PUBLIC_WORDS = (
    "NOT PRIVATE: these are exact sums of a table that was declared public or "
    "invented. There is no noise in them, and they are no release."
)


def stamps(
    origin: str | None, *, is_simulated: bool, is_after_look: bool = False
) -> list[str]:
    """Say that people are invented, sums from elsewhere, or terms set after a look."""
    lines = []
    if is_simulated:
        lines.append("SIMULATED: the people in this release are invented.")
    if origin == PUBLIC:
        lines.append(PUBLIC_WORDS)
    elif origin is not None:
        lines.append(f"EXTERNAL: {EXTERNAL_WORDS.format(origin=origin)}")
    if is_after_look:
        lines.append(LOOK_WORDS)
    return lines


def heading_stamp(origin: str | None, *, is_simulated: bool) -> str:
    """Give what the title of a chart or report begins with."""
    private = "NOT PRIVATE: " if origin == PUBLIC else ""
    return f"{private}SIMULATED: " if is_simulated else private
