"""How workers are started: as copies of this process where that is safe.

A fresh process imports everything again: two thirds of a second of CPU for each worker.
A copy (a fork) has it all at once. But locks that another thread holds are never
released in a copy, and some libraries with threads of their own hang there. So only the
work of this package is given to copies, where no other thread of Python runs
(docs/decisions/README.md).
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum

__all__ = ["Way", "loading", "way_for"]

_SAFE = frozenset({"dpratio", "numpy", "scipy"}) | sys.stdlib_module_names
_HAVE_LOADED = threading.Event()
_TURN = 0.0005  # seconds


class Way(Enum):
    """How a worker is started."""

    FRESH = "a process of its own"
    BARE_COPY = "a copy of this process before SciPy was loaded"
    COPY = "a copy of this process"


def way_for(packages: set[str] | frozenset[str]) -> Way:
    """Choose how workers are started for work that is made of such packages."""
    is_safe = sys.platform == "linux" and threading.active_count() == 1
    if not is_safe or not packages <= _SAFE:
        return Way.FRESH
    return Way.COPY if _HAVE_LOADED.is_set() else Way.BARE_COPY


@contextmanager
def loading(way: Way) -> Iterator[None]:
    """Load what answers need, and drawing people does not, while bare copies draw."""
    if way is not Way.BARE_COPY:
        yield
        return
    thread = threading.Thread(target=_load, daemon=True)
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN)  # Copies must not wait for their next task.
    thread.start()
    try:
        yield
    finally:
        thread.join()
        sys.setswitchinterval(before)


def _load() -> None:
    import scipy.special  # noqa: F401 (what copies will need)

    _HAVE_LOADED.set()
