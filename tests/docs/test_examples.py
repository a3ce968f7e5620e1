"""The examples in docstrings are true; the reference shows those of public names."""

import doctest
import importlib
import pkgutil

import dpratio


def test_the_examples_of_all_modules_give_what_they_say() -> None:
    walked = pkgutil.walk_packages(dpratio.__path__, "dpratio.")
    names = [each.name for each in walked if not each.name.endswith("__main__")]
    results = {
        name: doctest.testmod(
            importlib.import_module(name), optionflags=doctest.ELLIPSIS
        )
        for name in names
    }
    assert sum(each.attempted for each in results.values()) > 50
    assert [name for name, each in results.items() if each.failed] == []
