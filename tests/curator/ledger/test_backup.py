"""A copy of a ledger: one state, verified, and nothing replaced."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from curator.ledger.loans import CARDS, PLAN, SCOPE, bring
from dpratio.curator.ledger.backup import backup_ledger
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import FileRefused, InvalidInput, LedgerFailed, LedgerRefused


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def test_a_copy_holds_what_the_ledger_held(file_ledger: Ledger, tmp_path: Path) -> None:
    bring(file_ledger, "opened")
    copy = tmp_path / "copy.db"
    backup_ledger(file_ledger, copy)
    assert Ledger(copy).account() == file_ledger.account()
    assert verify_ledger(Ledger(copy)).wrong == ()
    assert copy.stat().st_mode & 0o777 == 0o600
    assert names(tmp_path) >= {"copy.db", "budget.db", "budget.db.lock"}
    assert not any(each.startswith(".dpratio-") for each in names(tmp_path))


def test_a_copy_replaces_nothing(file_ledger: Ledger, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("kept", encoding="utf-8")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nothing")
    for target in (there, link, tmp_path, tmp_path / "budget.db"):
        before = names(tmp_path)
        with pytest.raises(FileRefused, match="exists, and a copy replaces nothing"):
            backup_ledger(file_ledger, target)
        assert names(tmp_path) == before
    assert there.read_text(encoding="utf-8") == "kept"


def test_a_name_that_appears_meanwhile_is_not_replaced(
    file_ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "copy.db"

    def verify(ledger: Ledger) -> object:
        target.write_text("kept", encoding="utf-8")
        return verify_ledger(ledger)

    monkeypatch.setattr("dpratio.curator.ledger.backup.verify_ledger", verify)
    with pytest.raises(FileRefused, match="replaces nothing"):
        backup_ledger(file_ledger, target)
    assert target.read_text(encoding="utf-8") == "kept"


def test_a_missing_folder_is_told(file_ledger: Ledger, tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match="cannot be written: No such file"):
        backup_ledger(file_ledger, tmp_path / "none" / "copy.db")


@pytest.mark.parametrize("target", ["", ".", "a\0b", 3])
def test_a_copy_needs_a_name(target: str, file_ledger: Ledger) -> None:
    with pytest.raises(InvalidInput, match="a copy is a file"):
        backup_ledger(file_ledger, target)


def test_only_a_ledger_is_copied(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="must be a Ledger"):
        backup_ledger(tmp_path, tmp_path / "copy.db")  # type: ignore[arg-type]


def test_a_server_copies_its_own_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerRefused, match="use pg_dump"):
        backup_ledger(Ledger("postgresql://nowhere/x"), tmp_path / "copy.db")


def test_a_ledger_that_is_not_sound_leaves_no_copy(
    file_ledger: Ledger, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "budget.db")) as connection:
        connection.execute("INSERT INTO artifact VALUES ('r', x'00', 'h')")
        connection.commit()
    with pytest.raises(LedgerFailed, match="copy is NOT sound, and was removed: the b"):
        backup_ledger(file_ledger, tmp_path / "copy.db")
    assert "copy.db" not in names(tmp_path)


def test_an_anchored_ledger_is_compared_with_its_anchor(tmp_path: Path) -> None:
    anchored = Ledger(tmp_path / "budget.db", anchor=tmp_path / "heads")
    anchored.open_scope(SCOPE)
    anchored.charge("0" * 32, PLAN)
    backup_ledger(anchored, tmp_path / "copy.db")
    with pytest.raises(LedgerRefused, match="name its anchor"):
        backup_ledger(Ledger(tmp_path / "budget.db"), tmp_path / "more.db")
    copy = Ledger(tmp_path / "copy.db", anchor=tmp_path / "heads")
    assert copy.account() == anchored.account()
    anchored.open_scope(CARDS)
    anchored.charge("1" * 32, PLAN, scope="loans")
    with pytest.raises(LedgerFailed, match="old copy"):
        copy.account("loans")
