"""One worker: a process that is told what to do, and answers, through a pipe.

It never runs the caller's script again, which may lack a guard against that; it leaves
Ctrl-C to the caller; and it ends by itself when the caller is gone.
"""

import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

__all__ = ["Order", "Reply", "Worker", "wait_for", "written"]

_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True, slots=True)
class Order:
    """What the tasks that follow are given to, written down by `written`."""

    number: int
    work: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a task, or whether an order could be read.

    ``order`` is the number of the order that it belongs to.
    """

    order: int
    is_done: bool
    result: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Worker:
    """A process and this end of its pipe."""

    pipe: "Connection"
    process: "SpawnProcess"

    @classmethod
    def start(cls) -> Self | None:
        """Start a worker, or give None where the system does not let us."""
        from multiprocessing import current_process, get_context

        # A worker of somebody's pool may not have workers of its own.
        if current_process().daemon or not sys.executable:
            return None
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), daemon=True)
        try:
            with _out_of_sight():
                process.start()
        except (OSError, RuntimeError):  # The latter if this process only starts.
            ours.close()
            return None
        finally:
            theirs.close()
        return cls(ours, process)

    def tell(self, message: object) -> bool:
        """Send an order or a task, and say whether the worker is there to hear it."""
        try:
            self.pipe.send(message)
        except OSError:
            return False
        return True

    def hear(self) -> Reply | None:
        """Give what the worker says, or None where it has died."""
        try:
            reply: Reply = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return reply

    def end(self) -> None:
        """End the process at once; it holds nothing that must be kept."""
        self.pipe.close()
        self.process.kill()
        self.process.join()
        self.process.close()


def written(work: object) -> bytes | None:
    """Write work down for another process, or give None where that cannot be."""
    from multiprocessing.reduction import ForkingPickler

    try:
        return bytes(ForkingPickler.dumps(work))
    except Exception:  # noqa: BLE001 (an object may refuse in any way)
        return None


def wait_for(workers: Iterable[Worker], *, seconds: float | None) -> list[Worker]:
    """Give those that have something to say, at the latest after some seconds."""
    from multiprocessing.connection import wait

    by_pipe = {each.pipe: each for each in workers}
    said = set(wait(list(by_pipe), seconds))
    return [worker for pipe, worker in by_pipe.items() if pipe in said]


@contextmanager
def _out_of_sight() -> Iterator[None]:
    """Hide the caller's script from what is started, and Ctrl-C too."""
    import __main__

    about: dict[str, Any] = vars(__main__)
    with _ONE_AT_A_TIME:
        hidden = {name: about.pop(name, None) for name in ("__file__", "__spec__")}
        about["__spec__"] = None
        try:
            with _without_interrupts():
                yield
        finally:
            kept = {name: each for name, each in hidden.items() if each is not None}
            about.update(kept)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back; a process that is started now never hears it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: `_serve` does what it can.
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    ensure_running()  # It would lift the mask if it were started below.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: "Connection") -> None:
    """Do what is asked for, until the caller is gone."""
    from multiprocessing.reduction import ForkingPickler

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    order = 0
    work: Any = None
    try:
        while True:
            message = pipe.recv()
            try:
                if isinstance(message, Order):
                    order = message.number
                    work = ForkingPickler.loads(message.work)
                    reply = Reply(order, is_done=True)
                else:
                    reply = Reply(order, is_done=True, result=work(message))
            except Exception:  # noqa: BLE001 (the caller tries, and sees the error)
                reply = Reply(order, is_done=False)
            pipe.send(reply)
    except (EOFError, OSError):
        return
