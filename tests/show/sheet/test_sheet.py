"""The sheet for whoever approves a study."""

import re
from dataclasses import replace
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import dpratio as dpr
from dpratio.errors import FileRefused
from dpratio.release.plan_file import plan_hash
from dpratio.show.sheet.sheet import render_sheet, write_sheet
from dpratio.terms.bounds import Proposed
from shown import HOSTILE

BOUNDS = {"spend": dpr.Bounds(0, 400), "visits": dpr.Bounds(0, 20)}


def planned(**terms: Any) -> dpr.Plan:  # noqa: ANN401
    """Plan what a visit brings."""
    terms = {"bounds": BOUNDS, "budget": dpr.Budget("0.5"), **terms}
    return dpr.make_plan(dpr.Ratio("spend", per="visits"), **terms)


PLAN = planned(groups=dpr.Groups("shop", ["north", "south"]))


def words_of(text: str) -> str:
    return unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", text, flags=re.DOTALL))


def test_it_says_who_is_protected_what_is_asked_and_what_is_not_covered() -> None:
    said = words_of(render_sheet(PLAN, notes=["Expected: something."]))
    assert "by at most a factor 1.65" in said
    assert "epsilon 0.5 and delta 0, for one row" in said
    assert "Expected: something." in said
    for line in [*PLAN.asked(), *PLAN.not_covered]:
        assert said.count(line) == 1


def rows_of(text: str) -> list[tuple[str, str, str]]:
    return re.findall(r"<tr>" + r"<td>([^<]*)</td>" * 3 + "</tr>", text)


def test_every_bound_says_where_it_comes_from_or_that_nobody_said() -> None:
    text = render_sheet(PLAN, bounds_from={"spend": "the till refuses more"})
    assert rows_of(text) == [
        ("spend", "0 to 400", "the till refuses more"),
        ("visits", "0 to 20", "not said"),
    ]


def test_natural_bounds_and_those_that_were_found_say_so() -> None:
    found = dpr.Bounds(0, 64, proposed=Proposed("ab" * 16, Fraction(1, 20)))
    plan = dpr.make_plan(
        dpr.Ratio("spend", per="bought"),
        bounds={"spend": found, "bought": dpr.Bounds.binary()},
        budget=dpr.Budget(1),
    )
    said = words_of(render_sheet(plan))
    assert f"proposed by release {'ab' * 16} at epsilon 0.05" in said
    assert "no other value can occur" in said


def test_what_the_release_will_find_is_not_shown_as_declared() -> None:
    found = "found by the release itself, in noisy histograms"
    unit = dpr.PrivacyUnit(
        "id", totals={"spend": dpr.Bounds.find(0, 800), "visits": dpr.Bounds(0, 40)}
    )
    assert rows_of(render_sheet(planned(unit=unit)))[2:] == [
        ("spend, total of one person", "what is found, 0 to 800 at most", found),
        ("visits, total of one person", "0 to 40", "not said"),
    ]
    plan = planned(bounds={**BOUNDS, "spend": dpr.Bounds.find(0, 400)})
    row, _ = rows_of(render_sheet(plan, bounds_from={"spend": "the till"}))
    assert row[1:] == ("what is found, 0 to 400 at most", f"{found}; the till")


def test_totals_say_where_they_come_from_also_those_of_one_question() -> None:
    unit = dpr.PrivacyUnit("id", totals={"spend": dpr.Bounds(0, 800)})
    own = {"spend": dpr.Bounds(0, 90), "rows": dpr.Bounds(0, 4)}
    plan = dpr.make_plan(
        dpr.Question(dpr.Ratio("spend", per="rows"), name="monthly", totals=own),
        bounds={"spend": dpr.Bounds(0, 400)},
        unit=unit,
        budget=dpr.Budget(1),
    )
    told = {"spend": "the till", "rows": "one visit a week"}
    assert rows_of(render_sheet(plan, bounds_from=told))[1:] == [
        ("spend, total of one person", "0 to 800", "the till"),
        ("spend, total of one person in monthly", "0 to 90", "the till"),
        ("rows, total of one person in monthly", "0 to 4", "one visit a week"),
    ]


def test_words_do_not_hide_the_release_that_proposed_a_bound() -> None:
    found = dpr.Bounds(0, 64, proposed=Proposed("ab" * 16, Fraction(1, 20)))
    plan = replace(PLAN, bounds={**PLAN.bounds, "spend": found})
    row, _ = rows_of(render_sheet(plan, bounds_from={"spend": "the till"}))
    assert row[2] == f"proposed by release {'ab' * 16} at epsilon 0.05; the till"


def test_it_names_the_plan_as_its_report_does(tmp_path: Path) -> None:
    release = dpr.example_release()
    name = plan_hash(release.plan)
    assert name in render_sheet(release.plan)
    dpr.write_report(tmp_path / "report.html", release)
    assert name in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_budget_stands_in_it_where_a_ledger_was_asked() -> None:
    said = words_of(render_sheet(PLAN, budget=[("Left now", "epsilon 3, delta 0")]))
    assert "The budget, before and after" in said
    assert "epsilon 3, delta 0" in said
    assert "The budget" not in words_of(render_sheet(PLAN))


def test_no_name_breaks_out_of_the_page() -> None:
    plan = planned(groups=dpr.Groups("shop", HOSTILE))
    text = render_sheet(plan, bounds_from={"spend": "<script>alert(1)</script>"})
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_a_sheet_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "sheet.html"
    write_sheet(path, PLAN)
    write_sheet(path, PLAN)
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(FileRefused):
        write_sheet(path, PLAN)
    assert path.read_text(encoding="utf-8") == "mine"
    write_sheet(path, PLAN, replace=True)
    assert "For approval" in path.read_text(encoding="utf-8")


def test_a_study_with_a_title_is_approved_under_it() -> None:
    assert "<h1>For approval: Σ spend / Σ visits</h1>" in render_sheet(PLAN)
    titled = render_sheet(replace(PLAN, title="What a visit brings"))
    assert "<h1>For approval: What a visit brings</h1>" in titled
    assert "published with every release: What a visit brings" in words_of(titled)
