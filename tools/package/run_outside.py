"""Commands that are run outside the repository, and what they say."""

import os
import subprocess
import sys
import tempfile

__all__ = ["Failed", "run", "uv"]

PATIENCE = 900


class Failed(Exception):
    """A step failed; the message is what the table shows."""


def run(command: list[str], words: str) -> str:
    """Run a command; give what it says, or fail with the end of it."""
    clean = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    clean.pop("DPRATIO_LEDGER", None)
    clean["UV_HTTP_TIMEOUT"] = "60"
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=tempfile.gettempdir(),
            env=clean,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"{words}: no end after {PATIENCE} s") from None
    if done.returncode != 0:
        lines = [each for each in done.stdout.splitlines() if "FAILED" in each]
        said = "; ".join(lines) or " ".join(done.stderr.split())[-400:]
        raise Failed(f"{words}: {said}" if words else said)
    return done.stdout


def uv(*words: str) -> list[str]:
    """Give the command that runs uv."""
    return [sys.executable, "-m", "uv", "--quiet", *words]
