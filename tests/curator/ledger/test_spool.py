"""The spool: what was drawn waits for the ledger, for its owner alone."""

import os
import pwd
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from curator.ledger.attacks.books import in_child
from curator.ledger.loans import ID, OTHER, PLAN, SCOPE, TABLE, bring, plan_of
from dpratio.curator.ledger.account.held import Held
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.spool import Spool, require_drawn_for, usual_spool
from dpratio.curator.release_sums import release_sums
from dpratio.errors import InvalidInput, LedgerFailed, LedgerRefused
from dpratio.release.files import release_to_bytes


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path / "deep" / "spool", is_usual=True)


def test_bytes_come_back_as_they_were_kept_and_for_nobody_else(spool: Spool) -> None:
    assert spool.kept(ID) is None
    assert spool.keep(ID, b"one")
    assert spool.keep(OTHER, b"two")
    assert spool.kept(ID) == b"one"
    assert spool.kept(OTHER) == b"two"
    assert spool.folder.stat().st_mode & 0o777 == 0o700
    for path in spool.folder.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600
    spool.drop(ID)
    assert spool.kept(ID) is None
    spool.drop(OTHER)
    assert not spool.folder.exists()
    spool.drop(OTHER)


def test_bytes_that_wait_are_not_replaced(spool: Spool) -> None:
    assert spool.keep(ID, b"one")
    assert not spool.keep(ID, b"two")
    assert spool.kept(ID) == b"one"
    spool.drop(ID)
    assert not spool.folder.exists()


def test_a_spool_that_can_be_used_leaves_nothing(spool: Spool) -> None:
    spool.require_usable()
    assert not spool.folder.exists()


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_a_folder_that_others_may_enter_is_refused(mode: int, spool: Spool) -> None:
    spool.folder.mkdir(parents=True)
    spool.folder.chmod(mode)
    (spool.folder / "more").touch()
    with pytest.raises(LedgerFailed, match=r"is not its owner's alone: .*mode 0700"):
        spool.require_usable()
    assert not spool.keep(ID, b"one")
    assert [each.name for each in spool.folder.iterdir()] == ["more"]


def test_a_link_or_a_file_is_no_spool(spool: Spool, tmp_path: Path) -> None:
    spool.folder.parent.mkdir()
    spool.folder.symlink_to(tmp_path)
    with pytest.raises(LedgerFailed, match=r"cannot be used: .* Mend it, or name"):
        spool.require_usable()
    spool.folder.unlink()
    spool.folder.touch()
    with pytest.raises(LedgerFailed, match="cannot be used: File exists"):
        spool.require_usable()


def test_bytes_that_others_may_write_are_refused(spool: Spool) -> None:
    assert spool.keep(ID, b"one")
    path = spool.folder / f"{ID}.json"
    path.chmod(0o606)
    with pytest.raises(LedgerFailed, match="holds a file that others may write or re"):
        spool.kept(ID)
    path.unlink()
    path.symlink_to("/etc/passwd")
    with pytest.raises(LedgerFailed, match="cannot be read: "):
        spool.kept(ID)
    path.unlink()
    os.mkfifo(path, 0o600)
    with pytest.raises(LedgerFailed, match="holds a file that others"):
        spool.kept(ID)


def test_the_spool_of_another_user_is_refused(spool: Spool, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can be another user")
    spool.folder.mkdir(parents=True, mode=0o700)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder != folder.parent:
            folder.chmod(folder.stat().st_mode | 0o055)

    def as_nobody() -> str:
        os.setgid(65534)
        os.setuid(65534)
        try:
            spool.require_usable()
        except LedgerFailed as error:
            return str(error)
        return ""

    assert "cannot be used: Permission denied" in in_child(as_nobody)


def test_a_spool_lies_beside_its_ledger_or_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    home = tmp_path / ".local" / "state" / "dpratio" / "spool"
    assert Ledger("postgresql://nowhere/x").spool == usual_spool(None)
    assert usual_spool(None) == Spool(home, is_usual=True)
    path = tmp_path / "budget.db"
    assert Ledger(path).spool.folder == tmp_path / "budget.db.spool"
    assert Ledger(path, spool=tmp_path / "s").spool.folder == tmp_path / "s"
    with pytest.raises(InvalidInput, match="a spool is a folder"):
        Ledger(path, spool="")


def test_tests_on_a_server_leave_nothing_at_home(postgres_url: str) -> None:
    home = pwd.getpwuid(os.getuid()).pw_dir
    assert not Ledger(postgres_url).spool.folder.is_relative_to(home)


def test_only_what_was_drawn_for_the_charge_is_taken(
    file_ledger: Ledger, tmp_path: Path
) -> None:
    drawn = release_sums(TABLE, PLAN, ledger=file_ledger, release_id=ID)
    held = file_ledger.account().releases[ID]
    require_drawn_for(held, ID, release_to_bytes(drawn))
    elsewhere = Ledger(tmp_path / "other.db")
    elsewhere.open_scope(replace(SCOPE, dataset="other loans"))
    same_id = release_sums(TABLE, PLAN, ledger=elsewhere, release_id=ID)
    other_plan = release_sums(TABLE, plan_of("0.2"), ledger=file_ledger)
    for wrong in (
        replace(drawn, id=OTHER),
        same_id,
        replace(other_plan, id=ID, ledger_head=drawn.ledger_head),
        replace(drawn, ledger_head=None),
    ):
        refuse_bytes(held, release_to_bytes(wrong))
    for damaged in (b"", b"\xff", b"{}", release_to_bytes(drawn)[:-2]):
        refuse_bytes(held, damaged)


def refuse_bytes(held: Held, content: bytes) -> None:
    with pytest.raises(LedgerFailed, match="damaged, or was drawn for another release"):
        require_drawn_for(held, ID, content)


def test_sealing_the_same_bytes_twice_is_sealing_once(ledger: Ledger) -> None:
    """Another process with the same spool was faster, or nobody heard the answer."""
    bring(ledger, "sealed")
    ledger.seal(ID, b"bytes")
    assert ledger.account().seq == 3
    ledger.publish(ID)
    ledger.seal(ID, b"bytes")
    assert ledger.account().seq == 4


def test_a_folder_in_one_that_is_missing_is_not_made(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "none" / "spool")
    with pytest.raises(LedgerFailed, match="cannot be used: No such file"):
        spool.require_usable()
    assert not spool.keep(ID, b"one")
    assert list(tmp_path.iterdir()) == []


def test_what_belongs_to_no_charge_is_not_kept(ledger: Ledger) -> None:
    with pytest.raises(LedgerRefused, match="is not in this ledger"):
        ledger.seal(OTHER, b"bytes")
    assert ledger.spool.kept(OTHER) is None
    bring(ledger, "sealed")
    with pytest.raises(LedgerRefused, match="is sealed, so it cannot be sealed"):
        ledger.seal(ID, b"other bytes")
    assert ledger.spool.kept(ID) is None
    # What waited before is not this call's to remove.
    assert ledger.spool.keep(OTHER, b"waits")
    with pytest.raises(LedgerRefused, match="is not in this ledger"):
        ledger.seal(OTHER, b"bytes")
    assert ledger.spool.kept(OTHER) == b"waits"
    ledger.spool.drop(OTHER)


def test_threads_share_a_spool_that_each_removes_when_it_is_empty(spool: Spool) -> None:
    failed: list[str] = []

    def use(number: int) -> None:
        for turn in range(40):
            name = f"{number:016x}{turn:016x}"
            try:
                spool.require_usable()
            except LedgerFailed as error:
                failed.append(str(error))
            if not spool.keep(name, b"one") or spool.kept(name) is None:
                failed.append(name)
            spool.drop(name)

    threads = [threading.Thread(target=use, args=(at,)) for at in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failed == []
    assert not spool.folder.exists()
