"""`dpratio ledger recover`: what an owner does with an old copy."""

import shutil

from cli.commands_for_tests import Call, is_refused
from cli.data_holder.ledger.charged import released
from dpratio.curator.ledger.ledger import Ledger

NAMED = ("--by", "olga", "--why", "an old backup was restored")
ANCHORED = ("--anchor", "heads")


def test_an_old_backup_is_recovered(call: Call) -> None:
    assert call("ledger", "init", "--epsilon", "2", *ANCHORED)[0] == 0
    shutil.copy("dpratio.db", "old.db")
    released(call, "r.json", *ANCHORED)
    spent = Ledger("dpratio.db", anchor="heads").account().spent
    shutil.copy("old.db", "dpratio.db")
    assert call("ledger", "show", *ANCHORED)[0] == 11
    code, out, _ = call("ledger", "recover", *NAMED, *ANCHORED)
    assert code == 0
    assert "an old backup was restored." in out
    assert Ledger("dpratio.db", anchor="heads").account().spent == spent
    code, out, _ = call("ledger", "verify", *ANCHORED)
    assert code == 0
    assert "Note: Written off as spent in entry 1 of scope 'main'" in out
    done = call("ledger", "recover", *NAMED, *ANCHORED)
    assert is_refused(done, 10, "there is nothing to recover")


def test_all_that_is_left_is_written_off(ready: Call) -> None:
    code, out, _ = ready("ledger", "recover", "--everything", *NAMED)
    assert code == 0
    assert "Left: epsilon 0, delta 0." in out
