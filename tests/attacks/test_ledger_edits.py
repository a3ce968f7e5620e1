"""A ledger that was edited, rolled back or written over is known as such."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from curator.ledger.attacks.books import (
    DATA,
    name_of,
    open_book,
    plan_of,
)
from curator.ledger.attacks.tampering import COLUMNS, forge, link_again
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.entry import entry_from_row
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import FileRefused, InvalidInput, LedgerFailed
from dpratio.release.files import read_release


class Victim:
    """A ledger of two releases, with an anchor outside or without one."""

    def __init__(self, folder: Path, *, has_anchor: bool) -> None:
        self.path = folder / "budget.db"
        self.anchor = folder / "heads" if has_anchor else None
        ledger = open_book(str(self.path), anchor=self.anchor)
        first = release_sums(DATA, plan_of("0.1"), ledger=ledger, release_id=name_of(1))
        self.old = Path(shutil.copy(self.path, folder / "old.db"))
        last = release_sums(DATA, plan_of("0.1"), ledger=ledger, release_id=name_of(2))
        self.releases = [first, last]

    def ledger(self) -> Ledger:
        """A fresh look at it."""
        return Ledger(self.path, anchor=self.anchor)

    def is_trusted(self) -> bool:
        """Tell whether another release would be charged."""
        try:
            self.ledger().charge(name_of(3), plan_of("0.1"))
        except LedgerFailed:
            return False
        return True

    def findings(self) -> tuple[str, ...]:
        """What looking it over finds, beside the releases that are out."""
        return verify_ledger(self.ledger(), self.releases).wrong


CHEAPER = ("UPDATE entry SET loss = '1/1000' WHERE seq = 1", ())
MIDDLE = ("DELETE FROM entry WHERE seq = 2", ())
OTHER_LINK = ("UPDATE entry SET previous = hash WHERE seq = 2", ())
CAPS = ("UPDATE scope SET document = replace(document, '\"1000\"', '\"2000\"')", ())
BYTES = ("UPDATE artifact SET content = 'other'", ())


def roll_back(victim: Victim) -> None:
    """Put an old copy in its place."""
    shutil.copy(victim.old, victim.path)


def recompute(victim: Victim) -> None:
    """Make a charge cheaper and compute every hash again."""
    assert forge(victim.path, CHEAPER)
    link_again(victim.path, "loans")


def test_34_a_ledger_that_nobody_touched_is_sound(tmp_path: Path) -> None:
    """Without this the tests below would prove nothing.

    Source: Crosby & Wallach (2009), Efficient Data Structures for Tamper-Evident
    Logging.
    """
    for name in ("with", "without"):
        (tmp_path / name).mkdir()
        victim = Victim(tmp_path / name, has_anchor=name == "with")
        assert victim.findings() == ()
        assert victim.is_trusted()


def hash_one_line(victim: Victim) -> None:
    """Make a charge cheaper and compute the hash of its line, and of no other."""
    assert forge(victim.path, CHEAPER)
    with closing(sqlite3.connect(victim.path)) as connection:
        query = f"SELECT {COLUMNS} FROM entry WHERE seq = 1"  # noqa: S608 (fixed)
        entry = entry_from_row(connection.execute(query).fetchone())
    hashed = ("UPDATE entry SET hash = ? WHERE seq = 1", (entry.wanted_hash,))
    assert forge(victim.path, hashed)


def edit_by(statement: tuple[str, tuple[()]]) -> Callable[[Victim], None]:
    def edit(victim: Victim) -> None:
        assert forge(victim.path, statement)

    return edit


@pytest.mark.parametrize(
    "attack",
    [*map(edit_by, [CHEAPER, MIDDLE, OTHER_LINK, CAPS]), hash_one_line],
)
def test_34_an_edited_line_breaks_the_chain_of_hashes(
    attack: Callable[[Victim], None], tmp_path: Path
) -> None:
    """No release is charged to a ledger with a line that does not follow.

    Source: Crosby & Wallach (2009), Efficient Data Structures for Tamper-Evident
    Logging. More: tests/curator/ledger/attacks/test_tampering.py.
    """
    victim = Victim(tmp_path, has_anchor=False)
    attack(victim)
    assert not victim.is_trusted()
    assert victim.findings()


@pytest.mark.parametrize("attack", [roll_back, recompute])
def test_34_an_old_copy_or_a_chain_made_anew_is_stopped_by_the_anchor(
    attack: Callable[[Victim], None], tmp_path: Path
) -> None:
    """The head that is kept outside is not in the ledger that was put in its place.

    Source: Matetic et al. (2017), ROTE: Rollback Protection for Trusted Execution.
    """
    victim = Victim(tmp_path, has_anchor=True)
    attack(victim)
    assert not victim.is_trusted()
    assert victim.findings()


@pytest.mark.parametrize("attack", [roll_back, recompute])
def test_34_without_an_anchor_the_head_in_any_release_gives_it_away(
    attack: Callable[[Victim], None], tmp_path: Path
) -> None:
    """Each release carries the head of its ledger, and is not found in another one.

    Source: Matetic et al. (2017), ROTE: Rollback Protection for Trusted Execution.
    """
    victim = Victim(tmp_path, has_anchor=False)
    attack(victim)
    *_, newest = victim.releases
    assert newest.ledger_head is not None
    assert any(newest.id in each for each in victim.findings())


def test_34_bytes_that_were_changed_are_not_published_again(tmp_path: Path) -> None:
    """What is kept of a release is compared with the hash in the chain.

    Source: Crosby & Wallach (2009), Efficient Data Structures for Tamper-Evident
    Logging.
    """
    victim = Victim(tmp_path, has_anchor=False)
    assert forge(victim.path, BYTES)
    again, plan = victim.ledger(), plan_of("0.1")
    with pytest.raises(LedgerFailed, match="not in the ledger as they were sealed"):
        release_sums(DATA, plan, ledger=again, release_id=name_of(1))
    assert victim.findings()


@pytest.mark.parametrize("name", ["budget.db-journal", "heads", "link.json", "r.json"])
def test_34_a_release_is_never_written_over_what_counts(
    name: str, tmp_path: Path
) -> None:
    """Neither over the ledger's journal nor its anchor, a link, or a paid-for release.

    Source: found by an independent attack on this code, 2026 (``out=`` replaced links,
    devices and files, and took the name of the ledger's journal).
    More: tests/curator/ledger/test_charged_releases_out.py.
    """
    victim = Victim(tmp_path, has_anchor=True)
    paid = release_sums(DATA, plan_of("0.1"), ledger=None, out=tmp_path / "r.json")
    (tmp_path / "link.json").symlink_to(tmp_path / "r.json")
    with pytest.raises((FileRefused, InvalidInput)):
        release_sums(
            DATA,
            plan_of("0.1"),
            ledger=victim.ledger(),
            new_draw=True,
            out=tmp_path / name,
            replace=name != "r.json",
        )
    assert (tmp_path / "link.json").is_symlink()
    assert read_release(tmp_path / "r.json") == paid
    assert victim.findings() == ()
    assert victim.ledger().account().seq == 8


@pytest.mark.parametrize("kept", [slice(1, None), slice(0, 1)])
def test_34_an_anchor_that_lost_lines_is_reported(
    kept: slice, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At its start, in its middle, or so many at its end that no crash explains them.

    Source: found by an independent attack on this code, 2026.
    """
    monkeypatch.setattr("dpratio.curator.ledger.verify.MOST_BEHIND", 3)
    victim = Victim(tmp_path, has_anchor=True)
    lines = (tmp_path / "heads").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "heads").write_text("".join(lines[kept]), "utf-8")
    assert any("the anchor" in each for each in victim.findings())


def test_34_a_charge_below_its_price_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may append lines can chain a cheap charge; what was sealed shows it.

    Source: found by an independent attack on this code, 2026 (with INSERT alone: a
    charge of 0, then a release of epsilon 50 under a cap of 1).
    More: tests/curator/ledger/admission/test_paid.py, on a server too.
    """
    victim = Victim(tmp_path, has_anchor=False)
    with monkeypatch.context() as patched:
        free = Charge(Fraction(1, 10**9), Fraction(0))
        patched.setattr(
            "dpratio.curator.ledger.admission.admit.charge_of", lambda *_given: free
        )
        release_sums(DATA, plan_of("50"), ledger=victim.ledger())
    (wrong,) = victim.findings()
    assert wrong.endswith("was charged less than it costs.")
