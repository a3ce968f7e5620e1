"""One step of a release that was charged: opened, sealed, published or void."""

from collections.abc import Mapping

from dpratio.curator.ledger.account.held import AFTER
from dpratio.curator.ledger.admission.approved import require_still_approved
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.curator.ledger.store import clock
from dpratio.errors import LedgerRefused
from dpratio.release.release import require_id

# Of the others the state itself is said.
_SAID = {
    "charge": "charged",
    "void": "voided",
    "stranded": "from before lines of the ledger were lost",
}
_ADVICE = {"void": "A charge comes back only before data are opened."}


def step(
    watch: Watch,
    release_id: str,
    kind: str,
    event: Mapping[str, str],
    content: bytes | None = None,
) -> str:
    """Move a release on by one step; give the new head.

    Raises:
        LedgerRefused: When the step does not follow from where the release stands, or
            its approval no longer admits that data are opened.
    """
    require_id(release_id)
    with watch.writing() as watched:
        before, held = watched.held(release_id)
        is_sealed = kind == "sealed" and held.said(kind) == event
        if held.state == kind == "published" or is_sealed:
            return before.head  # It was done; perhaps nobody was told.
        is_claimed = held.state == kind == "opened" and held.said(kind) == event
        if is_claimed and not held.lapsed:
            watched.require_use(before)
            # Rows are read from here on, so the line must be anchored by now.
            watched.appended.append(before)
            return held.entries[-1].hash
        if held.state != AFTER[kind]:
            raise LedgerRefused(
                f"release {release_id} is {_SAID.get(held.state, held.state)}, so it "
                f"cannot be {_SAID.get(kind, kind)}. {_ADVICE.get(kind, '')}".rstrip()
            )
        now = clock.time_now()
        if kind == "opened":
            asker = (before.writer, held.said("charge")["by"])
            require_still_approved(before, release_id, held, time=now, asker=asker)
        if content is not None:
            watched.tables.add_artifact(release_id, content, event["sha256"])
        entry = watched.write(before, kind, event, time=now, subject=release_id)
    return entry.hash
