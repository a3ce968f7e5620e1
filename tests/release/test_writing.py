"""Files are written whole, in the place of plain files alone, and over none unasked."""

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dpratio.errors import DpratioError, FileRefused, InvalidInput
from dpratio.release.files import read_release, require_place, write_release
from dpratio.release.plan_file import read_plan, write_plan
from dpratio.release.writing import check_writable, write_whole
from dpratio.show.report import write_report
from release.golden_releases import GOLDEN_RELEASE

OTHER = replace(GOLDEN_RELEASE, id="f" * 32)
ODD: dict[str, Callable[[Path], object]] = {
    "a link": lambda path: path.symlink_to(path.with_name("target")),
    "a pipe": os.mkfifo,
}
WRITERS: dict[str, Callable[[Path], None]] = {
    "write_release": lambda path: write_release(OTHER, path, replace=True),
    "write_plan": lambda path: write_plan(OTHER.plan, path),
    "write_report": lambda path: write_report(path, OTHER, replace=True),
    "write_whole": lambda path: write_whole(path, b"", replace=True),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("writer", WRITERS)
def test_links_devices_and_pipes_are_never_replaced(
    writer: str, odd: str, tmp_path: Path
) -> None:
    path = tmp_path / "out.json"
    (tmp_path / "target").write_text("kept", encoding="utf-8")
    ODD[odd](path)
    before = path.lstat()
    with pytest.raises(FileRefused, match="a link, a device or a pipe"):
        WRITERS[writer](path)
    assert os.path.samestat(path.lstat(), before)
    assert (tmp_path / "target").read_text(encoding="utf-8") == "kept"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("writer", ["write_release", "write_plan"])
def test_what_is_something_else_stays(writer: str, tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    path.write_text("score,label\n0.5,1\n", encoding="utf-8")
    with pytest.raises(FileRefused, match=r"exists and is no (release|plan)\. Name an"):
        WRITERS[writer](path)
    assert path.read_text(encoding="utf-8") == "score,label\n0.5,1\n"


def test_a_release_is_replaced_by_itself_or_where_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "release.json"
    write_release(GOLDEN_RELEASE, path)
    write_release(GOLDEN_RELEASE, path)
    with pytest.raises(FileRefused, match="holds a release already"):
        write_release(OTHER, path)
    assert read_release(path) == GOLDEN_RELEASE
    write_release(OTHER, path, replace=True)
    assert read_release(path) == OTHER


def test_a_plan_may_be_written_again(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    for _ in range(2):
        write_plan(GOLDEN_RELEASE.plan, path)
    assert read_plan(path) == GOLDEN_RELEASE.plan


def test_a_report_may_be_written_again_and_nothing_else_unasked(tmp_path: Path) -> None:
    path, page = tmp_path / "report.html", tmp_path / "page.html"
    for _ in range(2):
        write_report(path, GOLDEN_RELEASE)
    page.write_text("mine", encoding="utf-8")
    with pytest.raises(FileRefused, match="Name another file, or say replace=True"):
        write_report(page, GOLDEN_RELEASE)
    assert page.read_text(encoding="utf-8") == "mine"
    write_report(page, GOLDEN_RELEASE, replace=True)


def test_a_file_is_replaced_only_where_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_whole(path, b"one")
    assert path.stat().st_mode & 0o777 == 0o644
    with pytest.raises(FileRefused, match=r"'.*a' exists\. Name another file"):
        write_whole(path, b"two")
    assert path.read_bytes() == b"one"
    path.chmod(0o600)
    write_whole(path, b"two", replace=True)
    assert path.read_bytes() == b"two"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]
    assert path.stat().st_nlink == 1


def test_without_second_names_a_file_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_given: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "a"
    write_whole(path, b"one")
    with pytest.raises(FileRefused, match="exists"):
        write_whole(path, b"two")
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm", ".lock", ".wal"])
def test_what_a_database_puts_beside_its_file_is_its_own(
    end: str, tmp_path: Path
) -> None:
    path = tmp_path / f"budget.db{end}"
    check_writable(path)  # Nothing is beside it.
    (tmp_path / "budget.db").touch()
    with pytest.raises(FileRefused, match="belongs to the file beside it"):
        check_writable(path)


def test_replace_is_a_truth(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="replace must be true or false"):
        require_place(tmp_path / "a.json", replace="yes")  # type: ignore[arg-type]
    with pytest.raises(DpratioError, match="written to a path"):
        write_plan(GOLDEN_RELEASE.plan, 3)  # type: ignore[arg-type]
