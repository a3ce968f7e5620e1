"""A field that has to be filled: said in words, shown, and found by the keyboard."""

import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from browser import PHONE, Visit, find_faults

Visiting = Callable[..., Visit]


def test_a_guess_that_is_needed_is_asked_for_where_it_is_given(
    visit: Visiting, address: str, axe: str
) -> None:
    seen = visit(size=PHONE)
    page = seen.page
    page.goto(f"{address}/")
    guess = page.get_by_label("Guessed ratio")
    expect(guess).to_be_hidden()
    highest = page.get_by_label("Highest numerator")
    highest.press("End")
    highest.press_sequentially("0")
    message = page.locator("#headline .message")
    expect(message).to_contain_text("Give a public guess of the ratio below")
    assert "Ratio(" not in message.inner_text()
    expect(guess).to_be_visible()
    expect(guess).to_have_attribute("aria-invalid", "true")
    expect(highest).to_be_focused()
    highest.press_sequentially("0")
    assert highest.input_value() == "100"
    assert find_faults(page, axe) == []
    message.get_by_role("link").click()
    expect(guess).to_be_focused()
    page.keyboard.type("40")
    expect(message).to_have_count(0)
    expect(page.locator("#study")).to_contain_text("guess = 40")
    assert guess.get_attribute("aria-invalid") is None
    assert [each for each in seen.errors if "422" not in each] == []


def answer_slowly(route: Route) -> None:
    """Later than the page waits for another change."""
    time.sleep(0.4)
    route.continue_()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_form_that_is_sent_without_its_guess_leads_to_the_field(
    visit: Visiting, address: str, *, scripts: bool
) -> None:
    page = visit(scripts=scripts).page
    page.goto(f"{address}/")
    page.route("**/forecast?*", answer_slowly)
    highest = page.get_by_label("Highest numerator")
    highest.fill("20")
    highest.press("Enter")
    guess = page.get_by_label("Guessed ratio")
    expect(guess).to_be_visible()
    expect(guess).to_be_focused()
    expect(guess).to_have_accessible_description(
        "One thing is missing. The numerator and what it is per have different bounds. "
        "Give a public guess of the ratio below; 'unknown' where it is no more than a "
        "size. Go there"
    )
