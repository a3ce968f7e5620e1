"""One measured figure and its target."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A figure: at most (``<=``) or at least (``>=``) its target."""

    name: str
    value: float
    target: str

    def __str__(self) -> str:
        return f"{self.name} {self.value:.3g} {self.target}"
