"""The lock of a ledger file: between threads, processes and forks, and after a kill."""

import os
import signal
import warnings
from pathlib import Path
from threading import Event, Thread

import pytest

from curator.ledger.attacks.books import in_child
from dpratio.curator.ledger.store.lock import _forget, locked, name_of_lock


def is_free(path: Path, *, is_shared: bool = False) -> bool:
    """Try to lock."""
    try:
        with locked(path, is_shared=is_shared, patience=0):
            return True
    except TimeoutError:
        return False


def fork() -> int:
    """Fork, whatever threads other tests have had."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


def test_readers_share_and_a_writer_is_alone(path: Path) -> None:
    with locked(path, is_shared=True, patience=1):
        assert is_free(path, is_shared=True)
        assert not is_free(path)
    with locked(path, is_shared=False, patience=1):
        assert not is_free(path, is_shared=True)
        assert not is_free(path)
        assert not in_child(lambda: is_free(path))
    assert is_free(path)


def test_whoever_waits_gets_the_lock_when_it_is_left(path: Path) -> None:
    waits, done = Event(), Event()

    def wait() -> None:
        waits.set()
        with locked(path, is_shared=False, patience=60):
            done.set()

    thread = Thread(target=wait)
    with locked(path, is_shared=False, patience=1):
        thread.start()
        assert waits.wait(60)
        assert not done.wait(0.1)
    thread.join(60)
    assert done.is_set()


def test_opening_and_closing_the_file_elsewhere_drops_nothing(path: Path) -> None:
    with locked(path, is_shared=False, patience=1) as lock:
        name_of_lock(path).read_bytes()
        assert lock.is_whole()
        assert not in_child(lambda: is_free(path))


def test_the_lock_of_one_who_was_killed_is_free(path: Path) -> None:
    def hold_and_die() -> None:
        with locked(path, is_shared=False, patience=1):
            os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(AssertionError, match="status 9"):
        in_child(hold_and_die)
    assert is_free(path)


def test_a_fork_keeps_no_lock_of_its_parent(path: Path) -> None:
    """The child lives on, its parent is killed, and the lock is free."""
    here, there = os.pipe()
    parent = fork()
    if parent == 0:
        with locked(path, is_shared=False, patience=1):
            if fork() == 0:
                os.close(there)
                os.read(here, 1)  # Until the test is over.
                os._exit(0)
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(parent, 0)
    try:
        assert is_free(path)
    finally:
        os.close(there)
        os.close(here)


def test_a_fork_inside_holds_nothing_and_leaves_its_parents_lock(path: Path) -> None:
    with locked(path, is_shared=False, patience=1) as lock:
        assert in_child(lambda: (lock.is_whole(), is_free(path))) == (False, False)
        assert lock.is_whole()
        child = fork()
    if child == 0:  # It left the block as well, and that must free nothing.
        os._exit(0)
    os.waitpid(child, 0)
    with locked(path, is_shared=False, patience=1) as lock:
        assert lock.is_whole()


def test_a_lock_file_that_is_removed_is_noticed(path: Path) -> None:
    with locked(path, is_shared=False, patience=1) as lock:
        assert lock.is_whole()
        lock.path.unlink()
        assert not lock.is_whole()
        assert is_free(path)
        assert not lock.is_whole()


def test_one_who_waits_for_a_removed_file_waits_for_the_new_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = name_of_lock(path)
    first = locked(path, is_shared=False, patience=1)
    opened = []
    original = os.open

    def remove_first(name: object, *given: int) -> int:
        descriptor = original(name, *given)  # type: ignore[arg-type]
        opened.append(name)
        if len(opened) == 1:
            place.unlink()
        return descriptor

    monkeypatch.setattr("dpratio.curator.ledger.store.lock.os.open", remove_first)
    with first as lock:
        assert lock.is_whole()
    assert opened == [place, place]


def test_a_lock_file_of_another_user_is_locked_without_writing(path: Path) -> None:
    name_of_lock(path).touch(mode=0o444)
    for folder in (path.parent, *path.parent.parents):
        if folder.stat().st_uid == 0 and folder != folder.parent:
            folder.chmod(folder.stat().st_mode | 0o055)

    def as_nobody() -> bool:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        return is_free(path)

    assert in_child(as_nobody)
    with locked(path, is_shared=False, patience=1):
        assert not in_child(as_nobody)


def test_a_link_leads_to_one_lock(path: Path) -> None:
    path.touch()
    link = path.with_name("link")
    link.symlink_to(path)
    assert name_of_lock(link) == name_of_lock(path) == path.with_name("budget.db.lock")


def test_what_a_fork_forgets_is_closed_and_not_left_again(path: Path) -> None:
    with locked(path, is_shared=False, patience=1) as lock:
        _forget()
        assert not lock.is_whole()
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(lock.descriptor)
    assert is_free(path)


def test_without_leave_to_write_the_lock_file_is_only_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = os.open

    def refuse_to_write(name: object, flags: int, *given: int) -> int:
        if flags & os.O_RDWR:
            raise PermissionError
        return original(name, flags, *given)  # type: ignore[arg-type]

    name_of_lock(path).touch()
    monkeypatch.setattr("dpratio.curator.ledger.store.lock.os.open", refuse_to_write)
    with locked(path, is_shared=False, patience=1):
        assert not is_free(path, is_shared=True)
