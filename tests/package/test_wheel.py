"""The wheel: what is in it, what it says about itself, and that it runs elsewhere.

`make package` installs it with every extra on every Python; this is the quick part.
"""

import email
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import dpratio

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "dpratio"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as installers build it, without any network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d"]
    subprocess.run(
        [*command, str(folder)], cwd=ROOT, check=True, capture_output=True, timeout=600
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def in_metadata(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (found,) = (each for each in archive.namelist() if each.endswith(name))
        return archive.read(found).decode()


def test_the_wheel_holds_the_package_and_nothing_else(names: set[str]) -> None:
    files = [path for path in SOURCE.rglob("*") if path.is_file()]
    wanted = {
        path.relative_to(SOURCE.parent).as_posix()
        for path in files
        if "__pycache__" not in path.parts
    }
    told = {each for each in names if ".dist-info/" in each}
    assert names - told == wanted
    for file in (
        "dpratio/py.typed",
        "dpratio/release/example_release.json",
        "dpratio/release/example_release_joint.json",
        "dpratio/show/page_files/report.html",
        "dpratio/simulation/paper/data/published.csv",
        "dpratio/web/static/page.js",
        "dpratio/web/templates/page.html",
    ):
        assert file in names


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    said = email.message_from_string(in_metadata(wheel, "/METADATA"))
    assert (said["Name"], said["Version"]) == ("dpratio", dpratio.__version__)
    assert (said["License-Expression"], said["Requires-Python"]) == (
        "Apache-2.0",
        ">=3.11",
    )
    assert "Apache License" in in_metadata(wheel, "/licenses/LICENSE")
    script = in_metadata(wheel, "/entry_points.txt")
    assert "dpratio = dpratio.cli.main:run" in script


def test_the_core_needs_few_packages_and_the_rest_are_extras(wheel: Path) -> None:
    said = email.message_from_string(in_metadata(wheel, "/METADATA"))
    needed = said.get_all("Requires-Dist", [])
    core = {re.split(r"[^\w-]", each)[0] for each in needed if "extra ==" not in each}
    assert core == {"numpy", "scipy", "duckdb", "typer", "jinja2"}
    extras = set(said.get_all("Provides-Extra", []))
    page = (ROOT / "docs" / "installing.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE))
    assert listed == extras


def test_the_installed_wheel_runs(wheel: Path, tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    target = ["--target", str(tmp_path), str(wheel)]
    subprocess.run([*pip, *target], check=True, capture_output=True, timeout=600)
    run = "from dpratio.cli import main; print(main.__file__); main.run()"
    done = subprocess.run(
        [sys.executable, "-c", run, "--version"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
        timeout=600,
    )
    home, version = done.stdout.splitlines()
    assert Path(home).is_relative_to(tmp_path)
    assert version == f"dpratio {dpratio.__version__}"
    assert (tmp_path / "bin" / "dpratio").is_file()
