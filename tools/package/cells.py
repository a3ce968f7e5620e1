"""One cell of the matrix: a clean environment, an installation, a try."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from declared import ROOT, lowest

__all__ = ["Cell", "Failed", "environment", "run", "try_cell"]

HERE = Path(__file__).parent
PATIENCE = 600


class Failed(Exception):
    """A step failed; the message is what the table shows."""


@dataclass(frozen=True)
class Cell:
    """What is tried together."""

    python: str
    dependencies: str  # "lowest" or "newest"
    extras: tuple[str, ...]
    file: Path

    @property
    def name(self) -> str:
        """The row of the table."""
        kind = "sdist" if self.file.name.endswith(".tar.gz") else "wheel"
        extras = "+".join(self.extras) or "none"
        return f"{self.python:6} {self.dependencies:8} {kind:6} {extras}"


def try_cell(cell: Cell, interpreter: str, folder: Path) -> str:
    """Install a cell in a clean environment and try it there.

    Returns:
        What was tried.

    Raises:
        Failed: With what went wrong.
    """
    with environment(interpreter, folder) as python:
        _install(cell, python)
        run(_uv("pip", "check", "--python", python), "the versions do not fit")
        if cell.dependencies == "lowest" and len(cell.extras) <= 1:
            _require_lowest(cell, python)
        said = run([python, str(HERE / "try_package.py"), *cell.extras], "")
        return f"{said.count('ok ')} checks"


@contextmanager
def environment(interpreter: str, folder: Path) -> Iterator[str]:
    """Make an empty environment, give its interpreter, and take it away again."""
    shutil.rmtree(folder, ignore_errors=True)
    run(_uv("venv", "--python", interpreter, str(folder)), "no environment")
    try:
        yield str(folder / "bin" / "python")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(command: list[str], words: str) -> str:
    """Run a command outside the repository; give what it says, or fail with its end."""
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


def _install(cell: Cell, python: str) -> None:
    """Install the file with its dependencies, the newest or the lowest of them.

    uv takes the lowest only of what it is asked for by name, so the dependencies are
    installed from pyproject.toml first. All come as wheels; PySpark has none.
    """
    into = ["--python", python]
    wheels = ["--only-binary", ":all:", "--no-binary", "pyspark"]
    asked = [word for each in cell.extras for word in ("--extra", each)]
    if cell.dependencies == "lowest":
        project = ["--requirements", str(ROOT / "pyproject.toml"), *asked]
        lowest = ["--resolution", "lowest-direct"]
        run(_uv("pip", "install", *into, *wheels, *lowest, *project), "not installed")
        run(_uv("pip", "install", *into, "--no-deps", str(cell.file)), "not installed")
        return
    extras = f"[{','.join(cell.extras)}]" if cell.extras else ""
    given = f"dpratio{extras} @ {cell.file.as_uri()}"
    allowed = [*wheels, "--no-binary", "dpratio"] if "sdist" in cell.name else wheels
    run(_uv("pip", "install", *into, *allowed, given), "not installed")


def _require_lowest(cell: Cell, python: str) -> None:
    """Require that what is declared as the lowest is what was tried."""
    script = "import sys, importlib.metadata as m; print(m.version(sys.argv[1]))"
    for package, bound in lowest(cell.python, list(cell.extras)).items():
        found = Version(run([python, "-c", script, package], package).strip())
        if found != bound:
            raise Failed(f"{package} {bound} is declared, {found} was installed")


def _uv(*words: str) -> list[str]:
    return [sys.executable, "-m", "uv", "--quiet", *words]
