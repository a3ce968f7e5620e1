"""Anchors: lines and bytes mutated beside a ledger that is sound."""

import json
from contextlib import suppress
from pathlib import Path

from hypothesis import strategies as st

from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.history import History
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.terms.budget import Budget
from fuzz.ledger_file import FOLDER, RELEASE
from fuzz.mutations import Mutation, mutate_bytes, mutate_document, mutations

__all__ = ["INPUTS", "MAY_OPEN", "REFUSALS", "VALID", "check", "make", "read"]

REFUSALS = (LedgerFailed, LedgerRefused)
FILE, ANCHOR = Path(FOLDER.name) / "anchored.db", Path(FOLDER.name) / "anchor.jsonl"
MAY_OPEN = (f"open ({f'{FILE}.lock'!r}, ",)
Drawn = tuple[list[Mutation], list[Mutation]]

INPUTS = st.tuples(
    st.lists(st.nothing()) | mutations(2), st.lists(st.nothing()) | mutations(3)
)
VALID: Drawn = ([], [])

BOOK = Ledger(FILE, anchor=ANCHOR)
BOOK.open_scope(Scope("people", Budget(9, "1e-4")))
BOOK.charge("0" * 32, RELEASE.plan)  # type: ignore[arg-type]
BOOK.open("0" * 32)
LINES = ANCHOR.read_text(encoding="utf-8").splitlines()


def make(drawn: Drawn) -> bytes:
    nodes, flips = drawn
    lines = list(LINES)
    for each in nodes:
        at = each[1] % len(lines)
        lines[at] = mutate_document(json.loads(LINES[at]), [each])
    text = "".join(f"{line}\n" for line in lines)
    made = mutate_bytes(text.encode("utf-8", "surrogatepass"), flips)
    ANCHOR.write_bytes(made)
    return made


def read(_: bytes) -> History:
    book = Ledger(FILE, anchor=ANCHOR)
    with suppress(*REFUSALS):
        assert verify_ledger(book).lines()
    return book.history()


def check(history: History) -> None:
    assert history.said()
