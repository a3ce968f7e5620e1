"""A mutant is found by the code it changes, wherever that stands."""

from pathlib import Path

import pytest
from mutant_file import Change, apply_changes, find_lines, read_changes

from attacks.known_breaks import rows_of_mutants

SOURCE = Path(__file__).parents[2] / "src"
GUARD = "if a:\n    stop()\n"


def _tree(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def test_every_mutant_finds_the_code_it_changes_once() -> None:
    texts = [path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")]
    lost = [
        f"{path.name}: {change.guard}"
        for _, path in rows_of_mutants()
        for change in read_changes(path)
        if sum(len(find_lines(change.guard, text)) for text in texts) != 1
    ]
    assert lost == []


def test_code_is_found_at_any_indentation_and_keeps_it(tmp_path: Path) -> None:
    tree = _tree(tmp_path, one="def f():\n    if a:\n        stop()\n    go()\n")
    apply_changes([Change(f"  {GUARD}".replace("\n  ", "\n    "), "  pass\n")], tree)
    assert (tree / "one.py").read_text() == "def f():\n    pass\n    go()\n"


def test_changes_follow_each_other_in_one_file(tmp_path: Path) -> None:
    tree = _tree(tmp_path, one=f"{GUARD}b = 1\n")
    apply_changes([Change(GUARD, "pass\n"), Change("b = 1\n", "b = 2\n")], tree)
    assert (tree / "one.py").read_text() == "pass\nb = 2\n"


@pytest.mark.parametrize("files", [{"one": "b\n"}, {"one": GUARD, "two": GUARD}])
def test_code_that_is_lost_or_stands_twice_is_refused(
    tmp_path: Path, files: dict[str, str]
) -> None:
    with pytest.raises(LookupError, match="the code stands"):
        apply_changes([Change(GUARD, "pass\n")], _tree(tmp_path, **files))


@pytest.mark.parametrize("text", ["", "words\n<<<<<<<\na\n=======\nb\n>>>>>>>\n"])
def test_a_file_of_anything_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "01_odd.mutant"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="01_odd"):
        read_changes(path)
