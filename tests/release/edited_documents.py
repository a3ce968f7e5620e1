"""Documents of releases that were edited: signed again, and read or refused."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from dpratio.codec import canonical
from dpratio.errors import DocumentRefused
from dpratio.release.files import read_release, release_to_bytes
from dpratio.release.release import Release

__all__ = ["checksum", "document_of", "refusal", "signed"]


def document_of(release: Release) -> dict[str, Any]:
    """The document that a release is written as."""
    document: dict[str, Any] = json.loads(release_to_bytes(release))
    return document


def checksum(document: dict[str, Any]) -> str:
    """Compute the checksum as the format defines it, from the outside."""
    body = {name: part for name, part in document.items() if name != "sha256"}
    return hashlib.sha256(canonical(body)).hexdigest()


def refusal(path: Path, text: str | bytes) -> str:
    """Read the text as a release, which must be refused: the message."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DocumentRefused) as caught:
        read_release(path)
    return str(caught.value)


def signed(document: dict[str, Any]) -> str:
    """The text of the document, with the checksum of what it says now."""
    return json.dumps({**document, "sha256": checksum(document)})
