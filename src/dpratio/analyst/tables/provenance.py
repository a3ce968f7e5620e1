"""The first sentences of every answer, about the release it is made of."""

from dpratio.release.release import EXTERNAL_WORDS


def stamps(origin: str | None = None, *, is_simulated: bool) -> list[str]:
    """Return the stamps of invented people, and of sums from elsewhere."""
    lines = []
    if is_simulated:
        lines.append("SIMULATED: the people in this release are invented.")
    if origin is not None:
        lines.append(f"EXTERNAL: {EXTERNAL_WORDS.format(origin=origin)}")
    return lines


def heading_stamp(*, is_simulated: bool) -> str:
    """Return the beginning of the title of a chart or report."""
    return "SIMULATED: " if is_simulated else ""
