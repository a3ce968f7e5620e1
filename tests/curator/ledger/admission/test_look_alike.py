"""Names of scopes that look alike are refused beside one another; others are not."""

import pytest

from curator.ledger.loans import SCOPE
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.admission.look_alike import require_distinct
from dpratio.curator.ledger.ledger import Ledger
from dpratio.errors import LedgerRefused
from dpratio.terms.budget import Budget

ALIKE = {
    "case": ("loans", "Loans"),
    "all capitals": ("mail", "MAIL"),
    "two spaces": ("big loans", "big  loans"),
    "Cyrillic letters": ("loans", "l\u043e\u0430ns"),
    "Greek letters": ("loans", "l\u03bfans"),
    "Armenian letters": ("no", "\u0578\u0585"),
    "a capital of another alphabet": ("HOME", "\u041d\u041eM\u0415"),
    "an alphabet of its own": ("cope", "\u0441\u043e\u0440\u0435"),
    "a filler": ("loans", "lo\u3164ans"),
    "wide letters": ("loans", "\uff4coans"),
    "letters for formulas": ("loans", "\U0001d425oans"),
    "a ligature": ("traffic", "tra\ufb03c"),
    "composed and not": ("\uac00", "\u1100\u1161"),
    "a digit for a letter": ("loans", "l0ans"),
    "one for l": ("loans", "1oans"),
    "I for l": ("loans", "Ioans"),
    "a soft hyphen": ("loans", "lo\xadans"),
    "joined without being seen": ("loans", "lo\u200bans"),
    "accents composed and not": ("caf\xe9", "cafe\u0301"),
}


@pytest.mark.parametrize("how", ALIKE)
def test_names_that_look_alike_are_refused_beside_one_another(how: str) -> None:
    one, other = ALIKE[how]
    for new, known in ((one, other), (other, one)):
        with pytest.raises(LedgerRefused, match=r"looks like scope .*, which is open"):
            require_distinct(new, ["cards", known])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("loans 2023", "loans 2024"),
        ("loans", "loan"),
        ("mail", "mall"),
        ("größe", "grosse"),
        ("resume", "résumé"),
        ("a-b", "a b"),
        ("data-1", "data-2"),
        ("кредиты", "карты"),
    ],
)
def test_names_that_differ_are_not(one: str, other: str) -> None:
    require_distinct(one, [other])
    require_distinct(other, [one])
    require_distinct(one, [])


def test_a_scope_is_not_opened_beside_one_that_looks_like_it(ledger: Ledger) -> None:
    with pytest.raises(LedgerRefused) as told:
        ledger.open_scope(Scope("lo\u0430ns", Budget(1)))
    assert str(told.value) == (
        r"the name 'lo\u0430ns' looks like scope 'loans', which is open. Use that one, "
        "or a name that nobody takes for it."
    )
    assert ledger.scopes() == ["loans"]
    assert ledger.open_scope(SCOPE).seq == 0  # The same name again is no other.
