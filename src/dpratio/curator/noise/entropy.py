"""Bits from the operating system: the only randomness of the curator.

A bit source is a function from a number of bytes to that many bytes. Samplers take
one as an argument; production wiring is `system_bits` and nothing else.
"""

import os
from collections.abc import Callable

BitSource = Callable[[int], bytes]


def system_bits(count: int) -> bytes:
    """Read bytes from the operating system; safe across forks, never seeded."""
    return os.urandom(count)


def fresh_id() -> str:
    """Name a release by 128 random bits."""
    return system_bits(16).hex()


def fresh_salt() -> str:
    """Return 256 random bits that keep a hash from being guessed."""
    return system_bits(32).hex()
