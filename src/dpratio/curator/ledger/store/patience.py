"""Asking again where others wrote at the same moment and the server undid one of them.

A transaction that a server undoes has left nothing behind, so its verb may run again
from its beginning.
"""

import functools
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from dpratio.curator.noise.entropy import system_bits
from dpratio.errors import LedgerFailed

_ATTEMPTS = 12
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 2.0  # seconds; half a minute at most in all

Given = ParamSpec("Given")
Result = TypeVar("Result")


class Conflict(LedgerFailed):
    """The server undid a transaction because of another one."""


def patient(verb: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let a verb run again after a conflict, a bounded number of times."""

    @functools.wraps(verb)
    def again(*given: Given.args, **named: Given.kwargs) -> Result:
        for attempt in range(_ATTEMPTS):
            try:
                return verb(*given, **named)
            except Conflict:
                _pause(attempt)
        return verb(*given, **named)

    return again


def _pause(attempt: int) -> None:
    """Wait longer each time, by chance, so that two do not meet again and again."""
    chance = (1 + system_bits(1)[0]) / 256
    longest = min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE)
    threading.Event().wait(longest * (1 + chance) / 2)
