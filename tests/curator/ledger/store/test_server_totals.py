"""What a server keeps beside the lines is what the terms and the lines say."""

from contextlib import suppress

import psycopg
import pytest

from curator.ledger.loans import ID, PLAN, SCOPE, bring, wrong_in
from dpratio.curator.ledger.ledger import Ledger
from dpratio.errors import LedgerFailed


def edited(address: str, words: str) -> Ledger:
    """A ledger that the owner edited, with all its triggers back in place."""
    ledger = Ledger(address)
    ledger.open_scope(SCOPE)
    bring(ledger, "void", "2" * 32)
    bring(ledger, "published")
    with psycopg.connect(address) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(words.encode())
    return ledger


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "UPDATE dpratio.scope SET loss = '9/1'",
            "the caps of scope 'loans' on the server are not its terms.",
        ),
        (
            "UPDATE dpratio.entry SET spent_loss = '0/1' WHERE seq = 3",
            "what scope 'loans' has spent is not the sum of its lines.",
        ),
        (
            "UPDATE dpratio.entry SET spent_delta = '-1/1' WHERE kind = 'published'",
            "what scope 'loans' has spent is not the sum of its lines.",
        ),
    ],
)
def test_an_edit_of_caps_or_totals_is_found(
    words: str, said: str, postgres_url: str
) -> None:
    assert wrong_in(edited(postgres_url, words)) == (said,)


@pytest.mark.parametrize(
    "words",
    [
        "DELETE FROM dpratio.entry WHERE kind = 'charge'",
        "UPDATE dpratio.entry SET loss = 'nan'",
        "UPDATE dpratio.scope SET document = '{}'",
    ],
)
def test_a_chain_that_cannot_be_added_up_is_found_too(
    words: str, postgres_url: str
) -> None:
    ledger = edited(postgres_url, words)
    with suppress(LedgerFailed):
        assert wrong_in(ledger)
    with pytest.raises(LedgerFailed):
        Ledger(postgres_url).charge(ID, PLAN)
