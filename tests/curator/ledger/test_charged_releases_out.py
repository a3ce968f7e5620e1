"""Where a release is published: over nothing that exists, unless that is said."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.ledger.loans import ID, OTHER, PLAN, SCOPE, TABLE, Untouchable
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import FileRefused, InvalidInput
from dpratio.release.files import read_release

THERE: dict[str, Callable[[Path], object]] = {
    "a link": lambda path: path.symlink_to("elsewhere"),
    "a pipe": os.mkfifo,
    "a folder": lambda path: path.mkdir(),
    "data": lambda path: path.write_text("s,y\n0.5,1\n", encoding="utf-8"),
    "an empty file": lambda path: path.touch(),
}


@pytest.mark.parametrize("there", THERE)
@pytest.mark.parametrize("replace", [True, False])
def test_what_is_no_release_stays_and_nothing_is_charged(
    there: str,
    replace: bool,  # noqa: FBT001
    file_ledger: Ledger,
    tmp_path: Path,
) -> None:
    out = tmp_path / "out.json"
    THERE[there](out)
    before = out.lstat()
    for ledger in (file_ledger, None):
        with pytest.raises(FileRefused, match=r"never replaced|Name another|a folder"):
            release_sums(Untouchable(), PLAN, ledger=ledger, out=out, replace=replace)
    assert os.path.samestat(out.lstat(), before)
    assert file_ledger.account().seq == 0


def test_a_device_stays(file_ledger: Ledger) -> None:
    with pytest.raises(FileRefused, match="a device or a pipe"):
        release_sums(Untouchable(), PLAN, ledger=file_ledger, out="/dev/null")
    assert Path("/dev/null").is_char_device()


def test_a_release_is_replaced_by_itself_or_where_it_is_said(
    file_ledger: Ledger, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    first = release_sums(TABLE, PLAN, ledger=file_ledger, release_id=ID, out=out)
    again = release_sums(TABLE, PLAN, ledger=file_ledger, release_id=ID, out=out)
    assert again == first == read_release(out)
    asked = {"ledger": file_ledger, "out": out}
    for more in ({"release_id": OTHER}, {"new_draw": True}):
        with pytest.raises(FileRefused, match="holds a release already"):
            release_sums(TABLE, PLAN, **asked, **more)  # type: ignore[arg-type]
    assert file_ledger.account().seq == 4
    second = release_sums(
        TABLE, PLAN, ledger=file_ledger, out=out, replace=True, new_draw=True
    )
    assert read_release(out) == second != first
    third = release_sums(TABLE, PLAN, ledger=None, out=out, replace=True)
    assert read_release(out) == third


@pytest.mark.parametrize("end", ["", "-journal", "-wal", "-shm", ".lock"])
def test_a_release_is_not_written_where_the_ledger_lies(
    end: str, tmp_path: Path
) -> None:
    """Also through a link to its folder, and before there is such a file."""
    (tmp_path / "there").mkdir()
    (tmp_path / "here").symlink_to(tmp_path / "there")
    ledger = Ledger(tmp_path / "there" / "budget.db", anchor=tmp_path / "heads")
    ledger.open_scope(SCOPE)
    for folder in ("here", "there"):
        out = tmp_path / folder / f"budget.db{end}"
        with pytest.raises((FileRefused, InvalidInput)):
            release_sums(Untouchable(), PLAN, ledger=ledger, out=out, replace=True)
        assert ledger.is_at(out)
    assert ledger.is_at(tmp_path / "heads")
    assert not ledger.is_at(tmp_path / "there" / "release.json")
    assert ledger.account().seq == 0


def test_a_place_is_not_taken_from_one_who_came_first(
    file_ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What appears while data are read is not replaced; the release is sealed."""
    out = tmp_path / "out.json"
    seal = Ledger.seal

    def sealing(ledger: Ledger, *given: object) -> None:
        out.write_text("kept", encoding="utf-8")
        seal(ledger, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Ledger, "seal", sealing)
    with pytest.raises(FileRefused, match=r"exists\..* is sealed\. Run it again under"):
        release_sums(TABLE, PLAN, ledger=file_ledger, release_id=ID, out=out)
    assert out.read_text(encoding="utf-8") == "kept"
    assert file_ledger.account().releases[ID].state == "sealed"
