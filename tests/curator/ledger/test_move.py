"""A ledger is exported, closed, and imported elsewhere: the same lines, one budget."""

import base64
import hashlib
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from curator.ledger.attacks.books import plan_of
from curator.ledger.attacks.tampering import fill
from curator.ledger.loans import ID, OTHER, PLAN, SCOPE, TABLE, bring
from curator.ledger.teams import team_at
from dpratio.curator.ledger.account.entry import Entry
from dpratio.curator.ledger.export import export_ledger
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.move import import_ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import (
    FileRefused,
    InvalidInput,
    LedgerFailed,
    LedgerRefused,
)
from dpratio.release.files import release_to_bytes


def lines_of(ledger: Ledger) -> dict[str, list[Entry]]:
    with ledger.watch.store.reading() as tables:
        return {name: tables.entries(name, 0) for name in tables.scope_names()}


def publish(ledger: Ledger) -> None:
    release_sums(TABLE, PLAN, ledger=ledger, release_id=ID, engine="python")


@pytest.fixture(params=["to a file", "to a server"])
def places(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_url: str
) -> tuple[str, str]:
    """Where a ledger lies, and where it goes: on the other store."""
    both = os.fspath(tmp_path / "budget.db"), postgres_url
    return both[::-1] if request.param == "to a file" else both


def test_a_moved_ledger_has_the_same_lines_and_goes_on(
    places: tuple[str, str], tmp_path: Path
) -> None:
    heads, file = tmp_path / "heads", tmp_path / "ledger.jsonl"
    published = fill(places[0], heads)
    old, new = (Ledger(each, anchor=heads) for each in places)
    spent = {name: old.account(name).spent for name in old.scopes()}
    export_ledger(old, file, by="olga")
    assert file.stat().st_mode & 0o777 == 0o600
    import_ledger(file, new, by="olga")
    before = lines_of(old)
    assert {name: lines[:-1] for name, lines in lines_of(new).items()} == before
    assert {lines[-1].kind for lines in before.values()} == {"closed"}
    assert {lines[-1].kind for lines in lines_of(new).values()} == {"reopened"}
    assert {name: new.account(name).spent for name in new.scopes()} == spent
    assert verify_ledger(new, published).wrong == ()
    new.charge("f" * 32, plan_of("0.1"), scope="loans")
    first = published[0]
    for name in new.scopes():
        if first.id in new.account(name).releases:
            sealed = new.sealed(first.id, PLAN, scope=name)
    assert sealed == release_to_bytes(first)


@pytest.fixture
def exported(ledger: Ledger, tmp_path: Path) -> Path:
    publish(ledger)
    bring(ledger, "opened", OTHER)
    export_ledger(ledger, tmp_path / "ledger.jsonl", by="olga")
    return tmp_path / "ledger.jsonl"


def test_a_ledger_that_was_exported_is_closed(exported: Path, any_ledger: str) -> None:
    closed = "scope 'loans' is closed: this ledger was exported"
    spool = exported.with_name("spool")
    for each in (Ledger(any_ledger), Ledger(any_ledger, spool=spool)):
        each.publish(ID)  # It was before, and nothing is written.
        for verb in (
            partial(each.charge, "2" * 32, PLAN),
            partial(each.approve, PLAN, source="mine"),
        ):
            with pytest.raises(LedgerFailed, match=closed):
                verb()
    with pytest.raises(LedgerFailed, match=closed):
        each.seal(OTHER, b"bytes")
    assert each.spool.kept(OTHER) == b"bytes"  # It is sealed elsewhere.
    assert "Closed: the ledger was exported" in each.history().said()[-1]
    assert "scope 'loans' is closed: it was moved elsewhere." in (
        verify_ledger(each).notes
    )


def test_a_release_that_was_under_way_goes_on_elsewhere(
    exported: Path, tmp_path: Path
) -> None:
    new = Ledger(tmp_path / "new.db")
    import_ledger(exported, new, by="olga")
    new.seal(OTHER, b"bytes")
    assert new.account().releases[OTHER].state == "sealed"


def test_a_ledger_is_exported_again_with_the_same_bytes(
    exported: Path, ledger: Ledger, tmp_path: Path
) -> None:
    """Who lost the file, or was stopped before it was written, is not lost."""
    export_ledger(ledger, tmp_path / "again", by="ben")
    assert (tmp_path / "again").read_bytes() == exported.read_bytes()


def test_a_moved_ledger_may_move_again(exported: Path, tmp_path: Path) -> None:
    new, newest = Ledger(tmp_path / "new.db"), Ledger(tmp_path / "newest.db")
    import_ledger(exported, new, by="olga")
    export_ledger(new, tmp_path / "again", by="olga")
    import_ledger(tmp_path / "again", newest, by="olga")
    kinds = [each.kind for each in lines_of(newest)["loans"][-4:]]
    assert kinds == ["closed", "reopened"] * 2
    newest.charge("3" * 32, PLAN)


def test_a_ledger_that_is_not_empty_gets_nothing(
    exported: Path, tmp_path: Path
) -> None:
    new = Ledger(tmp_path / "new.db")
    import_ledger(exported, new, by="olga")
    before = lines_of(new)
    with pytest.raises(LedgerRefused, match="into an empty ledger, and this one has"):
        import_ledger(exported, new, by="olga")
    assert lines_of(new) == before


def test_an_anchor_notices_a_second_import(tmp_path: Path) -> None:
    heads, file = tmp_path / "heads", tmp_path / "ledger.jsonl"
    old = Ledger(tmp_path / "budget.db", anchor=heads)
    old.open_scope(SCOPE)
    old.charge(ID, PLAN)
    export_ledger(old, file, by="olga")
    import_ledger(file, Ledger(tmp_path / "new.db", anchor=heads), by="olga")
    second = Ledger(tmp_path / "second.db", anchor=heads)
    with pytest.raises(LedgerFailed, match="older than what was seen"):
        import_ledger(file, second, by="olga")
    assert second.scopes() == []
    with pytest.raises(LedgerRefused, match="name its anchor"):
        import_ledger(file, Ledger(tmp_path / "third.db"), by="olga")


def edited(file: Path, change: Callable[[list[dict[str, object]]], object]) -> None:
    """Edit an export, and make its hash right again."""
    lines = [json.loads(each) for each in file.read_text().splitlines()][:-1]
    change(lines)
    content = "".join(f"{json.dumps(each)}\n" for each in lines)
    hashed = hashlib.sha256(content.encode()).hexdigest()
    end = {"lines": len(lines), "sha256": hashed}
    file.write_text(f"{content}{json.dumps(end)}\n")


EDITS: dict[str, Callable[[list[dict[str, object]]], object]] = {
    "the line that closes": lambda lines: lines.pop(-2),
    "a charge": lambda lines: lines.pop(2),
    "the bytes": lambda lines: lines.pop(-1),
    "other bytes": lambda lines: lines[-1].update(
        bytes=base64.b64encode(b"other").decode()
    ),
    "bytes that are none": lambda lines: lines[-1].update(bytes="?"),
    "more bytes": lambda lines: lines.append({"release": "9" * 32, "bytes": ""}),
    "terms": lambda lines: lines[1]["scope"].update(epsilon="9"),  # type: ignore[attr-defined]
    "the scope": lambda lines: lines.pop(1),
    "all scopes": lambda lines: lines.__delitem__(slice(1, None)),
    "another format": lambda lines: lines[0].update(format="other"),
    "another version": lambda lines: lines[0].update(version=2),
    "an unknown line": lambda lines: lines.append({"more": 1}),
    "a line of other types": lambda lines: lines[2].update(entry=[1]),
    "nothing at all": lambda lines: lines.clear(),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_export_that_was_edited_is_refused(
    edit: str, file_ledger: Ledger, tmp_path: Path
) -> None:
    file = tmp_path / "ledger.jsonl"
    publish(file_ledger)
    export_ledger(file_ledger, file, by="olga")
    edited(file, EDITS[edit])
    with pytest.raises(LedgerFailed, match="or was edited, damaged or cut") as told:
        import_ledger(file, Ledger(tmp_path / "new.db"), by="olga")
    assert told.value.__cause__ is None
    assert not (tmp_path / "new.db").exists()


def test_an_export_that_was_cut_or_flipped_is_refused(
    exported: Path, tmp_path: Path
) -> None:
    content = exported.read_bytes()
    for damaged in (
        content[:-1],
        content[: len(content) // 2],
        b"",
        content + b"\n",
        content.replace(b"1/10", b"1/20"),
        content.replace(b"charge", b"\xffharge"),
    ):
        exported.write_bytes(damaged)
        with pytest.raises(LedgerFailed, match="or was edited, damaged or cut"):
            import_ledger(exported, Ledger(tmp_path / "new.db"), by="olga")
    for missing in (tmp_path / "nothing", tmp_path, "a\0b"):
        with pytest.raises(FileRefused, match="cannot be read"):
            import_ledger(missing, Ledger(tmp_path / "new.db"), by="olga")


def test_an_export_replaces_nothing_and_closes_nothing_then(
    file_ledger: Ledger, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    there.write_text("kept")
    for target, said in (
        (there, "an export replaces nothing"),
        (tmp_path / "no" / "folder", "cannot be written"),
    ):
        with pytest.raises(FileRefused, match=said):
            export_ledger(file_ledger, target, by="olga")
    for wrong in (tmp_path / "budget.db", "", 7, "a\0b"):
        with pytest.raises(InvalidInput):
            export_ledger(file_ledger, wrong, by="olga")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="ledger must be a Ledger"):
        export_ledger("budget.db", there, by="olga")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="ledger must be a Ledger"):
        import_ledger(there, "budget.db", by="olga")  # type: ignore[arg-type]
    assert not file_ledger.account().is_closed
    assert there.read_text() == "kept"


def test_a_ledger_that_is_empty_or_not_sound_is_not_exported(
    file_ledger: Ledger, tmp_path: Path
) -> None:
    empty = Ledger(tmp_path / "empty.db")
    empty.watch.store.create()
    with pytest.raises(LedgerRefused, match="there is nothing to export"):
        export_ledger(empty, tmp_path / "file", by="olga")
    publish(file_ledger)
    with file_ledger.watch.store.writing() as tables:
        tables.add_bytes(OTHER, b"more", hashlib.sha256(b"more").hexdigest())
    with pytest.raises(LedgerFailed, match="NOT sound, and was not exported"):
        export_ledger(file_ledger, tmp_path / "file", by="olga")
    assert not file_ledger.account().is_closed


def test_only_the_owner_exports_a_ledger_of_a_team(
    postgres_url: str, tmp_path: Path
) -> None:
    with team_at(postgres_url, SCOPE) as team:
        for role in ("curator", "officer", "reader"):
            with pytest.raises(LedgerFailed, match="this user may not do that"):
                export_ledger(team.ledger(role), tmp_path / role, by="ben")
            assert not (tmp_path / role).exists()
        export_ledger(team.ledger("owner"), tmp_path / "owner", by="olga")
        assert team.ledger("reader").account().is_closed
