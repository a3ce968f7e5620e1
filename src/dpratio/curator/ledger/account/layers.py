"""A mapping that grows without being copied: a long layer, and a short one on top.

An account is a value; the next one differs in a line. To copy 100,000 releases for each
line took most of the time of a charge.
"""

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

_LONGEST_TOP = 512

Value = TypeVar("Value")


class Layers(Mapping[str, Value], Generic[Value]):
    """What was there, and what changed since; neither is ever changed itself."""

    __slots__ = ("_base", "_new", "_top")

    def __init__(
        self, base: Mapping[str, Value], top: Mapping[str, Value] | None = None
    ) -> None:
        self._base = base
        self._top = top or {}
        self._new = [name for name in self._top if name not in base]

    def changed(self, changes: Mapping[str, Value]) -> "Layers[Value]":
        """Give the mapping with some values changed or added.

        Example:
            >>> Layers({"a": 1}).changed({"b": 2, "a": 3})["a"]
            3
        """
        top = {**self._top, **changes}
        if len(top) <= _LONGEST_TOP:
            return Layers(self._base, top)
        return Layers({**self._base, **top})

    def __getitem__(self, name: str) -> Value:
        return self._top[name] if name in self._top else self._base[name]

    def __contains__(self, name: object) -> bool:
        return name in self._top or name in self._base

    def __iter__(self) -> Iterator[str]:
        yield from self._base
        yield from self._new

    def __len__(self) -> int:
        return len(self._base) + len(self._new)

    def __repr__(self) -> str:
        return f"Layers({dict(self)!r})"
