"""What a notebook shows: an interval drawn in each row, twenty rows, and a count."""

import dpratio as dpr
from dpratio.tabular import Table
from shown import HOSTILE, released


def test_an_interval_is_drawn_in_each_row() -> None:
    estimates = dpr.estimate_ratios(released(tuple("abc")))
    page = estimates._repr_html_()
    assert page.count('<svg class="dpr strip ') == 3
    assert "<th>score per label<svg" in page
    assert page.count("<style>") == 1
    assert "more rows" not in page
    assert page.startswith("<p>3 ratios of score per label")


def test_twenty_rows_and_a_count_are_shown_of_many() -> None:
    keys = tuple(f"group {at}" for at in range(50))
    page = dpr.estimate_ratios(released(keys))._repr_html_()
    assert page.count('role="img"') == 20
    assert "<p>and 30 more rows</p>" in page
    plain = Table({"a": list(range(21))})._repr_html_()
    assert plain.count("<td>") == 20
    assert "and 1 more rows" not in plain
    assert "and 1 more row" in plain
    assert "<style>" not in plain


def test_every_question_has_an_axis_of_its_own() -> None:
    page = dpr.estimate_ratios(dpr.example_release())._repr_html_()
    assert page.count('role="img"') == 9
    assert page.count('class="dpr strip" aria-hidden') == 2
    assert "score per label, by region" in page


def test_a_test_of_homogeneity_shows_its_one_row() -> None:
    found = dpr.assess_homogeneity(dpr.example_release(), question=1)
    page = found._repr_html_()
    assert page.count("<tr>") == 2
    assert "<svg" not in page


def test_hostile_names_stay_text() -> None:
    page = dpr.estimate_ratios(released(HOSTILE))._repr_html_()
    assert "<script" not in page
    assert "<img" not in page
    assert "\u202e" not in page
