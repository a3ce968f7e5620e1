"""Watching what Python does while a document is read: nothing is run, sent or written.

Python tells a hook of every import, compilation, process, socket and opened file.
Hooks stay for the life of a process, so there is one, which listens when asked.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

__all__ = ["DangerousEvent", "audited"]

# Events that end the reading of a document, by their beginning.
DANGEROUS = (
    "exec",
    "compile",
    "import",
    "code.__new__",
    "function.__new__",
    "marshal.",
    "pickle.",
    "shelve.",
    "ctypes.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.fork",
    "os.startfile",
    "os.kill",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.mkdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "os.chown",
    "os.putenv",
    "shutil.",
    "socket.",
    "urllib.",
    "http.",
    "ftplib.",
    "smtplib.",
    "webbrowser.",
    "sqlite3.load_extension",
    "sqlite3.enable_load_extension",
    "sys.addaudithook",
    "setopencodehook",
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
_listening = False
_heard: list[str] = []


class DangerousEvent(AssertionError):
    """Something was run, sent or written while a document was read."""


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if not _listening:
        return
    if event == "open":
        flags = arguments[2]
        if isinstance(flags, int) and flags & _WRITING:
            _heard.append(f"open {arguments!r:.200}")
    elif event.startswith(DANGEROUS):
        _heard.append(f"{event} {arguments!r:.200}")


sys.addaudithook(_hook)


@contextmanager
def audited(allowed: Sequence[str] | None = ()) -> Iterator[None]:
    """Raise `DangerousEvent` where anything but what is allowed happened; None: all."""
    global _listening  # noqa: PLW0603 (one hook listens for the whole process)
    _heard.clear()
    _listening = allowed is not None
    try:
        yield
    finally:
        _listening = False
        heard = [each for each in _heard if not each.startswith(tuple(allowed or ()))]
        if heard:
            raise DangerousEvent(heard)
