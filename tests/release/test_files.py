"""Plans and releases as files: whole, checked, and over nothing else."""

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.errors import DocumentRefused, FileRefused, InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.files import (
    check_writable,
    example_release,
    read_plan,
    read_release,
    require_place,
    write_plan,
    write_release,
    write_whole,
)
from dpratio.show.report import write_report
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, ScoreBins
from dpratio.terms.ratio import Ratio
from release.golden_releases import GOLDEN, GOLDEN_RELEASE
from release.releases_for_tests import ours

OTHER = replace(GOLDEN_RELEASE, id="f" * 32)
PLAN = ours(GOLDEN_RELEASE)
WRITERS: dict[str, Callable[[Any], None]] = {
    "write_release": lambda path: write_release(OTHER, path, replace=True),
    "write_plan": lambda path: write_plan(PLAN, path),
    "write_report": lambda path: write_report(path, OTHER, replace=True),
    "write_whole": lambda path: write_whole(path, b"", replace=True),
}
READERS: dict[str, Callable[[Any], object]] = {
    "read_release": read_release,
    "read_plan": read_plan,
}


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_may_be_text_and_without_a_folder(
    kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_release(GOLDEN_RELEASE, kind("release.json"))
    write_plan(PLAN, kind("plan.json"))
    assert read_release(kind("release.json")) == GOLDEN_RELEASE
    assert read_plan(kind("plan.json")) == PLAN
    assert names_in(tmp_path) == ["plan.json", "release.json"]


# --- Reading --------------------------------------------------------------------------


@pytest.mark.parametrize("reader", READERS)
def test_what_cannot_be_read_is_refused_with_the_reason(
    reader: str, tmp_path: Path
) -> None:
    (tmp_path / "latin.json").write_bytes(b'{"a": "\xe9"}')
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(2**30 + 1)
    for name, reason in (
        ("missing.json", "No such file or directory"),
        (".", "Is a directory"),
        ("a\x00b", "the name holds NUL"),
        ("latin.json", "it is not UTF-8"),
        ("large.json", "it is larger than 1 GiB"),
    ):
        path = tmp_path / name
        with pytest.raises(FileRefused) as refused:
            READERS[reader](path)
        assert str(refused.value) == f"'{path}' cannot be read: {reason}."


def test_a_plan_and_a_release_are_not_taken_for_each_other(tmp_path: Path) -> None:
    write_plan(PLAN, tmp_path / "plan.json")
    with pytest.raises(DocumentRefused) as refused:
        read_release(tmp_path / "plan.json")
    assert str(refused.value).startswith("$.format: this is no release")
    with pytest.raises(DocumentRefused, match=r"^\$\.format: this is no plan"):
        read_plan(GOLDEN)


# --- Writing --------------------------------------------------------------------------


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


@pytest.mark.parametrize("writer", [*WRITERS, "check_writable"])
@pytest.mark.parametrize(
    "name",
    [
        "a missing folder",
        "a file as a folder",
        "a folder",
        "a name too long",
        "a name with NUL",
    ],
)
def test_what_cannot_be_written_is_refused_and_leaves_nothing(
    name: str, writer: str, tmp_path: Path
) -> None:
    path = unwritable(name, tmp_path)
    with pytest.raises(FileRefused, match=r"cannot be written: .*\.$|Name a plain"):
        WRITERS.get(writer, check_writable)(path)
    assert names_in(tmp_path) == ["file", "folder"]
    assert names_in(tmp_path / "folder") == []


def test_a_path_that_can_be_written_is_left_as_it_was(tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    old.write_text("kept", encoding="utf-8")
    check_writable(old)
    check_writable(tmp_path / "new.json")
    assert names_in(tmp_path) == ["old.json"]
    assert old.read_text(encoding="utf-8") == "kept"


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
    assert names_in(tmp_path) == ["release.json"]
    assert path.read_text(encoding="utf-8") == "old"


# --- What is there --------------------------------------------------------------------

ODD: dict[str, Callable[[Path], object]] = {
    "a link": lambda path: path.symlink_to(path.with_name("target")),
    "a pipe": os.mkfifo,
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
    assert names_in(tmp_path) == ["out.json", "target"]


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
        write_plan(PLAN, path)
    assert read_plan(path) == PLAN


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
    assert names_in(tmp_path) == ["a"]
    assert path.stat().st_nlink == 1
    write_whole(tmp_path / "b", b"", is_private=True)
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o600


def test_without_second_names_a_file_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", fail)
    path = tmp_path / "a"
    write_whole(path, b"one")
    with pytest.raises(FileRefused, match="exists"):
        write_whole(path, b"two")
    assert path.read_bytes() == b"one"
    assert names_in(tmp_path) == ["a"]


@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm", ".lock", ".wal"])
def test_what_a_database_puts_beside_its_file_is_its_own(
    end: str, tmp_path: Path
) -> None:
    path = tmp_path / f"budget.db{end}"
    check_writable(path)  # Nothing is beside it.
    (tmp_path / "budget.db").touch()
    with pytest.raises(FileRefused, match="belongs to the file beside it"):
        check_writable(path)


# --- Arguments ------------------------------------------------------------------------


@pytest.mark.parametrize("call", [*WRITERS.values(), *READERS.values(), check_writable])
@pytest.mark.parametrize("path", [3, None, GOLDEN_RELEASE])
def test_what_is_no_path_is_refused(
    call: Callable[[Any], object], path: object
) -> None:
    with pytest.raises(InvalidInput, match="path") as refused:
        call(path)
    assert refused.value.field in {"path", None}


def test_arguments_in_the_wrong_place_are_refused(tmp_path: Path) -> None:
    path: Any = tmp_path / "a.json"
    with pytest.raises(InvalidInput, match=r"Call write_release\(release, path\)"):
        write_release(path, GOLDEN_RELEASE)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="plan must be a Plan"):
        write_plan(path, PLAN)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="replace must be true or false, got 'yes'"):
        require_place(path, replace="yes")  # type: ignore[arg-type]
    assert names_in(tmp_path) == []


# --- The example ----------------------------------------------------------------------


def test_the_example_is_of_the_default_product_and_says_that_it_is_invented() -> None:
    release = example_release()
    made = make_plan(
        Ratio("score", per="label"),
        bounds={"score": Bounds(0, 1, natural=True), "label": Bounds.binary()},
        groups=[
            Groups("region", ["north", "east", "south", "west"]),
            ScoreBins("score", 5),
        ],
        answers=("ratio", "means"),
        budget=Budget(epsilon=2),
    )
    assert isinstance(release.plan, Plan)
    assert (release.plan.study, release.plan.law) == (made.study, made.law)
    # Last digits are of the version that planned it.
    for own, other in zip(release.plan.measurements, made.measurements, strict=True):
        assert own.scales == pytest.approx(other.scales, rel=1e-6)
    assert release.is_simulated
    assert example_release("joint").is_simulated
    with pytest.raises(InvalidInput, match="unknown strategy, got 'even'"):
        example_release("even")


def test_the_example_holds_the_ratios_it_speaks_of() -> None:
    found = estimate_ratios(example_release())
    ends = zip(found.ci_lower, (1.0, 1.05, 1.1, 1.2), found.ci_upper, strict=False)
    assert all(low < truth < high for low, truth, high in ends)
