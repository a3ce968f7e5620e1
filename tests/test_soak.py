"""`make soak` runs every test that tries more in a soak."""

import re
from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent


def soaked() -> list[Path]:
    """Give the folders and files that the Makefile names."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"DPRATIO_SOAK=1 ((?:.*\\\n)*.*)\n", makefile)
    return [ROOT / each for each in re.findall(r"tests/\S+", recipe)]


def test_whatever_tries_more_in_a_soak_is_part_of_it() -> None:
    named = soaked()
    longer = [
        path
        for path in TESTS.rglob("*.py")
        if "IS_SOAK" in path.read_text(encoding="utf-8")
    ]
    assert len(longer) > len(named) > 1
    spared = {TESTS / "soak.py", TESTS / "conftest.py", Path(__file__)}
    for path in {*longer} - spared:
        assert any(path.is_relative_to(each) for each in named), path
