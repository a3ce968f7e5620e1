"""Sixty-four processes at one budget: not a fraction is spent twice or lost."""

from fractions import Fraction
from pathlib import Path

import pytest

from curator.ledger.attacks.books import open_book, run_script, total
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.release.files import release_from_bytes
from dpratio.terms.budget import Budget
from soak import IS_SOAK

CAP = Fraction(5)
ATTEMPTS = 10_000 if IS_SOAK else 1_500
ON_A_SERVER = ATTEMPTS if IS_SOAK else 1_000
MOST_WAITS = 100  # A machine under load may keep a few waiting for a minute.


def test_thousands_of_attempts_of_64_processes_spend_no_more_than_the_cap(
    any_ledger: str,
) -> None:
    open_book(any_ledger, Scope("loans", Budget(CAP, "1e-6")))
    attempts = ON_A_SERVER if any_ledger.startswith("postgres") else ATTEMPTS
    said = run_script("racing", "charge", any_ledger, "", "64", str(attempts))
    failures = [each for one in said for each in one["failures"]]
    assert [each for each in failures if "locked" not in each] == []
    assert len(failures) <= MOST_WAITS
    accepted = {name: cost for one in said for name, cost in one["accepted"].items()}
    account = Ledger(any_ledger).account()
    held = {name: each.charge for name, each in account.releases.items()}
    # All that was said to be charged is in the ledger, and nothing else.
    assert held == {
        name: Charge(Fraction(cost), Fraction(0)) for name, cost in accepted.items()
    }
    assert account.spent.loss == total(list(accepted.values()))
    # The cheapest plan is asked for hundreds of times: none of it can be left.
    assert CAP - Fraction(1, 1000) < account.spent.loss <= CAP
    assert account.seq == len(accepted)
    assert verify_ledger(Ledger(any_ledger)).wrong == ()
    print(f"attempts {attempts}, accepted {len(accepted)}, overspend 0")  # noqa: T201


def test_processes_that_share_an_anchor_do_not_stop_each_other(
    any_ledger: str, tmp_path: Path
) -> None:
    anchor = tmp_path / "heads"
    open_book(any_ledger, Scope("loans", Budget(1, "1e-6")), anchor=anchor)
    said = run_script("racing", "charge", any_ledger, str(anchor), "16", "400")
    assert [each for one in said for each in one["failures"]] == []
    accepted = [cost for one in said for cost in one["accepted"].values()]
    account = Ledger(any_ledger, anchor=anchor).account()
    assert account.spent.loss == total(accepted) <= 1
    # A head that its writer was slow to anchor is anchored by another one too.
    assert len(set(anchor.read_text().splitlines())) == account.seq + 1
    assert verify_ledger(Ledger(any_ledger, anchor=anchor)).wrong == ()


@pytest.mark.parametrize(("processes", "named"), [(64, "a" * 32), (16, "")])
def test_processes_that_ask_for_one_release_get_one_charge_and_one_set_of_bytes(
    any_ledger: str, processes: int, named: str
) -> None:
    """Whether they name it, or ask for the same without a name."""
    open_book(any_ledger, Scope("loans", Budget(10, "1e-6")))
    said = run_script("racing", "release", any_ledger, str(processes), named)
    written = {one["bytes"] for one in said if one["bytes"]}
    assert len(written) == 1
    assert sum(one["draws"] for one in said) == 1
    assert all(one["bytes"] or one["refused"] for one in said)
    account = Ledger(any_ledger).account()
    assert account.spent == Charge(Fraction(1, 10), Fraction(0))
    release = release_from_bytes(written.pop().encode())
    assert list(account.releases) == [release.id]
    assert release.id == (named or release.id)
    assert account.releases[release.id].state == "published"
    assert verify_ledger(Ledger(any_ledger), [release]).wrong == ()
