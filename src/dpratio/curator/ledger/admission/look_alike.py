"""Names of scopes that people would take for each other: refused beside one another.

Whoever could open 'Loans' beside 'loans', or one with a letter of another alphabet,
would give the same data a second budget.
"""

import unicodedata
from collections.abc import Iterable

from dpratio.errors import LedgerRefused

# Letters of other alphabets that are drawn like Latin ones, after case is folded.
_DRAWN_LIKE = str.maketrans(
    dict(zip("авсԁеһіјкӏмнорԛѕтухԝѵьґѡ", "abcdehijklmhopqstyxwvbrw", strict=True))
    | dict(zip("αβεζηικμνορτυχγσωϲϳ", "abezhikmvoptuxyowcj", strict=True))
    | dict(zip("ոսօհյզցքգպ", "nuohjqgfqw", strict=True))
    | dict(zip("ıɑɡɩʏᴀᴄᴇᴏᴛ", "iagiyaceot", strict=True))
)
_DIGITS = str.maketrans("I1|0O", "llloo")
# Letters, as Unicode has it, that nothing is drawn for.
_BLANK = {"\u115f", "\u1160", "\u3164", "\uffa0", "\u2800"}


def require_distinct(name: str, known: Iterable[str]) -> None:
    """Refuse a new name that looks like one that exists.

    Raises:
        LedgerRefused: When case, spaces, invisible letters, composed letters, digits
            or letters of another alphabet are all that differs.

    Example:
        >>> require_distinct("loans 2024", ["loans 2023"])
    """
    for other in known:
        if _folded(name) == _folded(other) or _drawn(name) == _drawn(other):
            raise LedgerRefused(
                f"the name {name!a} looks like scope {other!a}, which is "
                "open. Use that one, or a name that nobody takes for it."
            )


def _folded(name: str) -> str:
    """Bring names to one form that differ in case, spaces or alphabet alone."""
    return _plain(_plain(name).casefold()).translate(_DRAWN_LIKE)


def _drawn(name: str) -> str:
    """Bring names to one form that are drawn alike, 'l0an' and 'Ioan' for instance."""
    plain = _plain(name)
    small = plain.translate(_DRAWN_LIKE)
    return small.translate(_DIGITS)


def _plain(name: str) -> str:
    """Compose letters, and drop what is not seen."""
    composed = unicodedata.normalize("NFKC", name)
    seen = [
        each
        for each in composed
        if each not in _BLANK and not unicodedata.category(each).startswith("C")
    ]
    return " ".join("".join(seen).split())
