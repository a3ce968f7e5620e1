"""Heads of the ledger in a file outside of it: an old copy cannot be passed for new.

One line of JSON per entry, appended and synced after the entry is committed. An anchor
may be a few entries behind the ledger, never ahead of it. A line also says what was
spent by then, for the day when the ledger itself was lost. It only grows, so what lies
before a mark never changes and is read once.
"""

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from dpratio.codec import parse_json
from dpratio.errors import DocumentRefused, LedgerFailed
from dpratio.strict import Node

# A head as `append` writes it; all others are read strictly, or refused.
_EXACT = r"(?:0|[1-9][0-9]{0,899})/[1-9][0-9]{0,899}"
_LINE = re.compile(
    rb'\{"scope": ("(?:[^"\\\x00-\x1f\x80-\xff]|\\u[0-9a-f]{4})*"), '
    rb'"seq": (0|[1-9]\d{0,17}), "hash": "([0-9a-f]*)"'
    rb'(?:, "loss": "(EXACT)", "delta": "(EXACT)")?\}'.replace(
        b"EXACT", _EXACT.encode()
    )
)
_AMOUNTS = ("loss", "delta")
_TAIL = 512  # bytes by which a file is known again


@dataclass(frozen=True, slots=True)
class Head:
    """The number and hash of an entry; number 0 is the scope itself.

    ``loss`` and ``delta`` are what was spent after it, exact numbers as text; empty in
    lines of before, and in those that another writer left for the next.
    """

    scope: str
    seq: int
    hash: str
    loss: str = field(default="", compare=False)
    delta: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class SeenAnchor:
    """How far an anchor was read for a scope, and the newest head that was found."""

    mark: int = 0
    tail: bytes = b""
    newest: tuple[Head, ...] = ()


@dataclass(frozen=True, slots=True)
class Anchor:
    """A file of heads."""

    path: Path

    def append(self, *heads: Head) -> None:
        """Write heads and wait until they are on the disk.

        Raises:
            LedgerFailed: When they cannot be written.
        """
        content = "".join(f"{json.dumps(_line(head))}\n" for head in heads).encode()
        try:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            descriptor = os.open(self.path, flags, 0o644)
            try:
                whole = os.write(descriptor, content) == len(content)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            self._refuse(f"cannot be written: {error.strerror}")
        if not whole:
            self._refuse("cannot be written: the disk is full")

    def mark(self) -> int:
        """Give the length of the file now; 0 if there is no file."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0
        except OSError as error:
            self._refuse(f"cannot be read: {error.strerror}")

    def heads(self, mark: int | None = None) -> Sequence[Head]:
        """Read all heads, or those before a mark, in the order they were written.

        Raises:
            LedgerFailed: When the file is missing or a line is damaged.
        """
        lines = self._content(0, mark).split(b"\n")
        heads = [
            self._read(f"line {number}", line)
            for number, line in enumerate(lines[:-1], start=1)
        ]
        if lines[-1]:
            self._refuse_line(f"line {len(lines)}")
        return heads

    def since(
        self, seen: SeenAnchor, scope: str, mark: int
    ) -> tuple[list[Head], SeenAnchor]:
        """Read the heads of a scope between what was seen and a mark.

        Returns:
            The heads, and what is seen by then.

        Raises:
            LedgerFailed: When a line is damaged, or what was seen is no longer there.
        """
        start = max(0, seen.mark - _TAIL)
        content = self._content(start, mark) if mark else b""
        if mark < seen.mark or not content.startswith(seen.tail):
            self._refuse(
                "was truncated or replaced while it was in use. Find the newest copy"
            )
        name = json.dumps(scope).encode()
        *lines, rest = content[seen.mark - start :].split(b"\n")
        found = [_LINE.fullmatch(line) for line in lines]
        heads = [
            _head(scope, each) for each in found if each is not None and each[1] == name
        ]
        if rest or None in found:
            # Says which line is damaged; or it is only written otherwise.
            heads = [head for head in self.heads(mark) if head.scope == scope]
        newest = max([*seen.newest, *heads], key=lambda head: head.seq, default=None)
        now = SeenAnchor(mark, content[-_TAIL:], () if newest is None else (newest,))
        return heads, now

    def _content(self, start: int, mark: int | None) -> bytes:
        try:
            with self.path.open("rb") as file:
                file.seek(start)
                return file.read(-1 if mark is None else mark - start)
        except OSError as error:
            self._refuse(f"cannot be read: {error.strerror}")

    def _read(self, where: str, line: bytes) -> Head:
        usual = _LINE.fullmatch(line)
        if usual is not None:
            return _head(json.loads(usual[1]), usual)
        try:
            node = Node(parse_json(line.decode()))
            amounts = [name for name in _AMOUNTS if name in node.entries()]
            fields = node.fields("scope", "seq", "hash", *(_AMOUNTS if amounts else ()))
            spent = [fields[name].text() for name in amounts]
            if not all(re.fullmatch(_EXACT, each) for each in spent):
                self._refuse_line(where)
            return Head(
                fields["scope"].text(),
                fields["seq"].integer(),
                fields["hash"].text(),
                *spent,
            )
        except (DocumentRefused, ValueError):
            self._refuse_line(where)

    def _refuse_line(self, where: str) -> NoReturn:
        self._refuse(
            f"is damaged in {where}. If the machine stopped while it was "
            "written, remove that line; otherwise find the last sound copy"
        )

    def _refuse(self, words: str) -> NoReturn:
        raise LedgerFailed(f"the anchor '{self.path}' {words}.") from None


def _line(head: Head) -> dict[str, str | int]:
    amounts = {"loss": head.loss, "delta": head.delta} if head.loss else {}
    return {"scope": head.scope, "seq": head.seq, "hash": head.hash, **amounts}


def _head(scope: str, found: "re.Match[bytes]") -> Head:
    loss, delta = ((each or b"").decode() for each in (found[4], found[5]))
    return Head(scope, int(found[2]), found[3].decode(), loss, delta)
