"""Run the installed commands, and read what they say."""

import subprocess
import sys
from pathlib import Path

__all__ = ["SCRIPT", "refused", "run_module", "run_script"]

SCRIPT = str(next(Path(sys.executable).parent.glob("dpratio*"), "dpratio"))


def run_script(*words: str) -> str:
    """Run the console script; it must succeed."""
    return _run([SCRIPT, *words])


def run_module(*words: str) -> str:
    """Run ``python -m dpratio``; it must succeed."""
    return _run([sys.executable, "-m", "dpratio", *words])


def refused(code: int, *words: str) -> str:
    """Run the console script; it must end with a code and one line, which is given."""
    done = _ran([SCRIPT, *words])
    said = done.stderr.strip()
    assert done.returncode == code, f"exit {done.returncode}, not {code}: {said}"
    assert "Traceback" not in said, said
    assert len(said.splitlines()) == 1, said
    return said


def _run(command: list[str]) -> str:
    done = _ran(command)
    words = " ".join(command[1:])
    assert done.returncode == 0, f"{words}: exit {done.returncode}: {done.stderr}"
    return done.stdout


def _ran(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False
    )
