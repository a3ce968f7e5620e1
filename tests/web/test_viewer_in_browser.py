"""The viewer in a real browser: a release goes in, its report comes out."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page

from browser import DESKTOP, PHONE, Visit, find_faults
from dpratio.release.files import release_to_bytes
from dpratio.show.sections.page import render_report
from dpratio.show.sheet.sheet import render_sheet
from dpratio.terms.groups import Groups
from release.releases_for_tests import plan_of, release_of

Visiting = Callable[..., Visit]

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"
RELEASE = release_of(plan_of(Groups("region", ["north", HOSTILE])), is_simulated=True)


def file_of(kind: str = "json", content: bytes | None = None) -> FilePayload:
    made = release_to_bytes(RELEASE, kind) if content is None else content
    return {"name": f"release.{kind}", "mimeType": "", "buffer": made}


def show(page: Page, address: str, file: FilePayload) -> None:
    page.goto(f"{address}/view")
    page.get_by_label("Release file, or").set_input_files(file)
    page.get_by_role("button", name="Show the report").click()
    page.wait_for_load_state()


@pytest.mark.parametrize("kind", ["json", "parquet"])
def test_a_release_is_shown_as_its_report(
    visit: Visiting, address: str, kind: str
) -> None:
    seen = visit()
    seen.page.on("dialog", lambda dialog: seen.errors.append(dialog.message))
    show(seen.page, address, file_of(kind))
    assert "SIMULATED" in seen.page.title()
    assert "north" in seen.page.inner_text("table >> nth=0")
    assert HOSTILE in seen.page.inner_text("table >> nth=0")
    assert seen.page.locator("img").count() == 0
    assert seen.errors == []
    assert seen.addresses == {address}


def test_a_report_has_an_origin_of_its_own(visit: Visiting, address: str) -> None:
    page = visit().page
    show(page, address, file_of())
    assert page.evaluate("window.origin") == "null"
    reach = "fetch('/').then(() => 'reached', () => 'refused')"
    assert page.evaluate(reach) == "refused"


def test_a_file_can_be_dropped(visit: Visiting, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/view")
    dropped = page.evaluate_handle(
        "text => { const held = new DataTransfer();"
        " held.items.add(new File([text], 'release.json')); return held }",
        file_of()["buffer"].decode(),
    )
    page.dispatch_event("#drop", "drop", {"dataTransfer": dropped})
    page.get_by_text("SIMULATED").first.wait_for()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_broken_release_is_answered_in_words_and_another_can_be_chosen(
    visit: Visiting, address: str, *, scripts: bool
) -> None:
    page = visit(scripts=scripts).page
    whole = file_of()["buffer"]
    show(page, address, file_of(content=whole.replace(b'"north"', b'"south"')))
    assert "This file was refused." in page.inner_text("[role=alert]")
    assert "sha256" in page.inner_text("[role=alert]")
    page.get_by_label("Release file, or").set_input_files(file_of())
    page.get_by_role("button", name="Show the report").click()
    page.get_by_text("SIMULATED").first.wait_for()


def test_axe_finds_nothing_wrong_with_a_refusal(
    visit: Visiting, address: str, axe: str
) -> None:
    page = visit(size=PHONE, scheme="dark").page
    show(page, address, file_of(content=b"{}"))
    assert find_faults(page, axe) == []


def test_a_file_that_is_viewed_is_written_nowhere(
    visit: Visiting, address: str, temporary: Path
) -> None:
    page = visit().page
    show(page, address, file_of(content=b" " * (3 * 2**20) + file_of()["buffer"]))
    assert page.get_by_text("SIMULATED").count()
    assert list(temporary.rglob("*")) == []


@pytest.mark.parametrize("approved", [True, False])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_sheet_and_a_report_that_are_dropped_together_are_held_to_each_other(
    visit: Visiting, address: str, axe: str, size: tuple[int, int], *, approved: bool
) -> None:
    seen = visit(size=size, scheme="light" if approved else "dark")
    page = seen.page
    page.goto(f"{address}/view")
    plan = RELEASE.plan if approved else plan_of(Groups("region", ["east"]))
    texts = [render_sheet(plan), render_report(RELEASE)]
    dropped = page.evaluate_handle(
        "texts => { const held = new DataTransfer(); texts.forEach((text, at) =>"
        " held.items.add(new File([text], `${at}.html`))); return held }",
        texts,
    )
    page.dispatch_event("#drop", "drop", {"dataTransfer": dropped})
    heading = "They match" if approved else "They do NOT match"
    page.get_by_role("heading", name=heading).wait_for()
    assert page.locator(".hashes code").count() == 2
    assert find_faults(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert seen.errors == []
