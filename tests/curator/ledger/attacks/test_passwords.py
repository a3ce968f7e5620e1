"""A password in an address is found in nothing that the library gives or leaves."""

import io
import os
import pickle
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import pytest

from cli.commands_for_tests import STUDY
from curator.ledger.attacks.asking import told_by
from curator.ledger.attacks.books import DATA, plan_of
from curator.ledger.attacks.spellings import SECRET, spellings
from dpratio.cli.main import run
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from soak import IS_SOAK


def test_a_password_is_found_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(STUDY, encoding="utf-8")
    written = spellings()
    assert len(written) >= 200
    found = [each for each in written if SECRET in told_in_python(each)]
    commands = written if IS_SOAK else written[::5]
    found += [each for each in commands if SECRET in told_by_commands(each)]
    found += [str(path) for path in tmp_path.rglob("*") if SECRET in os.fspath(path)]
    print(f"passwords found: {len(found)} of {len(written)}")  # noqa: T201
    assert found == []


def printed(*words: str) -> str:
    """Run a command in this process; give what it prints."""
    before, sys.argv = sys.argv, ["dpratio", *words]
    said = io.StringIO()
    try:
        with redirect_stdout(said), redirect_stderr(said), suppress(SystemExit):
            run()
    finally:
        sys.argv = before
    return said.getvalue()


def told_in_python(address: str) -> str:
    """All that the library says of an address, given in each place it could stand."""
    told = [
        told_by(lambda: Ledger(address)),
        told_by(lambda: Ledger(address).scopes()),
        told_by(lambda: pickle.dumps(Ledger(address))),
        told_by(lambda: Ledger("budget.db", anchor=address)),
        told_by(lambda: Ledger("budget.db", anchor=Path(address))),
        told_by(lambda: Ledger(Path(address)).scopes()),
        told_by(lambda: release_sums(DATA, plan_of("1"), ledger=address)),
    ]
    return " ".join(told)


def told_by_commands(address: str) -> str:
    """All that commands print."""
    told = [
        printed("ledger", "show", "--ledger", address),
        printed("ledger", "init", "--epsilon", "1", "--ledger", address),
        printed("ledger", "verify", "--anchor", address),
        printed(
            "release", "s.toml", "-o", "r.json", "--no-ledger", "--ledger", address
        ),
    ]
    return " ".join(told)
