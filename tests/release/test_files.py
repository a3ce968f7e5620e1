"""A release file appears whole, or not at all."""

import errno
import os
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from dpratio.errors import FileRefused, InvalidInput
from dpratio.release.files import read_release, write_release
from dpratio.release.writing import check_writable, write_whole
from release.golden_releases import GOLDEN, GOLDEN_RELEASE


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_may_be_text_or_a_path(kind: type, tmp_path: Path) -> None:
    path = kind(tmp_path / "release.json")
    write_release(GOLDEN_RELEASE, path)
    assert read_release(path) == GOLDEN_RELEASE


def test_the_hash_of_a_source_survives_a_file_and_may_be_missing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "release.json"
    for given in (None, "0123456789abcdef" * 4):
        release = replace(GOLDEN_RELEASE, source_hash=given)
        write_release(release, path)
        assert read_release(path) == release
        assert (b'"source":' in path.read_bytes()) is (given is not None)


def test_a_path_without_a_folder_is_in_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_writable("release.json")
    write_release(GOLDEN_RELEASE, "release.json")
    assert os.listdir(tmp_path) == ["release.json"]  # noqa: PTH208


def test_what_cannot_be_read_is_refused_with_the_reason(tmp_path: Path) -> None:
    missing = tmp_path / "missing.json"
    with pytest.raises(FileRefused) as caught:
        read_release(missing)
    assert (
        str(caught.value) == f"'{missing}' cannot be read: No such file or directory."
    )
    with pytest.raises(FileRefused, match=r"cannot be read: Is a directory\.$"):
        read_release(tmp_path)
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xe9"}')
    with pytest.raises(FileRefused, match=r"cannot be read: it is not UTF-8\.$"):
        read_release(tmp_path / "latin.json")


def unwritable(name: str, folder: Path) -> Path:
    (folder / "file").write_text("kept", encoding="utf-8")
    (folder / "folder").mkdir()
    return {
        "a missing folder": folder / "missing" / "release.json",
        "a file as a folder": folder / "file" / "release.json",
        "a folder": folder / "folder",
        "a name too long": folder / ("x" * 300),
        "a name with NUL": folder / "a\x00b",
    }[name]


UNWRITABLE = [
    "a missing folder",
    "a file as a folder",
    "a folder",
    "a name too long",
    "a name with NUL",
]


@pytest.mark.parametrize("name", UNWRITABLE)
def test_what_cannot_be_written_is_refused_and_leaves_nothing(
    name: str, tmp_path: Path
) -> None:
    path = unwritable(name, tmp_path)
    with pytest.raises(FileRefused, match=r"cannot be written: .*\.$|is a folder"):
        write_release(GOLDEN_RELEASE, path)
    with pytest.raises(FileRefused, match=r"cannot be written: .*\.$|Name a plain"):
        write_whole(path, b"")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]  # noqa: PTH208
    assert os.listdir(tmp_path / "folder") == []  # noqa: PTH208


@pytest.mark.parametrize("name", UNWRITABLE)
def test_what_cannot_be_written_is_known_before_any_work(
    name: str, tmp_path: Path
) -> None:
    with pytest.raises(FileRefused, match=r"cannot be written: |is a folder\. Name a"):
        check_writable(unwritable(name, tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]  # noqa: PTH208


def test_a_path_that_can_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    old.write_text("kept", encoding="utf-8")
    check_writable(old)
    check_writable(tmp_path / "new.json")
    assert os.listdir(tmp_path) == ["old.json"]  # noqa: PTH208
    assert old.read_text(encoding="utf-8") == "kept"


def test_an_existing_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "release.json"
    path.write_text("x" * 100_000, encoding="utf-8")
    write_whole(path, GOLDEN.read_bytes(), replace=True)
    assert path.read_bytes() == GOLDEN.read_bytes()
    assert os.listdir(tmp_path) == ["release.json"]  # noqa: PTH208


def fail(*_: object) -> NoReturn:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_a_write_that_fails_half_way_leaves_the_old_file_and_no_other(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "release.json"
    path.write_text("old", encoding="utf-8")
    monkeypatch.setattr(step, fail)
    message = r"release\.json' cannot be written: No space left on device\.$"
    with pytest.raises(FileRefused, match=message):
        write_whole(path, b"new", replace=True)
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["release.json"]  # noqa: PTH208
    assert path.read_text(encoding="utf-8") == "old"


def test_arguments_in_the_wrong_place_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "release.json"
    with pytest.raises(InvalidInput, match=r"write_release\(release, path\)"):
        write_release(str(path), GOLDEN_RELEASE)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="written to a path"):
        write_release(GOLDEN_RELEASE, None)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="read from a path"):
        read_release(GOLDEN_RELEASE)  # type: ignore[arg-type]
