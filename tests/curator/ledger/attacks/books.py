"""Ledgers to attack, plans to charge to them, and ways to look at what is left."""

import json
import os
import pickle
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, ScoreBins
from dpratio.terms.ratio import Ratio

__all__ = [
    "DATA",
    "accounts_of",
    "artifacts_of",
    "in_child",
    "is_plain",
    "large_plan",
    "name_of",
    "open_book",
    "plan_of",
    "run_script",
    "total",
]

# `make soak` asks for the large counts.
DATA: Mapping[str, list[float]] = {"s": [0.5, 0.25, 0.75], "y": [1.0, 0.0, 1.0]}
_BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary()}
_TESTS = Path(__file__).parents[3]
Given = TypeVar("Given")


@cache
def plan_of(epsilon: str, delta: str = "0") -> Plan:
    """A small plan at a price: Laplace noise, or Gaussian where delta is not 0."""
    return make_plan(
        Ratio("s", per="y"),
        bounds=_BOUNDS,
        budget=Budget(Fraction(epsilon), Fraction(delta)),
        strategy="even",
        mechanism="laplace" if delta == "0" else "analytic_gaussian",
    )


@cache
def large_plan() -> Plan:
    """A plan at the same price whose releases take more than a page."""
    return make_plan(
        Ratio("s", per="y"),
        bounds=_BOUNDS,
        budget=Budget("0.1"),
        groups=Groups.cross(ScoreBins("s", 100)),
        strategy="even",
        mechanism="laplace",
    )


def name_of(number: int) -> str:
    """A release id."""
    return f"{number:032x}"


def open_book(
    location: str, scope: Scope | None = None, *, anchor: Path | None = None
) -> Ledger:
    """A ledger with one scope, 'loans', of epsilon 1,000 unless another is given."""
    ledger = Ledger(location, anchor=anchor)
    ledger.open_scope(scope or Scope("loans", Budget(1000, "1e-3")))
    return ledger


def accounts_of(ledger: Ledger) -> dict[str, Account]:
    """The account of every scope."""
    return {name: ledger.account(name) for name in ledger.scopes()}


def artifacts_of(ledger: Ledger) -> dict[str, bytes]:
    """The bytes of every sealed release, as the ledger would give them again."""
    with ledger.watch.reading() as watched:
        return {
            release_id: watched.tables.artifact(
                release_id, held.said("sealed")["sha256"]
            )
            for name in watched.tables.scope_names()
            for release_id, held in watched.follow(name).releases.items()
            if held.said("sealed")
        }


def is_plain(error: Exception, *secrets: str) -> bool:
    """Tell whether an error says one clear line, and nothing that is nobody's."""
    said = str(error)
    printed = "".join(traceback.format_exception(error))
    tidy = said.endswith(".") and "\n" not in said and len(said) < 500
    foreign = ("Traceback", "site-packages", "sqlite3.", "psycopg", "Error(")
    quiet = not any(word in said for word in foreign)
    # What Python prints for it shows the chain of errors behind it as well.
    alone = printed.count("Traceback") == 1
    return tidy and quiet and alone and not any(each in printed for each in secrets)


def in_child(step: Callable[[], Given]) -> Given:
    """Run a step in a fork of this process, and give what it gives."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Other tests had threads.
        child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reading)
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(step(), pipe)
            code = 0
        except BaseException:  # noqa: BLE001 (it must not run the parent's tests)
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        content = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, f"the child stopped with status {status}"
    given: Given = pickle.loads(content)  # noqa: S301 (our own child wrote it)
    return given


def run_script(name: str, *words: str) -> Any:  # noqa: ANN401 (JSON)
    """Run a script of this folder in a process of its own; give the JSON it prints."""
    script = Path(__file__).with_name(f"{name}.py")
    given = os.environ.get("PYTHONPATH")
    where = os.pathsep.join([str(_TESTS), *([given] if given else [])])
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", str(script), *words],
        env=os.environ | {"PYTHONPATH": where, "OPENBLAS_NUM_THREADS": "1"},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def total(costs: list[str]) -> Fraction:
    """Add up costs exactly."""
    return sum((Fraction(each) for each in costs), Fraction(0))
