"""A report on paper: what is folded on the page is printed unless it is long."""

from collections.abc import Callable
from pathlib import Path

import pytest

import dpratio as dpr
from browser import Visit
from shown import released


@pytest.mark.parametrize(("groups", "is_printed"), [(50, True), (300, False)])
def test_a_folded_list_is_printed_unless_it_is_long(
    visit: Callable[..., Visit], tmp_path: Path, groups: int, *, is_printed: bool
) -> None:
    keys = tuple(f"group {at}" for at in range(groups))
    dpr.write_report(tmp_path / "report.html", released(keys))
    page = visit().page
    page.goto((tmp_path / "report.html").as_uri())
    row = page.locator(".forest tbody tr").first
    assert not row.is_visible()
    page.emulate_media(media="print")
    assert row.is_visible() == is_printed
