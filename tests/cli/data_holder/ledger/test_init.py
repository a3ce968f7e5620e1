"""`dpratio ledger init` registers a dataset; help names the other commands."""

from pathlib import Path

import pytest

from cli.commands_for_tests import Call, is_refused
from cli.data_holder.ledger.charged import released
from dpratio.curator.ledger.ledger import Ledger


def test_init_registers_a_dataset_and_says_its_terms(call: Call, folder: Path) -> None:
    code, out, error = call("ledger", "init", "--epsilon", "3", "--delta", "1e-5")
    assert (code, error) == (0, "")
    assert out.splitlines() == [
        "Scope 'main': single rows, add-or-remove-one.",
        "Caps: epsilon 3, delta 0.00001; epsilon and delta add up.",
        "Spent: epsilon 0, delta 0.",
        "Left: epsilon 3, delta 0.00001.",
        "The next release: up to epsilon 3 and delta 0.00001.",
    ]
    assert (folder / "dpratio.db").is_file()


def test_init_takes_every_term(call: Call, folder: Path) -> None:
    words = [
        *("--scope", "loans", "--dataset", "All loans", "--unit", "customer"),
        *("--epsilon", "3", "--delta", "1e-5", "--accounting", "zcdp"),
        *("--neighbours", "change-one", "--largest-delta", "1e-6", "--approval"),
        *("--ledger", "budget.db", "--anchor", "heads"),
    ]
    code, out, _ = call("ledger", "init", *words)
    assert code == 0
    assert "Scope 'loans' (All loans): all rows of one 'customer', change-one." in out
    assert "No release may have a delta above 0.000001." in out
    assert "Only approved studies run: 0 so far." in out
    assert "Its heads are anchored outside." in out
    scope = Ledger(folder / "budget.db", anchor="heads").account().scope
    assert (scope.accounting, scope.needs_approval) == ("zcdp", True)


def test_init_again_changes_nothing_and_raises_no_cap(ready: Call) -> None:
    released(ready)
    code, out, _ = ready("ledger", "init", "--epsilon", "2", "--delta", "1e-6")
    assert code == 0
    assert "Spent: epsilon 0.5" in out
    code, _, error = ready("ledger", "init", "--epsilon", "3", "--delta", "1e-6")
    assert code == 10
    assert error.startswith(
        "LedgerRefused: scope 'main' is open already, with other terms: "
    )


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--epsilon", "0"], 3, "epsilon must be positive"),
        (["--epsilon", "-1"], 3, "epsilon must be positive"),
        (["--epsilon", "nan"], 3, "epsilon must be a finite number"),
        (["--epsilon", "much"], 3, "epsilon must be a finite number"),
        (["--epsilon", "1", "--delta", "1"], 3, "delta must be 0, or at least"),
        (["--epsilon", "1", "--scope", "a\nb"], 3, "a scope needs a plain name"),
        (["--epsilon", "1", "--accounting", "rdp"], 3, "unknown accounting"),
        (["--epsilon", "1", "--accounting", "zcdp"], 3, "needs a cap of delta above 0"),
        (["--epsilon", "1", "--largest-delta", "0.1"], 3, "at most the cap of delta"),
        (["--epsilon", "1", "--largest-delta", "x"], 3, "must be a finite number"),
        (["--epsilon", "1", "--neighbours", "none"], 3, "unknown neighbour relation"),
        (["--epsilon", "1", "--ledger", "no/such.db"], 11, "it cannot be opened"),
        (["--epsilon", "1", "--ledger", "people.csv"], 11, "it is not a ledger"),
        ([], 2, "Missing option '--epsilon'"),
    ],
)
def test_bad_terms_are_one_line_and_make_no_ledger(
    words: list[str], code: int, said: str, call: Call, folder: Path
) -> None:
    before = sorted(folder.iterdir())
    assert is_refused(call("ledger", "init", *words), code, said)
    assert sorted(folder.iterdir()) == before


def test_help_names_the_commands_and_their_environment(call: Call) -> None:
    code, out, _ = call("ledger", "--help")
    assert code == 0
    for name in ("init", "show", "verify", "void", "approve", "roles"):
        assert name in out
    _, out, _ = call("ledger", "show", "--help")
    assert "DPRATIO_LEDGER" in out
    assert "DPRATIO_ANCHOR" in out
    _, out, _ = call("--help")
    assert "10 ledger refused" in out
    assert "11 ledger failed" in out
