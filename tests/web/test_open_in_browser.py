"""A study file that is opened or dropped on the planner, in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import FilePayload, expect

from browser import PHONE, Visit, find_faults
from dpratio.terms.study_file import parse_study

Visiting = Callable[..., Visit]

STUDY = """
title = "What a visit brings in"
[data]
path = "visits.csv"
[ratio]
numerator = "revenue"
per = "visits"
guess = 2.0
[bounds]
revenue = [0, 20]
visits = { natural = [0, 1] }
[groups]
column = "day"
every = "month"
first = 2026-01-01
last = 2026-06-30
[privacy]
epsilon = 2.5
scope = "visits 2026"
"""


def file_of(text: str) -> FilePayload:
    return {"name": "study.toml", "mimeType": "", "buffer": text.encode()}


@pytest.mark.parametrize("scripts", [True, False])
def test_a_study_comes_into_the_fields_and_goes_out_with_the_same_terms(
    visit: Visiting, address: str, axe: str, *, scripts: bool
) -> None:
    seen = visit(size=PHONE, scripts=scripts)
    page = seen.page
    page.goto(f"{address}/")
    page.get_by_label("Open a study file").set_input_files(file_of(STUDY))
    if not scripts:
        page.get_by_role("button", name="Open it").click()
    page.wait_for_url("**/?*epsilon=2.5*")
    assert page.get_by_label("Numerator", exact=True).input_value() == "revenue"
    assert page.get_by_label("A day of the first").input_value() == "2026-01-01"
    kept = page.locator("#kept-names")
    expect(kept).to_contain_text("Kept without a field of its own: title, data")
    expect(kept).to_contain_text("in place of the fields: bounds.visits")
    assert parse_study(page.inner_text("#study")) == parse_study(STUDY)
    expect(page.locator("#headline")).to_contain_text("6, about 30,000 people in all")
    if scripts:
        assert find_faults(page, axe) == []
        page.get_by_label("Epsilon", exact=True).fill("1.5")
        expect(page.locator("#study")).to_contain_text("epsilon = 1.5")
        expect(page.locator("#study")).to_contain_text('scope = "visits 2026"')
        page.get_by_label("Lines of the study that").fill("[data")
        expect(page.locator("#kept-wrong")).to_contain_text("These lines are not TOML")
    assert [each for each in seen.errors if "422" not in each] == []
    assert seen.addresses == {address}


def test_a_study_can_be_dropped(visit: Visiting, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/")
    dropped = page.evaluate_handle(
        "text => { const held = new DataTransfer();"
        " held.items.add(new File([text], 'study.toml')); return held }",
        STUDY,
    )
    page.dispatch_event(".open .drop", "drop", {"dataTransfer": dropped})
    page.wait_for_url("**/?*epsilon=2.5*")
    expect(page.locator("#kept-names")).to_be_visible()


def test_a_file_that_is_no_study_is_answered_in_words(
    visit: Visiting, address: str, axe: str
) -> None:
    page = visit(scheme="dark").page
    page.goto(f"{address}/")
    page.get_by_label("Open a study file").set_input_files(file_of("<b>no</b>"))
    said = page.get_by_role("alert")
    expect(said).to_contain_text("This study was not opened.")
    expect(said).to_contain_text("not valid TOML")
    assert find_faults(page, axe) == []
    page.get_by_label("Open a study file").set_input_files(file_of(STUDY))
    page.wait_for_url("**/?*epsilon=2.5*")


def test_several_questions_have_their_forecasts_side_by_side(
    visit: Visiting, address: str, axe: str
) -> None:
    page = visit(size=PHONE).page
    page.goto(f"{address}/")
    page.get_by_text("More of the study").click()
    more = '[[ratio]]\n[[ratio]]\nnumerator = "spend"\nper = "label"\n'
    page.get_by_label("Lines of the study that").fill(f"{more}[bounds]\nspend = [0, 9]")
    head = page.locator("#forecast thead")
    expect(head).to_contain_text("spend per label")
    expect(page.locator("#figures")).to_contain_text("spend per label")
    assert len(parse_study(page.inner_text("#study")).questions) == 2
    assert find_faults(page, axe) == []
    page.get_by_text("What the people are like, a public guess").click()
    page.get_by_label("Numerator mean").fill("0.5")
    page.get_by_label("Numerator sd").fill("0.2")
    page.get_by_label("Per mean").fill("0.4")
    expect(page.locator("#forecast caption")).to_contain_text("--question 1")
