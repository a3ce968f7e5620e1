"""Checked documents: canonical JSON with a format, a version and a checksum, in files.

The checksum shows accidental edits. A file appears whole or not at all, and replaces
nothing but another one of its kind.
"""

import hashlib
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from dpratio.codec import TEXT, Field, canonical, integer, parse_json
from dpratio.errors import DocumentRefused, DpratioError, FileRefused
from dpratio.release.writing import as_path, check_writable, refused_as

_VERSION = 1
_LARGEST_FILE = 2**30
_KNOWN = {
    "dpratio-release": (
        "a release, and a plan or a study is wanted: what a release is made from"
    ),
    "dpratio-plan": "a plan, and a release is wanted. Make one with `dpratio release`",
}


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """One kind of checked document.

    Args:
        noun: What it is called: ``"plan"`` or ``"release"``.
        fields: The table of everything but the format, the version and the checksum.
    """

    noun: str
    fields: Field

    def body(self, value: Any) -> dict[str, Any]:  # noqa: ANN401
        """Return the document of a value, without its checksum."""
        head = {"format": f"dpratio-{self.noun}", "version": _VERSION}
        return {**head, **self.fields.write(value)}

    def to_bytes(self, value: Any) -> bytes:  # noqa: ANN401
        """Return the content of the file of a value."""
        body = self.body(value)
        return canonical({**body, "sha256": checksum(body)})

    def from_bytes(self, content: bytes) -> Any:  # noqa: ANN401
        """Return the value of the content of a file.

        Raises:
            DocumentRefused: When it was edited, is of another kind or breaks a rule.
            UnicodeDecodeError: When it is not UTF-8.
        """
        body = parse_json(content.decode("utf-8"))
        self._require_format(body)
        if "sha256" not in body:
            raise DocumentRefused("$: field 'sha256' is missing.", field="$.sha256")
        if TEXT.read(body.pop("sha256"), "$.sha256") != checksum(body):
            raise DocumentRefused(
                "$.sha256: the document was edited or damaged: its checksum differs. "
                "Get the original file.",
                field="$.sha256",
            )
        del body["format"], body["version"]
        return self.fields.read(body, "$")

    def read(self, path: str | PathLike[str]) -> Any:  # noqa: ANN401
        """Return the value in a file.

        Raises:
            FileRefused: When the file cannot be read.
            DocumentRefused: As `from_bytes`.
        """
        file = as_path(path)
        with refused_as("read", file):
            if file.stat().st_size > _LARGEST_FILE:
                raise FileRefused(f"'{path}' cannot be read: it is larger than 1 GiB.")
            content = file.read_bytes()
        try:
            return self.from_bytes(content)
        except UnicodeDecodeError:
            raise FileRefused(f"'{path}' cannot be read: it is not UTF-8.") from None

    def value_at(self, path: str | PathLike[str], advice: str) -> Any:  # noqa: ANN401
        """Return the value in a file that a new one would replace; None without one.

        Raises:
            FileRefused: When something else is there, or no file can be written.
        """
        check_writable(path)
        if not Path(path).exists():
            return None
        try:
            return self.read(path)
        except DpratioError:
            raise FileRefused(
                f"'{path}' exists and is no {self.noun}. {advice}"
            ) from None

    def _require_format(self, document: Any) -> None:  # noqa: ANN401
        name = document.get("format") if isinstance(document, dict) else None
        wanted = f"dpratio-{self.noun}"
        if name != wanted:
            advice = _KNOWN.get(str(name), f"not a {wanted} document")
            raise DocumentRefused(f"$.format: this is {advice}.", field="$.format")
        version = integer().read(document.get("version"), "$.version")
        if version != _VERSION:
            raise DocumentRefused(
                f"$.version: must be {_VERSION}, got {version}. "
                "Use the dpratio that wrote it.",
                field="$.version",
            )


def checksum(body: dict[str, Any]) -> str:
    """Return the hash of a document, however it is laid out."""
    try:
        return hashlib.sha256(canonical(body)).hexdigest()
    except ValueError as error:
        raise DocumentRefused(f"$: {error}.") from None
