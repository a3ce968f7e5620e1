"""The one clock of the house: when something was written, and how long others wait.

Only whether an approval has ended depends on the time. Entries are ordered by number.
If the clock goes back, that is noted but changes nothing.
"""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

_PAUSES = (0.001, 0.002, 0.005, 0.01, 0.02)  # seconds between two attempts


def time_now() -> str:
    """Give the time in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def attempts(patience: float) -> Iterator[int]:
    """Count attempts, with a pause after each, until so many seconds are over."""
    until = time.monotonic() + patience
    attempt = 0
    while True:
        yield attempt
        if time.monotonic() >= until:
            return
        time.sleep(_PAUSES[min(attempt, len(_PAUSES) - 1)])
        attempt += 1
