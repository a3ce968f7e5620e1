"""Strict reading of documents: every refusal carries the path inside the document.

A `Node` is a value with its place. Asking it for a type either gives that type or
raises `DocumentRefused` with the path, so readers are written without checks.
"""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn, TypeVar

from dpratio.checks import show_given
from dpratio.errors import DocumentRefused, InvalidInput

_LONGEST_EXACT = 300

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Node:
    """A value in a document, and where it stands.

    Example:
        >>> Node({"a": [1, 2]}).fields("a")["a"].items()[1].integer()
        2
    """

    value: object
    path: str = "$"

    def refuse(self, rule: str, hint: str = "") -> NoReturn:
        """Raise `DocumentRefused` at this place."""
        given = show_given(self.value)
        raise DocumentRefused(f"{self.path}: {rule}, got {given}. {hint}".rstrip())

    def fields(self, *required: str, optional: Sequence[str] = ()) -> dict[str, "Node"]:
        """Read a table with just these fields."""
        given = self.entries()
        known = {*required, *optional}
        for name in given:
            if name not in known:
                hint = f"Known fields: {', '.join(sorted(known))}."
                raise DocumentRefused(f"{self.path}: unknown field '{name}'. {hint}")
        for name in required:
            if name not in given:
                raise DocumentRefused(f"{self.path}: field '{name}' is missing.")
        return given

    def entries(self) -> dict[str, "Node"]:
        """Read a table whose field names are free."""
        if not isinstance(self.value, dict):
            self.refuse("must be a table of fields")
        return {
            name: Node(child, f"{self.path}.{name}")
            for name, child in self.value.items()
        }

    def items(self) -> list["Node"]:
        """Read a list."""
        if not isinstance(self.value, list):
            self.refuse("must be a list")
        return [
            Node(child, f"{self.path}[{index}]")
            for index, child in enumerate(self.value)
        ]

    def text(self) -> str:
        """Read a piece of text."""
        if not isinstance(self.value, str):
            self.refuse("must be text")
        return self.value

    def flag(self) -> bool:
        """Read true or false."""
        if not isinstance(self.value, bool):
            self.refuse("must be true or false")
        return self.value

    def integer(self) -> int:
        """Read a whole number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            self.refuse("must be a whole number")
        return self.value

    def fraction(self) -> Fraction:
        """Read an exact number written as text: ``"1/35"``, ``"0.2"``."""
        text = self.text()
        exact = None
        # No exponents: "1e999999999" would be a very long number.
        if len(text) <= _LONGEST_EXACT and "e" not in text.lower():
            with contextlib.suppress(ValueError, ZeroDivisionError):
                exact = Fraction(text)
        if exact is None:
            self.refuse("must be an exact number such as '1/35' or '0.2'")
        return exact

    def make(self, maker: Callable[[], Made]) -> Made:
        """Make a value from what stands here; a broken rule gets this place."""
        try:
            return maker()
        except InvalidInput as error:
            raise DocumentRefused(f"{self.path}: {error}") from None
