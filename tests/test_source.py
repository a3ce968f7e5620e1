"""What our own source may not hold: code that runs data, and traces of a machine.

Standard library only: files are read, not run. What is looked for is in `source_guard`.
"""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from source_guard import extra_faults, faults_of

ROOT = Path(__file__).parent.parent
HOUSE = ROOT / "src" / "dpratio"
SOURCE = sorted(HOUSE.rglob("*.py"))


def test_our_source_runs_no_data() -> None:
    for path in SOURCE:
        place = path.relative_to(HOUSE).as_posix()
        assert faults_of(path.read_text(encoding="utf-8"), place) == [], place


@pytest.mark.parametrize(
    "line",
    [
        "eval(text)",
        "exec(text)",
        "run = eval",
        "compile(text, '', 'exec')",
        "__import__(text)",
        "import pickle",
        "import pickle as harmless",
        "from pickle import loads",
        "import marshal, shelve",
        "def read():\n    from shelve import open",
        "import subprocess",
        "import os\nos.system(text)",
        "from os import system",
        "import os\nos.popen(text)",
        "import os\nos.execv(text, [])",
        "import yaml\nyaml.load(text)",
        "run(text, shell=True)",
        "run(text, shell=wanted)",
        "np.load(path, allow_pickle=True)",
        "pandas.read_pickle(path)",
        "frame.to_pickle(path)",
        "importlib.import_module(text)",
        "import importlib",
        "import importlib as harmless",
        "import importlib.util",
        "from importlib import import_module",
        "from importlib import import_module as harmless",
        "from importlib import util, resources",
        "from importlib import *",
        "from importlib.util import spec_from_file_location",
        "importlib.__import__(text)",
        "find = import_module",
        "run(import_module, text)",
        "import_module('dpratio.x')",
        "getattr(module, 'import_module')(text)",
        "getattr(os, 'system')(text)",
        "import os\ngetattr(os, name)(text)",
        "attrgetter('eval')(module)",
        "operator.methodcaller('system', text)(os)",
        "__builtins__['eval'](text)",
        "import builtins",
        "from builtins import eval as harmless",
        "from os import *",
        "globals()['ev' + 'al'](text)",
        "sys.modules[text]",
        "from sys import modules",
        "run.__globals__[text]",
        "object.__subclasses__()",
        "__loader__.load_module(text)",
        "spec.loader.exec_module(module)",
        "import pkgutil",
        "import runpy as harmless",
        "connection.enable_load_extension(True)",
        "import multiprocessing.pool",
        "import ctypes",
    ],
)
def test_a_line_that_runs_data_is_found(line: str) -> None:
    assert faults_of(f"x = 1\n{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "re.compile(text)",
        "run(text, shell=False)",
        "evaluate(text)",
        "'eval'",
        "from importlib import resources",
        "from importlib.resources import files",
        "from importlib import metadata as known",
        "getattr(value, name)",
        "import os\ngetattr(os, 'register_at_fork', None)",
        "sys.stdout",
    ],
)
def test_a_line_that_runs_no_data_is_left_alone(line: str) -> None:
    assert faults_of(line) == []


TABLES = "curator/warehouse/tables.py"


@pytest.mark.parametrize(
    ("place", "line", "is_fault"),
    [
        (TABLES, "from importlib import import_module", False),
        (TABLES, "import_module('dpratio.curator')", False),
        (TABLES, "import_module(f'dpratio.curator.{file}')", False),
        (TABLES, "from importlib import import_module as harmless", True),
        (TABLES, "from importlib import util", True),
        (TABLES, "find = import_module", True),
        (TABLES, "import_module(file)", True),
        (TABLES, "import_module(f'{file}.dpratio.')", True),
        (TABLES, "import_module('dpratio' + file)", True),
        (TABLES, "import_module('dpratio_other')", True),
        (TABLES, "import_module('.x', file)", True),
        (TABLES, "import_module()", True),
        ("checks.py", "import importlib", False),
        ("checks.py", "importlib.import_module(module)", False),
        ("checks.py", "importlib.__import__(module)", True),
        ("checks.py", "import importlib as harmless", True),
        ("checks.py", "find = importlib", True),
        ("checks.py", "find = importlib.import_module", True),
        ("checks.py", "getattr(importlib, name)(module)", True),
        ("checks.py", "import importlib.util", True),
        ("web/checks.py", "import importlib", True),
        ("curator/__init__.py", "from importlib import import_module", True),
        ("curator/reading/tables.py", "from importlib import import_module", True),
    ],
)
def test_few_files_import_by_name_and_only_within_the_house(
    place: str, line: str, *, is_fault: bool
) -> None:
    assert bool(faults_of(line, place)) is is_fault


def test_modules_are_imported_by_names_that_stand_in_our_source() -> None:
    for path in SOURCE:
        assert extra_faults(path.read_text(encoding="utf-8")) == [], path


@pytest.mark.parametrize(
    ("line", "is_fault"),
    [
        ("import_extra('pyarrow', 'arrow')", False),
        ("for name in ('a', 'b'):\n    import_extra(name, 'arrow')", False),
        ("from dpratio.checks import import_extra", False),
        ("import_extra(name, 'arrow')", True),
        ("import_extra('a' + name, 'arrow')", True),
        ("import_extra(f'{name}', 'arrow')", True),
        ("import_extra(module=name, extra='arrow')", True),
        ("import_extra(*names)", True),
        ("import_extra(**names)", True),
        ("import_extra()", True),
        ("checks.import_extra(name, 'arrow')", True),
        ("find = import_extra", True),
        ("run(checks.import_extra)", True),
        ("from dpratio.checks import import_extra as harmless", True),
        ("for name in names:\n    import_extra(name, 'arrow')", True),
    ],
)
def test_a_module_whose_name_is_not_written_out_is_found(
    line: str, *, is_fault: bool
) -> None:
    assert bool(extra_faults(line)) is is_fault


# Traces of how and where the files came about. Written in pieces, so that this file
# holds none of them.
TRACES = {
    "a mark of a merge": re.compile(r"^(<{7}|={7}|>{7}|\|{7})( |$)", re.MULTILINE),
    "a path of a machine": re.compile(
        r"(?<![\w.])/("
        + "|".join(["wo" + "rk", "ho" + "me", "ro" + "ot", "Us" + "ers"])
        + r")/\w"
    ),
    "a place to download from": re.compile(
        "|".join(
            ["files.python" + "hosted", "pypi" + r"\.org/simple", "arti" + "factory"]
        )
        + r"|index"
        + r"-url|[/@](?:nexus|jfrog|codeartifact)\."
    ),
}
LOCKS = re.compile(
    r"(^|/)(poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|pylock.*\.toml|conda-lock\.yml"
    r"|package-lock\.json|yarn\.lock|pnpm-lock\.yaml|\.npmrc|pip\.conf|\.pypirc)$"
)


def tracked() -> list[Path]:
    """Every file that belongs to the repository; of an archive, every file in it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607 (whichever git there is)
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    names = [name for name in listed.stdout.decode().split("\0") if name]
    folders = ("src", "tests", "docs", "bench", "tools")
    found = [ROOT / name for name in names] or [
        path for folder in folders for path in (ROOT / folder).rglob("*")
    ]
    return [path for path in found if path.is_file()]


def text_of(path: Path) -> str:
    """The text of a file; none of a picture."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def test_no_file_holds_marks_of_a_merge_paths_of_a_machine_or_registries() -> None:
    files = tracked()
    assert len(files) > 200
    found = [
        f"{path.relative_to(ROOT)}: {what}"
        for path in files
        for what, trace in TRACES.items()
        if trace.search(text_of(path))
        # Faults are written between the same marks.
        and not (what == "a mark of a merge" and path.suffix == ".fault")
    ]
    assert found == []


def test_no_lock_file_records_where_packages_were_downloaded() -> None:
    names = [path.relative_to(ROOT).as_posix() for path in tracked()]
    assert [name for name in names if LOCKS.search(name)] == []


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("a mark of a merge", "a\n" + "<" * 7 + " ours\n"),
        ("a mark of a merge", "=" * 7 + "\n"),
        ("a path of a machine", "see /ho" + "me/ann/x"),
        ("a path of a machine", '"/wo' + 'rk/main"'),
        ("a place to download from", "https://files.python" + "hosted.org/x"),
    ],
)
def test_a_trace_is_found(what: str, text: str) -> None:
    assert TRACES[what].search(text)


# A statement that is put together piece by piece, within one function; and where
# following a chain stands, which no one keeps.
CHANGEABLE = {"curator/sql/keys.py", "curator/ledger/account/following.py"}


def test_values_cannot_be_changed_after_they_were_checked() -> None:
    thawed = {
        path.relative_to(HOUSE).as_posix()
        for path in SOURCE
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        for each in map(ast.unparse, node.decorator_list)
        if each.startswith("dataclass") and "frozen=True" not in each
    }
    assert thawed == CHANGEABLE
