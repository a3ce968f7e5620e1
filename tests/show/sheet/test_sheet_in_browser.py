"""The sheet as an officer opens and prints it, with the network cut off."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import dpratio as dpr
from browser import DESKTOP, PHONE, Visit, find_faults
from dpratio.show.sheet.sheet import write_sheet

MOST_PAGES = 2


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("sheet") / "sheet.html"
    budget = [("Left now", "epsilon 3, delta 0"), ("Left after one", "epsilon 2")]
    write_sheet(
        path,
        dpr.example_release().plan,
        notes=["`dpratio forecast` shows more."],
        budget=budget,
    )
    return path.as_uri()


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_reads_well_everywhere(
    size: tuple[int, int],
    scheme: str,
    address: str,
    visit: Callable[..., Visit],
    axe: str,
) -> None:
    seen = visit(size=size, scheme=scheme)
    seen.page.goto(address)
    assert find_faults(seen.page, axe) == []
    assert (seen.errors, seen.addresses) == ([], {"file://"})
    wide = seen.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= size[0]


def test_it_is_printed_on_two_pages(
    address: str, visit: Callable[..., Visit], tmp_path: Path
) -> None:
    seen = visit()
    seen.page.goto(address)
    printed = tmp_path / "sheet.pdf"
    seen.page.pdf(path=printed, format="A4")
    pages = len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes()))
    assert pages <= MOST_PAGES


def test_a_command_in_a_note_is_set_as_code(
    address: str, visit: Callable[..., Visit]
) -> None:
    seen = visit()
    seen.page.goto(address)
    note = seen.page.locator("p", has_text="shows more")
    assert note.inner_text() == "dpratio forecast shows more."
    assert note.locator("code").inner_text() == "dpratio forecast"
