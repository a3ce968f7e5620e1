"""Old copies of a ledger do not pass for new ones."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psycopg
import pytest

from curator.ledger.attacks.asking import COST, released
from curator.ledger.attacks.books import is_plain, name_of, open_book, plan_of
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.terms.budget import Budget


def restore_file(path: Path) -> Callable[[], None]:
    """Keep a copy now; give what puts it back."""
    content = path.read_bytes()

    def restore() -> None:
        path.write_bytes(content)

    return restore


def restore_server(address: str) -> Callable[[], None]:
    """Remember the newest lines; give what removes all that came later."""
    with psycopg.connect(address) as connection:
        query = "SELECT max(seq) FROM dpratio.entry"
        newest = (connection.execute(query).fetchone() or (0,))[0]

    def restore() -> None:
        with psycopg.connect(address) as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute(
                "DELETE FROM dpratio.artifact WHERE release_id IN (SELECT subject"
                " FROM dpratio.entry WHERE kind = 'charge' AND seq > %s)",
                (newest,),
            )
            connection.execute("DELETE FROM dpratio.entry WHERE seq > %s", (newest,))

    return restore


def keep_copy(location: str) -> Callable[[], None]:
    """Keep the ledger as it is; give what rolls it back."""
    if location.startswith("postgres"):
        return restore_server(location)
    return restore_file(Path(location))


OLD_OR_OTHER = "older than what was seen|is not the one in the anchor"


def refuse_all(ledger: Ledger) -> None:
    """Every verb of a ledger refuses, and says why in one line."""
    for verb in (
        ledger.account,
        partial(ledger.charge, name_of(9), plan_of("0.1")),
        partial(ledger.sealed, name_of(1), plan_of("0.1")),
        partial(ledger.approve, plan_of("0.1"), source="mine"),
        partial(released, ledger, 10),
    ):
        with pytest.raises(LedgerFailed, match=OLD_OR_OTHER) as refused:
            verb()
        assert is_plain(refused.value)


def test_a_ledger_that_was_rolled_back_is_stopped_by_its_anchor(
    any_ledger: str, tmp_path: Path
) -> None:
    anchor = tmp_path / "heads"
    ledger = open_book(any_ledger, anchor=anchor)
    released(ledger, 1)
    roll_back = keep_copy(any_ledger)
    released(ledger, 2)
    roll_back()
    lines = anchor.read_bytes()
    refuse_all(Ledger(any_ledger, anchor=anchor))
    assert verify_ledger(Ledger(any_ledger, anchor=anchor)).wrong
    assert anchor.read_bytes() == lines


def test_a_ledger_that_was_rolled_back_and_went_on_is_stopped_by_its_anchor(
    any_ledger: str, tmp_path: Path
) -> None:
    """The other history is longer than the one that the anchor knows."""
    anchor, aside = tmp_path / "heads", tmp_path / "aside"
    ledger = open_book(any_ledger, anchor=anchor)
    released(ledger, 1)
    roll_back = keep_copy(any_ledger)
    shutil.copy(anchor, aside)
    released(ledger, 2)
    roll_back()
    other = Ledger(any_ledger, anchor=aside)
    for number in (3, 4, 5):
        released(other, number)
    refuse_all(Ledger(any_ledger, anchor=anchor))


def test_a_ledger_that_was_rolled_back_is_betrayed_by_a_release(
    any_ledger: str,
) -> None:
    ledger = open_book(any_ledger)
    first = released(ledger, 1)
    roll_back = keep_copy(any_ledger)
    second = released(ledger, 2)
    assert verify_ledger(Ledger(any_ledger), [first, second]).wrong == ()
    roll_back()
    # Nothing inside tells it from a ledger to which nothing more was charged …
    assert verify_ledger(Ledger(any_ledger), [first]).wrong == ()
    # … and the head that went out with the release does.
    findings = verify_ledger(Ledger(any_ledger), [first, second])
    assert len(findings.wrong) == 1
    assert second.id in findings.wrong[0]


def test_a_ledger_that_was_rolled_back_is_stopped_by_one_who_saw_more(
    any_ledger: str,
) -> None:
    ledger = open_book(any_ledger)
    released(ledger, 1)
    roll_back = keep_copy(any_ledger)
    released(ledger, 2)
    roll_back()
    refuse_all(ledger)
    # Also when as many lines were written since as it saw.
    other = Ledger(any_ledger)
    for number in (3, 4):
        released(other, number)
    refuse_all(ledger)


def test_a_copy_from_before_its_scope_does_not_get_the_scope_anew(
    tmp_path: Path,
) -> None:
    path, anchor = tmp_path / "budget.db", tmp_path / "heads"
    ledger = open_book(str(path), anchor=anchor)
    ledger.charge(name_of(1), plan_of("0.1"))
    path.unlink()
    with pytest.raises(LedgerFailed):
        open_book(str(path), anchor=anchor)
    with pytest.raises(LedgerRefused):
        Ledger(path, anchor=anchor).charge(name_of(2), plan_of("0.1"))


def test_a_scope_whose_opening_was_cut_short_can_be_opened_again(
    tmp_path: Path,
) -> None:
    """Killed after the scope's commit, before its anchor: nothing is charged yet."""
    path, anchor = tmp_path / "budget.db", tmp_path / "heads"
    open_book(str(path), anchor=anchor)
    anchor.unlink()
    ledger = open_book(str(path), anchor=anchor)
    ledger.charge(name_of(1), plan_of("0.1"))
    assert verify_ledger(Ledger(path, anchor=anchor)).wrong == ()


def test_an_anchor_that_is_gone_damaged_or_of_another_ledger_stops_the_ledger(
    any_ledger: str, tmp_path: Path
) -> None:
    anchor, other = tmp_path / "heads", tmp_path / "other"
    open_book(any_ledger, anchor=anchor).charge(name_of(1), plan_of("0.1"))
    other_scope = Scope("loans", Budget(2000, "1e-3"))
    open_book(str(tmp_path / "other.db"), other_scope, anchor=other)
    sound = anchor.read_bytes()
    lines = sound.splitlines(keepends=True)
    for content in (
        b"",
        other.read_bytes(),
        sound[:-1],
        sound[:-9] + b"\n",
        b"\0" * len(sound),
        sound + b"{}\n",
        b"\n".join(lines),
        lines[0] + lines[1].replace(b'"seq": 1', b'"seq": 2'),
    ):
        anchor.write_bytes(content)
        with pytest.raises(LedgerFailed) as refused:
            Ledger(any_ledger, anchor=anchor).charge(name_of(2), plan_of("0.1"))
        assert is_plain(refused.value)
    anchor.unlink()
    with pytest.raises(LedgerFailed):
        Ledger(any_ledger, anchor=anchor).charge(name_of(2), plan_of("0.1"))
    anchor.write_bytes(sound)
    account = Ledger(any_ledger, anchor=anchor).account()
    assert account.spent.loss == COST
