"""A look at data is a line that costs nothing, and is never forgotten."""

from dataclasses import replace
from pathlib import Path

import pytest

from curator.ledger.junk import write_past
from curator.ledger.loans import (
    CARDS,
    ID,
    OTHER,
    PLAN,
    SCOPE,
    bring,
    rows,
)
from curator.ledger.restoring import Restored
from curator.ledger.teams import team_at
from dpratio.curator.ledger.account.account import subject_of
from dpratio.curator.ledger.account.source import meant_source, source_of
from dpratio.curator.ledger.backup import backup_ledger
from dpratio.curator.ledger.export import export_ledger
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.looks import enter_look, is_after_look, is_looked_at
from dpratio.curator.ledger.move import import_ledger
from dpratio.curator.ledger.recover import recover_ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import InvalidInput, LedgerFailed, LedgerRefused
from dpratio.release.files import release_to_bytes

LOANS = meant_source("loans.csv")


def test_a_look_is_a_line_that_costs_nothing(ledger: Ledger) -> None:
    before = enter_look(ledger, LOANS, by="ann")
    account = ledger.account()
    assert (before.seq, account.seq, account.spent) == (0, 1, before.spent)
    (line,) = account.looked
    assert (line.kind, line.loss, line.delta) == ("looked", "", "")
    assert line.said == {
        "by": "ann",
        "source": LOANS.written.text,
        "place": LOANS.place.text,
    }
    enter_look(ledger, LOANS, by="ann")
    assert len(ledger.account().looked) == 2  # Each look is one.
    assert verify_ledger(ledger).wrong == ()


def test_where_a_template_was_filled_the_line_says_with_what(
    file_ledger: Ledger, tmp_path: Path
) -> None:
    table = rows(tmp_path / "2026-W46.csv")
    source = source_of(str(table), str(tmp_path / "{period}.csv"))
    assert source is not None
    enter_look(file_ledger, source)
    (line,) = file_ledger.account().looked
    assert line.said["filled"] == source.filled != ""


def test_a_scope_with_a_look_is_used(ledger: Ledger) -> None:
    enter_look(ledger, LOANS)
    assert ledger.account().is_used
    with pytest.raises(LedgerRefused, match="allowed or looked at there"):
        ledger.close_scope("loans")


def test_no_look_where_studies_are_approved(any_ledger: str) -> None:
    ledger = Ledger(any_ledger)
    ledger.open_scope(replace(SCOPE, needs_approval=True))
    with pytest.raises(LedgerRefused, match="and a look is none"):
        enter_look(ledger, LOANS)
    assert ledger.account().seq == 0
    with pytest.raises(InvalidInput, match="by must be one line"):
        enter_look(ledger, LOANS, by="two\nlines")


@pytest.mark.parametrize("step", ["approved", "allowed", "charged"])
def test_no_look_for_another_scope_at_what_is_approved(
    file_ledger: Ledger, tmp_path: Path, step: str
) -> None:
    file_ledger.open_scope(replace(CARDS, needs_approval=True))
    table = rows(tmp_path / "2026-W46.csv")
    template = tmp_path / "{period}.csv"
    looked_at = template if step == "charged" else table
    source = source_of(str(table), str(looked_at))
    assert source is not None
    if step == "allowed":
        file_ledger.allow_source(str(table), scope="cards", by="olga")
    else:
        file_ledger.approve(PLAN, source=str(table), scope="cards", by="olga")
    if step == "charged":
        bound = meant_source(str(table))
        file_ledger.charge(ID, PLAN, scope="cards", source=bound)
    with pytest.raises(LedgerRefused, match="belong to scope 'cards'"):
        enter_look(file_ledger, source, scope="loans")
    assert file_ledger.account("loans").seq == 0
    other = meant_source(str(rows(tmp_path / "other.csv")))
    enter_look(file_ledger, other, scope="loans")
    assert len(file_ledger.account("loans").looked) == 1


def test_a_closed_ledger_takes_no_look(file_ledger: Ledger, tmp_path: Path) -> None:
    export_ledger(file_ledger, tmp_path / "ledger.jsonl", by="olga")
    with pytest.raises(LedgerFailed, match="this ledger was exported"):
        enter_look(file_ledger, LOANS)


def test_history_and_verification_tell_of_it(ledger: Ledger) -> None:
    enter_look(ledger, LOANS, by="ann")
    said = "Looked at, past all noise, in entry 1 of scope 'loans': files 'loans.csv'"
    (told,) = [each for each in ledger.history().said() if each.startswith(said)]
    assert "; by ann" in told
    assert told.endswith("Releases that were charged after it say so.")
    assert verify_ledger(ledger).notes == (told,)


def test_copies_and_moves_keep_it(file_ledger: Ledger, tmp_path: Path) -> None:
    enter_look(file_ledger, LOANS, by="ann")
    lines = file_ledger.account().looked
    backup_ledger(file_ledger, tmp_path / "copy.db")
    assert Ledger(tmp_path / "copy.db").account().looked == lines
    export_ledger(file_ledger, tmp_path / "ledger.jsonl", by="olga")
    moved = Ledger(tmp_path / "moved.db")
    import_ledger(tmp_path / "ledger.jsonl", moved, by="olga")
    assert moved.account().looked == lines
    assert is_looked_at(moved.account())


def test_a_curator_looks_and_an_officer_does_not(postgres_url: str) -> None:
    with team_at(postgres_url, SCOPE) as team:
        enter_look(team.ledger("curator"), LOANS)
        with pytest.raises(LedgerFailed, match="may not do that"):
            enter_look(team.ledger("officer"), LOANS)
        assert len(team.ledger("reader").account().looked) == 1


# --- Which releases come after it -----------------------------------------------------


def test_what_is_charged_after_a_look_comes_after_it(ledger: Ledger) -> None:
    bring(ledger, "charged")
    assert not is_looked_at(ledger.account())
    enter_look(ledger, LOANS)
    bring(ledger, "charged", OTHER)
    assert (is_after_look(ledger, ID), is_after_look(ledger, OTHER)) == (False, True)
    assert is_looked_at(ledger.account())


def test_a_look_at_the_same_data_for_another_scope_counts(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.open_scope(CARDS)
    first, second = (rows(tmp_path / name) for name in ("a.csv", "b.csv"))
    for name, file in ((ID, first), (OTHER, second)):
        ledger.charge(name, PLAN, scope="loans", source=meant_source(str(file)))
    assert not is_after_look(ledger, ID)
    enter_look(ledger, meant_source(str(first)), scope="cards")
    assert is_after_look(ledger, ID)
    assert not is_after_look(ledger, OTHER)


def test_a_look_that_cannot_be_read_may_have_been_at_anything(
    file_ledger: Ledger, tmp_path: Path
) -> None:
    file_ledger.open_scope(CARDS)
    table = meant_source(str(rows(tmp_path / "a.csv")))
    file_ledger.charge(ID, PLAN, scope="loans", source=table)
    write_past(file_ledger, "looked", scope="cards")
    assert is_after_look(file_ledger, ID)


def test_lines_that_were_lost_count_as_looks(any_ledger: str, tmp_path: Path) -> None:
    restored = Restored(any_ledger, tmp_path, SCOPE)
    restored.charge(1)
    enter_look(restored.ledger(), LOANS)
    restored.lose(1)
    account = recover_ledger(restored.ledger(), by="olga", why="a replica lagged")
    assert account.looked == ()
    assert is_looked_at(account)
    restored.charge(2)
    assert not is_after_look(restored.ledger(), f"{1:032x}")
    assert is_after_look(restored.ledger(), f"{2:032x}")


def test_lines_that_were_set_aside_count_as_looks(file_ledger: Ledger) -> None:
    write_past(file_ledger, "looked")
    with pytest.raises(LedgerFailed, match="entry 1 of scope 'loans'"):
        file_ledger.account()
    file_ledger.quarantine([1], why="junk")
    assert is_looked_at(file_ledger.account())


def test_lines_that_another_scope_set_aside_count_as_looks(
    file_ledger: Ledger, tmp_path: Path
) -> None:
    file_ledger.open_scope(CARDS)
    table = meant_source(str(rows(tmp_path / "a.csv")))
    file_ledger.charge(ID, PLAN, scope="loans", source=table)
    write_past(file_ledger, "lookde", scope="cards")
    file_ledger.quarantine([1], why="junk", scope="cards")
    assert is_after_look(file_ledger, ID)


def test_a_line_with_another_name_than_its_content_is_not_followed(
    file_ledger: Ledger,
) -> None:
    told = {"by": "", "source": LOANS.written.text, "place": LOANS.place.text}
    write_past(file_ledger, "looked", subject_of(told, 1), told)
    assert len(file_ledger.account().looked) == 1
    write_past(file_ledger, "looked", ID, told)
    with pytest.raises(LedgerFailed, match="entry 2 of scope 'loans'"):
        Ledger(file_ledger.watch.store.path).account()  # type: ignore[union-attr]


# --- What releases say ----------------------------------------------------------------


@pytest.mark.parametrize("kind", ["json", "parquet"])
def test_a_release_after_a_look_says_so_in_its_sealed_bytes(
    ledger: Ledger, kind: str, tmp_path: Path
) -> None:
    table = str(rows(tmp_path / "loans.csv"))
    out = tmp_path / f"release.{kind}"
    before = release_sums(table, PLAN, ledger=ledger)
    enter_look(ledger, meant_source(table))
    # It was drawn before the look, and is given as it was drawn.
    again = release_sums(table, PLAN, ledger=ledger, on_id=lambda *_: None)
    assert (before.is_after_look, again) == (False, before)
    after = release_sums(table, PLAN, ledger=ledger, new_draw=True, out=out)
    assert after.is_after_look
    assert verify_ledger(ledger, [before, after]).wrong == ()


def test_bytes_that_keep_silent_are_found(file_ledger: Ledger, tmp_path: Path) -> None:
    table = str(rows(tmp_path / "loans.csv"))
    enter_look(file_ledger, meant_source(table))
    release = release_sums(table, PLAN, ledger=file_ledger)
    assert verify_ledger(file_ledger).wrong == ()
    silent = replace(release, id=OTHER, is_after_look=False)
    file_ledger.charge(OTHER, PLAN)
    silent = replace(silent, ledger_head=file_ledger.open(OTHER))
    file_ledger.seal(OTHER, release_to_bytes(silent, "json"), "json")
    (wrong,) = verify_ledger(file_ledger).wrong
    assert wrong == (
        f"release {OTHER} was charged after a look at the data, and does not say so."
    )


def test_a_charge_that_was_made_before_a_look_goes_on_without_it(
    file_ledger: Ledger, tmp_path: Path
) -> None:
    """Its plan was fixed by its hash before anybody looked."""
    table = str(rows(tmp_path / "loans.csv"))
    file_ledger.charge(ID, PLAN, source=meant_source(table))
    enter_look(file_ledger, meant_source(table))
    release = release_sums(table, PLAN, ledger=file_ledger, release_id=ID)
    assert not release.is_after_look
    assert verify_ledger(file_ledger).wrong == ()
