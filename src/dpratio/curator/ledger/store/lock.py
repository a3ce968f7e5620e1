"""The lock of a ledger file: a file of its own, so that closing another drops nothing.

SQLite locks its file with POSIX locks, and those belong to the process: opening and
closing the same file anywhere in it, for a copy in another thread, drops them
(sqlite.org/howtocorrupt.html, section 2.2). A ``flock`` belongs to one open file. It
also parts the threads of a process, and the system drops it when a process is killed.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dpratio.curator.ledger.store.clock import attempts

_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True, eq=False)
class Lock:
    """A lock that is held."""

    path: Path
    descriptor: int

    def is_whole(self) -> bool:
        """Tell whether the lock file is still the one that was locked.

        Whoever removes it lets others lock a new one; a fork has no lock at all.
        """
        return self in _held and _is_at(self.descriptor, self.path)


_held: set[Lock] = set()


def name_of_lock(path: Path) -> Path:
    """Give the lock file of a ledger file, whatever links lead to it."""
    real = path.resolve()
    return real.with_name(f"{real.name}.lock")


@contextmanager
def locked(path: Path, *, is_shared: bool, patience: float) -> Iterator[Lock]:
    """Hold the lock of a ledger file, alone or together with others who read.

    Nobody removes the lock file: one who waits for it would wait for another file.

    Raises:
        TimeoutError: When others have held it for so many seconds.
        OSError: When the lock file cannot be made, opened or locked.
    """
    place = name_of_lock(path)
    lock = Lock(place, _take(place, is_shared, patience))
    _held.add(lock)
    try:
        yield lock
    finally:
        if lock in _held:
            _held.discard(lock)
            _leave(lock.descriptor)


def _take(path: Path, is_shared: bool, patience: float) -> int:  # noqa: FBT001
    """Open and lock a file, again where it was removed meanwhile."""
    while True:
        descriptor = _open(path)
        try:
            _wait(descriptor, is_shared, patience)
            if _is_at(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _open(path: Path) -> int:
    """Open the lock file, and make it where it is missing."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | _FLAGS, 0o644)
    except PermissionError:
        # A file that another user made can be locked without writing to it.
        return os.open(path, os.O_RDONLY | _FLAGS)


def _wait(descriptor: int, is_shared: bool, patience: float) -> None:  # noqa: FBT001
    import fcntl

    how = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
    for _ in attempts(patience):
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        return
    raise TimeoutError(errno.ETIMEDOUT, "locked")


def _is_at(descriptor: int, path: Path) -> bool:
    """Tell whether an open file still has its name."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def _leave(descriptor: int) -> None:
    import fcntl

    # Said aloud: a fork that has not closed its copy would keep the lock.
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def _forget() -> None:
    """Close what a fork inherited; its parent keeps the locks."""
    for lock in _held:
        os.close(lock.descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_forget)
