"""A ledger that lost lines, or was moved: neither gives budget back."""

import shutil
from fractions import Fraction
from pathlib import Path

import psycopg
import pytest

from curator.ledger.attacks.books import DATA, name_of, open_book, plan_of
from curator.ledger.restoring import lose
from curator.ledger.teams import team_at
from dpratio.curator.ledger.account.account import Account, subject_of
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.entry import Entry, link
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.export import export_ledger
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.move import import_ledger
from dpratio.curator.ledger.recover import recover_ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.terms.budget import Budget

ONE = Scope("loans", Budget(1, "1e-6"))
HALF = Fraction(1, 2)


class Book:
    """A ledger with an anchor, charged a tenth five times; the first is opened last."""

    def __init__(self, location: str, folder: Path) -> None:
        self.location, self.heads = location, folder / "heads"
        ledger = open_book(location, ONE, anchor=self.heads)
        for number in (1, 2, 3, 4, 5):
            ledger.charge(name_of(number), plan_of("0.1"))
        ledger.open(name_of(1))

    def ledger(self) -> Ledger:
        """The ledger as a new process sees it."""
        return Ledger(self.location, anchor=self.heads)

    def recover(self, *, everything: bool = False) -> Account:
        """Write off what was lost."""
        return recover_ledger(
            self.ledger(), by="olga", why="lost", everything=everything
        )


@pytest.fixture(params=["sqlite", "postgres"])
def book(request: pytest.FixtureRequest, tmp_path: Path) -> Book:
    """The same in a file and on a server."""
    if request.param == "sqlite":
        return Book(str(tmp_path / "budget.db"), tmp_path)
    return Book(str(request.getfixturevalue("postgres_url")), tmp_path)


@pytest.mark.parametrize("kept", [0, 1, 3])
def test_34_recovering_an_old_copy_frees_nothing(kept: int, book: Book) -> None:
    """Rolled back and recovered, twice over, at least as much is spent as before.

    Source: found while recovery was written, 2026.
    More: tests/curator/ledger/test_recover.py.
    """
    for _ in range(2):
        lose(book.location, kept)
        with pytest.raises(LedgerFailed, match="older than what was seen"):
            book.ledger().account()
        assert book.recover().spent.loss == HALF
        with pytest.raises(LedgerRefused, match="nothing to recover"):
            book.recover()
    assert verify_ledger(book.ledger()).wrong == ()
    told = [each for each in verify_ledger(book.ledger()).notes if "Written" in each]
    assert len(told) == 1


def test_34_an_anchor_that_does_not_tell_costs_the_whole_cap(book: Book) -> None:
    """Lines of before hold no amounts, and a forger could take them away.

    Source: found while recovery was written, 2026.
    """
    lines = book.heads.read_text().splitlines()
    newest = lines[-1].partition(', "loss"')[0] + "}"
    book.heads.write_text("".join(f"{each}\n" for each in (*lines[:-1], newest)))
    lose(book.location, 2)
    assert book.recover().left == Charge(Fraction(0), Fraction(0))


def test_34_a_line_of_the_anchor_that_tells_less_does_not_count(book: Book) -> None:
    """The most that any lost line tells is spent, whatever the newest one says.

    Source: found while recovery was written, 2026.
    """
    lines = book.heads.read_text().splitlines()
    lines[-1] = lines[-1].replace('"1/2"', '"1/1000"')
    book.heads.write_text("".join(f"{each}\n" for each in lines))
    lose(book.location, 2)
    assert book.recover().spent.loss == HALF


def test_34_an_anchor_of_another_ledger_or_one_that_was_cut_recovers_nothing(
    book: Book, tmp_path: Path
) -> None:
    """An anchor must know the lines that are left; one that is behind frees nothing.

    Source: found while recovery was written, 2026.
    """
    (tmp_path / "other").mkdir()
    other = Book(str(tmp_path / "other" / "budget.db"), tmp_path / "other")
    lines = book.heads.read_text().splitlines()
    lose(book.location, 2)
    shutil.copy(other.heads, book.heads)
    with pytest.raises(LedgerFailed, match="is not the one in the anchor"):
        book.recover()
    book.heads.write_text("".join(f"{each}\n" for each in lines[3:]))
    with pytest.raises(LedgerFailed, match="was cut, or is the anchor of another"):
        book.recover()
    book.heads.write_text("".join(f"{each}\n" for each in lines[:3]))
    with pytest.raises(LedgerRefused, match="nothing to recover"):
        book.recover()


def test_34_who_still_writes_to_what_was_lost_is_noticed(book: Book) -> None:
    """Lines that were written off are those before the line that did so, no later one.

    Source: found while recovery was written, 2026.
    """
    lost = book.heads.read_text().splitlines()[-1]
    lose(book.location, 2)
    book.recover()
    for number in (6, 7, 8, 9):
        book.ledger().charge(name_of(number), plan_of("0.1"))
    with book.heads.open("a") as file:
        file.write(f"{lost}\n")
    with pytest.raises(LedgerFailed, match="is not the one in the anchor"):
        book.ledger().account()


def test_31_a_charge_that_lost_lines_opened_is_neither_given_back_nor_drawn_again(
    book: Book,
) -> None:
    """Restored to before it was opened, it could be voided, or drawn a second time.

    Source: found while recovery was written, 2026.
    """
    lose(book.location, 5)
    book.recover()
    ledger = book.ledger()
    with pytest.raises(LedgerRefused, match="so it cannot be voided"):
        ledger.void(name_of(1))
    with pytest.raises(LedgerRefused, match="so it cannot be opened"):
        ledger.open(name_of(1))
    with pytest.raises(LedgerRefused, match="may have been opened in those"):
        release_sums(DATA, plan_of("0.1"), ledger=ledger, release_id=name_of(1))
    assert ledger.account().spent.loss == HALF


def hand_in(address: str, verb: str, entry: Entry) -> str:
    """Hand a line to a function of the server; give what it says, '' for nothing."""
    marks = ", ".join("%s" for _ in entry.row)
    with psycopg.connect(address, autocommit=True) as connection:
        try:
            connection.execute(f"SELECT dpratio.{verb}({marks})".encode(), entry.row)
        except psycopg.Error as error:
            return str(error.diag.message_primary)
    return ""


def line_after(account: Account, user: str, kind: str, subject: str = "") -> Entry:
    """The next line, as one who goes past this library would write it."""
    events = {
        "recovered": dict.fromkeys(("by", "why", "lost_seq", "lost_hash"), ""),
        "charge": {"by": "", "plan": "0" * 64},
    }
    event = events.get(kind, {"by": ""} if kind != "opened" else {})
    costs = Charge(Fraction(1, 10), Fraction(0))
    return link(
        (*account.last[:3], user),
        time="",
        subject=subject or subject_of(event, account.seq + 1),
        kind=kind,
        charge=costs if kind in {"charge", "recovered"} else None,
        event=event,
    )


def test_32_the_server_keeps_lost_and_closed_lines_lost_and_closed(
    postgres_url: str,
) -> None:
    """Past this library, nobody voids or opens what was lost, or writes what is closed.

    Source: found while recovery was written, 2026.
    """
    with team_at(postgres_url, ONE) as team:
        reader, curator = team.ledger("reader"), team.of("curator")
        team.ledger("curator").charge(name_of(1), plan_of("0.1"))

        def hand(role: str, verb: str, kind: str, subject: str = "") -> str:
            entry = line_after(reader.account(), team.person(role), kind, subject)
            return hand_in(team.of(role), verb, entry)

        for role in ("curator", "officer"):
            for verb in ("append", "approve", "settle", "enter"):
                assert hand(role, verb, "recovered") != ""
        assert hand("owner", "settle", "reopened") == "the ledger is closed, or was not"
        assert hand("owner", "settle", "recovered") == ""
        for kind in ("void", "opened"):
            said = hand("curator", "append", kind, name_of(1))
            assert said == "lines were lost after the charge"
        assert hand("owner", "settle", "closed") == ""
        said = hand("curator", "append", "charge", name_of(2))
        assert said == "the ledger is closed, or was not"
        assert curator
        assert reader.account().spent.loss == Fraction(2, 10)


def test_35_a_ledger_that_was_exported_cannot_be_charged_any_more(
    book: Book, tmp_path: Path
) -> None:
    """Two ledgers with one history would have the budget twice.

    Source: W3C Attribution, issue 17 (a budget that begins anew is none).
    More: tests/curator/ledger/test_move.py.
    """
    file = tmp_path / "ledger.jsonl"
    export_ledger(book.ledger(), file, by="olga")
    with pytest.raises(LedgerFailed, match="is closed"):
        book.ledger().charge(name_of(6), plan_of("0.1"))
    new = Ledger(tmp_path / "new.db", anchor=book.heads)
    import_ledger(file, new, by="olga")
    assert new.account().spent.loss == HALF
    second = Ledger(tmp_path / "second.db", anchor=book.heads)
    with pytest.raises(LedgerFailed, match="older than what was seen"):
        import_ledger(file, second, by="olga")
    with pytest.raises(LedgerRefused, match="into an empty ledger"):
        import_ledger(file, new, by="olga")


def test_35_an_export_that_was_not_closed_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file made while the old ledger goes on would be a second budget.

    Source: W3C Attribution, issue 17.
    """
    ledger = open_book(str(tmp_path / "budget.db"), ONE)
    monkeypatch.setattr("dpratio.curator.ledger.export._close", lambda *_given: None)
    export_ledger(ledger, tmp_path / "file", by="olga")
    with pytest.raises(LedgerFailed, match="is no export of a ledger"):
        import_ledger(tmp_path / "file", Ledger(tmp_path / "new.db"), by="olga")


def test_34_an_export_that_was_edited_is_not_imported(tmp_path: Path) -> None:
    """Every byte counts, and the bytes of releases are those that were sealed.

    Source: Crosby & Wallach (2009), Efficient Data Structures for Tamper-Evident
    Logging. More: tests/curator/ledger/test_move.py.
    """
    ledger = open_book(str(tmp_path / "budget.db"), ONE)
    release_sums(DATA, plan_of("0.1"), ledger=ledger, engine="python")
    file = tmp_path / "file"
    export_ledger(ledger, file, by="olga")
    content = file.read_bytes()
    step = len(content) // 40
    for at in range(0, len(content), step):
        flipped = bytes([content[at] ^ 1])
        file.write_bytes(content[:at] + flipped + content[at + 1 :])
        with pytest.raises(LedgerFailed, match="edited, damaged or cut"):
            import_ledger(file, Ledger(tmp_path / "new.db"), by="olga")
