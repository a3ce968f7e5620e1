"""Writing and reading releases as strict, versioned JSON.

Sums are written as text: integers of 19 digits are altered by readers that keep
numbers as doubles. A checksum over the canonical document shows accidental edits.
Floor: release. Imports: errors, strict, plan, release.
"""

import hashlib
import json
import re
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import require
from dpratio.errors import (
    DocumentRefused,
    FileRefused,
    PlanRefused,
)
from dpratio.plan.document import plan_from_document, plan_to_document
from dpratio.plan.price import price
from dpratio.release.release import Release
from dpratio.release.writing import write_whole
from dpratio.strict import Node

__all__ = ["FORMAT", "VERSION", "read_release", "write_release"]

FORMAT = "dpratio-release"
VERSION = 1

_LARGEST_VALUE = 2**63 - 1


def write_release(release: Release, path: str | PathLike[str]) -> None:
    """Write a release as a JSON file; the file appears whole or not at all.

    Args:
        release: What to write.
        path: Where; an existing file is replaced.

    Raises:
        FileRefused: When the file cannot be written.
    """
    hint = "Call write_release(release, path)."
    require(isinstance(release, Release), "release must be a Release", release, hint)
    body = {
        "format": FORMAT,
        "version": VERSION,
        "id": release.id,
        "made_by": release.made_by,
        "simulated": release.is_simulated,
        "plan": plan_to_document(release.plan),
        "sums": [[str(value) for value in row] for row in release.values.tolist()],
    }
    document = {**body, "sha256": _checksum(body)}
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
    write_whole(path, f"{text}\n".encode())


def read_release(path: str | PathLike[str]) -> Release:
    """Read a release from a JSON file.

    Args:
        path: A file written by `write_release`.

    Raises:
        FileRefused: When the file cannot be read.
        DocumentRefused: When it is truncated, edited or of a newer format; the
            message holds the path inside the document.
    """
    named = isinstance(path, str | PathLike)
    require(named, "a release is read from a path", path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise FileRefused(f"'{path}' cannot be read: {reason}.") from None
    return _from_text(text)


def _from_text(text: str) -> Release:
    node = Node(_parse(text))
    if not isinstance(node.value, dict) or node.value.get("format") != FORMAT:
        raise DocumentRefused(f"$.format: this is not a {FORMAT} document.")
    version = node.entries().get("version", Node(None, "$.version")).integer()
    if version > VERSION:
        raise DocumentRefused(
            f"$.version: format {FORMAT} {version} is newer than {VERSION}, the newest "
            "this version of dpratio reads. Install a newer dpratio."
        )
    fields = node.fields(
        "format", "version", "id", "made_by", "simulated", "plan", "sums", "sha256"
    )
    if version != VERSION:
        fields["version"].refuse(f"must be {VERSION}")
    body = {name: part for name, part in node.value.items() if name != "sha256"}
    if fields["sha256"].text() != _checksum(body):
        raise DocumentRefused(
            "$.sha256: the document was edited or damaged: its checksum differs. "
            "Get the original file."
        )
    plan = plan_from_document(fields["plan"])
    try:
        price(plan)
    except PlanRefused as error:
        raise DocumentRefused(f"$.plan: {error}") from None
    if not re.fullmatch("[0-9a-f]{32}", fields["id"].text()):
        fields["id"].refuse("must be 32 hexadecimal digits")
    shape = (len(plan.keys), len(plan.sums))
    return node.make(
        lambda: Release(
            id=fields["id"].text(),
            plan=plan,
            values=_read_values(fields["sums"], shape),
            made_by=fields["made_by"].text(),
            is_simulated=fields["simulated"].flag(),
        )
    )


def _parse(text: str) -> Any:  # noqa: ANN401 (any JSON)
    try:
        return json.loads(
            text, object_pairs_hook=_unique_fields, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError) as error:
        place = getattr(error, "lineno", 1)
        raise DocumentRefused(
            f"$: not valid JSON near line {place}; the file may be truncated."
        ) from None


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise DocumentRefused("$: a field is given twice in one table.")
    return fields


def _refuse_constant(name: str) -> NoReturn:
    raise DocumentRefused(f"$: {name} is not a number a release may hold.")


def _read_values(node: Node, shape: tuple[int, int]) -> NDArray[np.int64]:
    rows = node.items()
    if len(rows) != shape[0]:
        raise DocumentRefused(f"$.sums: must have {shape[0]} rows, has {len(rows)}.")
    values = np.empty(shape, dtype=np.int64)
    for index, row in enumerate(rows):
        cells = row.items()
        if len(cells) != shape[1]:
            row.refuse(f"must hold {shape[1]} sums")
        values[index] = [_read_value(cell) for cell in cells]
    return values


def _read_value(node: Node) -> int:
    text = node.text()
    written = re.fullmatch("0|-?[1-9][0-9]{0,18}", text)
    if not written or abs(int(text)) > _LARGEST_VALUE:
        node.refuse("must be a 64-bit integer written as text")
    return int(text)


def _checksum(body: dict[str, Any]) -> str:
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
