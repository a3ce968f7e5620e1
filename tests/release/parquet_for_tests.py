"""Releases as Parquet tables, changed and written again."""

import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest

from dpratio.errors import DocumentRefused
from dpratio.release.checked_json import checksum
from dpratio.release.parquet import from_parquet, to_parquet
from dpratio.release.release import Release
from release.releases_for_tests import RELEASES

__all__ = [
    "TEXT",
    "Table",
    "document_of",
    "refusal",
    "signed",
    "table_of",
    "with_footer",
    "written",
]

Table = Any
TEXT = RELEASES["groups: text"]


def written(table: Table) -> bytes:
    """The table as the bytes of a file without compression."""
    file = io.BytesIO()
    pq.write_table(table, file, compression="none")
    return file.getvalue()


def table_of(release: Release) -> Table:
    """The release as other programs read its file."""
    return pq.read_table(io.BytesIO(to_parquet(release)))


def refusal(content: bytes) -> str:
    """Read the content as a release, which must be refused: the message."""
    with pytest.raises(DocumentRefused) as caught:
        from_parquet(content)
    assert caught.value.__cause__ is None
    return str(caught.value)


def with_footer(table: Table, footer: bytes) -> bytes:
    """The table with another document in its footer."""
    return written(table.replace_schema_metadata({b"dpratio": footer}))


def document_of(release: Release) -> dict[str, Any]:
    """The document in the footer of the release's file."""
    document: dict[str, Any] = json.loads(table_of(release).schema.metadata[b"dpratio"])
    return document


def signed(release: Release, document: dict[str, Any]) -> bytes:
    """The document with the checksum of what it and the values say now."""
    body = {name: each for name, each in document.items() if name != "sha256"}
    content = b"".join(
        question.values.astype("<i8").tobytes() for question in release.questions
    )
    return json.dumps({**body, "sha256": checksum(body, content)}).encode()
