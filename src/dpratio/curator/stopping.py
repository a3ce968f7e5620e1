"""Releases that a signal can stop: the query is cancelled where it runs.

Python hears a signal in its main thread, between two instructions of its own. Inside an
engine it hears none, and one that it hears inside a callback is lost. So engines run in
a thread of their own, and are cancelled from outside.
"""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from dpratio.curator.silence import silence

__all__ = [
    "Terminated",
    "ending_as_told",
    "heeding_terminate",
    "notes_of",
    "stoppable",
]

Given = TypeVar("Given")

_LOOK = 0.1
# Seconds that a query has to end after it was cancelled; what does not is left alone.
_LONGEST = 4.0


class Terminated(KeyboardInterrupt):
    """SIGTERM, raised where Ctrl-C would be."""


def stoppable(
    work: Callable[[], Given],
    cancel: Callable[[], object] | None,
    *,
    thread: Callable[..., threading.Thread] = threading.Thread,
) -> Given:
    """Run an engine so that whatever interrupts us cancels it.

    Args:
        work: Asks the engine, and waits for its answer.
        cancel: Ends that from another thread; None where nothing can.
        thread: What makes the thread.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()  # No signal is heard here.
    ended = threading.Event()
    given: list[Given] = []
    raised: list[BaseException] = []

    def run() -> None:
        try:
            # Its own: it may go on after we have left.
            with silence():
                given.append(work())
        except BaseException as error:  # noqa: BLE001 (raised again below)
            raised.append(error)
        finally:
            ended.set()

    try:
        thread(target=run, daemon=True).start()
        # The system may hand a signal to any thread; ours has to wake up to hear it.
        while not ended.wait(_LOOK):
            pass
    except BaseException:
        if cancel is not None:
            _cancel(cancel, ended)
        raise
    if raised:
        raise raised.pop()
    return given.pop()


def _cancel(cancel: Callable[[], object], ended: threading.Event) -> None:
    """Cancel until it has ended: a query may begin after the first time."""
    for _ in range(int(_LONGEST / _LOOK)):
        with suppress(Exception):
            cancel()
        if ended.wait(_LOOK):
            return


@contextmanager
def heeding_terminate() -> Iterator[None]:
    """Let SIGTERM raise `Terminated` while the block runs.

    Signals are heard in the main thread only, and whoever has said what SIGTERM does
    keeps it so.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _terminate(number: int, _frame: object) -> None:
    # Whoever asks twice is not kept waiting.
    signal.signal(number, signal.SIG_DFL)
    raise Terminated


@contextmanager
def ending_as_told() -> Iterator[None]:
    """Heed SIGTERM, say what was noted about it, and then end by it as usual."""
    is_usual = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    try:
        with heeding_terminate():
            yield
    except Terminated as stop:
        if is_usual:
            sys.stderr.write("".join(f"{note}\n" for note in notes_of(stop)))
            sys.stderr.flush()
            signal.raise_signal(signal.SIGTERM)
        raise


def notes_of(stop: BaseException) -> list[str]:
    """Give what was noted about an interrupt: where a release stands."""
    return list(getattr(stop, "__notes__", ()))
