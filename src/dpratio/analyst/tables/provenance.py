"""What every answer says first about the release it is made of."""

from dpratio.release.release import EXTERNAL_WORDS
from dpratio.tabular import PUBLIC

PUBLIC_WORDS = (
    "NOT PRIVATE: these are exact sums of a table that was declared public or "
    "invented. There is no noise in them, and they are no release."
)


def stamps(origin: str | None = None, *, is_simulated: bool) -> list[str]:
    """Say that people are invented, or sums from elsewhere."""
    lines = []
    if is_simulated:
        lines.append("SIMULATED: the people in this release are invented.")
    if origin == PUBLIC:
        lines.append(PUBLIC_WORDS)
    elif origin is not None:
        lines.append(f"EXTERNAL: {EXTERNAL_WORDS.format(origin=origin)}")
    return lines


def heading_stamp(origin: str | None, *, is_simulated: bool) -> str:
    """Give what the title of a chart or report begins with."""
    private = "NOT PRIVATE: " if origin == PUBLIC else ""
    return f"{private}SIMULATED: " if is_simulated else private
