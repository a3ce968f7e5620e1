"""Plant every fault in turn: the tests it names must fail.

Each fault of tests/faults changes a copy of the source, and the tests that it names
run against the copy. It is killed only if each of them ran and failed: one whose code
is not found, or whose tests cannot be collected, counts as a survivor. The table that
is printed has a line for each fault: its room, its name, its sentence, and who kills
it.

Usage: try_faults.py [NAME ...]               plant these faults, or all
       try_faults.py --find FAULT [WORD ...]  plant one file's fault, run pytest with
                                              these words, and list what fails
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from fault_file import FAULTS, Fault, apply_changes, read_fault

ROOT = Path(__file__).parents[2]


def main(words: list[str]) -> int:
    """Plant faults and print which tests see them."""
    if words[:1] == ["--find"]:
        fault = read_fault(Path(words[1]).resolve())
        print(
            "\n".join(f"test: {test}" for test in sorted(_failures(fault, words[2:])))
        )
        return 0
    paths = sorted(FAULTS.rglob("*.fault"))
    faults = [read_fault(path) for path in paths if not words or path.stem in words]
    print("| room | fault | what goes wrong | killed by |\n|---|---|---|---|")
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        survivors = sum(not is_killed for is_killed in workers.map(_try_fault, faults))
    print(f"\n{len(faults) - survivors} of {len(faults)} faults killed")
    return int(survivors > 0 or not faults)


def _try_fault(fault: Fault) -> bool:
    try:
        failures = _failures(fault, list(fault.tests))
    except LookupError as error:
        failures, fate = set(), f"NOT PLANTED: {error}"
    else:
        seen = [test for test in fault.tests if _is_among(test, failures)]
        is_killed = len(seen) == len(fault.tests)
        fate = ", ".join(seen) if is_killed else f"SURVIVED; seen by {seen}"
    row = f" (row {fault.row})" if fault.row else ""
    line = f"| {fault.room} | {fault.name} | {fault.sentence}{row} | {fate} |"
    print(line.replace("\n", " "), flush=True)
    return not fate.startswith(("NOT", "SURVIVED"))


def _is_among(test: str, failures: set[str]) -> bool:
    """Whether a test failed, or one of its cases where it is named without."""
    return any(each == test or each.startswith(f"{test}[") for each in failures)


def _failures(fault: Fault, words: list[str]) -> set[str]:
    """Return the tests that fail in a copy of the source that has the fault."""
    with TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source)
        apply_changes(fault, source)
        report = Path(folder) / "failures.txt"
        options = ["-q", "-p", "no:cacheprovider", "-p", "list_failures"]
        paths = f"{source}{os.pathsep}{Path(__file__).parent}"
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *options, *words],
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": paths,
                "PYTHONDONTWRITEBYTECODE": "1",
                "FAILURES": str(report),
            },
            capture_output=True,
            text=True,
            check=False,
        )
        failures = set(report.read_text().splitlines()) if report.exists() else set()
    if not failures:
        print(done.stdout[-2000:], done.stderr[-2000:], file=sys.stderr)
    return failures


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
