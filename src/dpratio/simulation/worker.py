"""One worker: a process that is told what to do, and answers, through a pipe.

It never runs the caller's script again, which may lack a guard against that; it leaves
Ctrl-C to the caller; and it ends by itself when the caller is gone.
"""

import gc
import io
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakSet

from dpratio.simulation.copying import Way

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

__all__ = ["Order", "Reply", "Worker", "Written", "wait_for", "written"]

_ONE_AT_A_TIME = threading.Lock()
# A worker has one core; the threads of a matrix library would fight for it.
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
# This end of every pipe. A copy closes them: who holds one keeps a worker waiting.
_OURS: "WeakSet[Connection]" = WeakSet()


@dataclass(frozen=True, slots=True)
class Written:
    """Work that another process can read, and the packages it is made of."""

    work: bytes
    packages: frozenset[str]


@dataclass(frozen=True, slots=True)
class Order:
    """What the tasks that follow are given to, as it was written down."""

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
    process: "BaseProcess"

    @classmethod
    def start(cls, way: Way = Way.FRESH) -> Self | None:
        """Start a worker, or give None where the system does not let us."""
        from multiprocessing import current_process, get_context

        # A worker of somebody's pool may not have workers of its own.
        if current_process().daemon or not sys.executable:
            return None
        is_fresh = way is Way.FRESH
        context = get_context("spawn" if is_fresh else "fork")
        ours, theirs = context.Pipe()
        _OURS.add(ours)
        serve = _serve if is_fresh else _serve_as_copy
        # The types of contexts differ; both make processes.
        process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=serve, args=(theirs,), daemon=True
        )
        try:
            with _out_of_sight() if is_fresh else _without_interrupts():
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


def written(work: object) -> Written | None:
    """Write work down for another process, or give None where that cannot be."""
    from multiprocessing.reduction import ForkingPickler

    packages: set[str] = set()

    class Writer(ForkingPickler):
        def persistent_id(self, value: object) -> None:
            """Note where a value comes from; it is written as it is."""
            home = getattr(value, "__module__", None) or type(value).__module__
            packages.add(str(home).partition(".")[0])

    paper = io.BytesIO()
    try:
        Writer(paper).dump(work)
    except Exception:  # noqa: BLE001 (an object may refuse in any way)
        return None
    return Written(paper.getvalue(), frozenset(packages))


def wait_for(workers: Iterable[Worker], *, seconds: float | None) -> list[Worker]:
    """Give those that have something to say, at the latest after some seconds."""
    from multiprocessing.connection import wait

    by_pipe = {each.pipe: each for each in workers}
    said = set(wait(list(by_pipe), seconds))
    return [worker for pipe, worker in by_pipe.items() if pipe in said]


@contextmanager
def _out_of_sight() -> Iterator[None]:
    """Hide the caller's script from what is started, further cores, and Ctrl-C."""
    from multiprocessing.resource_tracker import ensure_running

    import __main__

    about: dict[str, Any] = vars(__main__)
    with _ONE_AT_A_TIME, _with_one_thread():
        if hasattr(signal, "pthread_sigmask"):
            ensure_running()  # It would lift the mask if it were started below.
        hidden = {name: about.pop(name, None) for name in ("__file__", "__spec__")}
        about["__spec__"] = None
        try:
            with _without_interrupts():
                yield
        finally:
            kept = {name: each for name, each in hidden.items() if each is not None}
            about.update(kept)


@contextmanager
def _with_one_thread() -> Iterator[None]:
    """Have matrix libraries of what is started use one thread; they ask once."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back; a process that is started now never hears it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: `_serve` does what it can.
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve_as_copy(pipe: "Connection") -> None:
    """Forget what the caller had in hand, and serve."""
    gc.freeze()  # What the caller holds is not this process's to end.
    for each in list(_OURS):
        each.close()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _serve(pipe)


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
