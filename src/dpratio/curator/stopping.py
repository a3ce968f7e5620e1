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

Result = TypeVar("Result")

_POLL = 0.1
# Seconds that a query has to end after it was cancelled; what does not is left alone.
_LONGEST = 4.0
# An engine that calls Python back takes what is raised there for an error of its own.
_INTERRUPTS: list[type[KeyboardInterrupt]] = []


class Terminated(KeyboardInterrupt):
    """SIGTERM, raised where Ctrl-C would be."""


def stoppable(
    work: Callable[[], Result],
    cancel: Callable[[], object] | None,
    *,
    thread: Callable[..., threading.Thread] = threading.Thread,
) -> Result:
    """Run an engine so that whatever interrupts the caller cancels it.

    Args:
        work: Queries the engine, and waits for its answer.
        cancel: Ends that from another thread; None where nothing can.
        thread: What makes the thread.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()  # No signal arrives here.
    ended = threading.Event()
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            # Silent by itself: it may go on after the caller has left.
            with silence():
                results.append(work())
        except BaseException as error:  # noqa: BLE001 (raised again below)
            errors.append(error)
        finally:
            ended.set()

    try:
        thread(target=run, daemon=True).start()
        # The system may hand a signal to any thread; ours must wake up to handle it.
        while not ended.wait(_POLL):
            pass
    except BaseException:
        if cancel is not None:
            _cancel(cancel, ended)
        raise
    if errors:
        raise errors.pop()
    return results.pop()


def _cancel(cancel: Callable[[], object], ended: threading.Event) -> None:
    """Cancel until it has ended: a query may begin after the first time."""
    for _ in range(int(_LONGEST / _POLL)):
        with suppress(Exception):
            cancel()
        if ended.wait(_POLL):
            return


@contextmanager
def heeding_signals() -> Iterator[None]:
    """Let SIGTERM raise `Terminated` while the block runs, and note every interrupt.

    Only the main thread can; a program's own handlers stay.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual: dict[signal.Signals, Any] = {
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGINT: signal.default_int_handler,
    }
    ours = [number for number in usual if signal.getsignal(number) is usual[number]]
    for number in ours:
        signal.signal(number, _raise)
    try:
        yield
    finally:
        _INTERRUPTS.clear()
        for number in ours:
            signal.signal(number, usual[number])


def _raise(number: int, _frame: object) -> None:
    # A second signal ends the process at once.
    signal.signal(number, signal.SIG_DFL)
    stop = Terminated if number == signal.SIGTERM else KeyboardInterrupt
    _INTERRUPTS.append(stop)
    raise stop


def last_interrupt() -> KeyboardInterrupt | None:
    """Return the interrupt that was raised and may have been lost inside an engine."""
    return _INTERRUPTS[-1]() if _INTERRUPTS else None


@contextmanager
def interruptible(status: Callable[[], str]) -> Iterator[None]:
    """Note on an interrupt where the release stands; end by SIGTERM as usual."""
    is_usual = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    try:
        with heeding_signals():
            try:
                yield
            except KeyboardInterrupt as stop:
                if words := status():
                    stop.add_note(words)
                raise
    except Terminated as stop:
        if is_usual:
            sys.stderr.write("".join(f"{note}\n" for note in notes_of(stop)))
            sys.stderr.flush()
            signal.raise_signal(signal.SIGTERM)
        raise


def notes_of(stop: BaseException) -> list[str]:
    """Return what was noted about an interrupt: where a release stands."""
    return list(getattr(stop, "__notes__", ()))
