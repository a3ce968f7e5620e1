"""A ledger that lost its last lines goes on, with what they spent written off."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest

from curator.ledger.loans import ID, PLAN, SCOPE, plan_of
from curator.ledger.restoring import Restored, lose
from curator.ledger.teams import team_at
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.account.source import named_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.recover import recover_ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.errors import InvalidInput, LedgerFailed, LedgerRefused
from dpratio.terms.budget import Budget

OLD = "older than what was seen of it"
NAMED = {"by": "olga", "why": "the replica lagged"}
recover = partial(recover_ledger, by="olga", why="the replica lagged")
FIRST, SECOND = f"{1:032x}", f"{2:032x}"


@pytest.fixture
def restored(any_ledger: str, tmp_path: Path) -> Restored:
    return Restored(any_ledger, tmp_path, SCOPE)


def test_what_the_anchor_proves_is_spent(restored: Restored) -> None:
    restored.charge(1, 2, 3, 4, 5)
    head = restored.ledger().account().head
    restored.lose(2)
    with pytest.raises(LedgerFailed, match=OLD):
        restored.ledger().account()
    account = recover(restored.ledger())
    assert account.spent == Charge(Fraction(1, 2), Fraction(0))
    (entry,) = account.recovered
    assert (entry.seq, entry.kind, entry.loss, entry.delta) == (
        *(3, "recovered", "3/10", "0/1"),
    )
    assert entry.said == {**NAMED, "lost_seq": "5", "lost_hash": head}
    assert list(account.releases) == [FIRST, SECOND]


def test_it_goes_on_afterwards_and_is_sound(restored: Restored) -> None:
    restored.charge(1, 2, 3, 4, 5)
    restored.lose(2)
    ledger = restored.ledger()
    recover(ledger)
    ledger.charge(f"{6:032x}", PLAN)
    restored.charge(3, 7)
    found = verify_ledger(restored.ledger())
    assert found.wrong == ()
    (note,) = found.notes
    assert note.startswith(
        "Written off as spent in entry 3 of scope 'loans', after entry 5 was lost: "
        "epsilon 0.3, delta 0; by olga, 2"
    )
    assert note.endswith("Z: the replica lagged.")
    assert note in restored.ledger().history().said()
    account = restored.ledger().account()
    assert (account.seq, account.left.loss) == (6, Fraction(2, 10))


def test_a_second_time_there_is_nothing_to_recover(restored: Restored) -> None:
    restored.charge(1, 2, 3)
    restored.lose(1)
    recover(restored.ledger())
    before = restored.ledger().account()
    with pytest.raises(LedgerRefused, match="there is nothing to recover"):
        recover(restored.ledger())
    assert restored.ledger().account() == before


def test_a_recovered_ledger_may_be_lost_again(restored: Restored) -> None:
    restored.charge(1, 2, 3, 4)
    restored.lose(2)
    recover(restored.ledger())
    restored.charge(5)
    # After the line that wrote off, before it, and before the first of all.
    for seq in (3, 1, 0):
        restored.lose(seq)
        with pytest.raises(LedgerFailed, match=OLD):
            restored.ledger().account()
        account = recover(restored.ledger())
        assert account.spent.loss == Fraction(5, 10)
        assert verify_ledger(restored.ledger()).wrong == ()
    restored.charge(8)
    assert restored.ledger().account().spent.loss == Fraction(6, 10)


def test_a_charge_that_was_given_back_in_lost_lines_is_not_given_back(
    restored: Restored,
) -> None:
    restored.charge(1, 2)
    restored.ledger().void(FIRST)
    restored.lose(2)
    account = recover(restored.ledger())
    assert account.recovered[0].charge == Charge(Fraction(0), Fraction(0))
    assert account.spent.loss == Fraction(2, 10)


def test_the_most_that_was_ever_spent_counts(restored: Restored) -> None:
    restored.charge(1, 2)
    restored.ledger().void(SECOND)
    restored.lose(1)
    assert recover(restored.ledger()).spent.loss == Fraction(2, 10)


def test_a_charge_that_lost_lines_may_have_opened_stays(restored: Restored) -> None:
    restored.charge(1, 2)
    restored.ledger().open(FIRST)
    restored.lose(2)
    recover(restored.ledger())
    ledger = restored.ledger()
    assert ledger.account().releases[FIRST].state == "stranded"
    for verb in (ledger.open, ledger.void):
        with pytest.raises(LedgerRefused, match="from before lines of the ledger were"):
            verb(FIRST)
    for ask in (ledger.charge, ledger.sealed):
        with pytest.raises(LedgerRefused, match="may have been opened in those"):
            ask(FIRST, PLAN)
    assert ledger.account().spent.loss == Fraction(2, 10)


def test_approvals_are_given_again(any_ledger: str, tmp_path: Path) -> None:
    made = Restored(any_ledger, tmp_path, replace(SCOPE, needs_approval=True))
    made.ledger().approve(PLAN, source="mine", by="officer")
    mine = named_source("mine")
    made.ledger().charge(ID, PLAN, source=mine)
    made.lose(1)
    recover(made.ledger())
    with pytest.raises(LedgerRefused, match="admits approved studies only"):
        made.ledger().charge(FIRST, PLAN, source=mine)
    made.ledger().approve(PLAN, source="mine", by="officer")
    made.ledger().charge(FIRST, PLAN, source=mine)


def test_where_the_anchor_cannot_tell_the_whole_cap_is_spent(
    restored: Restored,
) -> None:
    restored.charge(1, 2, 3)
    *told, newest = heads_of(restored)
    silent = newest.partition(', "loss"')[0] + "}"
    restored.anchor.write_text("".join(f"{line}\n" for line in (*told, silent)))
    restored.lose(1)
    account = recover(restored.ledger())
    assert account.left == Charge(Fraction(0), Fraction(0))
    assert verify_ledger(restored.ledger()).wrong == ()


def test_everything_can_be_written_off_without_an_anchor(ledger: Ledger) -> None:
    ledger.charge(ID, PLAN)
    account = recover(ledger, everything=True)
    assert account.left == Charge(Fraction(0), Fraction(0))
    assert verify_ledger(ledger).wrong == ()
    assert "Written off as spent in entry 2 of scope 'loans': epsilon 1, " in str(
        verify_ledger(ledger).notes
    )
    with pytest.raises(LedgerRefused, match="has epsilon 0 and delta 0 left"):
        ledger.charge(FIRST, PLAN)


def test_everything_can_be_written_off_where_the_anchor_is_not_ahead(
    restored: Restored,
) -> None:
    restored.charge(1)
    account = recover(restored.ledger(), everything=True)
    assert account.left.loss == 0
    assert verify_ledger(restored.ledger()).wrong == ()


def test_both_losses_are_written_off_exactly(any_ledger: str, tmp_path: Path) -> None:
    scope = Scope("loans", Budget(3, "1e-5"), accounting="zcdp")
    made = Restored(any_ledger, tmp_path, scope)
    gaussian = plan_of("0.3", "1e-7", mechanism="analytic_gaussian")
    for number, plan in enumerate((PLAN, gaussian, plan_of("0.7")), start=1):
        made.ledger().charge(f"{number:032x}", plan)
    spent = made.ledger().account().spent
    made.lose(1)
    assert recover(made.ledger()).spent == spent
    assert verify_ledger(made.ledger()).wrong == ()


def test_an_anchor_that_tells_too_much_uses_up_the_cap_and_no_more(
    restored: Restored,
) -> None:
    restored.charge(1, 2)
    told = restored.anchor.read_text()
    told = told.replace('"2/10"', '"9/1"').replace('"1/5"', '"9/1"')
    restored.anchor.write_text(told)
    restored.lose(1)
    account = recover(restored.ledger())
    assert account.left.loss == 0
    assert verify_ledger(restored.ledger()).wrong == ()


def test_a_line_that_was_not_anchored_is_anchored_with_the_next(
    restored: Restored,
) -> None:
    restored.charge(1, 2, 3)
    restored.lose(1)
    before = restored.anchor.read_bytes()
    recover(restored.ledger())
    whole = restored.ledger().watch.heads()
    restored.anchor.write_bytes(before)
    assert restored.ledger().account().seq == 2
    restored.charge(4)
    assert restored.ledger().watch.heads()[:-1] == whole
    assert verify_ledger(restored.ledger()).wrong == ()


@pytest.mark.parametrize(
    ("later", "said"), [((), OLD), ((4, 5, 6), "is not the one in the anchor")]
)
def test_one_who_still_writes_to_the_lost_ledger_is_noticed(
    later: tuple[int, ...], said: str, restored: Restored
) -> None:
    restored.charge(1, 2, 3)
    lost = heads_of(restored)[-1]
    restored.lose(1)
    recover(restored.ledger())
    restored.charge(*later)
    with restored.anchor.open("a") as file:
        file.write(f"{lost}\n")
    with pytest.raises(LedgerFailed, match=said):
        restored.ledger().account()


def test_an_anchor_of_another_ledger_recovers_nothing(
    restored: Restored, tmp_path: Path
) -> None:
    restored.charge(1)
    (tmp_path / "other").mkdir()
    other = Restored(str(tmp_path / "other" / "b.db"), tmp_path / "other", SCOPE)
    other.charge(1, 2, 3)
    with pytest.raises(LedgerFailed, match="entry 1 of scope 'loans' is not the one"):
        recover(Ledger(restored.location, anchor=other.anchor))
    assert restored.ledger().account().recovered == ()


def test_an_anchor_that_was_cut_recovers_nothing(restored: Restored) -> None:
    restored.charge(1, 2, 3)
    lines = heads_of(restored)
    restored.lose(1)
    for kept, said in (
        (lines[2:], "holds no line that scope 'loans' has as well"),
        ([*lines[:-1], lines[-1][:-9]], "is damaged in line 4"),
        ([], "does not know scope 'loans'"),
    ):
        restored.anchor.write_text("".join(f"{line}\n" for line in kept))
        with pytest.raises(LedgerFailed, match=said):
            recover(restored.ledger())
    restored.anchor.write_text("".join(f"{line}\n" for line in lines[:2]))
    with pytest.raises(LedgerRefused, match="there is nothing to recover"):
        recover(restored.ledger())
    with pytest.raises(LedgerRefused, match="name its anchor"):
        recover(Ledger(restored.location), everything=True)


def test_who_and_why_are_said(file_ledger: Ledger) -> None:
    for given, said in (
        ({"by": "", "why": "lost"}, "by must be said"),
        ({"by": "olga", "why": " "}, "why must be said"),
        ({"by": "olga", "why": "a\nb"}, "why must be one line"),
        ({**NAMED, "everything": "yes"}, "everything must be true or false"),
    ):
        with pytest.raises(InvalidInput, match=said):
            recover_ledger(file_ledger, **given)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="ledger must be a Ledger"):
        recover("budget.db")  # type: ignore[arg-type]


def test_only_the_owner_recovers_a_ledger_of_a_team(
    postgres_url: str, tmp_path: Path
) -> None:
    with team_at(postgres_url, SCOPE) as team:
        team.ledger("curator").charge(ID, PLAN)
        lose(postgres_url, 0)
        for role in ("curator", "officer", "reader"):
            with pytest.raises(LedgerFailed, match="this user may not do that"):
                recover(team.ledger(role), everything=True)
        assert team.ledger("reader").account().seq == 0
        recover(team.ledger("owner"), everything=True)
        assert team.ledger("reader").account().left.loss == 0
    assert tmp_path


def heads_of(restored: Restored) -> list[str]:
    return restored.anchor.read_text().splitlines()
