"""A field that has to be filled: said in words, shown, and found by the keyboard."""

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from browser import PHONE, Visit, find_faults

Visiting = Callable[..., Visit]


def test_a_total_that_is_needed_is_asked_for_where_it_is_given(
    visit: Visiting, address: str, axe: str
) -> None:
    seen = visit(size=PHONE)
    page = seen.page
    page.goto(f"{address}/")
    total = page.get_by_label("Highest total of the numerator")
    expect(total).to_be_hidden()
    page.get_by_text("People with many rows").click()
    ids = page.get_by_label("Column of ids")
    ids.press_sequentially("us")
    message = page.locator("#headline .message")
    expect(message).to_contain_text("bounds of one person's total of the numerator")
    assert "PrivacyUnit(" not in message.inner_text()
    expect(total).to_be_visible()
    expect(total).to_have_attribute("aria-invalid", "true")
    expect(ids).to_be_focused()
    ids.press_sequentially("er")
    assert ids.input_value() == "user"
    assert find_faults(page, axe) == []
    message.get_by_role("link").click()
    expect(total).to_be_focused()
    page.keyboard.type("40")
    expect(message).to_contain_text("one person's total of the per column")
    assert total.get_attribute("aria-invalid") is None
    assert [each for each in seen.errors if "422" not in each] == []


def answer_slowly(route: Route) -> None:
    """Later than the page waits for another change."""
    time.sleep(0.4)
    route.continue_()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_form_that_is_sent_without_a_total_leads_to_the_field(
    visit: Visiting, address: str, *, scripts: bool
) -> None:
    page = visit(scripts=scripts).page
    page.goto(f"{address}/")
    page.route("**/forecast?*", answer_slowly)
    page.get_by_text("People with many rows").click()
    ids = page.get_by_label("Column of ids")
    ids.fill("user")
    ids.press("Enter")
    total = page.get_by_label("Highest total of the numerator")
    expect(total).to_be_visible()
    expect(total).to_be_focused()
    expect(total).to_have_accessible_description(re.compile("Give public bounds"))
