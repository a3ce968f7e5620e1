"""Laws in many settings: `make test` tries the first of them, `make test-all` all."""

from collections.abc import Iterable
from typing import Any

import pytest

__all__ = ["first_is_quick"]


def first_is_quick(settings: Iterable[Any]) -> list[Any]:
    """Mark all settings but the first as slow; a tuple holds many parameters."""
    return [
        pytest.param(
            *(each if isinstance(each, tuple) else (each,)),
            marks=[pytest.mark.slow] if at else [],
        )
        for at, each in enumerate(settings)
    ]
