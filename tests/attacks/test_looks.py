"""Row 19: terms that somebody set after a look at the data, and who is told of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from attacks.bound_data import Call
from cli.on_a_terminal import on_a_terminal
from curator.ledger.attacks.books import name_of, open_book, plan_of
from curator.ledger.restoring import Restored
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.curator.exact import look as looking
from dpratio.curator.exact.look import look_at_format
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.account.source import meant_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.looks import enter_look
from dpratio.curator.ledger.recover import recover_ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerRefused
from dpratio.release.files import release_from_bytes, release_to_bytes
from dpratio.release.merge import merge
from dpratio.release.release import Release
from dpratio.release.roll_up import roll_up
from dpratio.show.sections.page import render_report
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from planned import question_text

PLAN = plan_of("0.1")
STUDY = f"""
[data]
path = "people.csv"
{question_text("s", "y")}
[privacy]
epsilon = 1
"""


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "people.csv"
    path.write_text('s,y\n"0,5",1\n0.25,0\n0.75,1\n', encoding="utf-8")
    return str(path)


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    return open_book(str(tmp_path / "budget.db"))


@pytest.fixture
def desk(tmp_path: Path, table: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a study, its data and the usual ledger."""
    monkeypatch.chdir(tmp_path)
    assert Path(table).parent == tmp_path
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    open_book("dpratio.db")
    return tmp_path


def sealed(ledger: Ledger, release: Release, scope: str | None = None) -> Release:
    found = ledger.sealed(release.id, release.plan, scope=scope)
    assert found is not None
    return release_from_bytes(*found)


def test_19_a_look_is_on_the_record_before_the_data_are_opened(
    book: Ledger, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is stopped in between has looked, and the ledger knows it.

    Source: IBM diffprivlib, issue 20 (terms that are read off the data).
    More: tests/curator/exact/test_look.py.
    """
    known: list[int] = []

    def stopped(_path: str) -> None:
        known.append(len(book.account().looked))
        raise KeyboardInterrupt

    monkeypatch.setattr(looking, "lines_of", stopped)
    with pytest.raises(KeyboardInterrupt):
        look_at_format(table, PLAN, ledger=book)
    assert known == [1]
    assert len(book.account().looked) == 1


def test_19_what_is_released_after_a_look_says_so(any_ledger: str, table: str) -> None:
    """In the release, in what was sealed, and in what is read of it later.

    Source: IBM diffprivlib, issue 20.
    More: tests/curator/ledger/test_looks.py.
    """
    ledger = open_book(any_ledger)
    before = release_sums(table, PLAN, ledger=ledger)
    look_at_format(table, PLAN, ledger=ledger)
    after = release_sums(table, PLAN, ledger=ledger, new_draw=True)
    assert not sealed(ledger, before).is_after_look
    assert after.is_after_look
    assert sealed(ledger, after).is_after_look
    assert "terms set after a look at the data" in str(after)
    assert verify_ledger(ledger, [before, after]).wrong == ()


def test_19_another_file_of_the_scope_says_so_too(book: Ledger, table: str) -> None:
    """A copy under another name would be the way around.

    Source: IBM diffprivlib, issue 20.
    """
    look_at_format(table, PLAN, ledger=book)
    copy = Path(table).with_name("copy.csv")
    copy.write_bytes(Path(table).read_bytes())
    assert release_sums(str(copy), PLAN, ledger=book).is_after_look


def test_19_a_look_for_another_scope_is_no_way_around(book: Ledger, table: str) -> None:
    """The same data, looked at where nothing is released.

    Source: W3C Attribution, issue 17 (what is begun anew is forgotten).
    """
    book.open_scope(Scope("scratch", Budget(1)))
    look_at_format(table, PLAN, ledger=book, scope="scratch")
    assert release_sums(table, PLAN, ledger=book, scope="loans").is_after_look


def test_19_lines_that_were_lost_may_have_been_looks(
    any_ledger: str, table: str, tmp_path: Path
) -> None:
    """Who restores an old copy would lose the look with it.

    Source: Crosby & Wallach (2009), Efficient Data Structures for Tamper-Evident
    Logging.
    """
    restored = Restored(any_ledger, tmp_path, Scope("loans", Budget(5)))
    restored.charge(1)
    enter_look(restored.ledger(), meant_source(table))
    restored.lose(1)
    recover_ledger(restored.ledger(), by="olga", why="an old copy")
    release = release_sums(table, PLAN, ledger=restored.ledger())
    assert release.is_after_look


@pytest.mark.parametrize("since", ["recovered", "restored"])
def test_19_lines_that_another_scope_lost_may_have_been_looks(
    any_ledger: str, table: str, tmp_path: Path, since: str
) -> None:
    """Looked at where nothing is released, and the copy of before restored.

    Source: Crosby & Wallach (2009), Efficient Data Structures for Tamper-Evident
    Logging.
    """
    restored = Restored(any_ledger, tmp_path, Scope("loans", Budget(5)))
    restored.ledger().open_scope(Scope("scratch", Budget(5)))
    other = Path(table).with_name("other.csv")
    other.write_bytes(Path(table).read_bytes())
    book = restored.ledger()
    before = release_sums(str(other), PLAN, ledger=book, scope="scratch")
    lines = restored.ledger().account("scratch").seq
    enter_look(restored.ledger(), meant_source(table), scope="scratch")
    restored.lose(lines)
    if since == "recovered":
        recover_ledger(restored.ledger(), by="olga", why="an old copy", scope="scratch")
    release = release_sums(table, PLAN, ledger=restored.ledger(), scope="loans")
    assert (before.is_after_look, release.is_after_look) == (False, True)


def test_19_a_scope_that_was_looked_at_is_not_closed(
    any_ledger: str, table: str
) -> None:
    """Its name would be gone, and the look with it.

    Source: W3C Attribution, issue 17.
    """
    ledger = open_book(any_ledger)
    look_at_format(table, PLAN, ledger=ledger)
    with pytest.raises(LedgerRefused, match="is in use"):
        ledger.close_scope("loans")


@pytest.mark.parametrize(
    "made",
    [
        lambda marked, _: roll_up(marked),
        lambda marked, plain: merge([plain, marked], units_are_disjoint=True),
        lambda marked, _: release_from_bytes(release_to_bytes(marked, "json"), "json"),
        lambda marked, _: release_from_bytes(
            release_to_bytes(marked, "parquet"), "parquet"
        ),
    ],
)
def test_19_what_is_made_of_a_release_keeps_the_mark(
    made: Callable[[Release, Release], Release], table: str, tmp_path: Path
) -> None:
    """Post-processing would wash it off.

    Source: IBM diffprivlib, issue 20.
    """
    regions = Path(table).with_name("regions.csv")
    regions.write_text("s,y,g\n0.5,1,a\n0.25,1,b\n", encoding="utf-8")
    plan = replace(PLAN, partitions=(Groups("g", ["a", "b"]),))
    books = [open_book(str(tmp_path / f"{at}.db")) for at in range(2)]
    enter_look(books[0], meant_source(str(regions)))
    given = [release_sums(str(regions), plan, ledger=each) for each in books]
    assert [each.is_after_look for each in given] == [True, False]
    assert made(*given).is_after_look


def test_19_bytes_that_keep_silent_about_a_look_are_found(
    book: Ledger, table: str
) -> None:
    """Whoever writes the release by hand leaves the mark out.

    Source: Crosby & Wallach (2009), Efficient Data Structures for Tamper-Evident
    Logging.
    """
    look_at_format(table, PLAN, ledger=book)
    honest = release_sums(table, PLAN, ledger=book)
    book.charge(name_of(2), PLAN, source=meant_source(table))
    head = book.open(name_of(2))
    silent = replace(honest, id=name_of(2), ledger_head=head, is_after_look=False)
    book.seal(name_of(2), release_to_bytes(silent, "json"), "json")
    (wrong,) = verify_ledger(book).wrong
    assert "after a look at the data, and does not say so" in wrong


def test_19_nobody_looks_where_studies_are_approved(
    any_ledger: str, table: str
) -> None:
    """A look would be a study that nobody approved.

    Source: IBM diffprivlib, issue 20.
    """
    ledger = open_book(any_ledger, Scope("loans", Budget(1), needs_approval=True))
    with pytest.raises(LedgerRefused, match="a look is none"):
        look_at_format(table, PLAN, ledger=ledger)
    assert ledger.account().seq == 0


@pytest.mark.parametrize("step", ["approved", "charged", "allowed"])
def test_19_nobody_looks_for_another_scope_at_what_is_approved(
    book: Ledger, table: str, step: str
) -> None:
    """A scope without approvals would be the way around.

    Source: W3C Attribution, issue 17 (what is begun anew is forgotten).
    """
    book.open_scope(Scope("guarded", Budget(1), needs_approval=True))
    looked_at = table
    if step == "allowed":
        book.allow_source(table, scope="guarded", by="olga")
    else:
        book.approve(PLAN, source=table, scope="guarded", by="olga")
    if step == "charged":
        release_sums(table, PLAN, ledger=book, scope="guarded", by="ann")
        looked_at = str(Path(table).with_name("peop*.csv"))
    with pytest.raises(LedgerRefused, match="belong to scope 'guarded'"):
        look_at_format(looked_at, PLAN, ledger=book, scope="loans")
    assert book.account("loans").seq == 0
    other = Path(table).with_name("other.csv")
    other.write_bytes(Path(table).read_bytes())
    look_at_format(str(other), PLAN, ledger=book, scope="loans")
    # What an officer allows is looked at on the record.
    book.allow_source(table, scope="loans", by="olga")
    look_at_format(table, PLAN, ledger=book, scope="loans")
    assert len(book.account("loans").looked) == 2


def test_19_a_look_goes_nowhere_but_to_a_terminal(desk: Path, call: Call) -> None:
    """A log, a pipe or a document would keep what is not private.

    Source: our own.
    More: tests/cli/data_holder/test_check_exact.py.
    """
    words = ("check", "study.toml", "--exact")
    assert call(*words)[0] == 3
    code, shown = on_a_terminal(desk, "y", *words, redirected="found.txt")
    assert (code, "--exact needs a terminal" in shown) == (3, True)
    assert (desk / "found.txt").read_bytes() == b""
    code, shown = on_a_terminal(desk, "y", *words, "--format", "json")
    assert (code, "got '--format json'" in shown) == (3, True)
    assert on_a_terminal(desk, "y", *words, "--no-ledger")[0] == 3
    assert Ledger("dpratio.db").account().seq == 0


def test_19_who_did_not_say_yes_has_not_looked(desk: Path) -> None:
    """What is not private is not done by accident.

    Source: our own.
    """
    code, shown = on_a_terminal(desk, "", "check", "study.toml", "--exact")
    assert (code, "decimal comma" in shown) == (0, False)
    assert Ledger("dpratio.db").account().seq == 0


def test_19_a_look_tells_kinds_and_no_cell(desk: Path) -> None:
    """Neither a value nor how many rows have it.

    Source: IBM diffprivlib, issue 20.
    """
    told = []
    for cells in ("0,5", "0,375"), ("0,5", "0,5", "0,125", "0,375"):
        rows = "".join(f'"{each}",1\n' for each in cells)
        (desk / "people.csv").write_text(f"s,y\n{rows}", encoding="utf-8")
        code, shown = on_a_terminal(desk, "y", "check", "study.toml", "--exact")
        assert (code, "decimal comma" in shown) == (0, True)
        told.append(shown)
    assert told[0] == told[1]


def test_19_plans_and_reports_after_a_look_say_so(
    desk: Path, call: Call, table: str
) -> None:
    """Who approves a plan, or reads an answer, learns how its terms came about.

    Source: IBM diffprivlib, issue 20.
    More: tests/cli/data_holder/test_plan_command.py.
    """
    said = "erms set after a look at the data"
    assert said not in call("plan", "study.toml")[1]
    look_at_format(table, PLAN, ledger=Ledger("dpratio.db"))
    assert said in call("plan", "study.toml")[1]
    assert call("plan", "study.toml", "--html", "sheet.html")[0] == 0
    assert said in (desk / "sheet.html").read_text(encoding="utf-8")
    release = release_sums(table, PLAN, ledger=Ledger("dpratio.db"))
    answer = estimate_ratios(release)
    assert said in answer.summary()
    assert any(said in each for each in answer.notes())
    assert render_report(release).count(said) >= 2
