"""What every answer says first about the release it is made of."""

from dpratio.release.release import EXTERNAL_WORDS

__all__ = ["stamps"]


def stamps(origin: str | None, *, is_simulated: bool) -> list[str]:
    """Say that people are invented, or that sums come from elsewhere."""
    lines = []
    if is_simulated:
        lines.append("SIMULATED: the people in this release are invented.")
    if origin is not None:
        lines.append(f"EXTERNAL: {EXTERNAL_WORDS.format(origin=origin)}")
    return lines
