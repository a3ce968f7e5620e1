"""A study, its data, and a ledger with two scopes that must refuse what is changed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from curator.ledger.attacks.books import plan_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerRefused
from dpratio.terms.budget import Budget
from planned import question_text

__all__ = ["COLUMNS", "DECLARED", "PATH", "PLAN", "STUDY", "Call", "book_of", "refusal"]

PLAN = plan_of("0.1")
COLUMNS = ["s", "y", "customer", "order"]
PATH = 'path = "data/a.csv"'
DECLARED = 'columns = ["s", "y", "customer", "order"]\ndelimiter = ";"'
STUDY = f"""
[data]
{PATH}
{DECLARED}
{question_text("s", "y")}
[unit]
column = "customer"
totals = {{ s = [0, 1], y = [0, 1] }}

[privacy]
epsilon = 0.1
scope = "loans"
"""

Call = Callable[..., tuple[int, str]]


def book_of(location: str | Path, *, approval: bool = False) -> Ledger:
    """A ledger with two scopes, the first of which may demand approval."""
    book = Ledger(location)
    book.open_scope(Scope("loans", Budget(9), needs_approval=approval))
    book.open_scope(Scope("cards", Budget(9)))
    return book


def refusal(book: Ledger, table: object, scope: str, source: object = None) -> str:
    """Ask for a release that must be refused, charge nothing and leave no trace."""
    before = [book.account(each) for each in book.scopes()]
    with pytest.raises(LedgerRefused) as refused:
        release_sums(table, PLAN, ledger=book, scope=scope, source=source)
    assert [book.account(each) for each in book.scopes()] == before
    return str(refused.value)
