"""Where a release stands after it was stopped, and what to do: from the ledger alone.

Nothing here depends on data: a release is charged, opened and sealed whatever they
hold.
"""

from dataclasses import dataclass

from dpratio.curator.ledger.account.account import Account
from dpratio.curator.ledger.account.held import SET_ASIDE
from dpratio.curator.ledger.admission.admit import describe_new_draw
from dpratio.curator.ledger.claim import is_unbegun
from dpratio.curator.ledger.ledger import Ledger
from dpratio.errors import DpratioError

_AGAIN = "Run it again under this id, for free."
_WORDS = {
    "unknown": "could not be found in the ledger just now. Run it again under this id.",
    "not charged": "was not charged. Run it again.",
    "charged": f"is charged, and no data were opened. {_AGAIN}",
    "opened": "stays charged: data were opened, and noise is drawn once for a charge.",
    "spooled": f"is drawn, and waits in the spool of this machine. {_AGAIN}",
    "sealed": f"is sealed. {_AGAIN}",
    "published": f"is sealed and published. {_AGAIN}",
    "void": "was voided. Run again under a new id.",
    "stranded": "stays charged: lines of the ledger were lost. Run under a new id.",
    SET_ASIDE: "stays charged: a line about it was set aside. Run under a new id.",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a release came, in one word and in sentences, and its account."""

    release_id: str
    status: str
    account: Account | None = None

    @property
    def words(self) -> str:
        """Say where it stands and what to do; of one that is gone, what it costs."""
        said = f"Release {self.release_id} {_WORDS[self.status]}"
        if self.status != "opened" or self.account is None:
            return said
        held = self.account.releases[self.release_id]
        return f"{said} {describe_new_draw(self.account, held.charge)}."


def standing_of(book: Ledger, release_id: str) -> Standing:
    """Ask the ledger how far a release came; it may be out of reach."""
    try:
        with book.watch.reading() as watched:
            scope = watched.tables.scope_of(release_id)
            if scope is None:
                return Standing(release_id, "not charged")
            account = watched.follow(scope)
        held = account.releases[release_id]
        state = held.state
        if is_unbegun(held, book.spool, release_id):
            state = "charged"
        elif state == "opened" and book.spool.kept(release_id) is not None:
            state = "spooled"
    except DpratioError:
        return Standing(release_id, "unknown")
    return Standing(release_id, state, account)
