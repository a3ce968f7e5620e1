"""What a file is that was dropped on the viewer, and of which plan it is.

A hash that is printed can be edited. Where a file holds its plan or its release, the
hash is computed from that, and a printed one that differs is told.
"""

import base64
import json
import re
import zlib
from dataclasses import dataclass
from html.parser import HTMLParser

from dpratio.errors import DpratioError, FileRefused
from dpratio.plan.plan import Plan
from dpratio.release.files import format_of, release_from_bytes
from dpratio.release.plan_file import plan_from_text, plan_names
from dpratio.release.release import Release
from dpratio.web.upload import LARGEST_UPLOAD, Upload

__all__ = ["RELEASE", "REPORT", "SHEET", "Dropped", "read_dropped"]

SHEET, REPORT, RELEASE = "approval sheet", "report", "release"

_HASH = re.compile("[0-9a-f]{64}")
_GZIP = 31  # zlib's word for a gzip header.


@dataclass(frozen=True, slots=True)
class Dropped:
    """A file: what it is, the hash of its plan, and what it holds.

    ``printed`` is the hash that is written on it, where that is another one.
    """

    name: str
    kind: str
    hash: str
    plan: Plan | None = None
    release: Release | None = None
    printed: str = ""

    @property
    def is_edited(self) -> bool:
        """Whether what is written on it is not what it holds."""
        return bool(self.printed)


def read_dropped(sent: Upload) -> Dropped:
    """Tell what a file is.

    Raises:
        DpratioError: When it is neither a sheet, nor a report, nor a release.
    """
    start = sent.content[:1000].lstrip().lower()
    if not start.startswith((b"<!doctype html", b"<html")):
        alone = _release(sent.content, format_of(sent.name))
        own = plan_names(alone.plan)["plan"]
        return Dropped(sent.name, RELEASE, own, alone.plan, alone)
    try:
        page = _Page()
        page.feed(sent.content.decode("utf-8"))
        page.close()
    except UnicodeDecodeError:
        raise FileRefused("the file cannot be read: it is not UTF-8.") from None
    printed = next(iter(page.hashes), "")
    if not page.is_ours or not _HASH.fullmatch(printed):
        raise FileRefused(
            "this page is neither an approval sheet nor a report of dpratio. `dpratio "
            "plan --html` writes the one, `dpratio report` the other."
        )
    kind = SHEET if page.is_sheet else REPORT
    try:
        held = _plan(page) if page.is_sheet else _held_release(page)
    except DpratioError as error:
        raise FileRefused(f"what this {kind} holds was altered: {error}") from None
    if held is None:
        return Dropped(sent.name, kind, printed)
    release = held if isinstance(held, Release) else None
    plan = held.plan if isinstance(held, Release) else held
    found = plan_names(plan)["plan"]
    told = "" if found == printed else printed
    return Dropped(sent.name, kind, found, plan, release, told)


def _release(content: bytes, kind: str) -> Release:
    try:
        return release_from_bytes(content, kind)
    except UnicodeDecodeError:
        raise FileRefused("the file cannot be read: it is not UTF-8.") from None


def _plan(page: "_Page") -> Plan | None:
    packed = page.held.get("plan", "")
    return plan_from_text(_unpack(packed).decode()) if packed else None


def _held_release(page: "_Page") -> Release | None:
    try:
        data = json.loads(page.held.get("data", "{}"))
        packed = (data.get("release") or {}).get("packed", "")
    except (ValueError, AttributeError, RecursionError):
        raise FileRefused("it cannot be read.") from None
    return _release(_unpack(packed), "json") if packed else None


def _unpack(packed: str) -> bytes:
    """Give the bytes that were packed, and no more than a file may have."""
    try:
        reader = zlib.decompressobj(_GZIP)
        content = reader.decompress(base64.b64decode(packed), LARGEST_UPLOAD)
        content.decode()
    except (ValueError, zlib.error):
        raise FileRefused("it cannot be unpacked.") from None
    if not reader.eof:
        raise FileRefused("it cannot be unpacked whole.")
    return content


class _Page(HTMLParser):
    """Reads who made a page, the hash of a plan that it prints, and what it holds."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.is_ours = self.is_sheet = False
        self.hashes: list[str] = []
        self.held: dict[str, str] = {}
        self._open: list[str] = []
        self._inside = self._term = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "meta" and given.get("name") == "generator":
            self.is_ours = given.get("content", "").startswith("dpratio ")
        if tag == "body":
            self.is_sheet = "sheet" in given.get("class", "").split()
        if tag in {"script", "template"}:
            self._inside = given.get("id", "")
        if tag in {"header", "code", "dt", "dd"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in {"script", "template"}:
            self._inside = ""
        if tag in self._open:
            self._open.remove(tag)

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.held[self._inside] = self.held.get(self._inside, "") + data
        last = self._open[-1:]
        if last == ["dt"]:
            self._term = data.strip()
        in_head = self.is_sheet and self._open[:2] == ["header", "code"]
        if in_head or (last == ["dd"] and self._term == "Plan hash"):
            self.hashes.append(data.strip())
