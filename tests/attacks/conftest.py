"""A study and data that it names, and commands run on them."""

import os
import sys
from pathlib import Path

import pytest

from attacks.bound_data import STUDY, Call
from dpratio.cli.main import run


@pytest.fixture(params=["sqlite", "postgres"])
def any_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The location of a ledger that is yet to be made, in a file and on a server."""
    if request.param == "sqlite":
        return os.fspath(tmp_path / "budget.db")
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run a command; give its exit code and everything it said."""

    def called(*words: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["dpratio", *words])
        with pytest.raises(SystemExit) as stopped:
            run()
        said = capsys.readouterr()
        return int(str(stopped.value.code)), " ".join((said.out + said.err).split())

    return called


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a study, and data that it names and does not name."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"0.{at % 9};{at % 2};{at % 5};{at}\n" for at in range(100))
    (tmp_path / "data").mkdir()
    (tmp_path / "other").mkdir()
    for name in ("data/a.csv", "data/b.csv", "other/a.csv"):
        (tmp_path / name).write_text(rows, encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "data")
    (tmp_path / "study.toml").write_text(STUDY, "utf-8")
    return tmp_path
