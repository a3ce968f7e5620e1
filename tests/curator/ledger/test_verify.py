"""Looking a ledger over: everything that can be wrong is found, once."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.admission.anchor import Head
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store import clock as room
from dpratio.curator.ledger.store.sqlite import SqliteStore
from dpratio.curator.ledger.verify import Findings, verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed, LedgerRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.combine import merge
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio

PLAN = make_plan(
    Ratio("s", per="y"),
    bounds={"s": Bounds(0, 1), "y": Bounds.binary()},
    budget=Budget("0.1"),
    groups=Groups("k", ["a", "b"]),
)
TABLE: dict[str, list[object]] = {"s": [0.5], "y": [1], "k": ["a"]}


def released(ledger: Ledger, scope: str = "loans") -> Release:
    return release_sums(
        TABLE,
        PLAN,
        ledger=ledger,
        scope=scope,
        source=scope,
        new_draw=True,
    )


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "budget.db")
    made.open_scope(Scope("loans", Budget(1)))
    return made


def edit(folder: Path, words: str) -> None:
    """Edit a ledger file as its owner could: triggers off, and on again."""
    with closing(sqlite3.connect(folder / "budget.db")) as connection:
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        triggers = connection.execute(query).fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.executescript(words)
        for _, sql in triggers:
            connection.execute(sql)
        connection.commit()


# --- Sound ledgers --------------------------------------------------------------------


def test_a_sound_ledger_has_nothing_wrong(any_ledger: str, tmp_path: Path) -> None:
    made = Ledger(any_ledger, anchor=tmp_path / "heads")
    made.open_scope(Scope("loans", Budget(1)))
    made.open_scope(Scope("cards", Budget(1)))
    releases = [released(made), released(made, "cards")]
    made.charge("0" * 32, PLAN, scope="loans")
    found = verify_ledger(Ledger(any_ledger, anchor=tmp_path / "heads"), releases)
    loans, cards = made.account("loans"), made.account("cards")
    assert found == Findings(
        checked=(
            f"scope 'cards', 4 entries, head {cards.head}.",
            "scope 'cards' against its anchor.",
            f"scope 'loans', 5 entries, head {loans.head}.",
            "scope 'loans' against its anchor.",
            f"release {releases[0].id}.",
            f"release {releases[1].id}.",
        ),
        wrong=(),
        notes=(),
    )
    assert found.lines()[-1] == "The ledger is sound."
    assert found.lines()[0].startswith("Checked: scope 'cards'")


def test_an_empty_scope_is_sound(ledger: Ledger) -> None:
    (checked,) = verify_ledger(ledger).checked
    assert checked.startswith("scope 'loans', 0 entries, head ")


def test_a_clock_that_went_back_is_a_note(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, time in enumerate(["2026", "2025"]):
        monkeypatch.setattr(room, "time_now", lambda time=time: time)
        ledger.charge(f"{number:032x}", PLAN)
    found = verify_ledger(ledger)
    assert not found.wrong
    (note,) = found.notes
    assert note == (
        "the clock went back before entry 2 of scope 'loans'; entries are ordered by "
        "number, so nothing is lost."
    )
    assert f"Note: {note}" in found.lines()


def test_what_is_wrong_is_said_last_and_loud() -> None:
    found = Findings(("a.",), ("b.",), ("c.",))
    assert found.lines() == [
        "Checked: a.",
        "Note: c.",
        "WRONG: b.",
        "The ledger is NOT sound.",
    ]


# --- Chains and bytes -----------------------------------------------------------------


def test_an_edited_entry_is_found_and_other_scopes_are_looked_over(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.open_scope(Scope("cards", Budget(1)))
    released(ledger, "cards")
    ledger.charge("0" * 32, PLAN, scope="loans")
    edit(tmp_path, "UPDATE entry SET loss = '0/1' WHERE scope = 'loans'")
    found = verify_ledger(Ledger(tmp_path / "budget.db"))
    (checked,) = found.checked
    assert checked.startswith("scope 'cards', 4 entries")
    (wrong,) = found.wrong
    assert "entry 1 of scope 'loans' does not follow from those before it" in wrong


def test_edited_terms_are_found(ledger: Ledger, tmp_path: Path) -> None:
    assert ledger.scopes() == ["loans"]
    words = "UPDATE scope SET document = replace(document, '\"1\"', '\"9\"')"
    edit(tmp_path, words)
    (wrong,) = verify_ledger(Ledger(tmp_path / "budget.db")).wrong
    assert wrong.startswith("the terms of scope 'loans' were edited or damaged.")


def test_edited_bytes_are_found(ledger: Ledger, tmp_path: Path) -> None:
    name = released(ledger).id
    edit(tmp_path, "UPDATE artifact SET content = x'00'")
    (wrong,) = verify_ledger(ledger).wrong
    assert wrong.startswith(f"the bytes of release {name} are not in the ledger as")


def test_missing_bytes_are_found(ledger: Ledger, tmp_path: Path) -> None:
    name = released(ledger).id
    edit(tmp_path, "DELETE FROM artifact")
    (wrong,) = verify_ledger(ledger).wrong
    assert wrong.startswith(f"the bytes of release {name} are not in the ledger as")


def test_bytes_that_no_entry_speaks_of_are_found(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.charge("0" * 32, PLAN)
    edit(tmp_path, "INSERT INTO artifact SELECT subject, x'00', '' FROM entry")
    edit(tmp_path, "INSERT INTO artifact VALUES ('x', x'00', '')")
    assert verify_ledger(ledger).wrong == (
        f"the bytes of release {'0' * 32} were never sealed.",
        "the bytes of release x were never sealed.",
    )


def test_what_the_database_finds_is_told(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = type(ledger.watch.store)
    monkeypatch.setattr(store, "damages", lambda _store: ["page 7 is never used"])
    assert verify_ledger(ledger).wrong == ("page 7 is never used",)


def test_what_is_no_ledger_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(LedgerFailed, match="it cannot be opened"):
        verify_ledger(Ledger(tmp_path / "none.db"))


ANOTHER = (
    "entry 2 of scope 'loans' is not the one in the anchor: one of them was edited, or "
    "is an old copy. Release nothing; find the newest copies."
)


# --- Anchors --------------------------------------------------------------------------


@pytest.fixture
def anchored(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "budget.db", anchor=tmp_path / "heads")
    made.open_scope(Scope("loans", Budget(1)))
    released(made)
    return made


def test_every_line_of_the_anchor_is_compared(anchored: Ledger, tmp_path: Path) -> None:
    anchor = anchored.watch.anchor
    assert anchor is not None
    lines = anchor.path.read_text("utf-8").splitlines(keepends=True)
    middle = json.loads(lines[2]) | {"hash": "0" * 64}
    lines[2] = json.dumps(middle) + "\n"
    anchor.path.write_text("".join(lines), "utf-8")
    anchor.append(Head("elsewhere", 9, "0" * 64))
    found = verify_ledger(anchored)
    assert found.wrong == (
        "scope 'elsewhere' was removed, or the ledger is an old copy.",
        ANOTHER,
    )
    with pytest.raises(LedgerFailed, match="entry 2 of scope 'loans' is not the"):
        Ledger(tmp_path / "budget.db", anchor=anchor.path).account("loans")


@pytest.mark.parametrize("at", [0, 1, 3])
def test_lines_that_were_removed_from_the_anchor_are_found(
    at: int, anchored: Ledger
) -> None:
    anchor = anchored.watch.anchor
    assert anchor is not None
    lines = anchor.path.read_text("utf-8").splitlines(keepends=True)
    anchor.path.write_text("".join(lines[:at] + lines[at + 1 :]), "utf-8")
    (wrong,) = verify_ledger(anchored).wrong
    assert wrong == (
        f"the anchor lacks 1 lines of scope 'loans', the first about entry {at}: lines "
        "were removed."
    )


def test_an_anchor_that_is_a_little_behind_is_a_note_and_is_brought_up_to_date(
    anchored: Ledger,
) -> None:
    anchor = anchored.watch.anchor
    assert anchor is not None
    lines = anchor.path.read_text("utf-8").splitlines(keepends=True)
    anchor.path.write_text("".join(lines[:3]), "utf-8")
    again = Ledger(*places(anchored)[:1], anchor=anchor.path)
    found = verify_ledger(again)
    assert found.wrong == ()
    (note,) = found.notes
    assert note == (
        "the anchor is 2 entries behind scope 'loans'; the next entry brings it up to "
        "date."
    )
    again.charge("0" * 32, PLAN)
    found = verify_ledger(again)
    assert (found.wrong, found.notes) == ((), ())


def test_an_anchor_that_is_far_behind_is_found_and_not_mended(
    anchored: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpratio.curator.ledger.verify.MOST_BEHIND", 2)
    monkeypatch.setattr("dpratio.curator.ledger.admission.watch.MOST_BEHIND", 2)
    anchor = anchored.watch.anchor
    assert anchor is not None
    lines = anchor.path.read_text("utf-8").splitlines(keepends=True)
    anchor.path.write_text("".join(lines[:1]), "utf-8")
    again = Ledger(*places(anchored)[:1], anchor=anchor.path)
    (wrong,) = verify_ledger(again).wrong
    assert wrong == (
        "the anchor is 4 entries behind scope 'loans': it was truncated, or is an old "
        "copy."
    )
    again.charge("0" * 32, PLAN)
    (wrong,) = verify_ledger(again).wrong
    assert wrong.startswith("the anchor lacks 4 lines of scope 'loans', the first abou")


def places(ledger: Ledger) -> list[Path]:
    store = ledger.watch.store
    assert isinstance(store, SqliteStore)
    return store.files()


def test_a_ledger_older_than_its_anchor_is_found(anchored: Ledger) -> None:
    anchor = anchored.watch.anchor
    assert anchor is not None
    anchor.append(Head("loans", 5, "0" * 64))
    wrong = verify_ledger(anchored).wrong
    assert "is older than what was seen of it" in wrong[0]


def test_a_missing_anchor_is_told(anchored: Ledger, tmp_path: Path) -> None:
    assert anchored.watch.anchor is not None
    with pytest.raises(LedgerRefused, match="scope 'loans' is anchored: name its"):
        verify_ledger(Ledger(tmp_path / "budget.db"))


# --- Releases -------------------------------------------------------------------------


def test_a_release_without_a_ledger_is_told(ledger: Ledger) -> None:
    release = release_sums(TABLE, PLAN, ledger=None)
    found = verify_ledger(ledger, [release])
    assert found.wrong == (f"release {release.id} was made without a ledger.",)
    assert found.checked[-1] == f"release {release.id}."


def test_a_release_made_from_others_is_told(ledger: Ledger) -> None:
    given = [released(ledger), released(ledger)]
    made = merge(given, units_are_disjoint=True)
    assert verify_ledger(ledger, [made]).wrong == (
        f"release {made.id} was made from others; give those instead.",
    )


def test_a_release_of_another_ledger_is_told(ledger: Ledger, tmp_path: Path) -> None:
    other = Ledger(tmp_path / "other.db")
    other.open_scope(Scope("loans", Budget(1)))
    release = released(other)
    (wrong,) = verify_ledger(ledger, [release]).wrong
    assert wrong == (
        f"release {release.id} carries a head that is not in this ledger: it is an old "
        "copy, was edited, or is another one."
    )
    assert not verify_ledger(other, [release]).wrong


def test_a_head_is_looked_for_at_the_entry_of_its_release(ledger: Ledger) -> None:
    first, second = released(ledger), released(ledger)
    swapped = replace(first, ledger_head=second.ledger_head)
    charged = ledger.account().releases[first.id].entries[0]
    last = replace(first, ledger_head=charged.hash)
    found = verify_ledger(ledger, [swapped, last, first, second])
    assert [each[:40] for each in found.wrong] == [f"release {first.id}"] * 2


def test_a_release_with_another_title_is_not_what_was_sealed(ledger: Ledger) -> None:
    release = released(ledger)
    assert verify_ledger(ledger, releases=[release]).wrong == ()
    assert isinstance(release.plan, Plan)
    edited = replace(release, plan=release.plan.titled("Proven safe"))
    (wrong,) = verify_ledger(ledger, releases=[edited]).wrong
    assert wrong == f"release {release.id} is not what was sealed under its id."
