"""Whatever interrupts a release cancels its query, on every engine that runs here."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from curator.tables_for_tests import plan_of, said_by
from dpratio.curator import measure, stopping
from dpratio.curator.reading.table import connect, run_on
from dpratio.curator.release_sums import release_sums
from dpratio.curator.silence import silence
from dpratio.curator.stopping import (
    Terminated,
    heeding_signals,
    interruptible,
    notes_of,
    stoppable,
)
from dpratio.errors import SchemaRefused

LONGEST = 60.0


def in_thread(work: Callable[[], bool]) -> bool:
    """Do some work in a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


@contextmanager
def interrupted(number: int = signal.SIGINT, moment: float = 0.2) -> Iterator[None]:
    """Send a signal to this process, soon after an engine has begun.

    One that came before would end the tests: nobody heeds it yet.
    """
    begun = threading.Event()

    @contextmanager
    def noticed() -> Iterator[None]:
        with silence():
            begun.set()
            yield

    def send() -> None:
        if begun.wait(LONGEST):
            time.sleep(moment)
            os.kill(os.getpid(), number)

    sender = threading.Thread(target=send)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stopping, "silence", noticed)
        sender.start()
        yield
    sender.join()


def test_what_an_engine_gives_or_raises_is_passed_on() -> None:
    def fail() -> None:
        message = "no"
        raise ValueError(message)

    assert stoppable(lambda: 3, None) == 3
    with pytest.raises(ValueError, match="no"):
        stoppable(fail, None)


def test_an_interrupt_cancels_again_and_again_until_the_engine_ends() -> None:
    """A query may begin after the first time; and cancelling may fail."""
    asked: list[int] = []
    enough = threading.Event()

    def cancel() -> None:
        asked.append(1)
        if len(asked) == 3:
            enough.set()
        message = "not yet"
        raise OSError(message)

    with pytest.raises(KeyboardInterrupt) as told, interrupted():
        stoppable(lambda: enough.wait(LONGEST), cancel)
    assert len(asked) == 3
    assert told.value.__context__ is None


def test_what_cannot_be_cancelled_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stopping, "_LONGEST", 0.3)
    ended, before = threading.Event(), threading.enumerate()
    for cancel in (None, lambda: None):
        with pytest.raises(KeyboardInterrupt), interrupted():
            stoppable(lambda: ended.wait(LONGEST), cancel)
    ended.set()
    for left in set(threading.enumerate()) - set(before):
        left.join(LONGEST)


def test_outside_the_main_thread_no_thread_is_made() -> None:
    assert in_thread(lambda: stoppable(threading.get_ident, None) != 0)


def slow_duckdb() -> str:
    return (
        "SELECT sum(a.range * b.range) AS total FROM range(9000000) a, "
        "range(9000000) b WHERE (a.range + b.range) % 7 = 3"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_query_of_duckdb(number: int) -> None:
    connection = connect()
    wanted = Terminated if number == signal.SIGTERM else KeyboardInterrupt
    with heeding_signals(), pytest.raises(wanted), interrupted(number, 1):
        run_on(connection)(slow_duckdb())
    assert connection.execute("SELECT 7").fetchone() == (7,)
    connection.close()


# --- SIGTERM --------------------------------------------------------------------------


def test_sigterm_is_heeded_for_a_while_and_then_as_before() -> None:
    with pytest.raises(Terminated), heeding_signals():
        os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


@pytest.mark.parametrize(
    ("number", "wanted"),
    [(signal.SIGTERM, Terminated), (signal.SIGINT, KeyboardInterrupt)],
)
@pytest.mark.parametrize("error", [RuntimeError, SchemaRefused])
def test_an_interrupt_that_an_engine_took_for_an_error_is_raised_all_the_same(
    number: int,
    wanted: type[KeyboardInterrupt],
    error: type[Exception],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop() -> None:
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), number)
        message = "cell 271828 is bad"
        raise error(message)

    monkeypatch.setattr(measure, "open_reading", lambda *_given: stop)
    with heeding_signals(), pytest.raises(wanted) as told:
        release_sums({"score": [0.5], "label": [1]}, plan_of(), ledger=None)
    assert type(told.value) is wanted
    assert "271828" not in said_by(told.value)
    assert notes_of(told.value) == []  # Nobody keeps account of it.


def test_whoever_heeds_sigterm_keeps_it() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    try:
        with interruptible(str):
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [signal.SIGTERM]


def test_in_another_thread_no_handler_is_set() -> None:
    def heed() -> bool:
        with heeding_signals():
            return signal.getsignal(signal.SIGTERM) is signal.SIG_DFL

    assert in_thread(heed)


def test_what_was_noted_is_said_before_sigterm_does_what_it_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stop = Terminated()
    stop.add_note("Release 0 was not charged.")
    # It would end this process; kept back, it can be looked at.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        with pytest.raises(Terminated), interruptible(str):
            raise stop
        assert signal.sigwait({signal.SIGTERM}) == signal.SIGTERM
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    assert capsys.readouterr().err == "Release 0 was not charged.\n"


def test_of_a_handler_of_others_nothing_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        with suppress(Terminated), interruptible(str):
            raise Terminated
    finally:
        signal.signal(signal.SIGTERM, before)
    assert capsys.readouterr().err == ""
    assert notes_of(Terminated()) == []
