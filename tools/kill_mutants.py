"""Take every guard away in turn: a test of its row must fail.

Each patch of tests/attacks/mutants is applied to a copy of the source, and the tests of
its row run against the copy. A mutant is killed only by a test that ran and failed: a
patch that does not apply, or tests that cannot be collected, count as survivors.

Usage: kill_mutants.py [ROW ...]
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
ATTACKS = ROOT / "tests" / "attacks"
TESTS_FAILED = 1  # what pytest returns when all tests were collected and some failed


def main(rows: list[str]) -> int:
    """Try the mutants of some rows, or of all, and list those that survive."""
    wanted = {int(row) for row in rows}
    patches = sorted((ATTACKS / "mutants").glob("*.patch"))
    patches = [path for path in patches if not wanted or int(path.name[:2]) in wanted]
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        fates = list(workers.map(_fate, patches))
    survivors = sum(fate != "killed" for fate in fates)
    print(f"{len(patches) - survivors} of {len(patches)} mutants killed")
    return int(survivors > 0 or not patches)


def _fate(patch: Path) -> str:
    """Apply one patch to a copy of the source and run the tests of its row."""
    with TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "src", Path(folder) / "src")
        apply = ["git", "apply", "--whitespace=nowarn", str(patch)]
        if subprocess.run(apply, cwd=folder, check=False).returncode:
            fate = "the patch does not apply"
        else:
            done = _run_tests(patch.name[:2], Path(folder) / "src")
            fate = "killed" if done.returncode == TESTS_FAILED else "SURVIVED"
            if fate != "killed":
                print(done.stdout[-2000:])
    print(f"{patch.stem}: {fate}", flush=True)
    return fate


def _run_tests(row: str, source: Path) -> "subprocess.CompletedProcess[str]":
    words = ["-q", "-x", "-p", "no:cacheprovider", "-k", f"test_{row}_", str(ATTACKS)]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
