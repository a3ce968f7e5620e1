"""A change of the whole process, shared by those who need it: made once, undone once.

Releases may overlap in threads. If each of them put back what it had found, the last to
leave would put back a change of the first.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class _Holder:
    """One `with` block, and the thread that entered it."""

    thread: int


class SharedChange:
    """A change that lasts from the first holder to the last one, in whatever thread.

    Args:
        make: Changes the process. It puts each undoing on the stack *before* it
            changes anything, so that one that is interrupted can be undone too.
    """

    def __init__(self, make: Callable[[ExitStack], None]) -> None:
        self._make = make
        self._undo = ExitStack()
        self._is_made = False
        self._holders: set[_Holder] = set()
        # Taken again by the same thread where a signal handler or a finaliser asks.
        self._lock = threading.RLock()
        # A system without forks needs no care for them.
        getattr(os, "register_at_fork", dict)(
            before=self._lock.acquire,
            after_in_parent=self._lock.release,
            after_in_child=self._after_fork,
        )

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the change while the block runs."""
        holder = _Holder(threading.get_ident())
        try:
            self._enter(holder)
            yield
        finally:
            try:
                self._leave(holder)
            finally:
                # Once more: an interrupt may have cut the first one short.
                self._leave(holder)

    def _enter(self, holder: _Holder) -> None:
        with self._lock:
            self._holders.add(holder)
            if not self._is_made:
                self._make(self._undo)
                self._is_made = True

    def _leave(self, holder: _Holder) -> None:
        with self._lock:
            self._holders.discard(holder)
            self._undo_if_alone()

    def _undo_if_alone(self) -> None:
        if not self._holders:
            self._is_made = False
            self._undo.close()

    def _after_fork(self) -> None:
        """Forget the holders whose threads did not come along into the child."""
        own = threading.get_ident()
        self._holders = {each for each in self._holders if each.thread == own}
        self._undo_if_alone()
        self._lock.release()
