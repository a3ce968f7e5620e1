"""The release inside its report: who reads the one can save and check the other."""

import base64
import gzip
import hashlib
from dataclasses import dataclass

from dpratio.release.files import release_to_bytes
from dpratio.release.release import Release

# A report of 5,000 groups stays below 3 MB with it.
_MOST_EMBEDDED = 1_000_000


@dataclass(frozen=True, slots=True)
class Embedded:
    """The bytes of a release, packed; empty where the report does not hold them.

    Args:
        name: What the file is called that a reader saves.
        sha256: The hash of its bytes.
        size: How many they are.
        packed: The bytes, compressed by gzip, in base 64.
    """

    name: str
    sha256: str
    size: int
    packed: str

    def data(self) -> dict[str, str] | None:
        """Give what the script of the report needs to save the file."""
        return {"name": self.name, "packed": self.packed} if self.packed else None

    def words(self) -> str:
        """Say whether the report holds the release, and how large it is."""
        if self.packed:
            return f"This report holds its release: {self.name}, {self.size:,} bytes."
        return (
            f"The release has {self.size:,} bytes, too many to be held by this report. "
            "Ask for the file; its hash stands below."
        )


def embedded_release(release: Release, most: int = _MOST_EMBEDDED) -> Embedded:
    """Pack a release as the JSON file that `write_release` writes, byte for byte.

    Args:
        release: What the report is about.
        most: How many letters a report may spend on it.
    """
    content = release_to_bytes(release)
    packed = base64.b64encode(gzip.compress(content, mtime=0)).decode("ascii")
    return Embedded(
        f"release-{release.id[:8]}.json",
        hashlib.sha256(content).hexdigest(),
        len(content),
        packed if len(packed) <= most else "",
    )
