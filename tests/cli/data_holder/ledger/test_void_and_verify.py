"""`dpratio ledger void` and `verify`: a charge given back, a ledger called sound."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.commands_for_tests import Call, is_refused
from cli.data_holder.ledger.charged import ID, released
from dpratio.curator.ledger.ledger import Ledger
from dpratio.release.files import read_plan


def spoil(folder: Path) -> None:
    """Make the first charge free, as the owner of the file could."""
    with closing(sqlite3.connect(folder / "dpratio.db")) as connection:
        ((sql,),) = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'entry_keeps_update'"
        )
        connection.execute("DROP TRIGGER entry_keeps_update")
        connection.execute("UPDATE entry SET loss = '0/1' WHERE seq = 1")
        connection.execute(sql)
        connection.commit()


# --- void -----------------------------------------------------------------------------


def test_a_charge_is_given_back_before_data_were_opened(ready: Call) -> None:
    assert ready("plan", "study.toml", "-o", "plan.json")[0] == 0
    Ledger("dpratio.db").charge(ID, read_plan("plan.json"))
    code, out, _ = ready("ledger", "void", ID, "--by", "curator")
    assert (code, out) == (0, f"Release {ID} is void; its charge is given back.\n")
    account = Ledger("dpratio.db").account()
    assert account.spent.loss == 0
    assert account.releases[ID].said("void") == {"by": "curator"}


def test_what_was_released_is_not_given_back(ready: Call) -> None:
    name = released(ready)
    code, _, error = ready("ledger", "void", name)
    assert code == 10
    assert error == (
        f"LedgerRefused: release {name} is published, so it cannot be voided. A charge "
        "comes back only before data are opened.\n"
    )
    done = ready("ledger", "void", ID)
    assert is_refused(done, 10, f"release {ID} is not in this ledger")
    assert ready("ledger", "void", "r.json")[0] == 10
    assert ready("ledger", "void", "0" * 31)[0] == 3


# --- verify ---------------------------------------------------------------------------


def test_a_sound_ledger_is_called_sound(ready: Call) -> None:
    name = released(ready)
    code, out, error = ready("ledger", "verify", "r.json")
    assert (code, error) == (0, "")
    head = Ledger("dpratio.db").account().head
    assert out.splitlines() == [
        "Checked: scope 'main', 4 entries, head",
        f"{head}.",
        f"Checked: release {name}.",
        "The ledger is sound.",
    ]


def test_an_edited_ledger_is_called_unsound_and_releases_nothing(
    ready: Call, folder: Path
) -> None:
    name = released(ready)
    spoil(folder)
    code, out, error = ready("ledger", "verify")
    assert code == 11
    assert "WRONG: the ledger was edited, damaged or rolled back: entry 1" in out
    assert error.startswith("LedgerFailed: The ledger is NOT sound.")
    for words in (
        ("release", "study.toml", "-o", "s.json"),
        ("release", "study.toml", "-o", "r.json", "--id", name),
        ("ledger", "show"),
        ("ledger", "approve", "study.toml"),
        ("ledger", "void", name),
    ):
        code, _, error = ready(*words)
        assert code == 11, words
        assert "the ledger was edited, damaged or rolled back" in error
    assert not (folder / "s.json").exists()


def test_a_release_that_the_ledger_does_not_know_is_found(ready: Call) -> None:
    released(ready, "r.json", "--no-ledger")
    code, out, _ = ready("ledger", "verify", "r.json")
    assert code == 11
    assert "was made without a ledger." in out
    assert ready("ledger", "verify", "none.json")[0] == 5
    code, _, error = ready("ledger", "verify", "r.json", "study.toml")
    assert code == 6
    assert error.startswith("DocumentRefused: 'study.toml' is no release")


@pytest.mark.parametrize(
    "words",
    [
        ("show",),
        ("verify",),
        ("void", ID),
        ("approve", "study.toml"),
        ("backup", "copy.db"),
    ],
)
def test_a_ledger_that_is_not_there_is_not_made(
    words: tuple[str, ...], call: Call, folder: Path
) -> None:
    before = sorted(folder.iterdir())
    code, _, error = call("ledger", *words)
    assert code == 11
    assert "there is no ledger 'dpratio.db'" in error
    assert "`dpratio ledger init`" in error
    assert sorted(folder.iterdir()) == before
