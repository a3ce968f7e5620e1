"""One cell of the matrix: a clean environment, an installation, a try."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from declared import ROOT, lowest
from run_outside import Failed, run, uv
from wheelhouse import only_wheels

__all__ = ["Cell", "environment", "try_cell"]

HERE = Path(__file__).parent


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
        run(uv("pip", "check", "--python", python), "the versions do not fit")
        if cell.dependencies == "lowest" and len(cell.extras) <= 1:
            _require_lowest(cell, python)
        said = run([python, str(HERE / "try_package.py"), *cell.extras], "")
        return f"{said.count('ok ')} checks"


@contextmanager
def environment(interpreter: str, folder: Path) -> Iterator[str]:
    """Make an empty environment, give its interpreter, and take it away again."""
    shutil.rmtree(folder, ignore_errors=True)
    run(uv("venv", "--python", interpreter, str(folder)), "no environment")
    try:
        yield str(folder / "bin" / "python")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _install(cell: Cell, python: str) -> None:
    """Install the file with its dependencies, the newest or the lowest of them.

    uv takes the lowest only of what it is asked for by name, so the dependencies are
    installed from pyproject.toml first. All come as wheels.
    """
    into = ["--python", python]
    wheels = only_wheels(list(cell.extras))
    asked = [word for each in cell.extras for word in ("--extra", each)]
    if cell.dependencies == "lowest":
        project = ["--requirements", str(ROOT / "pyproject.toml"), *asked]
        lowest = ["--resolution", "lowest-direct"]
        run(uv("pip", "install", *into, *wheels, *lowest, *project), "not installed")
        run(uv("pip", "install", *into, "--no-deps", str(cell.file)), "not installed")
        return
    extras = f"[{','.join(cell.extras)}]" if cell.extras else ""
    given = f"dpratio{extras} @ {cell.file.as_uri()}"
    allowed = [*wheels, "--no-binary", "dpratio"] if "sdist" in cell.name else wheels
    run(uv("pip", "install", *into, *allowed, given), "not installed")


def _require_lowest(cell: Cell, python: str) -> None:
    """Require that what is declared as the lowest is what was tried."""
    script = "import sys, importlib.metadata as m; print(m.version(sys.argv[1]))"
    for package, bound in lowest(cell.python, list(cell.extras)).items():
        found = Version(run([python, "-c", script, package], package).strip())
        if found != bound:
            raise Failed(f"{package} {bound} is declared, {found} was installed")
