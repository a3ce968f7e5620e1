"""Nothing is logged and no warning is shown while anyone holds the silence."""

import logging
import os
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dpratio.curator.silence import SharedChange, silence

PATIENCE = 60.0
LOGGER = logging.getLogger("loud")


class Heard:
    """What a log handler and a recorder of warnings get to hear."""

    def __init__(self, log: pytest.LogCaptureFixture, warned: list[Any]) -> None:
        self.log, self.warned = log, warned

    def now(self) -> list[str]:
        """Give what was heard since the last look."""
        said = [each.getMessage() for each in self.log.records]
        said += [str(each.message) for each in self.warned]
        self.log.clear()
        self.warned.clear()
        return said


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> Iterator[Heard]:
    caplog.set_level(logging.DEBUG)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        yield Heard(caplog, warned)
    assert state_of_process()["silent"] is False


def state_of_process() -> dict[str, object]:
    """Everything that a silence could have changed."""
    return {
        "disabled": logging.root.manager.disable,
        "silent": not LOGGER.isEnabledFor(logging.CRITICAL),
        "methods": (logging.Logger.isEnabledFor, logging.Logger.handle),
        "filters": list(warnings.filters),
        "list": id(warnings.filters),
        "show": (warnings.showwarning, warnings._showwarnmsg),  # type: ignore[attr-defined]
    }


def speak(word: str = "cell 271828") -> None:
    """Say a word in every way there is."""
    LOGGER.critical(word)
    LOGGER.log(99, word)
    logging.root.debug(word)
    record = {"msg": word, "levelno": logging.ERROR}
    logging.getLogger("py.other").handle(logging.makeLogRecord(record))
    warnings.warn(word, stacklevel=2)
    warnings.warn_explicit(word, RuntimeWarning, "engine.py", 1)


def test_nothing_is_heard_and_all_is_as_before(heard: Heard) -> None:
    before = state_of_process()
    with silence():
        speak()
    assert heard.now() == []
    assert state_of_process() == before
    speak("again")
    assert heard.now() == ["again"] * 6


def test_a_warning_is_no_error_where_the_user_made_it_one(heard: Heard) -> None:
    """Otherwise a cell that an engine warns of would stop a release."""
    warnings.simplefilter("error")
    with silence():
        speak()
    assert heard.now() == []
    with pytest.raises(UserWarning):
        warnings.warn("again", stacklevel=1)


def test_what_a_user_sets_meanwhile_breaks_no_silence_and_holds_afterwards(
    heard: Heard,
) -> None:
    with silence():
        logging.disable(logging.NOTSET)
        LOGGER.setLevel(logging.ERROR)
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("ignore")
        speak()
        logging.disable(logging.WARNING)
    try:
        assert heard.now() == []
        assert logging.root.manager.disable == logging.WARNING
        assert LOGGER.level == logging.ERROR
        assert [each[0] for each in warnings.filters][:2] == ["ignore", "always"]
    finally:
        LOGGER.setLevel(logging.NOTSET)
        logging.disable(logging.NOTSET)


def test_a_reset_of_all_filters_breaks_no_silence(heard: Heard) -> None:
    with silence():
        warnings.resetwarnings()
        warnings.simplefilter("default")
        speak()
    assert heard.now() == []
    assert [each[0] for each in warnings.filters] == ["default"]


def test_filters_that_another_thread_sets_for_a_while_stay_apart() -> None:
    """It may begin before the silence and end within, or begin within and end after."""
    before = list(warnings.filters)
    outer = warnings.catch_warnings()
    outer.__enter__()
    warnings.simplefilter("always")
    with silence():
        outer.__exit__(None, None, None)
        assert any(each not in before for each in warnings.filters) is False
        inner = warnings.catch_warnings()
        with silence():
            inner.__enter__()
    assert list(warnings.filters) == before
    inner.__exit__(None, None, None)
    assert list(warnings.filters) == before


def test_two_that_overlap_are_both_silent_and_nothing_stays(heard: Heard) -> None:
    """The first leaves first. Once, that made the second heard, and logs end there."""
    before = state_of_process()
    entered, left = threading.Event(), threading.Event()

    def second() -> None:
        with silence():
            entered.set()
            assert left.wait(PATIENCE)
            speak()

    with ThreadPoolExecutor(1) as pool:
        with silence():
            found = pool.submit(second)
            assert entered.wait(PATIENCE)
        left.set()
        found.result()
    assert heard.now() == []
    assert state_of_process() == before
    speak("again")
    assert len(heard.now()) == 6


def test_many_threads_are_silent(heard: Heard) -> None:
    before = state_of_process()
    start = threading.Barrier(12)

    def hold(_: int) -> None:
        start.wait(PATIENCE)
        for _ in range(30):
            with silence():
                with silence():
                    speak()
                speak()

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(hold, range(12)))
    assert heard.now() == []
    assert state_of_process() == before


def test_a_filter_of_ours_equals_none_of_the_user() -> None:
    before = list(warnings.filters)
    filters = cast("list[Any]", warnings.filters)
    with silence():
        ours = [each for each in filters if each not in before]
        assert len(ours) == 1
        assert ours[0] != ("ignore", None, Warning, None, 0)


# --- A change that blocks share -------------------------------------------------------


class Room:
    """Something that is changed."""

    def __init__(self) -> None:
        self.state = SimpleNamespace(word="before")
        self.change = SharedChange(self.make)

    def make(self, undo: ExitStack) -> None:
        undo.callback(setattr, self.state, "word", self.state.word)
        self.state.word = "changed"


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt, SystemExit])
def test_it_is_undone_whatever_ends_the_block(stop: type[BaseException]) -> None:
    room = Room()
    with pytest.raises(stop), room.change.held():
        raise stop
    assert room.state.word == "before"


def test_a_change_that_is_interrupted_is_undone_and_made_whole_for_the_next() -> None:
    state = SimpleNamespace(first=0, second=0, is_interrupted=True)

    def make(undo: ExitStack) -> None:
        undo.callback(setattr, state, "first", state.first)
        state.first = 1
        if state.is_interrupted:
            raise KeyboardInterrupt
        undo.callback(setattr, state, "second", state.second)
        state.second = 1

    change = SharedChange(make)
    with pytest.raises(KeyboardInterrupt), change.held():
        pass
    assert (state.first, state.second) == (0, 0)
    state.is_interrupted = False
    with change.held():
        assert (state.first, state.second) == (1, 1)
    assert (state.first, state.second) == (0, 0)


def test_an_interrupt_while_leaving_leaves_nothing_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = Room()
    leave, interrupts = SharedChange._leave, iter([KeyboardInterrupt])

    def interrupted(*given: object) -> None:
        for each in interrupts:
            raise each
        leave(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(SharedChange, "_leave", interrupted)
    with pytest.raises(KeyboardInterrupt), room.change.held():
        pass
    assert room.state.word == "before"


def in_child(room: Room) -> list[str]:
    """What a forked child sees: at once, after a block of its own, and at its end."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover
        seen = [room.state.word]
        with room.change.held():
            seen.append(room.state.word)
        seen.append(room.state.word)
        os.write(writing, " ".join(seen).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as said:
        return said.read().split()


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_inherits_its_own_block_and_none_of_other_threads() -> None:
    room = Room()
    with room.change.held():
        assert in_child(room) == ["changed", "changed", "changed"]
    entered, left = threading.Event(), threading.Event()

    def hold() -> None:
        with room.change.held():
            entered.set()
            left.wait(PATIENCE)

    holder = threading.Thread(target=hold)
    holder.start()
    assert entered.wait(PATIENCE)
    assert in_child(room) == ["before", "changed", "before"]
    left.set()
    holder.join()
    assert room.state.word == "before"


def test_a_child_of_a_holder_has_the_lock_to_itself() -> None:
    """Another fork, in the child: nothing of the parent's lock stands in its way."""
    room = Room()
    child = os.fork()
    if child == 0:  # pragma: no cover
        os._exit(0 if in_child(room) == ["before", "changed", "before"] else 1)
    assert os.waitpid(child, 0)[1] == 0
