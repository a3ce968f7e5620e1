"""A ledger that was edited or damaged says so, or says nothing that is different."""

import json
import random
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from curator.ledger.attacks.books import (
    accounts_of,
    is_plain,
    name_of,
    open_book,
    plan_of,
)
from curator.ledger.attacks.tampering import (
    COLUMNS,
    fill,
    forge,
    judge,
    link_again,
    truth_of,
)
from dpratio.curator.ledger.account.scope import scope_from_document
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.sqlite import _KEPT
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import LedgerFailed
from dpratio.strict import Node
from dpratio.terms.budget import Budget
from soak import IS_SOAK

EDITS = 10_000 if IS_SOAK else 200  # of each kind


class Victim:
    """A sound ledger with its anchor, and fresh copies of it to attack."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.count = folder, 0
        self.path, self.anchor = folder / "sound.db", folder / "heads"
        self.published = fill(str(self.path), self.anchor)
        self.truth = truth_of(Ledger(self.path, anchor=self.anchor))

    def copy(self) -> Path:
        """A fresh copy; the one before is removed."""
        for old in self.folder.glob("copy-*"):
            old.unlink()
        self.count += 1
        return Path(shutil.copy(self.path, self.folder / f"copy-{self.count}.db"))

    def judge(self, path: Path) -> str:
        """Tell what becomes of a copy."""
        return judge(str(path), self.truth, self.anchor)


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Victim:
    """A ledger for this module; nobody edits the original."""
    return Victim(tmp_path_factory.mktemp("tampering"))


def test_the_victim_is_sound_and_holds_something_of_everything(victim: Victim) -> None:
    assert victim.judge(victim.copy()) == "harmless"
    ledger = Ledger(victim.path, anchor=victim.anchor)
    assert verify_ledger(ledger, victim.published).wrong == ()
    states = {
        held.state
        for account in accounts_of(ledger).values()
        for held in account.releases.values()
    }
    assert states == {"charge", "opened", "sealed", "published", "void"}
    assert len(ledger.account("shops").approved) == 2


def test_every_flipped_byte_is_detected_or_harmless(victim: Victim) -> None:
    chance = random.Random(34)  # noqa: S311 (not for secrets)
    content = victim.path.read_bytes()
    places = [chance.randrange(len(content)) for _ in range(EDITS)]
    found: Counter[str] = Counter()
    # The first page holds the header and the schema: every byte of its header too.
    for at in [*range(100), *places]:
        path = victim.copy()
        flipped = bytearray(content)
        flipped[at] ^= chance.randrange(1, 256)
        path.write_bytes(flipped)
        verdict = victim.judge(path)
        assert verdict != "UNSEEN", f"byte {at} became {flipped[at]}"
        found[verdict] += 1
    print(dict(found))  # noqa: T201
    assert found["detected"] > EDITS / 3  # Much of a page is free space.


# Edits that may leave everything the ledger says as it was: a space more in a document,
# and a line beside all chains (see the test of entries of a scope that is gone).
HARMLESS = {"change scope.document", "insert scope.document", "insert entry.scope"}

# What may be changed by hand: every column of every table.
CHANGES = {
    "ledger": ("version",),
    "scope": ("name", "document", "hash"),
    "entry": tuple(COLUMNS.split(", ")),
    "artifact": ("release_id", "content"),
}


def random_edit(path: Path, chance: random.Random) -> tuple[str, bool]:
    """Edit one or two rows; tell what was done, and whether something changed."""
    table = chance.choice(["ledger", "scope", *["entry"] * 4, *["artifact"] * 2])
    kind = chance.choice(["change", "change", "delete", "insert", "swap"])
    with closing(sqlite3.connect(path)) as connection:
        query = f"SELECT rowid, * FROM {table}"  # noqa: S608 (fixed names)
        rows = connection.execute(query).fetchall()
        columns = [
            each[1] for each in connection.execute(f"PRAGMA table_info({table})")
        ]
    row, other = chance.choice(rows), chance.choice(rows)
    column = chance.choice(CHANGES[table])
    at = columns.index(column) + 1
    put = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"  # noqa: S608
    said = f"{kind} {table}.{column}"
    if kind == "change":
        value = mutated(row[at], chance)
        return said, value != row[at] and forge(path, (put, (value, row[0])))
    if kind == "delete":
        delete = f"DELETE FROM {table} WHERE rowid = ?"  # noqa: S608
        return f"delete {table}", forge(path, (delete, (row[0],)))
    if kind == "insert":
        new = list(row[1:])
        new[at - 1] = mutated(new[at - 1], chance)
        marks = ", ".join("?" for _ in new)
        insert = f"INSERT INTO {table} VALUES ({marks})"  # noqa: S608
        return said, forge(path, (insert, tuple(new)))
    # Two rows change places in one column; a third value keeps keys apart meanwhile.
    apart = f"~{chance.random()}" if isinstance(row[at], str) else -1
    swap = [(put, (apart, row[0])), (put, (row[at], other[0]))]
    differs = row[at] != other[at]
    return said, differs and forge(path, *swap, (put, (other[at], row[0])))


def mutated(value: object, chance: random.Random) -> object:
    """Give another value of the same type."""
    if isinstance(value, int):
        return value + chance.choice([-1, 1, 1000])
    if isinstance(value, bytes):
        at = chance.randrange(len(value))
        return value[:at] + bytes([value[at] ^ 1]) + value[at + 1 :]
    text = str(value)
    at = chance.randrange(len(text) + 1)
    other = chance.choice("0123456789abcdefgh /-")
    ways = [text[:at] + other + text[at + 1 :], text[:at] + other + text[at:], text[1:]]
    return chance.choice(ways)


def test_every_edited_row_is_detected(victim: Victim) -> None:
    """The account follows the chain; what is beside it is found by looking it over."""
    chance = random.Random(35)  # noqa: S311 (not for secrets)
    found: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    unseen: Counter[str] = Counter()
    while found.total() < EDITS:
        path = victim.copy()
        said, is_edited = random_edit(path, chance)
        if is_edited:
            verdict = victim.judge(path)
            found[verdict] += 1
            kinds[said] += 1
            if verdict == "UNSEEN" or (verdict == "harmless" and said not in HARMLESS):
                unseen[said] += 1
    print(dict(found), len(kinds))  # noqa: T201
    assert unseen == {}


def test_a_text_of_another_type_is_detected(victim: Victim) -> None:
    for column in COLUMNS.split(", "):
        path = victim.copy()
        edit = f"UPDATE entry SET {column} = CAST({column} AS BLOB) WHERE seq = 5"  # noqa: S608
        assert forge(path, (edit, ()))
        assert victim.judge(path) == "detected", column


@pytest.mark.parametrize(
    "edit",
    [
        *(f"DROP TRIGGER {trigger.split()[2]}" for trigger in _KEPT),
        "DROP INDEX one_release",
        "ALTER TABLE entry ADD COLUMN more TEXT",
        "ALTER TABLE artifact RENAME COLUMN sha256 TO sha",
        "CREATE TABLE more (more TEXT)",
        "CREATE TRIGGER undo AFTER INSERT ON entry BEGIN SELECT 1; END",
        "CREATE VIEW seen AS SELECT * FROM entry",
    ],
)
def test_a_schema_that_was_edited_is_refused_on_opening(
    victim: Victim, edit: str
) -> None:
    path = victim.copy()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(edit)
        connection.commit()
    ledger = Ledger(path, anchor=victim.anchor)
    for verb in (
        ledger.scopes,
        partial(ledger.account, "loans"),
        partial(ledger.charge, name_of(99), plan_of("0.1"), scope="loans"),
        partial(verify_ledger, ledger),
    ):
        with pytest.raises(LedgerFailed) as refused:
            verb()
        assert is_plain(refused.value)


def without_anchor(path: Path, *, caps: str = "100") -> None:
    """Say that a scope has no anchor, and compute every hash again."""
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT document FROM scope WHERE name = 'loans'"
        ((document,),) = connection.execute(query).fetchall()
    scope = scope_from_document(Node(json.loads(document)))
    scope = replace(scope, is_anchored=False, budget=Budget(caps, "1e-3"))
    edit = "UPDATE scope SET document = ?, hash = ? WHERE name = 'loans'"
    assert forge(path, (edit, (json.dumps(scope.to_document()), scope.hash)))
    link_again(path, "loans")


def test_a_scope_that_denies_its_anchor_is_stopped_by_it(victim: Victim) -> None:
    path = victim.copy()
    without_anchor(path)
    ledger = Ledger(path, anchor=victim.anchor)
    with pytest.raises(LedgerFailed):
        ledger.charge(name_of(99), plan_of("0.1"), scope="loans")


def test_looking_over_a_ledger_trusts_nothing_that_was_seen_before(
    victim: Victim,
) -> None:
    path = victim.copy()
    ledger = Ledger(path, anchor=victim.anchor)
    ledger.account("loans")
    edit = "UPDATE entry SET loss = '1/1000' WHERE scope = 'loans' AND seq = 1"
    assert forge(path, (edit, ()))
    assert verify_ledger(ledger).wrong


def test_the_hash_beside_the_bytes_is_compared_as_well(victim: Victim) -> None:
    path = victim.copy()
    assert forge(path, ("UPDATE artifact SET sha256 = 'f' || sha256", ()))
    assert victim.judge(path) == "detected"


@pytest.mark.parametrize("has_anchor", [True, False])
def test_entries_of_a_scope_that_is_gone_are_detected(
    tmp_path: Path, *, has_anchor: bool
) -> None:
    """Here no bytes are kept that would betray it."""
    anchor = tmp_path / "heads" if has_anchor else None
    path = tmp_path / "budget.db"
    open_book(str(path), anchor=anchor).charge(name_of(1), plan_of("0.1"))
    assert forge(path, ("DELETE FROM scope", ()))
    assert verify_ledger(Ledger(path, anchor=anchor)).wrong


def test_a_scope_that_only_the_anchor_knows_is_detected(tmp_path: Path) -> None:
    anchor, path = tmp_path / "heads", tmp_path / "budget.db"
    open_book(str(path), anchor=anchor).charge(name_of(1), plan_of("0.1"))
    assert forge(path, ("DELETE FROM entry", ()), ("DELETE FROM scope", ()))
    assert verify_ledger(Ledger(path, anchor=anchor)).wrong
