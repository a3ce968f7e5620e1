"""Sources that read one file or table more than once, refused before the charge.

A row that is read twice moves a sum twice as far as it was priced. dpratio reads each
file of its own patterns once (`files`). What others expand or combine can only be
checked, by the files and tables that their plan says it reads.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from urllib.parse import unquote, urlsplit

from dpratio.curator.reading.files import identity_of
from dpratio.errors import SchemaRefused


def require_once(reads: Iterable[Hashable]) -> None:
    """Refuse a source that reads a file or a table more than once.

    Args:
        reads: What is read, as often as it is.

    Guarantee:
        What passes reads each file and each table it is seen to read once.
        Proof: docs/proofs/sensitivity.md.
    """
    if any(count > 1 for count in Counter(reads).values()):
        raise SchemaRefused(
            "the source reads a file or a table more than once, so that one row could "
            "be counted many times. Read each of them once, without names that lead "
            "to the same file; or store the rows in a table of their own."
        )


def source_at(address: str) -> Hashable:
    """Tell what an address leads to: a file of this machine, or an object elsewhere.

    Example:
        >>> source_at("s3://lake/a.parquet") == source_at("s3://lake/b.parquet")
        False
    """
    parts = urlsplit(address)
    if parts.scheme == "file":
        return identity_of(unquote(parts.path))
    return address if "://" in address else identity_of(address)
