"""The header of a report and its record: what release and ledger know, and no path."""

from pathlib import Path

import pytest

import dpratio as dpr
from dpratio.curator.ledger.record import record_of
from dpratio.errors import InvalidInput, LedgerRefused
from dpratio.release.files import plan_hash
from dpratio.show.sections.page import header_facts, recorded_facts, render_report
from planned import plan_scores
from shown import from_elsewhere

pytestmark = pytest.mark.usefixtures("fixed_noise")

PLAN = plan_scores(dpr.Budget(1))
HOSTILE = "<script>alert(1)</script>"


def released(
    folder: Path, *, by: str = "Ann Lee", dataset: str = ""
) -> tuple[dpr.Ledger, dpr.Release]:
    """Release invented people from a file, on account."""
    people = folder / "people.csv"
    people.write_text("score,label\n" + "0.5,1\n0.2,0\n" * 20, encoding="utf-8")
    ledger = dpr.Ledger(folder / "budget.db")
    ledger.open_scope(dpr.Scope("loans", dpr.Budget(3), dataset=dataset))
    return ledger, dpr.release_sums(str(people), PLAN, ledger=ledger, by=by)


def test_a_release_alone_knows_its_unit_its_cost_and_its_plan() -> None:
    release = dpr.example_release()
    assert header_facts(release, None) == [
        ("Protected", "one row"),
        ("Cost", "epsilon 2, delta 0"),
    ]
    facts = dict(recorded_facts(release, None))
    assert facts["Plan hash"] == plan_hash(release.plan)  # type: ignore[arg-type]
    assert facts["Release"] == release.id
    page = render_report(release)
    assert "<b>Protected</b> one row" in page
    assert "Asked by" not in page
    assert "ledger verify" not in page


def test_a_ledger_tells_who_asked_and_what_was_left(tmp_path: Path) -> None:
    ledger, release = released(tmp_path, dataset="loans of 2025")
    page = render_report(release, record=record_of(ledger, release))
    for words in (
        "<b>Data</b> loans of 2025",
        "<b>Asked by</b> Ann Lee",
        "<b>Released</b> 20",
        "<dt>Scope</dt><dd>loans</dd>",
        "<dt>Approved</dt><dd>no approval was needed</dd>",
        "<dt>Cap of the scope</dt><dd>epsilon 3, delta 0</dd>",
        "<dt>Left by then</dt><dd>epsilon 2, delta 0</dd>",
        f"<dt>Plan hash</dt><dd>{plan_hash(PLAN)}</dd>",
        f"<dt>Ledger head</dt><dd>{release.ledger_head}</dd>",
        f"dpratio ledger verify release-{release.id[:8]}.json --ledger LEDGER",
    ):
        assert words in page, words
    assert "people.csv" not in page
    assert str(tmp_path) not in page
    assert "Ann Lee" not in render_report(release)


def test_an_approval_and_a_scope_without_words_are_named(tmp_path: Path) -> None:
    ledger = dpr.Ledger(tmp_path / "budget.db")
    ledger.open_scope(dpr.Scope("loans", dpr.Budget(3), needs_approval=True))
    ledger.approve(PLAN, source="people", by="Olga")
    table = {"score": [0.5, 0.2], "label": [1, 0]}
    release = dpr.release_sums(table, PLAN, ledger=ledger, source="people", by="Ann")
    page = render_report(release, record=record_of(ledger, release))
    assert "<b>Data</b> loans<" in page
    assert " UTC, by Olga</dd>" in page


def test_names_in_a_ledger_stay_text(tmp_path: Path) -> None:
    ledger, release = released(tmp_path, by=HOSTILE, dataset=HOSTILE)
    page = render_report(release, record=record_of(ledger, release))
    assert HOSTILE not in page
    assert page.count("&lt;script&gt;alert(1)") >= 3


def test_another_ledger_is_refused(tmp_path: Path) -> None:
    _, release = released(tmp_path)
    (tmp_path / "other").mkdir()
    other, _ = released(tmp_path / "other")
    with pytest.raises(LedgerRefused, match="is not in this ledger"):
        dpr.write_report(tmp_path / "r.html", release, ledger=other)
    assert not (tmp_path / "r.html").exists()
    with pytest.raises(InvalidInput, match="ledger must be a Ledger"):
        dpr.write_report(tmp_path / "r.html", release, ledger="b.db")  # type: ignore[arg-type]


def test_sums_from_elsewhere_claim_what_they_claim() -> None:
    release = from_elsewhere()
    assert header_facts(release, None) == [
        ("Measured by", "another system"),
        ("Claimed there", "epsilon 4, delta 0"),
    ]
