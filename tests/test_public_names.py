"""The front door: what can be imported, what it says, and what it does not load."""

import importlib
import inspect
import pkgutil
import pydoc
import re
import subprocess
import sys
from typing import TYPE_CHECKING, cast

import pytest

import dpratio

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

SECTIONS = ("Args", "Returns", "Raises", "Example")
HEAVY = {"duckdb", "scipy", "pandas", "polars", "pyarrow", "typer", "rich"}


def loaded_by(code: str) -> set[str]:
    """Run code in a fresh interpreter and list the packages it loaded."""
    code += "\nimport sys\nprint(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return set(done.stdout.split())


def test_public_names_are_sorted_and_listed_once() -> None:
    assert dpratio.__all__ == sorted(set(dpratio.__all__))
    assert dir(dpratio) == dpratio.__all__


def test_every_public_name_can_be_imported() -> None:
    for name in set(dpratio.__all__) - {"__version__"}:
        found = getattr(dpratio, name)
        assert found.__name__ == name
        assert found.__module__.startswith("dpratio."), name


def test_the_front_door_is_narrow() -> None:
    assert len(dpratio.__all__) <= 45


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'estimate_ratio'"):
        _ = dpratio.estimate_ratio
    with pytest.raises(ImportError):
        importlib.import_module("dpratio.no_such_room")


def test_the_version_is_three_numbers() -> None:
    assert [part.isdigit() for part in dpratio.__version__.split(".")] == [True] * 3


def says_what_it_is(thing: object) -> bool:
    return bool((inspect.getdoc(thing) or "").strip())


def test_everything_public_has_a_docstring() -> None:
    found = pkgutil.walk_packages(dpratio.__path__, "dpratio.")
    for name in ("dpratio", *(each.name for each in found)):
        module = importlib.import_module(name)
        assert says_what_it_is(module), name
        require_docstrings(module, name)


def require_docstrings(module: "ModuleType", name: str) -> None:
    for public, thing in vars(module).items():
        is_code = inspect.isclass(thing) or inspect.isfunction(thing)
        if public.startswith("_") or not is_code or thing.__module__ != name:
            continue
        assert says_what_it_is(thing), f"{name}.{public}"
        if inspect.isclass(thing):
            for method, member in vars(thing).items():
                is_part = callable(member) or isinstance(
                    member, property | classmethod | staticmethod
                )
                if is_part and not method.startswith("_"):
                    assert says_what_it_is(member), f"{name}.{public}.{method}"


def sections(thing: object) -> set[str]:
    """Name the sections of a docstring; an example counts where it can be run."""
    words = inspect.getdoc(thing) or ""
    found = {name for name in SECTIONS if f"\n{name}:\n" in words}
    return found if ">>>" in words else found - {"Example"}


def wanted_sections(thing: object) -> set[str]:
    """Name what a docstring must say: an error, only what happened."""
    if inspect.isclass(thing):
        is_error = issubclass(thing, dpratio.errors.DpratioError)
        return set() if is_error else {"Example"}
    signature = inspect.signature(cast("Callable[..., object]", thing))
    wanted = {"Example"}
    if signature.parameters:
        wanted |= {"Args", "Raises"}
    if signature.return_annotation not in {None, "None"}:
        wanted.add("Returns")
    return wanted


def test_every_public_name_says_how_it_is_used() -> None:
    for name in set(dpratio.__all__) - {"__version__"}:
        thing = getattr(dpratio, name)
        assert wanted_sections(thing) <= sections(thing), name


def test_help_begins_with_every_name_by_who_uses_it() -> None:
    page = " ".join(str(dpratio.__doc__).split())
    for name in set(dpratio.__all__) - {"__version__"}:
        assert re.search(rf"\b{name}\b", page), name
    said = pydoc.plain(pydoc.render_doc(dpratio))
    assert "Who holds the data" in said
    assert "def estimate_ratios" not in said
    assert "    estimate_ratios(release" in said


def test_importing_dpratio_loads_nothing_heavy() -> None:
    assert not loaded_by("import dpratio") & HEAVY


def test_an_analyst_needs_no_engine() -> None:
    loaded = loaded_by("from dpratio import estimate_ratios, read_release")
    assert "duckdb" not in loaded
    assert not loaded & {"pandas", "polars", "pyarrow", "typer"}


def test_a_planner_needs_no_engine() -> None:
    code = (
        "import dpratio\n"
        "dpratio.make_plan(dpratio.Ratio('s', per='y'), bounds={'s': dpratio.Bounds("
        "0, 1), 'y': dpratio.Bounds.binary()}, budget=dpratio.Budget(1))"
    )
    assert not loaded_by(code) & HEAVY
