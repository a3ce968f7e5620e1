"""One process that reads many hostile inputs under limits, and tells what went wrong.

``python -m fuzz.child READER EXAMPLES SEED`` runs a reader of `fuzz.readers`. Memory is
limited by the system to 1 GB on top of what the loaded libraries have reserved, each
input to a few seconds; anything but a documented error ends the process with a
traceback. A limit that is hit in native code ends it as well.
"""

import faulthandler
import importlib
import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from hypothesis import HealthCheck, Phase, given, seed, settings

from dpratio.errors import DpratioError
from fuzz.audit import audited

__all__ = ["main"]

MEMORY = 2**30
SECONDS = 5.0  # of the processor, which others may keep busy
PATIENCE = 240.0


class TooSlow(BaseException):
    """An input took longer than it may; no reader may catch this."""


def limit_memory() -> None:
    """Allow 1 GB beyond the address space that is reserved by now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * os.sysconf("SC_PAGE_SIZE") + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


@contextmanager
def limited_time() -> Iterator[None]:
    """Stop whatever takes longer; whatever waits for ever is killed later."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    faulthandler.dump_traceback_later(PATIENCE, exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()


def _too_slow(_signal: int, _frame: object) -> NoReturn:
    raise TooSlow


def main(reader: str, examples: int, start: int) -> tuple[int, int]:
    """Read so many inputs; give how many were read, and how many accepted."""
    module: Any = importlib.import_module(f"fuzz.{reader}")
    read, accepted = 0, 0
    # A command loads what it needs when it runs; a reader reads and nothing else.
    allowed = None if reader == "commands" else getattr(module, "MAY_OPEN", ())

    @seed(start)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn=module.INPUTS)
    def law(drawn: Any) -> None:  # noqa: ANN401
        nonlocal read, accepted
        read += 1
        made = module.make(drawn)
        with limited_time():
            try:
                with audited(allowed):
                    found = module.read(made)
            except DpratioError as error:
                documented = isinstance(error, module.REFUSALS) and str(error) != ""
                assert documented, repr(error)  # noqa: PT017 (any other comes out)
            else:
                accepted += 1
                module.check(found)

    module.check(module.read(module.make(module.VALID)))  # Loads what is loaded once.
    signal.signal(signal.SIGPROF, _too_slow)
    limit_memory()
    law()
    return read, accepted


if __name__ == "__main__":
    faulthandler.enable()
    done = main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write(f"{done[0]} {done[1]}\n")
    sys.stdout.flush()
    # All inputs are read. At a regular end PyArrow's threads sometimes abort, short of
    # the memory that was limited.
    os._exit(0)
