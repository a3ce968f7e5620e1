"""What a command may write over: nothing by accident, and what counts not at all."""

import glob
import tomllib
from collections.abc import Iterator
from pathlib import Path

from dpratio.errors import DpratioError, FileRefused

__all__ = ["require_replaceable"]

_HEAD = 2**20
_STARTS = {
    b"SQLite format 3\x00": "a ledger or another database",
    b"PAR1": "a release or data, in Parquet",
}
_DUCKDB = slice(8, 12), b"DUCK"
_JSON = "a release, a plan, an anchor or another JSON document"
_TABLES = {"data", "ratio", "bounds", "privacy"}


def require_replaceable(out: Path, *, force: bool, study: Path | None = None) -> None:
    """Refuse to write over a file, before any work.

    A file that exists is replaced where ``force`` is said. Ledgers, anchors, releases,
    plans, studies and the data that a study names are not replaced even then.

    Args:
        out: The file to write.
        force: Whether the user said so.
        study: The study of the command; studies beside ``out`` are asked as well.

    Raises:
        FileRefused: When the file is to stay, or cannot be written.
    """
    from dpratio.release.writing import check_writable

    check_writable(out)
    if not out.exists():
        return
    kept = _kept(out, study)
    if kept is not None:
        raise FileRefused(
            f"'{out}' is {kept}, which is never replaced. Name another file."
        )
    if not force:
        raise FileRefused(
            f"'{out}' exists. Name another file, or say --force to replace it."
        )


def _kept(out: Path, study: Path | None) -> str | None:
    """Name what a file is, if it must stay."""
    try:
        with out.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise FileRefused(f"'{out}' cannot be read: {error.strerror}.") from None
    binary = [words for start, words in _STARTS.items() if head.startswith(start)]
    if binary or head[_DUCKDB[0]] == _DUCKDB[1]:
        return binary[0] if binary else "a database"
    # Rows are written as a list: whatever begins like this was not written by --json.
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return _JSON
    given = study is not None and study.exists() and study.samefile(out)
    if given or out.suffix == ".toml" or _is_study(head):
        return "a study"
    if any(each.samefile(out) for each in _data_named(out, study)):
        return "the data of a study"
    return None


def _is_study(head: bytes) -> bool:
    try:
        return not _TABLES.isdisjoint(tomllib.loads(head.decode()))
    except ValueError:
        return False


def _data_named(out: Path, study: Path | None) -> Iterator[Path]:
    """Give the data files of the study at hand and of those beside the file."""
    from dpratio.cli.studies import read_study
    from dpratio.terms.database import DatabaseTable

    for each in ([] if study is None else [study]) + sorted(out.parent.glob("*.toml")):
        try:
            data = read_study(each).data
        except DpratioError:
            continue
        if data is None or isinstance(data, DatabaseTable):
            continue
        path = each.parent / (data if isinstance(data, str) else data.path)
        yield from map(Path, glob.glob(str(path), recursive=True))  # noqa: PTH207
        if path.exists():  # Perhaps a name that holds [ or *.
            yield path
