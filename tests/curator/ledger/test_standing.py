"""Where a release stands, and what to do, from the ledger alone."""

from pathlib import Path

import pytest

from curator.ledger.loans import ID, bring
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.standing import standing_of

AGAIN = "Run it again under this id, for free."
COSTS = (
    "A new draw costs epsilon 0.1 and delta 0 and leaves epsilon 0.8 and delta "
    "0.000001 in scope 'loans'."
)


@pytest.mark.parametrize(
    ("state", "status", "said"),
    [
        ("charge", "charged", f"is charged, and no data were opened. {AGAIN}"),
        (
            "opened",
            "opened",
            (
                "stays charged: data were opened, and noise is drawn once for a "
                f"charge. {COSTS}"
            ),
        ),
        ("sealed", "sealed", f"is sealed. {AGAIN}"),
        ("published", "published", f"is sealed and published. {AGAIN}"),
        ("void", "void", "was voided. Run again under a new id."),
    ],
)
def test_a_release_is_told_from_its_last_entry(
    state: str, status: str, said: str, file_ledger: Ledger
) -> None:
    bring(file_ledger, state)
    standing = standing_of(file_ledger, ID)
    assert (standing.status, standing.words) == (status, f"Release {ID} {said}")


def test_a_release_that_the_ledger_does_not_know_was_not_charged(
    file_ledger: Ledger,
) -> None:
    standing = standing_of(file_ledger, ID)
    assert (standing.status, standing.account) == ("not charged", None)
    assert standing.words == f"Release {ID} was not charged. Run it again."


def test_what_was_drawn_waits_in_the_spool(file_ledger: Ledger) -> None:
    bring(file_ledger, "opened")
    assert file_ledger.spool.keep(ID, b"{}")
    standing = standing_of(file_ledger, ID)
    assert standing.status == "spooled"
    assert standing.words.endswith(f"waits in the spool of this machine. {AGAIN}")


def test_a_ledger_that_cannot_be_read_leaves_it_open(tmp_path: Path) -> None:
    standing = standing_of(Ledger(tmp_path / "none.db"), ID)
    assert standing.status == "unknown"
    assert standing.words == (
        f"Release {ID} could not be found in the ledger just now. Run it again under "
        "this id."
    )
