"""A retry gives the same bytes or nothing, and reads no data."""

from fractions import Fraction
from pathlib import Path

import pytest

from curator.ledger.loans import ID, PLAN, TABLE, Untouchable, plan_of, state
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import FileRefused, InvalidInput, LedgerRefused
from dpratio.release import files
from dpratio.release.files import read_release, release_from_bytes
from dpratio.release.release import id_of
from dpratio.terms.budget import Budget


def test_a_retry_gives_the_same_bytes_and_reads_no_data(
    file_ledger: Ledger, tmp_path: Path
) -> None:
    written = tmp_path / "r.json"
    first = release_sums(TABLE, PLAN, ledger=file_ledger, release_id=ID, out=written)
    before = file_ledger.account()
    content = written.read_bytes()
    for out in (written, tmp_path / "again.json", None):
        again = release_sums(
            Untouchable(), PLAN, ledger=file_ledger, release_id=ID, out=out
        )
        assert again == first
        if out is not None:
            assert out.read_bytes() == content
    assert file_ledger.account() == before
    assert file_ledger.sealed(ID, PLAN) == content


def test_a_retry_may_be_in_another_process(file_ledger: Ledger, tmp_path: Path) -> None:
    first = release_sums(TABLE, PLAN, ledger=file_ledger)
    other = Ledger(tmp_path / "budget.db")
    assert release_sums(Untouchable(), PLAN, ledger=other, release_id=first.id) == first


def test_a_release_without_a_file_is_sealed(file_ledger: Ledger) -> None:
    release = release_sums(TABLE, PLAN, ledger=file_ledger)
    sealed = file_ledger.sealed(release.id, PLAN)
    assert sealed is not None
    assert release_from_bytes(sealed) == release


def test_a_release_that_was_sealed_and_not_published_is_published(
    file_ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_given: object, replace: bool) -> None:
        assert not replace
        message = "'r.json' cannot be written: No space left on device."
        raise FileRefused(message)

    monkeypatch.setattr(files, "write_whole", stop)
    out = tmp_path / "r.json"
    with pytest.raises(FileRefused) as told:
        release_sums(TABLE, PLAN, ledger=file_ledger, release_id=ID, out=out)
    assert str(told.value) == (
        "'r.json' cannot be written: No space left on device. "
        f"Release {ID} is sealed. Run it again under this id, for free."
    )
    monkeypatch.undo()
    assert state(file_ledger) == "sealed"
    release_sums(Untouchable(), PLAN, ledger=file_ledger, release_id=ID, out=out)
    assert state(file_ledger) == "published"
    assert read_release(out).id == ID


def test_an_id_belongs_to_its_plan_and_scope(file_ledger: Ledger) -> None:
    release_sums(TABLE, PLAN, ledger=file_ledger, release_id=ID)
    file_ledger.open_scope(Scope("cards", Budget(1)))
    for plan, scope, said in (
        (plan_of("0.2"), "loans", "belongs to another plan"),
        (PLAN, "cards", "belongs to another scope"),
    ):
        with pytest.raises(LedgerRefused, match=said):
            release_sums(
                Untouchable(), plan, ledger=file_ledger, release_id=ID, scope=scope
            )


@pytest.mark.parametrize("name", ["", "0" * 31, "A" * 32])
def test_what_is_no_id_is_refused(name: str, file_ledger: Ledger) -> None:
    with pytest.raises(InvalidInput, match="a release id"):
        release_sums(Untouchable(), PLAN, ledger=file_ledger, release_id=name)


def test_any_text_is_an_id_and_the_same_text_the_same_release(
    file_ledger: Ledger, tmp_path: Path
) -> None:
    out, text = tmp_path / "r.json", "orders 2026-11"
    release = release_sums(TABLE, PLAN, ledger=file_ledger, release_id=text, out=out)
    assert release.id == id_of(text)
    again = release_sums(
        Untouchable(), PLAN, ledger=file_ledger, release_id=text, out=out
    )
    assert again == release
    assert file_ledger.account().spent.loss == Fraction(1, 10)
