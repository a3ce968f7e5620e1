"""The door with a ledger: charged, opened, sealed, published, in this order."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from curator.ledger.loans import ID, PLAN, TABLE, Untouchable, state
from dpratio.curator import charged_release
from dpratio.curator import release_sums as room
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import EngineFailed, InvalidInput, LedgerFailed, LedgerRefused
from dpratio.release import files
from dpratio.release.files import read_release
from dpratio.terms.budget import Budget

# --- The order of work ----------------------------------------------------------------


STEPS = (
    (room, "price"),
    (charged_release, "same_requests"),
    (files, "require_place"),
    (Ledger, "sealed"),
    (room, "open_for"),
    (Ledger, "charge"),
    (Ledger, "open"),
    (charged_release, "release_to_bytes"),
    (Ledger, "seal"),
    (files, "write_whole"),
    (Ledger, "publish"),
)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the door calls, in the order it calls it."""
    called: list[str] = []

    def noted(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:  # noqa: ANN401
            called.append(name)
            back = original(*given, **named)
            return noted("measure", back) if name == "open_for" else back

        return call

    for owner, name in STEPS:
        monkeypatch.setattr(owner, name, noted(name, getattr(owner, name)))
    return called


def test_everything_public_is_checked_then_charged_then_opened_then_sealed(
    file_ledger: Ledger, calls: list[str], tmp_path: Path
) -> None:
    release_sums(TABLE, PLAN, ledger=file_ledger, out=tmp_path / "r.json")
    assert calls == [
        "price",
        "same_requests",
        "require_place",
        "sealed",
        "open_for",
        "charge",
        "open",
        "measure",
        "release_to_bytes",
        "seal",
        "write_whole",
        "publish",
    ]


def test_a_retry_only_reads_the_ledger_and_writes_the_file(
    file_ledger: Ledger, calls: list[str], tmp_path: Path
) -> None:
    name = release_sums(TABLE, PLAN, ledger=file_ledger).id
    calls.clear()
    out = tmp_path / "r.json"
    release_sums(TABLE, PLAN, ledger=file_ledger, release_id=name, out=out)
    assert calls == [
        "price",
        "require_place",
        "sealed",
        "write_whole",
        "publish",
    ]


def test_without_a_ledger_nothing_is_charged(calls: list[str], tmp_path: Path) -> None:
    release = release_sums(TABLE, PLAN, ledger=None, out=tmp_path / "r.json")
    assert release.ledger_head is None
    assert read_release(tmp_path / "r.json") == release
    assert {"sealed", "charge", "open", "seal", "publish"}.isdisjoint(calls)


def test_a_table_that_must_not_be_touched_stops_a_release() -> None:
    """What keeps the tests below honest."""
    with pytest.raises(EngineFailed):
        release_sums(Untouchable(), PLAN, ledger=None)


# --- Which ledger ---------------------------------------------------------------------


def test_a_ledger_that_is_not_said_is_refused_with_both_ways_out() -> None:
    with pytest.raises(InvalidInput) as refused:
        release_sums(Untouchable(), PLAN)
    assert "a release is charged to a ledger" in str(refused.value)
    assert "Name the ledger, or say ledger=None to keep no account." in str(
        refused.value
    )


@pytest.mark.parametrize(
    "given", [{"scope": "loans"}, {"release_id": ID}, {"source": "x"}]
)
def test_scopes_and_ids_belong_to_a_ledger(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        release_sums(Untouchable(), PLAN, ledger=None, **given)
    assert str(refused.value).startswith(
        "scopes, sources and release ids belong to a ledger"
    )
    assert "leave scope, source and release_id out" in str(refused.value)


def test_a_ledger_may_be_named_by_its_place(any_ledger: str) -> None:
    Ledger(any_ledger).open_scope(Scope("loans", Budget(1)))
    release = release_sums(TABLE, PLAN, ledger=any_ledger)
    account = Ledger(any_ledger).account()
    opened = account.releases[release.id].entries[1]
    assert (opened.kind, opened.hash) == ("opened", release.ledger_head)
    assert state(Ledger(any_ledger), release.id) == "published"
    path = Path(any_ledger) if "://" not in any_ledger else any_ledger
    again = release_sums(Untouchable(), PLAN, ledger=path, release_id=release.id)
    assert again == release


def test_a_ledger_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(LedgerFailed, match="it cannot be opened"):
        release_sums(Untouchable(), PLAN, ledger=tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


def test_what_is_no_place_is_refused() -> None:
    with pytest.raises(InvalidInput, match="a ledger lies in a file or on a server"):
        release_sums(Untouchable(), PLAN, ledger="")


def test_an_anchored_ledger_is_given_as_a_ledger(tmp_path: Path) -> None:
    place, heads = tmp_path / "budget.db", tmp_path / "heads"
    book = Ledger(place, anchor=heads)
    book.open_scope(Scope("loans", Budget(1)))
    with pytest.raises(LedgerRefused, match="scope 'loans' is anchored"):
        release_sums(Untouchable(), PLAN, ledger=place)
    release_sums(TABLE, PLAN, ledger=book)
    assert len(heads.read_text("utf-8").splitlines()) == 5


def test_the_only_scope_is_taken_and_others_must_be_named(file_ledger: Ledger) -> None:
    release_sums(TABLE, PLAN, ledger=file_ledger)
    file_ledger.open_scope(Scope("cards", Budget(1)))
    with pytest.raises(LedgerRefused, match="name the scope of the data"):
        release_sums(Untouchable(), PLAN, ledger=file_ledger)
    with pytest.raises(LedgerRefused, match="there is no scope 'houses'"):
        release_sums(Untouchable(), PLAN, ledger=file_ledger, scope="houses")
    with pytest.raises(LedgerRefused, match="could belong to any"):
        release_sums(TABLE, PLAN, ledger=file_ledger, scope="cards")
    release_sums(TABLE, PLAN, ledger=file_ledger, scope="cards", source="cards")
    assert file_ledger.account("loans").spent == file_ledger.account("cards").spent


# --- What a release tells of it -------------------------------------------------------


def test_a_release_holds_nothing_of_the_ledger_but_its_head_and_a_hash(
    tmp_path: Path,
) -> None:
    place = tmp_path / "CANARY-ledger.db"
    ledger = Ledger(place, anchor=tmp_path / "CANARY-heads")
    scope = Scope("CANARY-scope", Budget(7, "3e-5"), dataset="CANARY-data")
    ledger.open_scope(scope)
    out = tmp_path / "r.json"
    release = release_sums(TABLE, PLAN, ledger=ledger, by="CANARY-by", out=out)
    text = out.read_text("utf-8")
    opened = ledger.account().releases[release.id].entries[1]
    assert "CANARY" not in text
    assert scope.hash not in text
    assert opened.time not in text
    assert release.ledger_head == opened.hash
    assert f'"ledger_head":"{opened.hash}"' in text


def test_simulated_people_are_charged_and_told(file_ledger: Ledger) -> None:
    release = release_sums(TABLE, PLAN, ledger=file_ledger, simulated=True)
    assert release.is_simulated
    again = release_sums(
        Untouchable(), PLAN, ledger=file_ledger, release_id=release.id, simulated=True
    )
    assert again.is_simulated
