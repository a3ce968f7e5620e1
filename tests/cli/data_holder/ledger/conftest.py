"""Fixtures of the tests of a ledger's commands."""

from pathlib import Path

import pytest

from cli.commands_for_tests import Call, rows_of_people
from cli.data_holder.ledger.charged import STUDY


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a study and its people, and no ledger yet."""
    monkeypatch.chdir(tmp_path)
    for name in ("DPRATIO_LEDGER", "DPRATIO_ANCHOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "people.csv").write_text(rows_of_people(50), encoding="utf-8")
    return tmp_path


@pytest.fixture
def ready(call: Call) -> Call:
    """Run a command, with a ledger of one scope in its usual place."""
    assert call("ledger", "init", "--epsilon", "2", "--delta", "1e-6")[0] == 0
    return call
