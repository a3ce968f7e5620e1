"""Silence while others read rows: their logs and warnings may quote a cell.

Floor: curator. Imports: nothing.
"""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["silence"]


@contextmanager
def silence() -> Iterator[None]:
    """Keep loggers and warnings from speaking.

    Example:
        >>> with silence():
        ...     logging.getLogger().critical("cell 271828 is bad")
    """
    before = logging.root.manager.disable
    logging.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
