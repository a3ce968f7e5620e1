"""One source of randomness: no seed, no generator, no clock in the curator."""

import ast
import importlib
import inspect
import os
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import dpratio.curator
from dpratio.curator.noise.entropy import fresh_id, fresh_salt, system_bits

FORBIDDEN = {"seed", "rng", "generator", "random_state", "clock", "now"}
ROOM = "dpratio.curator."
# The ledger has the one clock of the house: tests/test_architecture.py.
MODULES = sorted(
    name.removeprefix(ROOM)
    for _, name, _ in pkgutil.walk_packages(dpratio.curator.__path__, ROOM)
    if not name.startswith(f"{ROOM}ledger")
)


def load(name: str) -> ModuleType:
    return importlib.import_module(f"dpratio.curator.{name}")


def functions_of(module: ModuleType) -> Iterator[tuple[str, list[str]]]:
    """Every function written in a module, methods and nested ones included."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            every += [each for each in (given.vararg, given.kwarg) if each]
            yield getattr(node, "name", "lambda"), [each.arg for each in every]


def test_all_modules_of_the_curator_are_looked_at() -> None:
    named = {"noise.entropy", "noise.rounded", "measure", "reading.exact"}
    assert named <= set(MODULES)


def test_no_function_of_the_curator_takes_a_seed_a_generator_or_a_clock() -> None:
    for name in MODULES:
        module = load(name)
        for function, parameters in functions_of(module):
            assert not FORBIDDEN & set(parameters), f"{name}.{function}"
        for function, value in inspect.getmembers(module, callable):
            try:
                signature = inspect.signature(value)
            except (TypeError, ValueError):
                continue
            if getattr(value, "__module__", "").startswith("dpratio.curator"):
                assert not FORBIDDEN & set(signature.parameters), f"{name}.{function}"


def test_no_module_of_the_curator_imports_a_pseudo_random_generator() -> None:
    forbidden = re.compile(
        r"^\s*(import|from) (random|secrets|time|numpy\.random)\b"
        # Days are compared; no clock is read.
        r"|\b(now|utcnow|today|monotonic|perf_counter)\("
        r"|\b(np|numpy)\.random\b|default_rng|setseed|\brandom\(",
        re.MULTILINE,
    )
    for name in MODULES:
        text = Path(str(load(name).__file__)).read_text(encoding="utf-8")
        assert not forbidden.search(text), name


def test_bits_come_from_the_operating_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", lambda count: b"\x07" * count)
    assert system_bits(3) == b"\x07\x07\x07"
    assert fresh_id() == "07" * 16


def test_two_draws_differ() -> None:
    assert len(system_bits(4096)) == 4096
    assert len({fresh_id() for _ in range(1000)}) == 1000
    assert all(re.fullmatch("[0-9a-f]{32}", fresh_id()) for _ in range(10))
    assert len({fresh_salt() for _ in range(1000)}) == 1000
    assert all(re.fullmatch("[0-9a-f]{64}", fresh_salt()) for _ in range(10))


def test_the_door_draws_from_the_system_and_from_nothing_else() -> None:
    """Production wiring is one line, and nothing but the door draws noise."""
    wired = []
    for name in MODULES:
        text = Path(str(load(name).__file__)).read_text(encoding="utf-8")
        drawn = ("_count(declared), system_bits)", "keys, unit, system_bits)")
        wired += [name] if all(each in text for each in drawn) else []
        assert "system_bits" not in text or name in {"noise.entropy", "measure"}, name
    assert wired == ["measure"]
