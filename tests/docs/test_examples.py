"""The examples in docstrings are true; the reference shows them."""

import doctest
import importlib
import pkgutil

import pytest

import dpratio

MODULES = sorted(
    each.name
    for each in pkgutil.walk_packages(dpratio.__path__, "dpratio.")
    if not each.name.endswith("__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_give_what_they_say(name: str) -> None:
    module = importlib.import_module(name)
    found = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert found.failed == 0
