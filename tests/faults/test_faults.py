"""A fault is found by its code, wherever that stands, and names its tests."""

import ast
from functools import cache
from pathlib import Path

import pytest
from fault_file import FAULTS, apply_changes, find_lines, read_fault, sources

from attacks.known_breaks import KNOWN_BREAKS

ROOT = Path(__file__).parents[2]
GUARD = "if a:\n    stop()\n"
HEAD = "It never stops.\n\nrow: 8\ntest: tests/test_a.py::test_a\n\n"


def written(folder: Path, *changes: tuple[str, str], head: str = HEAD) -> Path:
    path = folder / "odd.fault"
    parts = [f"<<<<<<<\n{code}=======\n{bad}>>>>>>>\n" for code, bad in changes]
    path.write_text(head + "".join(parts), encoding="utf-8")
    return path


def tree(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


@cache
def names_in(file: str) -> set[str]:
    nodes = ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef)}


def test_every_fault_finds_its_code_once_and_names_tests_that_are_there() -> None:
    texts = list(sources(ROOT / "src").values())
    faults = [read_fault(path) for path in sorted(FAULTS.rglob("*.fault"))]
    wrong = [
        f"{fault.name}: {change.code}"
        for fault in faults
        for change in fault.changes
        if sum(len(find_lines(change.code, text)) for text in texts) != 1
    ]
    for fault in faults:
        for test in fault.tests:
            file, _, name = test.partition("::")
            if name.partition("[")[0] not in names_in(file):
                wrong.append(f"{fault.name}: {test}")
    assert wrong == []


def test_every_room_and_every_known_break_has_a_fault() -> None:
    faults = [read_fault(path) for path in FAULTS.rglob("*.fault")]
    rooms = {
        path.name for path in (ROOT / "src" / "dpratio").iterdir() if path.is_dir()
    }
    assert {fault.room for fault in faults} == rooms - {"__pycache__"}
    assert {fault.row for fault in faults if fault.row} == set(KNOWN_BREAKS)


def test_code_is_found_at_any_indentation_and_keeps_it(tmp_path: Path) -> None:
    source = tree(tmp_path, one="def f():\n    if a:\n        stop()\n    go()\n")
    moved = "  if a:\n      stop()\n"
    apply_changes(read_fault(written(tmp_path, (moved, "  pass\n"))), source)
    assert (source / "one.py").read_text() == "def f():\n    pass\n    go()\n"


def test_changes_follow_each_other_in_one_file(tmp_path: Path) -> None:
    source = tree(tmp_path, one=f"{GUARD}b = 1\n")
    fault = read_fault(written(tmp_path, (GUARD, "pass\n"), ("b = 1\n", "b = 2\n")))
    apply_changes(fault, source)
    assert (source / "one.py").read_text() == "pass\nb = 2\n"


@pytest.mark.parametrize("files", [{"one": "b\n"}, {"one": GUARD, "two": GUARD}])
def test_code_that_is_lost_or_stands_twice_is_refused(
    tmp_path: Path, files: dict[str, str]
) -> None:
    fault = read_fault(written(tmp_path, (GUARD, "pass\n")))
    with pytest.raises(LookupError, match="the code stands"):
        apply_changes(fault, tree(tmp_path, **files))


@pytest.mark.parametrize("head", ["", "No test.\n\n", HEAD + "more words\n\n"])
def test_a_file_of_anything_else_is_refused(tmp_path: Path, head: str) -> None:
    with pytest.raises(ValueError, match="odd"):
        read_fault(written(tmp_path, (GUARD, "pass\n"), head=head))
