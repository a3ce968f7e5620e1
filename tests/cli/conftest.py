"""Fixtures of the tests of commands."""

import sys
from pathlib import Path

import pytest

from cli.commands_for_tests import STUDY, Call, Done, rows_of_people
from dpratio.cli.main import run
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.terms.budget import Budget


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a study, its people and a ledger."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "people.csv").write_text(rows_of_people(2000), encoding="utf-8")
    Ledger("dpratio.db").open_scope(Scope("people", Budget(100)))
    return tmp_path


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command in this process; give its exit code and what it printed."""

    def called(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["dpratio", *words])
        with pytest.raises(SystemExit) as stopped:
            run()
        said = capsys.readouterr()
        assert isinstance(stopped.value.code, int)
        return stopped.value.code, said.out, said.err

    return called
