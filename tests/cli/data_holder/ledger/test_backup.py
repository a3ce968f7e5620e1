"""`dpratio ledger backup`: a copy that was verified, and nothing replaced."""

from pathlib import Path

from cli.commands_for_tests import Call, is_refused
from cli.data_holder.ledger.charged import released
from dpratio.curator.ledger.ledger import Ledger


def test_the_ledger_is_copied_and_verified(ready: Call) -> None:
    released(ready)
    code, out, error = ready("ledger", "backup", "copy.db")
    said = "Copied to copy.db, and verified. Never go on with an old copy.\n"
    assert (code, out, error) == (0, said, "")
    assert Ledger("copy.db").account() == Ledger("dpratio.db").account()


def test_a_file_that_exists_stays(ready: Call) -> None:
    before = Path("people.csv").read_bytes()
    done = ready("ledger", "backup", "people.csv")
    assert is_refused(done, 5, "a copy replaces nothing")
    assert Path("people.csv").read_bytes() == before
