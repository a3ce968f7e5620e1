"""Every way to ask something of a ledger, and what a refusal says."""

import traceback
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

import dpratio
from curator.ledger.attacks.books import DATA, is_plain, large_plan, name_of, plan_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.release.release import Release

__all__ = ["COST", "charge", "refusal", "released", "told_by", "verbs"]

COST = Fraction(1, 10)
HOUSE = str(Path(dpratio.__file__).parent)


def charge(ledger: Ledger, number: int) -> None:
    """Charge one release."""
    ledger.charge(name_of(number), plan_of("0.1"))


def released(ledger: Ledger, number: int, out: Path | None = None) -> Release:
    """Release once more from the only scope."""
    return release_sums(
        DATA,
        large_plan(),
        ledger=ledger,
        release_id=name_of(number),
        out=out,
    )


def refusal(step: Callable[[], object], *secrets: str) -> str:
    """Run a step that must be refused plainly; give what was said."""
    with pytest.raises((LedgerFailed, LedgerRefused)) as refused:
        step()
    assert is_plain(refused.value, *secrets), str(refused.value)
    return str(refused.value)


def verbs(location: str | Path) -> list[Callable[[], object]]:
    """Every way to ask something of a ledger."""
    ledger = Ledger(location)
    return [
        ledger.scopes,
        ledger.account,
        partial(charge, ledger, 2),
        partial(released, ledger, 3),
        partial(ledger.open, name_of(1)),
        partial(ledger.void, name_of(1)),
        partial(ledger.publish, name_of(1)),
        partial(ledger.approve, plan_of("0.1"), source="mine"),
        partial(ledger.allow_source, "mine"),
        partial(ledger.seal, name_of(1), b"bytes"),
        partial(ledger.sealed, name_of(1), plan_of("0.1")),
        partial(verify_ledger, ledger),
    ]


def told_by(verb: Callable[[], object]) -> str:
    """Run a verb; give all that it returns or raises, with the locals of our frames."""
    try:
        return repr(verb())
    except Exception as error:  # noqa: BLE001 (whatever it is, it must not tell)
        return f"{error!r} {error} {_frames(error)}"


def _frames(error: BaseException | None) -> str:
    if error is None:
        return ""
    full = traceback.TracebackException.from_exception(error, capture_locals=True)
    own = [frame for frame in full.stack if frame.filename.startswith(HOUSE)]
    shown = " ".join(f"{frame.line} {frame.locals}" for frame in own)
    return f"{error} {shown} {_frames(error.__cause__)} {_frames(error.__context__)}"
