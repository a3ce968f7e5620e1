"""The report as text; test_report_in_browser looks at how it behaves."""

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import dpratio as dpr
from dpratio.errors import FileRefused, InvalidInput
from dpratio.show.report_rows import MOST_ROWS
from dpratio.show.sections.page import render_report
from dpratio.show.text import render
from dpratio.tabular import printable
from planned import plan_scores
from shown import BOUNDS, HOSTILE, curved, from_elsewhere, monthly, released, spent

pytestmark = pytest.mark.usefixtures("fixed_noise")

KEYS = tuple(f"group {at}" for at in range(50))
HALVES = {"score": [0.5] * 500, "label": [1, 0] * 250}


def data_of(page: str) -> dict[str, Any]:
    held = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert held is not None
    return dict(json.loads(held.group(1)))


def rows_of(page: str) -> list[Any]:
    """The rows of a report's one question: labels, values, and more."""
    (block,) = data_of(page)["blocks"]
    return list(block["rows"])


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def tags_of(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Tags()
    parser.feed(page)
    return parser.seen


def test_a_report_of_fifty_groups_is_small_and_needs_nothing(tmp_path: Path) -> None:
    place = tmp_path / "report.html"
    dpr.write_report(place, released(KEYS))
    page = place.read_text(encoding="utf-8")
    assert len(page.encode()) < 1_500_000
    for tag, attributes in tags_of(page):
        for name in ("src", "href", "data", "action", "srcset"):
            assert not (attributes.get(name) or "#").startswith(("http", "//")), tag
    assert "default-src 'none'" in page
    assert "@import" not in page
    assert "url(" not in page


def test_a_simulated_release_says_so_in_its_title() -> None:
    page = render_report(released(KEYS))
    assert "<title>SIMULATED: Σ score / Σ label</title>" in page
    real = replace(released(KEYS), is_simulated=False)
    assert "SIMULATED" not in render_report(real)


def test_the_answer_comes_first_and_promises_are_made_exactly() -> None:
    page = render_report(released(KEYS), title="Are they calibrated?")
    for words in (
        "<h1>Are they calibrated?</h1>",
        "50 ratios of score per label",
        "How sure, and why",
        "Privacy widens the median interval here by",
        "What was promised, and to whom",
        "by at most a factor 2.72.",
        "epsilon 1 and delta 0, for one row, neighbours by add-or-remove-one",
        "What is not covered",
        "above all scores and weights",
    ):
        assert words in page, words
    assert page.index("50 ratios of") < page.index("<table")


def test_figures_are_those_of_the_estimates() -> None:
    release = released(KEYS)
    estimates = dpr.estimate_ratios(release, level=0.9)
    located = {
        key for key, is_so in zip(KEYS, estimates.is_located, strict=True) if is_so
    }
    rows = rows_of(render_report(release, level=0.9))
    for row, ratio, key in zip(rows, estimates.ratio.tolist(), KEYS, strict=True):
        labels, values, *_ = row
        assert labels == [key]
        known = None if values[0] is None else pytest.approx(values[0], rel=1e-8)
        assert (ratio if key in located else None) == known


def test_the_csv_holds_every_digit() -> None:
    release = released(KEYS)
    text = data_of(render_report(release))["csv"]
    rows = list(csv.DictReader(io.StringIO(str(text))))
    estimates = dpr.estimate_ratios(release)
    assert [row["group"] for row in rows] == list(KEYS)
    assert float(rows[0]["ratio"]) == estimates.ratio[0]
    assert float(rows[3]["ci_upper"]) == estimates.ci_upper[3]


def test_hostile_names_stay_text() -> None:
    page = render_report(released(HOSTILE), title=HOSTILE[0])
    tags = [tag for tag, _ in tags_of(page)]
    assert tags.count("script") == 2
    assert "img" not in tags
    labels = [row[0][0] for row in rows_of(page)]
    assert labels == [printable(each) for each in HOSTILE]
    assert "\u202e" not in page


def test_no_text_is_a_formula_in_a_spreadsheet() -> None:
    estimates = dpr.estimate_ratios(released(("=1+1", "@SUM(A1)", "-2", "plain")))
    lines = render(estimates, "csv").splitlines()[1:]
    assert [line.split(",")[0] for line in lines] == [
        "'=1+1",
        "'@SUM(A1)",
        "'-2",
        "plain",
    ]


def test_thousands_of_groups_are_listed_in_part_and_held_in_whole() -> None:
    keys = tuple(f"group {at}" for at in range(2_000))
    page = render_report(released(keys, people=60))
    assert page.count('<tr role="row">\n<td class="label"') == MOST_ROWS
    assert f"The first {MOST_ROWS} of 2000 are shown." in page
    assert len(rows_of(page)) == 2_000
    assert len(page.encode()) < 1_400_000


def test_one_ratio_without_groups_is_reported() -> None:
    plan = plan_scores(dpr.Budget(1, 1e-6))
    page = render_report(dpr.release_sums(HALVES, plan, ledger=None))
    assert ">The ratio</h2>" in page
    assert "Each interval is at this level on its own" not in page


def test_curves_are_drawn_where_the_release_holds_them() -> None:
    page = render_report(curved())
    assert page.count('<figure class="curves">') == 1
    assert page.count(">mean score</text>") == 4  # Two curves, wide and narrow.
    assert "north: expected calibration error" in page
    assert '<figure class="curves">' not in render_report(released(KEYS))


def test_curves_are_drawn_for_every_part_that_has_bins() -> None:
    page = render_report(curved(ratios=True))
    assert page.count(">mean score</text>") == 4
    assert "south: expected calibration error" in page


def test_every_question_has_a_block_with_its_own_axis() -> None:
    page = render_report(dpr.example_release())
    for title in ("score per label, by region", "score per label, by score"):
        assert f"<h3>{title}</h3>" in page
    assert page.count('<table class="forest"') == 2
    assert page.count("<span>score per label</span><svg") == 2
    assert [len(block["rows"]) for block in data_of(page)["blocks"]] == [4, 5]


def test_periods_are_drawn_along_time_and_named_by_month() -> None:
    page = render_report(monthly())
    assert page.count('<figure class="overview">') == 1
    assert "2026-01-01<" not in page
    assert "<span>revenue per visit</span>" in page
    assert [row[0] for row in rows_of(page)][:2] == [
        ["web", "2026-01"],
        ["web", "2026-02"],
    ]


def test_many_rows_are_seen_at_once_and_folded() -> None:
    assert '<details class="fold printed"><summary>All 50 groups' in render_report(
        released(KEYS)
    )
    few = render_report(released(KEYS[:20]))
    assert "<summary>All" not in few
    assert "50 groups, from low to high" in render_report(released(KEYS))


def test_bins_without_means_say_why_they_have_no_curve() -> None:
    plan = plan_scores(dpr.Budget(1), groups=[dpr.ScoreBins("score", 2), None])
    page = render_report(dpr.release_sums(HALVES, plan, ledger=None))
    assert "There is no curve over bins of score: " in page
    assert "answers=(&#39;ratio&#39;, &#39;means&#39;)" in page


def test_a_guess_made_to_plan_is_no_reference() -> None:
    page = render_report(spent())
    for words in (">beside", "lies above", "lie above", "dashed line"):
        assert words not in page
    beside = render_report(spent(), reference=3)
    drawn = re.compile(r'<line class="rule" x1="[0-9]')
    assert (bool(drawn.search(page)), bool(drawn.search(beside))) == (False, True)
    assert "beside 3" in beside
    alike = {"reference": 1.0, "around_one": True}
    assert_asked(dpr.Ratio("score", per="label"), BOUNDS, alike)
    assert_asked(dpr.Ratio("score", per="label", guess=1), BOUNDS, alike)
    none = {"reference": None, "around_one": False}
    assert_asked(dpr.Ratio("score", per="label", guess=1.2), BOUNDS, none)
    three = {**BOUNDS, "other": dpr.Bounds(0, 1)}
    minus = dpr.Ratio("score", minus="other", per="label")
    assert_asked(minus, three, {"reference": 0.0, "around_one": False})
    both = [dpr.Ratio("score", per="label"), minus]
    assert_asked(both, three, {"reference": None, "totals": None})


def assert_asked(ratio: Any, bounds: dict[str, Any], told: dict[str, Any]) -> None:  # noqa: ANN401
    plan = dpr.make_plan(ratio, bounds=bounds, budget=dpr.Budget(1))
    table = {name: [1.0, 0.0] for name in bounds}
    found = dpr.estimate_ratios(dpr.release_sums(table, plan, ledger=None))
    assert {name: getattr(found, name) for name in told} == told


def test_what_was_asked_is_said_once() -> None:
    assert render_report(released(KEYS)).count("Asked:") == 1


def test_people_and_a_ledger_are_named(tmp_path: Path) -> None:
    unit = dpr.PrivacyUnit("person", totals=BOUNDS, neighbours="change-one")
    law = "analytic_gaussian"
    plan = plan_scores(dpr.Budget(1, 1e-6), unit=unit, mechanism=law)
    ledger = dpr.Ledger(tmp_path / "a.db")
    scope = dpr.Scope("p", dpr.Budget(3, 1e-5), unit="person", neighbours="change-one")
    ledger.open_scope(scope)
    table = {"score": [0.5, 0.2], "label": [1, 0], "person": ["a", "b"]}
    release = dpr.release_sums(table, plan, ledger=ledger)
    page = render_report(release)
    head = "<dt>Ledger head</dt><dd>{}</dd>"
    assert head.format(release.ledger_head) in page
    assert "Protected is what all rows of one &#39;person&#39; hold." in page
    assert "but for a probability of 0.000001" in page
    both = [release, dpr.release_sums(table, plan, ledger=ledger, new_draw=True)]
    page = render_report(dpr.merge(both, units_are_disjoint=True))
    assert all(head.format(each.ledger_head) in page for each in both)
    assert "private with epsilon 2 and delta 0.000002" in page
    assert "It was merged from 2 releases, whose costs are added up here." in page
    assert "nobody pays more than epsilon 1, delta 0.000001." in page


def test_guesses_that_were_merged_are_told() -> None:
    given = []
    for guess in (1, 2):
        plan = dpr.make_plan(
            dpr.Ratio("score", per="label", guess=guess),
            bounds=BOUNDS,
            budget=dpr.Budget(1),
        )
        table = {"score": [0.5, 0.2] * 40, "label": [1, 0] * 40}
        given.append(dpr.release_sums(table, plan, ledger=None))
    page = render_report(dpr.merge(given, units_are_disjoint=True))
    assert (
        "It was merged from sums that were measured in 2 ways, around guesses from 1 "
        "to 2. The guess above and the noise below are those of one of them."
    ) in page
    assert "private with epsilon 2 and delta 0" in page
    assert "measured in" not in render_report(given[0])


def test_sums_from_elsewhere_are_promised_nothing() -> None:
    release = from_elsewhere()
    page = render_report(release)
    assert "another system" in page
    assert "Exactly: the release is differentially private" not in page


def test_what_is_no_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="release must be a Release"):
        dpr.write_report(tmp_path / "r.html", "release.json")  # type: ignore[arg-type]
    with pytest.raises(FileRefused, match="cannot be written"):
        dpr.write_report(tmp_path / "no" / "r.html", released(KEYS))
