"""Documents of releases that were edited: signed again, and read or refused."""

import hashlib
import json
from typing import Any

import pytest

from dpratio.codec import canonical
from dpratio.errors import DocumentRefused
from dpratio.release.files import release_from_bytes, release_to_bytes
from dpratio.release.release import Release


def document_of(release: Release) -> dict[str, Any]:
    """The document that a release is written as."""
    document: dict[str, Any] = json.loads(release_to_bytes(release))
    return document


def checksum(document: dict[str, Any]) -> str:
    """Compute the checksum as the format defines it, from the outside."""
    body = {name: part for name, part in document.items() if name != "sha256"}
    return hashlib.sha256(canonical(body)).hexdigest()


def signed(document: dict[str, Any]) -> bytes:
    """The document, with the checksum of what it says now."""
    return json.dumps({**document, "sha256": checksum(document)}).encode()


def refusal(content: bytes) -> str:
    """Read the content as a release, which must be refused: the message."""
    with pytest.raises(DocumentRefused) as caught:
        release_from_bytes(content)
    return str(caught.value)
