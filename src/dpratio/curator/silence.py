"""Silence while others read rows: their logs and warnings may quote a cell.

Loggers and warnings belong to the whole process, and so does their silence. Levels and
filters that the user sets are not touched: those set in the meantime stay.
"""

import logging
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, cast

# It fits every warning, and equals no filter of the user's, which would be taken out
# in place of it.
_IGNORE = ("ignore", re.compile("(?#dpratio)"), Warning, None, 0)


@contextmanager
def silence() -> Iterator[None]:
    """Keep loggers and warnings from speaking, in every thread.

    Until the last `with` block ends nothing is logged or shown, whatever levels and
    filters others set meanwhile. After that, everything speaks as before.

    Example:
        >>> with silence():
        ...     logging.getLogger().critical("cell 271828 is bad")
    """
    with _SILENCE.held():
        yield


def _make(undo: ExitStack) -> None:
    # Not `logging.disable`: whoever sets that level meanwhile would be heard, and a
    # record above CRITICAL always is.
    _replace(undo, logging.Logger, "isEnabledFor", lambda *_: False)
    _replace(undo, logging.Logger, "handle", lambda *_: None)
    # A filter of the user's may turn warnings into errors, and one cell would stop a
    # release: ours goes first. If others change filters meanwhile, nothing is shown.
    _replace(undo, warnings, "_showwarnmsg", lambda *_: None)
    filters = cast("list[Any]", warnings.filters)
    undo.callback(_remove_ours, filters)
    filters.insert(0, _IGNORE)


def _replace(undo: ExitStack, owner: object, name: str, function: object) -> None:
    undo.callback(setattr, owner, name, getattr(owner, name))
    setattr(owner, name, function)


def _remove_ours(filters: list[Any]) -> None:
    """Take our filter out of the list, and of a copy that another thread made."""
    for listed in (filters, cast("list[Any]", warnings.filters)):
        with suppress(ValueError):
            listed.remove(_IGNORE)


class SharedChange:
    """A change of the process from the first `with` block to the last, in any thread.

    Blocks may overlap. If each of them put back what it found, the last to leave would
    put back a change of the first.

    Args:
        make: Changes the process. It puts each undoing on the stack *before* it
            changes anything, so that one that is interrupted can be undone too.
    """

    def __init__(self, make: Callable[[ExitStack], None]) -> None:
        self._make = make
        self._undo = ExitStack()
        self._is_made = False
        self._blocks: dict[object, int] = {}  # Each with the thread that entered it.
        # Taken again by the same thread where a signal handler or a finaliser enters.
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
        block = object()
        try:
            self._enter(block)
            yield
        finally:
            try:
                self._leave(block)
            finally:
                # Once more: an interrupt may have cut the first one short.
                self._leave(block)

    def _enter(self, block: object) -> None:
        with self._lock:
            self._blocks[block] = threading.get_ident()
            if not self._is_made:
                self._make(self._undo)
                self._is_made = True

    def _leave(self, block: object) -> None:
        with self._lock:
            self._blocks.pop(block, None)
            self._undo_if_alone()

    def _undo_if_alone(self) -> None:
        if not self._blocks:
            self._is_made = False
            self._undo.close()

    def _after_fork(self) -> None:
        """Forget the blocks whose threads did not come along into the child."""
        own = threading.get_ident()
        self._blocks = {
            block: thread for block, thread in self._blocks.items() if thread == own
        }
        self._undo_if_alone()
        self._lock.release()


_SILENCE = SharedChange(_make)
