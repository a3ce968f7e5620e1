"""Running tests in a fork, with a mutated module in place of the real one.

The parent has imported what tests need from others, never this library: a fork starts
warm and still imports the library, mutant included, by itself.
"""

import importlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

import pytest
from hypothesis import Phase, settings

__all__ = ["Durations", "measure", "start", "warm_up"]

Durations = Mapping[str, float]

# Plain asserts: what the parent has imported cannot be rewritten any more.
_QUIET = (
    "--tb=no",
    "--assert=plain",
    *(f"-pno:{each}" for each in ("cacheprovider", "cov")),
)
# Addresses, not bytes in use: every thread of a pool keeps some, one pool per library.
_MEMORY = (8 + (os.cpu_count() or 1)) * 2**30
_LONGEST = 1800


class _Mutated(Loader):
    """Import one module from code that was compiled already."""

    def __init__(self, name: str, code: CodeType) -> None:
        self._name, self._code = name, code

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name == self._name else None

    def create_module(self, _: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, module.__dict__)  # noqa: S102 (running it is the point)


class _Session:
    """Run quick tests first, stop those that take much longer than they should.

    Processor time is limited test by test. Examples that fail are not made smaller.
    """

    def __init__(self, durations: Durations | None) -> None:
        self._expected = durations
        self.durations: dict[str, float] = {}

    def pytest_configure(self) -> None:
        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutation", settings(), phases=phases, database=None)
        settings.load_profile("mutation")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        expected = self._expected
        if expected is not None:
            items[:] = sorted(
                (each for each in items if each.nodeid in expected),
                key=lambda each: expected[each.nodeid],
            )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        if self._expected is not None:
            seconds = 5 * self._expected[item.nodeid] + 1
            signal.setitimer(signal.ITIMER_PROF, seconds)
        started = time.process_time()
        done = yield
        self.durations[item.nodeid] = time.process_time() - started
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os._exit(1)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            os._exit(2)


def measure(tests: Sequence[Path], note: Path) -> tuple[Durations, list[str]]:
    """Run tests on the real module: how long each takes, and what they import."""
    note.unlink(missing_ok=True)
    child = os.fork()
    if not child:
        session = _Session(None)
        if _run(session, tests):
            os._exit(1)
        modules = [name for name, each in sys.modules.items() if _is_others(each)]
        note.write_text(json.dumps([session.durations, modules]))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        raise SystemExit(f"tests fail on the module as it is: {tests}")
    durations, modules = json.loads(note.read_text())
    return durations, modules


def warm_up(modules: Sequence[str]) -> None:
    """Import what tests will need, so that forks need not."""
    for name in modules:
        try:
            importlib.import_module(name)
        except Exception:  # noqa: BLE001, S112 (what made it importable is not here)
            continue


def start(
    module: str, code: CodeType, tests: Sequence[Path], durations: Durations
) -> int:
    """Run tests on a mutant in a fork, whose status is pytest's; give its number."""
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        signal.setitimer(signal.ITIMER_PROF, 10)
        signal.alarm(_LONGEST)  # whoever waits for nothing, on however busy a machine
        sys.meta_path.insert(0, _Mutated(module, code))
        os._exit(_run(_Session(durations), tests))
    return child


def _run(session: _Session, tests: Sequence[Path]) -> int:
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    return int(pytest.main([*_QUIET, *map(str, tests)], plugins=[session]))


def _is_others(module: ModuleType | None) -> bool:
    """Tell whether a module is installed, and not of this library or its tests."""
    return "site-packages" in (getattr(module, "__file__", None) or "")
