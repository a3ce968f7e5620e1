"""Make small mistakes in the code that privacy rests on: a test must notice each.

Each mutant is tried first against the quick tests of its module; what survives them,
against all. Survivors that change nothing a user could notice stand in explained.toml,
with the reason; `make mutation` fails on any other, and on those listed that are gone.

Usage: try_mutants.py [--jobs N] [MODULE ...]
"""

import argparse
import json
import os
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from forked_tests import Durations, measure, start, warm_up
from mutants import Mutant, mutants_of
from targets import TARGETS

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
NOTES = ROOT / "build" / "mutation"
MIRRORS = 3  # files of tests that are tried first
QUICK = 2.0  # seconds of processor time in them


@dataclass(frozen=True, slots=True)
class Target:
    """A module, its tests and how long each takes."""

    name: str
    tests: tuple[Path, ...]
    durations: Durations

    @property
    def quick(self) -> Durations:
        """The quickest tests of the files that mirror the module: a few seconds."""
        names = [str(each.relative_to(ROOT)) for each in self.tests[:MIRRORS]]
        own = {
            test: took
            for test, took in self.durations.items()
            if test.split("::")[0] in names
        }
        ordered = sorted(own, key=own.__getitem__)
        total = accumulate(own[test] for test in ordered)
        return {
            test: own[test]
            for test, so_far in zip(ordered, total, strict=True)
            if so_far < QUICK
        }


def main(words: Sequence[str]) -> int:
    """Try the mutants of some modules, or of all, and list those that survive."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true", help="leave slow tests out")
    parser.add_argument("modules", nargs="*", default=list(TARGETS))
    given = parser.parse_args(words)
    NOTES.mkdir(parents=True, exist_ok=True)
    os.chdir(ROOT)
    sys.dont_write_bytecode = False  # each fork would compile the library again
    sys.path.insert(0, str(ROOT / "src"))
    reasons = _explained()
    unknown = 0
    for name in given.modules:
        unknown += _try_module(
            name, reasons.get(name, {}), given.jobs, quick=given.quick
        )
    return int(unknown > 0)


def _try_module(name: str, reasons: dict[str, str], jobs: int, *, quick: bool) -> int:
    """Try the mutants of a module; count survivors without reason and stale reasons."""
    started = time.perf_counter()
    tests = tuple(ROOT / "tests" / each for each in TARGETS[name])
    tests = tests[:MIRRORS] if quick else tests
    durations, modules = measure(tests, NOTES / f"measured_{os.getpid()}.json")
    warm_up(modules)
    target = Target(name, tests, durations)
    source = (ROOT / "src" / "dpratio" / name).read_text()
    unchanged = Mutant(0, "", "", compile(source, name, "exec"))
    if not _survivors(target, [unchanged], durations, jobs):
        raise SystemExit(f"a fork fails without any mutant: {name}")
    mutants = list(mutants_of(source))
    past = _survivors(target, mutants, target.quick, jobs)
    left = past if quick else _survivors(target, past, durations, jobs)
    listed = [each for each in left if each.change in reasons]
    unknown = [each for each in left if each.change not in reasons]
    stale = set(reasons) - {each.change for each in listed}
    for each in unknown:
        print(f"SURVIVED {name}:{each.line}: {each.change}")
    for change in sorted(stale):
        print(f"STALE {name}: {change}")
    killed = len(mutants) - len(listed) - len(unknown)
    print(
        f"{name}: {len(mutants)} mutants, {killed} killed, {len(listed)} explained, "
        f"{len(unknown)} survived; {time.perf_counter() - started:.0f} s",
        flush=True,
    )
    changes = [each.change for each in unknown]
    (NOTES / f"{Path(name).stem}.json").write_text(json.dumps(changes, indent=1))
    return len(unknown) + len(stale)


def _survivors(
    target: Target, mutants: Sequence[Mutant], durations: Durations, jobs: int
) -> list[Mutant]:
    """Try mutants, some at a time, and give those that no test noticed."""
    tests = [
        each for each in target.tests if any(str(each.name) in t for t in durations)
    ]
    module = "dpratio." + target.name.removesuffix(".py").replace("/", ".")
    waiting, survived = list(reversed(mutants)), set()
    running: dict[int, Mutant] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            running[start(module, mutant.code, tests, durations)] = mutant
        child, status = os.wait()
        mutant = running.pop(child)
        if status == 0:
            survived.add(mutant)
    return [each for each in mutants if each in survived]


def _explained() -> dict[str, dict[str, str]]:
    """Read which survivors have a reason: by module, by change."""
    found: dict[str, dict[str, str]] = {}
    path = HERE / "explained.toml"
    for group in tomllib.loads(path.read_text())["group"]:
        for module, changes in group["mutants"].items():
            found.setdefault(module, {}).update(dict.fromkeys(changes, group["reason"]))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
