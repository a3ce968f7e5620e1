"""What our own source may not hold: code that runs data, and traces of a machine.

Standard library only: files are read, not run.
"""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = sorted((ROOT / "src").rglob("*.py"))

# Modules that turn data into code, objects or processes.
FORBIDDEN_MODULES = {
    "_pickle",
    "cloudpickle",
    "code",
    "codeop",
    "commands",
    "ctypes",
    "dill",
    "joblib",
    "jsonpickle",
    "marshal",
    "multiprocessing",
    "pickle",
    "pty",
    "runpy",
    "shelve",
    "subprocess",
    "xmlrpc",
    "yaml",
}
FORBIDDEN_CALLS = {"__import__", "breakpoint", "compile", "eval", "exec", "execfile"}
# Methods, whatever they belong to; `re.compile` compiles no code.
FORBIDDEN_METHODS = {
    "enable_load_extension",
    "execv",
    "execve",
    "execvp",
    "fork",
    "literal_eval",
    "load_extension",
    "load_module",
    "popen",
    "posix_spawn",
    "read_pickle",
    "spawnv",
    "startfile",
    "system",
    "to_pickle",
    "unsafe_load",
}
# Modules are named by code that stands here, never by a document.
IMPORTED_BY_NAME = {"checks.py", "__init__.py"}


def faults_of(text: str, name: str = "") -> list[str]:
    """Find everything in a file that could run data as code."""
    return [
        f"line {getattr(node, 'lineno', 0)}: {fault}"
        for node in ast.walk(ast.parse(text))
        for fault in _faults(node, name)
    ]


def _faults(node: ast.AST, name: str) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from _import_faults(node)
    elif isinstance(node, ast.Name) and node.id in FORBIDDEN_CALLS:
        yield node.id
    elif isinstance(node, ast.Attribute):
        by_name = node.attr == "import_module" and name not in IMPORTED_BY_NAME
        if by_name or node.attr in FORBIDDEN_METHODS:
            yield ast.unparse(node)
    elif isinstance(node, ast.keyword):
        yield from _keyword_faults(node)


def _import_faults(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    taken = {each.name for each in node.names}
    modules = taken
    if isinstance(node, ast.ImportFrom):
        modules = {str(node.module)}
        yield from (f"import {each}" for each in taken & FORBIDDEN_METHODS)
    for each in modules:
        if each.split(".")[0] in FORBIDDEN_MODULES:
            yield f"import {each}"


def _keyword_faults(node: ast.keyword) -> Iterator[str]:
    is_true = not (isinstance(node.value, ast.Constant) and node.value.value is False)
    if node.arg in {"shell", "allow_pickle"} and is_true:
        yield f"{node.arg}={ast.unparse(node.value)}"


@pytest.mark.parametrize("path", SOURCE, ids=str)
def test_our_source_runs_no_data(path: Path) -> None:
    assert faults_of(path.read_text(encoding="utf-8"), path.name) == []


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
        "connection.enable_load_extension(True)",
        "import multiprocessing.pool",
        "import ctypes",
    ],
)
def test_a_line_that_runs_data_is_found(line: str) -> None:
    assert faults_of(f"x = 1\n{line}\n")


@pytest.mark.parametrize(
    "line", ["re.compile(text)", "run(text, shell=False)", "evaluate(text)", "'eval'"]
)
def test_a_line_that_runs_no_data_is_left_alone(line: str) -> None:
    assert faults_of(line) == []


def test_modules_are_imported_by_names_that_stand_in_our_source() -> None:
    """`import_extra` is given fixed words, or one word after the other of a list."""
    for path in SOURCE:
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        listed = {
            ast.unparse(node.target)
            for node in nodes
            if isinstance(node, ast.For) and are_fixed(getattr(node.iter, "elts", []))
        }
        for node in nodes:
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "import_extra":
                others = [each for each in node.args if ast.unparse(each) not in listed]
                assert not others or are_fixed(others), path


def are_fixed(words: list[ast.expr]) -> bool:
    return bool(words) and all(isinstance(each, ast.Constant) for each in words)


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


# A statement that is put together piece by piece, within one function.
CHANGEABLE = {"duck_keys.py"}


@pytest.mark.parametrize("path", SOURCE, ids=lambda path: path.stem)
def test_values_cannot_be_changed_after_they_were_checked(path: Path) -> None:
    decorators = [
        ast.unparse(each)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
        for each in node.decorator_list
    ]
    thawed = [
        each
        for each in decorators
        if each.startswith("dataclass") and "frozen=True" not in each
    ]
    assert not thawed or path.name in CHANGEABLE
