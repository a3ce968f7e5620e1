"""Nothing is logged and no warning is shown while anyone holds the silence."""

import logging
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from dpratio.curator.silence import silence

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


def test_the_silence_of_a_user_is_kept(heard: Heard) -> None:
    logging.disable(logging.ERROR)
    try:
        with silence():
            pass
        assert logging.root.manager.disable == logging.ERROR
        LOGGER.error("not heard")
        LOGGER.critical("heard")
    finally:
        logging.disable(logging.NOTSET)
    assert heard.now() == ["heard"]


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


def test_a_copy_of_the_filters_made_within_is_cleared_too() -> None:
    before = list(warnings.filters)
    other = warnings.catch_warnings()
    with silence():
        other.__enter__()
    assert list(warnings.filters) == before
    other.__exit__(None, None, None)
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

    def hold(at: int) -> None:
        start.wait(PATIENCE)
        for turn in range(30):
            with silence():
                speak()
                if (turn + at) % 7 == 0:
                    with silence():
                        speak()
                speak()

    with ThreadPoolExecutor(12) as pool:
        for each in [pool.submit(hold, at) for at in range(12)]:
            each.result()
    assert heard.now() == []
    assert state_of_process() == before


def test_a_filter_of_ours_equals_none_of_the_user() -> None:
    before = list(warnings.filters)
    filters = cast("list[Any]", warnings.filters)
    with silence():
        ours = [each for each in filters if each not in before]
        assert len(ours) == 1
        assert ours[0] != ("ignore", None, Warning, None, 0)
