"""Tables that only grow, and old copies that do not pass for new ones."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from functools import partial
from pathlib import Path

import psycopg
import pytest

from curator.ledger.attacks.books import DATA, is_plain, name_of, open_book, plan_of
from curator.ledger.attacks.tampering import forge, link_again
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.scope import Scope
from dpratio.curator.ledger.tables import TABLES
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.release.release import Release
from dpratio.terms.budget import Budget

COLUMNS = {
    "ledger": "version",
    "scope": "document",
    "entry": "loss",
    "artifact": "content",
}
COST = Fraction(1, 10)


def released(ledger: Ledger, number: int) -> Release:
    """Release once more from the only scope."""
    return release_sums(
        DATA, plan_of("0.1"), ledger=ledger, release_id=name_of(number), engine="python"
    )


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "statement",
    ["UPDATE {table} SET {column} = {column}", "DELETE FROM {table}"],
)
def test_a_table_in_a_file_refuses_to_lose_anything(
    tmp_path: Path, table: str, statement: str
) -> None:
    path = tmp_path / "budget.db"
    ledger = open_book(str(path))
    released(ledger, 1)
    before = ledger.account()
    with closing(sqlite3.connect(path)) as connection:
        said = statement.format(table=table, column=COLUMNS[table])
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            connection.execute(said)
    assert Ledger(path).account() == before


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE {table} SET {column} = {column}",
        "DELETE FROM {table}",
        "TRUNCATE {table} CASCADE",
    ],
)
def test_a_table_on_a_server_refuses_to_lose_anything(
    postgres_url: str, table: str, statement: str
) -> None:
    ledger = open_book(postgres_url)
    released(ledger, 1)
    before = ledger.account()
    with psycopg.connect(postgres_url) as connection:
        connection.execute("SET search_path TO dpratio")
        said = statement.format(table=table, column=COLUMNS[table])
        with pytest.raises(psycopg.errors.RaiseException, match="append-only"):
            connection.execute(said.encode())
    assert Ledger(postgres_url).account() == before


def test_a_line_that_replaces_another_is_detected(tmp_path: Path) -> None:
    """SQLite calls no trigger for the row that OR REPLACE removes."""
    path = tmp_path / "budget.db"
    released(open_book(str(path)), 1)
    with closing(sqlite3.connect(path)) as connection:
        columns = "scope, seq, time, subject, kind, '0/1', delta, event, previous, hash"
        connection.execute(
            f"INSERT OR REPLACE INTO entry SELECT {columns} FROM entry WHERE seq = 1"  # noqa: S608
        )
        connection.commit()
    with pytest.raises(LedgerFailed, match="edited, damaged or rolled back"):
        Ledger(path).account()
    assert verify_ledger(Ledger(path)).wrong


@pytest.mark.parametrize(
    "edits",
    [
        ["DELETE FROM entry WHERE seq = 2"],
        [
            "DELETE FROM entry WHERE seq = 2",
            "UPDATE entry SET seq = seq - 1 WHERE seq > 2",
        ],
        [
            "UPDATE entry SET seq = 99 WHERE seq = 2",
            "UPDATE entry SET seq = 2 WHERE seq = 3",
            "UPDATE entry SET seq = 3 WHERE seq = 99",
        ],
        ["UPDATE entry SET seq = seq + 1000"],
        ["UPDATE entry SET scope = 'other' WHERE seq = 2"],
    ],
)
def test_a_charge_that_is_cut_out_or_moved_breaks_the_chain(
    tmp_path: Path, edits: list[str]
) -> None:
    """Without an anchor: the links alone show it."""
    path = tmp_path / "budget.db"
    ledger = open_book(str(path))
    ledger.open_scope(Scope("other", Budget(1000, "1e-3")))
    for number in (1, 2, 3):
        ledger.charge(name_of(number), plan_of("0.1"), scope="loans")
    assert forge(path, *((edit, ()) for edit in edits))
    with pytest.raises(LedgerFailed):
        Ledger(path).account("loans")
    assert verify_ledger(Ledger(path)).wrong


def test_an_index_that_hides_the_last_charge_is_found(tmp_path: Path) -> None:
    """The row is in the table, and the index by which it is read does not know it."""
    path, edited = tmp_path / "budget.db", tmp_path / "edited.db"
    ledger = open_book(str(path))
    for number in (1, 2, 3):
        ledger.charge(name_of(number), plan_of("0.1"))
    shutil.copy(path, edited)
    assert forge(edited, ("DELETE FROM entry WHERE seq = 3", ()))
    with closing(sqlite3.connect(path)) as connection:
        ((size,),) = connection.execute("PRAGMA page_size").fetchall()
        query = "SELECT rootpage FROM sqlite_master WHERE name LIKE '%autoindex_entry%'"
        pages = [each for (each,) in connection.execute(query)]
    assert len(pages) == 2
    content, other = bytearray(path.read_bytes()), edited.read_bytes()
    for page in pages:
        place = slice((page - 1) * size, page * size)
        content[place] = other[place]
    path.write_bytes(content)
    assert Ledger(path).account().spent.loss == 2 * COST  # An account does not see it …
    assert verify_ledger(Ledger(path)).wrong  # … so it is looked for.
    with pytest.raises(LedgerFailed):  # Who saw it is not deceived.
        ledger.account()


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


def refuse_all(ledger: Ledger) -> None:
    """Every verb of a ledger refuses, and says why in one line."""
    for verb in (
        ledger.account,
        partial(ledger.charge, name_of(9), plan_of("0.1")),
        partial(ledger.sealed, name_of(1), plan_of("0.1")),
        partial(ledger.approve, plan_of("0.1")),
        partial(released, ledger, 10),
    ):
        with pytest.raises(LedgerFailed, match="older than what was seen") as refused:
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


def test_an_entry_that_breaks_a_rule_is_not_followed_even_with_right_hashes(
    tmp_path: Path,
) -> None:
    """Whoever writes lines with the right hashes is still bound by the rules."""
    path = tmp_path / "budget.db"
    released(open_book(str(path)), 1)
    edits = (
        "UPDATE entry SET loss = '-1/1' WHERE kind = 'charge'",
        "UPDATE entry SET loss = '1001/1' WHERE kind = 'charge'",
        "UPDATE entry SET delta = '-1/1' WHERE kind = 'charge'",
        "UPDATE entry SET loss = 'nan' WHERE kind = 'charge'",
        "UPDATE entry SET loss = '1/0' WHERE kind = 'charge'",
        "UPDATE entry SET event = '{}' WHERE kind = 'charge'",
        "UPDATE entry SET kind = 'void' WHERE kind = 'published'",
        "UPDATE entry SET kind = 'opened' WHERE kind = 'charge'",
        "UPDATE entry SET kind = 'refund' WHERE kind = 'published'",
        "DELETE FROM entry WHERE kind = 'opened'",
        "DELETE FROM entry WHERE kind = 'charge'",
    )
    sound = path.read_bytes()
    for edit in edits:
        path.write_bytes(sound)
        if forge(path, (edit, ())):
            link_again(path, "loans")
            assert verify_ledger(Ledger(path)).wrong, edit


@pytest.mark.parametrize("event", ["[", "{}", "[]", '{"sha256": 1, "format": "json"}'])
def test_a_seal_that_says_nothing_is_detected_even_with_right_hashes(
    tmp_path: Path, event: str
) -> None:
    path = tmp_path / "budget.db"
    released(open_book(str(path)), 1)
    edit = "UPDATE entry SET event = ? WHERE kind = 'sealed'"
    assert forge(path, (edit, (event,)))
    link_again(path, "loans")
    with pytest.raises(LedgerFailed) as refused:
        Ledger(path).sealed(name_of(1), plan_of("0.1"))
    assert is_plain(refused.value)
    assert verify_ledger(Ledger(path)).wrong
