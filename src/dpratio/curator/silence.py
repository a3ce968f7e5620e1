"""Silence while others read rows: their logs and warnings may quote a cell.

Loggers and warnings belong to the whole process, and so does their silence. Levels and
filters that the user sets are not touched: those set in the meantime stay.
"""

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, cast

from dpratio.curator.shared_change import SharedChange

# It fits every warning, and equals no filter of the user's, which would be taken out
# in place of it.
_IGNORE = ("ignore", re.compile("(?#dpratio)"), Warning, None, 0)


@contextmanager
def silence() -> Iterator[None]:
    """Keep loggers and warnings from speaking, in every thread.

    While anyone holds it nothing is logged or shown, whatever levels and filters others
    set meanwhile. After the last one has left, everything speaks as before.

    Example:
        >>> with silence():
        ...     logging.getLogger().critical("cell 271828 is bad")
    """
    with _SILENCE.held():
        yield


def _make(undo: ExitStack) -> None:
    # Not `logging.disable`: whoever sets that level meanwhile would be heard, and a
    # record above CRITICAL always is.
    _stand_in(undo, logging.Logger, "isEnabledFor", lambda *_: False)
    _stand_in(undo, logging.Logger, "handle", lambda *_: None)
    # A filter of the user's may turn warnings into errors, and one cell would stop a
    # release: ours goes first. If others change filters meanwhile, nothing is shown.
    _stand_in(undo, warnings, "_showwarnmsg", lambda *_: None)
    filters = cast("list[Any]", warnings.filters)
    undo.callback(_remove_ours, filters)
    filters.insert(0, _IGNORE)


def _stand_in(undo: ExitStack, owner: object, name: str, function: object) -> None:
    undo.callback(setattr, owner, name, getattr(owner, name))
    setattr(owner, name, function)


def _remove_ours(filters: list[Any]) -> None:
    """Take our filter out of the list, and of a copy that another thread made."""
    for each in (filters, cast("list[Any]", warnings.filters)):
        with suppress(ValueError):
            each.remove(_IGNORE)


_SILENCE = SharedChange(_make)
