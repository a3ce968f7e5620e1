"""Take every guard away in turn: a test of its row must fail.

Each mutant of tests/attacks/mutants changes a copy of the source, and the tests of its
row run against the copy. A mutant is killed only by a test that ran and failed: one
whose code is not found, or tests that cannot be collected, count as survivors.

Usage: kill_mutants.py [ROW ...]
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from mutant_file import apply_changes, read_changes

ROOT = Path(__file__).parents[2]
ATTACKS = ROOT / "tests" / "attacks"
TESTS_FAILED = 1  # what pytest returns when all tests were collected and some failed


def main(rows: list[str]) -> int:
    """Try the mutants of some rows, or of all, and list those that survive."""
    wanted = {int(row) for row in rows}
    mutants = sorted((ATTACKS / "mutants").glob("*.mutant"))
    mutants = [path for path in mutants if not wanted or int(path.name[:2]) in wanted]
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        fates = list(workers.map(_fate, mutants))
    survivors = sum(fate != "killed" for fate in fates)
    print(f"{len(mutants) - survivors} of {len(mutants)} mutants killed")
    return int(survivors > 0 or not mutants)


def _fate(mutant: Path) -> str:
    """Change a copy of the source and run the tests of the mutant's row."""
    with TemporaryDirectory() as folder:
        source = Path(folder) / "src"
        shutil.copytree(ROOT / "src", source)
        try:
            apply_changes(read_changes(mutant), source)
        except (LookupError, ValueError) as error:
            fate = f"NOT APPLIED: {error}"
        else:
            # A server that is not there is an error, and no test that failed. If the
            # first run stops at one, the second goes on to the tests behind it.
            row = mutant.name[:2]
            is_killed = _has_failed(row, source, "-x") or _has_failed(row, source)
            fate = "killed" if is_killed else "SURVIVED"
    print(f"{mutant.stem}: {fate}", flush=True)
    return fate


def _has_failed(row: str, source: Path, *options: str) -> bool:
    named = f"test_{row}_"
    files = [path for path in ATTACKS.glob("test_*.py") if named in path.read_text()]
    words = ["-q", *options, "-p", "no:cacheprovider", "-k", named, *map(str, files)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    has_failed = re.search(r"^\d+ failed", done.stdout, re.MULTILINE)
    if done.returncode == TESTS_FAILED and has_failed:
        return True
    print(done.stdout[-2000:])
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
