"""Rules in many cases: `make test` tries the first of them, `make test-all` all."""

from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["quick_first"]


def quick_first(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """Mark all cases but the first as slow; a tuple holds many parameters."""
    return [
        pytest.param(
            *(each if isinstance(each, tuple) else (each,)),
            marks=[pytest.mark.slow] if at >= count else [],
        )
        for at, each in enumerate(cases)
    ]
