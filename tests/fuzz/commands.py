"""The command line, given files that are no longer valid: one of its exit codes."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

from hypothesis import strategies as st

from dpratio.cli.main import run
from dpratio.errors import DpratioError
from fuzz import (
    anchor_file,
    ledger_file,
    plan_file,
    release_json,
    study_file,
)

__all__ = ["INPUTS", "REFUSALS", "VALID", "check", "make", "read"]

REFUSALS: tuple[type[DpratioError], ...] = ()  # None comes out: they are exit codes.
CODES = {0, *(each.exit_code for each in DpratioError.__subclasses__())}
FOLDER = Path(ledger_file.FOLDER.name)
COMMANDS: list[tuple[ModuleType, str, list[str]]] = [
    (release_json, "release.json", ["estimate", "{}", "--format", "csv"]),
    (study_file, "study.toml", ["plan", "{}"]),
    (plan_file, "plan.json", ["plan", "{}"]),
    (
        ledger_file,
        "ledger.db",
        ["ledger", "show", "--scope", "people", "--ledger", "{}"],
    ),
    (ledger_file, "ledger.db", ["ledger", "verify", "--ledger", "{}"]),
    (
        anchor_file,
        "anchor.jsonl",
        ["ledger", "verify", "--ledger", str(anchor_file.FILE), "--anchor", "{}"],
    ),
]
Drawn = tuple[int, Any]

INPUTS = st.one_of(
    *(
        st.tuples(st.just(at), module.INPUTS)
        for at, (module, _, _) in enumerate(COMMANDS)
    )
)
VALID: Drawn = (0, release_json.VALID)


def make(drawn: Drawn) -> list[str]:
    at, given = drawn
    module, name, words = COMMANDS[at]
    made = module.make(given)
    path = FOLDER / name
    path.write_bytes(made.encode() if isinstance(made, str) else made)
    return [word.format(path) for word in words]


def read(words: list[str]) -> tuple[int, str, str]:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    said = io.StringIO()
    sys.argv = ["dpratio", *words]
    code: object = 0
    with redirect_stdout(out), redirect_stderr(said):
        try:
            run()
        except SystemExit as stopped:
            code = stopped.code or 0
    out.seek(0)
    assert isinstance(code, int)
    return code, out.read(), said.getvalue()


def check(done: tuple[int, str, str]) -> None:
    code, out, said = done
    assert code in CODES, (code, said)
    assert (code == 0) == (said == ""), said
    assert said.count("\n") == (0 if code == 0 else 1), said
    assert "\x1b" not in out + said
