"""JSON that is read strictly and carries a checksum."""

import hashlib
from typing import Any

from dpratio.codec import canonical
from dpratio.errors import DocumentRefused
from dpratio.strict import Node

__all__ = [
    "body_of",
    "checked_bytes",
    "checksum",
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
    """Return a document and its checksum as the content of a file."""
    return canonical({**body, "sha256": checksum(body)})


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
    try:
        return hashlib.sha256(canonical(body)).hexdigest()
    except ValueError as error:
        raise DocumentRefused(f"$: {error}.") from None
