"""The one clock of the house: when something was written into the ledger.

Nothing depends on it. Entries are ordered by number, and a clock that goes back is
noted, not obeyed.
"""

from datetime import UTC, datetime

__all__ = ["time_now"]


def time_now() -> str:
    """Give the time in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
