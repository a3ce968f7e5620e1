"""Who draws results: `dpratio` itself says it, so that no table imports charts."""

from collections.abc import Callable
from typing import Any

_load: list[Callable[[], Callable[..., Any]]] = []


def draw_with(load: Callable[[], Callable[..., Any]]) -> None:
    """Say how the function is loaded that charts a result."""
    _load[:] = [load]


def drawn(result: object, view: str | None) -> Any:  # noqa: ANN401 (a chart of `show`)
    """Chart a result."""
    return _load[0]()(result, view)
