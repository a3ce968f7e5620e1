"""Who draws results: `dpratio` itself says it, so that no table imports charts."""

from collections.abc import Callable
from typing import Any

__all__ = ["displayed", "draw_with", "drawn"]

Drawers = tuple[Callable[..., Any], Callable[..., str]]

_load: list[Callable[[], Drawers]] = []


def draw_with(load: Callable[[], Drawers]) -> None:
    """Say how the functions are loaded that chart a result, and show it."""
    _load[:] = [load]


def drawn(result: object, view: str | None) -> Any:  # noqa: ANN401 (a chart of `show`)
    """Chart a result."""
    return _load[0]()[0](result, view)


def displayed(result: object) -> str:
    """Write a result as a notebook shows it."""
    return _load[0]()[1](result)
