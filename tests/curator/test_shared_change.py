"""A change of the whole process is made by the first holder and undone by the last."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from dpratio.curator.silence import SharedChange

PATIENCE = 60.0


class Room:
    """Something that is changed, and how often that was done."""

    def __init__(self) -> None:
        self.state = SimpleNamespace(word="before", changes=0)
        self.change = SharedChange(self.make)

    def make(self, undo: ExitStack) -> None:
        undo.callback(setattr, self.state, "word", self.state.word)
        self.state.word = "changed"
        self.state.changes += 1


def test_the_change_lasts_while_the_block_runs() -> None:
    room = Room()
    with room.change.held():
        assert room.state.word == "changed"
    assert room.state.word == "before"


def test_blocks_within_blocks_change_once() -> None:
    room = Room()
    with room.change.held():
        with room.change.held():
            pass
        assert room.state.word == "changed"
    assert (room.state.word, room.state.changes) == ("before", 1)


def test_it_may_be_held_again() -> None:
    room = Room()
    for _ in range(3):
        with room.change.held():
            assert room.state.word == "changed"
    assert (room.state.word, room.state.changes) == ("before", 3)


def test_what_was_there_is_back_after_holders_that_overlap_in_threads() -> None:
    """The first to enter is the first to leave: the second still holds."""
    room = Room()
    entered, left = threading.Event(), threading.Event()

    def second() -> str:
        with room.change.held():
            entered.set()
            assert left.wait(PATIENCE)
            return str(room.state.word)

    with ThreadPoolExecutor(1) as pool:
        with room.change.held():
            found = pool.submit(second)
            assert entered.wait(PATIENCE)
        left.set()
        assert found.result() == "changed"
    assert (room.state.word, room.state.changes) == ("before", 1)


def test_many_threads_hold_it_at_once() -> None:
    room = Room()
    start = threading.Barrier(16)

    def hold() -> set[str]:
        start.wait(PATIENCE)
        seen = set()
        for _ in range(50):
            with room.change.held():
                seen.add(room.state.word)
        return seen

    with ThreadPoolExecutor(16) as pool:
        found = [each.result() for each in [pool.submit(hold) for _ in range(16)]]
    assert set.union(*found) == {"changed"}
    assert room.state.word == "before"


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
def test_a_fork_does_not_inherit_what_other_threads_hold() -> None:
    room = Room()
    entered, left = threading.Event(), threading.Event()

    def hold() -> None:
        with room.change.held():
            entered.set()
            left.wait(PATIENCE)

    holder = threading.Thread(target=hold)
    holder.start()
    assert entered.wait(PATIENCE)
    assert in_child(room) == ["before", "changed", "before"]
    assert room.state.word == "changed"
    left.set()
    holder.join()
    assert room.state.word == "before"


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_within_the_block_is_still_within_it() -> None:
    room = Room()
    with room.change.held():
        assert in_child(room) == ["changed", "changed", "changed"]
    assert room.state.word == "before"


def test_a_child_of_a_holder_has_the_lock_to_itself() -> None:
    """Another fork, in the child: nothing of the parent's lock stands in its way."""
    room = Room()
    child = os.fork()
    if child == 0:  # pragma: no cover
        os._exit(0 if in_child(room) == ["before", "changed", "before"] else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_the_child_forgets_others_and_keeps_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What runs in the child after a fork, run here: coverage does not follow forks."""
    room = Room()
    with room.change.held():
        room.change._lock.acquire()
        room.change._after_fork()
        assert room.state.word == "changed"
        with monkeypatch.context() as patch:
            patch.setattr(threading, "get_ident", lambda: -1)
            room.change._lock.acquire()
            room.change._after_fork()
        assert room.state.word == "before"
    assert room.state.word == "before"
