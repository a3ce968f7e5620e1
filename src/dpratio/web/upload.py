"""Files out of a form that was sent, held in memory and nowhere else.

Libraries that read forms keep large files in temporary ones; a release that is looked
at should leave no copy behind, so the few lines it takes are written here.
RFC 7578 (2015), section 4.
"""

import re
from collections.abc import AsyncIterable
from dataclasses import dataclass

from dpratio.errors import FileRefused

__all__ = [
    "LARGEST_STUDY",
    "LARGEST_UPLOAD",
    "Upload",
    "file_of",
    "files_of",
    "receive_all",
]

LARGEST_UPLOAD = 64 * 2**20
LARGEST_STUDY = 2**20

_BOUNDARY = re.compile(r'boundary=(?:"([^"]{1,70})"|([^\s";,]{1,70}))', re.IGNORECASE)
_FIELD_NAME = re.compile(r'(?:^|[;\s])name="([^"]*)"')
_FILE_NAME = re.compile(r'[;\s]filename="([^"]*)"')


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it was sent: its name and its content."""

    name: str
    content: bytes


async def receive_all(
    chunks: AsyncIterable[bytes], declared: str | None, *, largest: int
) -> bytes | None:
    """Receive a body, or None where it is larger than allowed.

    Args:
        chunks: The body as it comes in; no more of it is read than allowed.
        declared: The ``Content-Length`` header, where there is one.
        largest: How many bytes are allowed.
    """
    # A length of thousands of digits is no number that Python reads.
    if declared is not None and declared.isdecimal():
        digits = declared.lstrip("0")
        if len(digits) > len(str(largest)) or int(digits or "0") > largest:
            return None
    held = bytearray()
    async for chunk in chunks:
        if len(held) + len(chunk) > largest:
            return None
        held += chunk
    return bytes(held)


def file_of(body: bytes, content_type: str, field: str) -> Upload:
    """Take the first file of one field out of a form; arguments as in `files_of`."""
    return files_of(body, content_type, field)[0]


def files_of(body: bytes, content_type: str, field: str) -> list[Upload]:
    """Take the files of one field out of a form.

    Args:
        body: The whole body of the request.
        content_type: Its ``Content-Type`` header.
        field: The name of the field that holds the files.

    Raises:
        FileRefused: When no file was chosen, or the body is no such form.
    """
    found = _BOUNDARY.search(content_type)
    is_form = content_type.lower().startswith("multipart/form-data")
    if found is None or not is_form:
        raise FileRefused("the request holds no file. Choose one in the form.")
    boundary = b"--" + (found[1] or found[2]).encode("latin-1", "replace")
    # A leading line break lets every boundary, the first one too, look alike.
    files = []
    for part in (b"\r\n" + body).split(b"\r\n" + boundary)[1:-1]:
        head, _, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        words = _disposition(head.decode("utf-8", errors="replace"))
        name, file = _FIELD_NAME.search(words), _FILE_NAME.search(words)
        if name is not None and file is not None and name[1] == field and file[1]:
            files.append(Upload(file[1], content))
    if not files:
        raise FileRefused("no file was chosen. Choose one, and send it again.")
    return files


def _disposition(head: str) -> str:
    """Give the value of the header that names a part."""
    for line in head.split("\r\n"):
        name, _, value = line.partition(":")
        if name.strip().lower() == "content-disposition":
            return value
    return ""
