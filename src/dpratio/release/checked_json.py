"""JSON that is read strictly and carries a checksum."""

import hashlib
import json
from typing import Any, NoReturn

from dpratio.errors import DocumentRefused
from dpratio.strict import Node

__all__ = [
    "body_of",
    "checked_bytes",
    "checksum",
    "parse",
    "require_checksum",
    "require_format",
]

VERSION = 1  # of plans and of releases

_KNOWN = {
    "dpratio-release": (
        "a release, and a plan or a study is wanted: what a release is made from"
    ),
    "dpratio-plan": "a plan, and a release is wanted. Make one with `dpratio release`",
}


def parse(text: str) -> Any:  # noqa: ANN401 (any JSON)
    """Read JSON without repeated fields and without what is no number."""
    try:
        return json.loads(
            text, object_pairs_hook=_unique_fields, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError) as error:
        place = getattr(error, "lineno", 1)
        raise DocumentRefused(
            f"$: not valid JSON near line {place}; the file may be truncated."
        ) from None


def require_format(node: Node, wanted: str) -> None:
    """Refuse a document of another format, or of another version of it."""
    found = node.value.get("format") if isinstance(node.value, dict) else None
    if found != wanted:
        advice = _KNOWN.get(str(found), f"not a {wanted} document")
        raise DocumentRefused(f"$.format: this is {advice}.")
    version = node.entries().get("version", Node(None, "$.version"))
    if version.integer() != VERSION:
        version.refuse(f"must be {VERSION}", "Use the dpratio that wrote it.")


def body_of(node: Node) -> dict[str, Any]:
    """Give everything of a document but its checksum."""
    fields = node.entries().items()
    return {name: each.value for name, each in fields if name != "sha256"}


def checked_bytes(body: dict[str, Any]) -> bytes:
    """Write a document and its checksum as the content of a file."""
    document = {**body, "sha256": checksum(body)}
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def require_checksum(node: Node, wanted: str) -> None:
    """Refuse a document that was edited."""
    found = node.entries().get("sha256")
    if found is None:
        raise DocumentRefused("$: field 'sha256' is missing.")
    if found.text() != wanted:
        raise DocumentRefused(
            "$.sha256: the document was edited or damaged: its checksum differs. "
            "Get the original file."
        )


def checksum(body: dict[str, Any]) -> str:
    """Return the hash of a document, however it is laid out."""
    # A document that is read may hold 1e999, which Python takes for infinity.
    line = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(line.encode()).hexdigest()


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise DocumentRefused("$: a field is given twice in one table.")
    return fields


def _refuse_constant(name: str) -> NoReturn:
    raise DocumentRefused(f"$: {name} is not a number a release may hold.")
