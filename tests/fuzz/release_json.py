"""Releases as JSON: mutated documents, with their checksum set right or left wrong."""

import json

from hypothesis import strategies as st

from dpratio.codec import parse_json
from dpratio.errors import DocumentRefused, FileRefused
from dpratio.release.files import checksum, release_from_bytes, release_to_bytes
from dpratio.release.release import Release
from fuzz.mutations import Mutation, mutate_bytes, mutate_document, mutations
from release.releases_for_tests import RELEASES

__all__ = ["INPUTS", "REFUSALS", "VALID", "check", "make", "read", "signed"]

REFUSALS = (DocumentRefused, FileRefused)
SEEDS = [json.loads(release_to_bytes(each)) for each in RELEASES.values()]
Drawn = tuple[int, list[Mutation], list[Mutation], bool]

INPUTS = st.tuples(
    st.integers(0, len(SEEDS) - 1),
    mutations(),
    st.lists(st.nothing()) | mutations(2),
    st.booleans(),
)
VALID: Drawn = (0, [], [], True)


def signed(text: str) -> str:
    """Give a document the checksum that its reader will ask for, where it has one."""
    try:
        document = parse_json(text)
        body = {name: part for name, part in document.items() if name != "sha256"}
        wanted = checksum(body)
    except (DocumentRefused, AttributeError):
        return text
    given = document.get("sha256")
    written = json.dumps(given) if isinstance(given, str) else ""
    return text.replace(written, f'"{wanted}"') if len(written) > 2 else text


def make(drawn: Drawn) -> bytes:
    at, nodes, flips, is_signed = drawn
    text = mutate_document(SEEDS[at], nodes, SEEDS)
    content = (signed(text) if is_signed else text).encode("utf-8", "surrogatepass")
    return mutate_bytes(content, flips)


def read(content: bytes) -> Release | None:
    try:
        return release_from_bytes(content)
    except UnicodeDecodeError:
        return None  # `read_release` says that the file is not UTF-8.


def check(release: Release | None) -> None:
    if release is not None:
        assert release_from_bytes(release_to_bytes(release)) == release
        assert str(release).encode()
