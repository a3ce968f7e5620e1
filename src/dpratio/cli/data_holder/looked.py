"""What the ledger says about a plan: whether its terms were set after a look."""

import os
from pathlib import Path

from dpratio.cli.data_holder.ledger import open_ledger
from dpratio.cli.options import LEDGER
from dpratio.errors import DpratioError

__all__ = ["look_notes"]

_AFTER = "{words}: its releases will say so. The guarantee does not cover their choice."
_UNKNOWN = (
    "The ledger does not tell whether terms were set after a look at the data: name it "
    "with --ledger, with --scope and --anchor where it has them."
)


def look_notes(
    location: str | None, scope: str | None, anchor: Path | None
) -> list[str]:
    """Say that terms were set after a look; nothing where there was none.

    Args:
        location: The ledger; None for the usual one, where there is one. It may be out
            of reach then: a plan is made without it.
        scope: The dataset's scope.
        anchor: Its anchor.
    """
    from dpratio.curator.ledger.looks import is_looked_at
    from dpratio.release.release import AFTER_LOOK

    usual = os.environ.get("DPRATIO_LEDGER", LEDGER)
    if location is None and usual == LEDGER and not Path(LEDGER).exists():
        return []
    try:
        book = open_ledger(location or usual, anchor)
        if location is None and scope is not None and scope not in book.scopes():
            return []
        is_looked = is_looked_at(book.account(scope))
    except DpratioError:
        if location is not None:
            raise
        return [_UNKNOWN]
    return [_AFTER.format(words=AFTER_LOOK.capitalize())] if is_looked else []
