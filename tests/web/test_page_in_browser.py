"""The page in a real browser: a study is typed, a release is dropped."""

import re
from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import FilePayload, expect

from browser import DESKTOP, PHONE, Visit, find_faults
from dpratio.release.files import release_to_bytes
from dpratio.terms.groups import Groups
from release.releases_for_tests import plan_of, release_of

Visiting = Callable[..., Visit]

RELEASE = release_of(plan_of(Groups("region", ["north", "south"])), is_simulated=True)
FILE = FilePayload(name="release.json", mimeType="", buffer=release_to_bytes(RELEASE))
DROP = """
text => {
  const files = new DataTransfer();
  files.items.add(new File([text], "release.json"));
  const options = { dataTransfer: files, bubbles: true, cancelable: true };
  document.body.dispatchEvent(new DragEvent("drop", options));
}
"""


def test_the_answer_follows_the_text(visit: Visiting, address: str) -> None:
    seen = visit()
    page = seen.page
    page.goto(address)
    study = page.get_by_label("The study file")
    answer = page.locator("#answer")
    usual = study.input_value()
    study.fill(usual.replace("epsilon = 1", "epsilon = 0.125"))
    expect(answer).to_contain_text("Cost: epsilon 0.125")
    study.fill(usual.replace("epsilon = 1", "epsilon = 0"))
    expect(page.get_by_role("alert")).to_contain_text("epsilon must be positive")
    assert all("422" in error for error in seen.errors)  # the refusal, and nothing else
    assert seen.addresses == {address}


@pytest.mark.parametrize("way", ["chosen", "dropped"])
def test_a_release_is_shown_in_an_origin_of_its_own(
    visit: Visiting, address: str, way: str
) -> None:
    seen = visit()
    page = seen.page
    page.goto(address)
    if way == "chosen":
        page.get_by_label("A release file").set_input_files(FILE)
        page.get_by_role("button", name="Show the report").click()
    else:
        page.evaluate(DROP, FILE["buffer"].decode())
    expect(page).to_have_title(re.compile("SIMULATED"))
    assert "north" in page.inner_text("table >> nth=0")
    assert page.evaluate("window.origin") == "null"
    reach = "fetch('/').then(() => 'reached', () => 'refused')"
    assert page.evaluate(reach) == "refused"
    assert seen.addresses == {address}


def test_without_scripts_the_study_is_sent(visit: Visiting, address: str) -> None:
    page = visit(scripts=False).page
    page.goto(address)
    study = page.get_by_label("The study file")
    study.fill(study.input_value().replace("epsilon = 1", "epsilon = 2"))
    page.get_by_role("button", name="Forecast").click()
    expect(page.locator("#answer")).to_contain_text("Cost: epsilon 2")
    assert "epsilon = 2" in page.get_by_label("The study file").input_value()


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_read_the_page(
    visit: Visiting,
    address: str,
    axe: str,
    size: tuple[int, int],
    scheme: Literal["light", "dark"],
) -> None:
    page = visit(size=size, scheme=scheme).page
    page.goto(address)
    assert find_faults(page, axe) == []
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= size[0]
