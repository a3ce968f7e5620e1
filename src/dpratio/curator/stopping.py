"""Releases that a signal can stop: the query is cancelled where it runs.

Python handles a signal in its main thread, between two of its instructions. It handles
none inside an engine, and one that arrives inside a callback is lost. So engines run in
a separate thread, and are cancelled from outside.
"""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from dpratio.curator.silence import silence

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
def heeding_signals() -> Iterator[None]:
    """Let SIGTERM raise `Terminated` while the block runs, and keep what was heard.

    Signals are heard in the main thread only, and whoever has said what a signal does
    keeps it so.
    """
    usual: dict[signal.Signals, Any] = {
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGINT: signal.default_int_handler,
    }
    is_main = threading.current_thread() is threading.main_thread()
    ours = [each for each in usual if is_main and signal.getsignal(each) is usual[each]]
    for each in ours:
        signal.signal(each, _raise)
    try:
        yield
    finally:
        if is_main:
            _HEARD.clear()
        for each in ours:
            signal.signal(each, usual[each])


def _raise(number: int, _frame: object) -> None:
    # Whoever asks twice is not kept waiting.
    signal.signal(number, signal.SIG_DFL)
    _HEARD.append(Terminated if number == signal.SIGTERM else KeyboardInterrupt)
    raise _HEARD[-1]


# An engine that calls Python back takes what is raised there for an error of its own.
_HEARD: list[type[KeyboardInterrupt]] = []


def interrupt_heard() -> KeyboardInterrupt | None:
    """Give the interrupt that was raised and may have been lost inside an engine."""
    return _HEARD[-1]() if _HEARD else None


@contextmanager
def ending_as_told() -> Iterator[None]:
    """Heed SIGTERM, say what was noted about it, and then end by it as usual."""
    is_usual = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    try:
        with heeding_signals():
            yield
    except Terminated as stop:
        if is_usual:
            sys.stderr.write("".join(f"{note}\n" for note in notes_of(stop)))
            sys.stderr.flush()
            signal.raise_signal(signal.SIGTERM)
        raise


@contextmanager
def noting_where(stands: Callable[[], str]) -> Iterator[None]:
    """Note on an interrupt where the release stands."""
    try:
        yield
    except KeyboardInterrupt as stop:
        stop.add_note(stands())
        raise


def notes_of(stop: BaseException) -> list[str]:
    """Give what was noted about an interrupt: where a release stands."""
    return list(getattr(stop, "__notes__", ()))
