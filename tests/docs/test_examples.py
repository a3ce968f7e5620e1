"""The examples in docstrings are true; the reference shows those of public names."""

import doctest
import importlib
from pathlib import Path

import dpratio

HOUSE = Path(dpratio.__file__).parent


def test_the_examples_of_all_modules_give_what_they_say() -> None:
    names = [
        ".".join(["dpratio", *path.relative_to(HOUSE).with_suffix("").parts])
        for path in sorted(HOUSE.rglob("*.py"))
        if ">>>" in path.read_text(encoding="utf-8")
    ]
    results = {
        name: doctest.testmod(
            importlib.import_module(name.removesuffix(".__init__")),
            optionflags=doctest.ELLIPSIS,
        )
        for name in names
    }
    assert sum(each.attempted for each in results.values()) > 50
    assert [name for name, each in results.items() if each.failed] == []
