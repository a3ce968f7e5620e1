"""What a command may write over: nothing without ``--force``, and no ledger at all."""

from pathlib import Path

from dpratio.checks import require
from dpratio.errors import FileRefused

# Rows are written as a list: whatever begins with a brace was not written by --json.
_KEPT = {
    b"SQLite format 3\x00": "a ledger or another database",
    b"PAR1": "data, in Parquet",
    b"{": "a release, a plan, an anchor or another JSON document",
}
_LONGEST = 2**10


def require_replaceable(out: Path, *, force: bool) -> None:
    """Refuse to write over a file, before any work.

    A file that exists is replaced where ``force`` is said. Ledgers, anchors, releases
    and plans are not replaced even then.

    Raises:
        FileRefused: When the file is to stay, or cannot be written.
    """
    from dpratio.release.files import check_writable

    check_writable(out)
    if not out.exists():
        return
    try:
        with out.open("rb") as file:
            head = file.read(_LONGEST).removeprefix(b"\xef\xbb\xbf").lstrip()
    except OSError as error:
        raise FileRefused(f"'{out}' cannot be read: {error.strerror}.") from None
    for start, kept in _KEPT.items():
        if head.startswith(start):
            raise FileRefused(
                f"'{out}' is {kept}, which is never replaced. Name another file."
            )
    if not force:
        raise FileRefused(
            f"'{out}' exists. Name another file, or say --force to replace it."
        )


def require_report_place(out: Path, *, force: bool) -> None:
    """Refuse what cannot hold a report; a report that is there is replaced.

    Raises:
        InvalidInput: When the name is not that of a page.
        FileRefused: When another file is there and is to stay.
    """
    from dpratio.show.report import is_report

    hint = "Use a name that ends in .html."
    require(out.suffix in {".html", ".htm"}, "a report is HTML", out.name, hint)
    if not is_report(out):
        require_replaceable(out, force=force)
