"""Heads of the ledger in a file outside of it: an old copy cannot be passed for new.

One line of JSON per entry, appended and synced after the entry is committed. An anchor
may be a few entries behind the ledger, never ahead of it.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from dpratio.errors import DocumentRefused, LedgerFailed
from dpratio.release.checked_json import parse
from dpratio.strict import Node

__all__ = ["Anchor", "Head"]


@dataclass(frozen=True, slots=True)
class Head:
    """The number and hash of an entry; number 0 is the scope itself."""

    scope: str
    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """A file of heads."""

    path: Path

    def append(self, head: Head) -> None:
        """Write a head and wait until it is on the disk.

        Raises:
            LedgerFailed: When it cannot be written.
        """
        line = {"scope": head.scope, "seq": head.seq, "hash": head.hash}
        content = (json.dumps(line) + "\n").encode()
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

    def heads(self) -> Sequence[Head]:
        """Read all heads, in the order they were written.

        Raises:
            LedgerFailed: When the file is missing or a line is damaged.
        """
        try:
            content = self.path.read_bytes()
        except OSError as error:
            self._refuse(f"cannot be read: {error.strerror}")
        lines = content.split(b"\n")
        heads = [self._read(number + 1, line) for number, line in enumerate(lines[:-1])]
        if lines[-1]:
            self._refuse_line(len(lines))
        return heads

    def _read(self, number: int, line: bytes) -> Head:
        try:
            fields = Node(parse(line.decode())).fields("scope", "seq", "hash")
            return Head(
                fields["scope"].text(), fields["seq"].integer(), fields["hash"].text()
            )
        except (DocumentRefused, ValueError):
            self._refuse_line(number)

    def _refuse_line(self, number: int) -> NoReturn:
        self._refuse(
            f"is damaged in line {number}. If the machine stopped while it was "
            "written, remove that line; otherwise find the last sound copy"
        )

    def _refuse(self, words: str) -> NoReturn:
        raise LedgerFailed(f"the anchor '{self.path}' {words}.") from None
