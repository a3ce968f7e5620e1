"""Ids of releases, and what a release says of where it comes from.

An id is hexadecimal digits, or any text that stands for them. A scheduler knows what a
run is called before it runs. The same text is the same id, so that a second attempt
goes on with the first one's charge.
"""

import hashlib
import re

from dpratio.checks import require
from dpratio.plan.strategy.layout import EXTERNAL
from dpratio.strict import Node
from dpratio.terms.budget import Budget

__all__ = [
    "id_of",
    "read_id",
    "require_derived",
    "require_hash",
    "require_id",
    "require_origin",
]

_ID = re.compile("[0-9a-f]{32}")
# Nobody calls a run so; somebody may have lost a digit, or the case.
_ALMOST = re.compile("[0-9a-fA-F]{16,}")
_LONGEST = 1000


def id_of(text: object) -> str:
    """Give the id that a text stands for; an id stands for itself.

    Raises:
        InvalidInput: When it is no line of text, or nearly an id: a mistyped one would
            be charged as a new release.

    Example:
        >>> id_of("orders 2026-11")
        '850f107f388ee934f906e0abe5f37c96'
        >>> id_of("0123456789abcdef0123456789abcdef")
        '0123456789abcdef0123456789abcdef'
    """
    line = isinstance(text, str) and 0 < len(text) <= _LONGEST and text.isprintable()
    plain = line and str(text).strip() == text
    rule = "a release id is 32 hexadecimal digits, or one line of text"
    require(plain, rule, text)
    name = str(text)
    if _ID.fullmatch(name):
        return name
    hint = "Correct it; or add a word, if it is the name of a run."
    nearly = _ALMOST.fullmatch(name)
    require(nearly is None, "a release id has 32 digits, in lower case", name, hint)
    return hashlib.sha256(f"dpratio release id:{name}".encode()).hexdigest()[:32]


def require_hash(name: object, called: str) -> None:
    """Refuse what cannot be a hash; None is none."""
    hashed = isinstance(name, str) and re.fullmatch("[0-9a-f]{64}", name)
    rule = f"{called} is 64 hexadecimal digits"
    require(name is None or hashed, rule, name)


def require_id(name: object) -> None:
    """Refuse what cannot name a release."""
    named = isinstance(name, str) and _ID.fullmatch(name)
    require(named, "a release id is 32 hexadecimal digits", name)


def read_id(node: Node) -> str:
    """Read the id of a release from a document."""
    if not _ID.fullmatch(node.text()):
        node.refuse("must be 32 hexadecimal digits")
    return node.text()


def require_derived(
    heads: object, sources: tuple[str, ...], apart: object, cost: Budget
) -> None:
    """Refuse what only a release that was made from others may state."""
    fits = isinstance(heads, tuple) and len(set(heads)) == len(heads)
    rule = "each release that this one was made from has one ledger head at most"
    require(fits and len(heads) <= len(sources), rule, heads)  # type: ignore[arg-type]
    if apart is not None:
        fits = isinstance(apart, Budget) and (
            apart.epsilon <= cost.epsilon and apart.delta <= cost.delta
        )
        rule = "one of several releases costs no more than all of them"
        require(len(sources) > 1 and fits, rule, apart)


def require_origin(origin: object, strategy: str) -> None:
    """Stamp what was measured elsewhere, and nothing else."""
    named = isinstance(origin, str) and origin.strip() != "" and origin.isprintable()
    require(named or origin is None, "origin must be plain text or None", origin)
    rule = "a release has an origin if, and only if, it was measured elsewhere"
    require((origin is not None) == (strategy == EXTERNAL), rule, origin)
