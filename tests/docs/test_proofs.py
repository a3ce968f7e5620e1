"""Every guarantee has its proof, and every proof the code and tests it speaks of."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "dpratio"
TEXTS = {
    path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))
}
PROOFS = ROOT / "docs" / "proofs"
PAGES = sorted(path for path in PROOFS.glob("*.md") if path.stem != "README")
TESTS = {path.name for path in (ROOT / "tests").rglob("*.py")}
MAY_PROMISE = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def guarantees() -> Iterator[tuple[str, str]]:
    """Every ``Guarantee:`` of the source, with the paragraph that follows it."""
    for path, source in TEXTS.items():
        place = path.relative_to(SOURCE).as_posix()
        for node in ast.walk(ast.parse(source if "Guarantee:" in source else "")):
            if isinstance(node, MAY_PROMISE):
                text = ast.get_docstring(node) or ""
                for part in text.split("Guarantee:")[1:]:
                    yield place, part.split("\n\n")[0]


def test_every_guarantee_that_is_written_is_looked_at() -> None:
    """None hides in a comment or in a text that is no docstring."""
    written = sum(text.count("Guarantee:") for text in TEXTS.values())
    assert written == len(list(guarantees())) > 0


def test_every_guarantee_names_a_proof_that_is_there() -> None:
    for place, promise in guarantees():
        pages = re.findall(r"docs/proofs/(\w+)\.md", promise)
        assert pages, f"{place} promises without a proof: {promise}"
        for page in pages:
            assert (PROOFS / f"{page}.md") in PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_proof_is_listed_and_stands_for_code_that_names_it(page: Path) -> None:
    listed = (PROOFS / "README.md").read_text(encoding="utf-8")
    assert f"]({page.name}) |" in listed
    assert any(f"docs/proofs/{page.name}" in text for text in TEXTS.values())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_proof_names_tests_that_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    folders = re.findall(r"`(tests/[\w/]+/)`", text)
    files = re.findall(r"\b(test_\w+\.py)`", text)
    assert folders or files
    assert all((ROOT / each).is_dir() for each in folders)
    assert TESTS.issuperset(files)


def test_every_file_that_the_list_of_proofs_names_is_there() -> None:
    listed = (PROOFS / "README.md").read_text(encoding="utf-8")
    places = re.findall(r"`([a-z_]+/[a-z_/.]*)`", listed)
    assert places
    for place in places:
        assert (SOURCE / place).exists(), place
