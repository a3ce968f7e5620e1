"""Commands run on a real terminal, with somebody who answers."""

import os
import pty
import sys
from pathlib import Path

__all__ = ["on_a_terminal"]


def on_a_terminal(
    folder: Path, answer: str, *words: str, redirected: str = ""
) -> tuple[int, str]:
    """Run a command in a child on a pseudo-terminal; give its code and what is shown.

    Args:
        folder: Where it runs.
        answer: What is typed when it asks.
        words: The words of the command.
        redirected: A file that standard output goes to instead, or nothing.
    """
    child, terminal = pty.fork()
    if child == 0:  # pragma: no cover (another process)
        try:
            os.chdir(folder)
            if redirected:
                file = os.open(redirected, os.O_CREAT | os.O_WRONLY)
                os.dup2(file, 1)
            os.execv(sys.executable, [sys.executable, "-m", "dpratio", *words])  # noqa: S606
        finally:
            os._exit(127)
    shown, is_asked = b"", False
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # The child has ended.
            break
        if not piece:
            break
        shown += piece
        # The space is written last; what is typed before it stands in another place.
        if b"[y/n]: " in shown.lower() and not is_asked:
            os.write(terminal, f"{answer}\n".encode())
            is_asked = True
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code, shown.decode().replace("\r\n", "\n")
