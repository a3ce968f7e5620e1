"""The report as its readers open it: from a file, with the network cut off."""

import csv
import gzip
import hashlib
import io
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page

import dpratio as dpr
from analyst.watch.weeks_for_tests import plan_of_weeks, release_of
from browser import DESKTOP, PHONE, Visit, find_faults
from dpratio.show.blocks import blocks_of
from dpratio.show.sections.answers import Answer
from dpratio.tabular import printable
from shown import HOSTILE, curved, monthly, released, spent

Visiting = Callable[..., Visit]

KEYS = tuple(f"group {at}" for at in range(50))


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of a few reports."""
    folder = tmp_path_factory.mktemp("reports")
    many = tuple(f"group {at}" for at in range(5_000))
    shown = {
        "fifty": released(KEYS),
        "hostile": released(HOSTILE),
        "curves": curved(),
        "spent": spent(),
        "months": monthly(),
        "hundreds": released(many[:300], people=2_000),
        "many": released(many, people=60),
    }
    for name, release in shown.items():
        dpr.write_report(folder / f"{name}.html", release)
        dpr.write_release(release, folder / f"{name}.json")
    weeks = release_of(plan_of_weeks(), ratios=(1.0, 1.0, 1.35), people=1500)
    found = dpr.watch(weeks, within=(0.95, 1.05), people_are_new=True)
    dpr.write_report(folder / "watched.html", weeks, answers=[found])
    dpr.write_release(weeks, folder / "watched.json")
    dpr.write_report(folder / "asked.html", dpr.example_release(), answers=asked())
    names = (*shown, "watched", "asked")
    return {name: (folder / f"{name}.html").as_uri() for name in names}


def asked() -> list[Answer]:
    """Answers of every kind about the regions of the example."""
    release = dpr.example_release()
    return [
        dpr.compare_ratios(release, "north", design="baseline", adjust="holm"),
        dpr.assess_homogeneity(release, question=1),
        dpr.assess_equivalence(release, lower=0.9, upper=1.1, question=1),
        dpr.estimate_function(release, dpr.functions.mean("per"), question=1),
        dpr.calibration_curve(release),
    ]


def column(page: Page, at: int) -> list[str]:
    """The texts of a column of the table of ratios."""
    found = page.locator(f".forest tbody tr td:nth-child({at + 1})")
    return [each.strip() for each in found.all_text_contents()]


def unfold(page: Page) -> None:
    """Open the list of rows, where it is folded."""
    page.evaluate("document.querySelectorAll('.fold').forEach(e => e.open = true)")


@pytest.mark.parametrize(
    "name",
    ["fifty", "hostile", "curves", "spent", "many", "months", "watched", "asked"],
)
def test_a_report_opens_without_a_network_and_without_errors(
    visit: Visiting, reports: dict[str, str], name: str
) -> None:
    seen = visit()
    seen.page.on("dialog", lambda dialog: seen.errors.append(dialog.message))
    seen.page.goto(reports[name])
    seen.page.wait_for_selector(".tools:not([hidden])")
    assert seen.errors == []
    assert seen.requests == [reports[name]]


def test_values_on_screen_are_the_answers_of_the_release(
    visit: Visiting, reports: dict[str, str]
) -> None:
    page = visit().page
    page.goto(reports["fifty"])
    shown = dpr.estimate_ratios(released(KEYS)).shown()
    assert column(page, 0) == list(KEYS)
    assert column(page, 2) == shown["ratio"]
    assert column(page, 3) == shown["ci_lower"]
    assert column(page, 4) == shown["ci_upper"]
    assert "SIMULATED" in page.title()


def test_sorting_goes_both_ways_and_says_so(
    visit: Visiting, reports: dict[str, str]
) -> None:
    page = visit().page
    page.goto(reports["fifty"])
    unfold(page)
    found = dpr.estimate_ratios(released(KEYS))
    rows = zip(KEYS, found.ratio.tolist(), found.is_located.tolist(), strict=True)
    known = {key: ratio for key, ratio, is_located in rows if is_located}
    rising = sorted(known, key=lambda key: known[key])
    page.get_by_role("button", name="ratio", exact=True).click()
    assert column(page, 0)[: len(rising)] == rising
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    page.get_by_role("button", name="ratio", exact=True).click()
    assert column(page, 0)[: len(rising)] == rising[::-1]
    page.get_by_role("button", name="group", exact=True).click()
    assert column(page, 0) == list(KEYS)  # By number, not by letter.


def test_filters_leave_what_was_asked_for(
    visit: Visiting, reports: dict[str, str]
) -> None:
    page = visit().page
    page.goto(reports["fifty"])
    page.get_by_label("Find").fill("group 1")
    assert column(page, 0) == [key for key in KEYS if "group 1" in key]
    assert page.locator(".shown").inner_text() == "11 of 50 are shown."
    assert page.locator(".fold").first.get_attribute("open") is not None
    page.get_by_label("Find").fill("")
    page.get_by_label("above", exact=False).uncheck()
    assert "above" not in column(page, 5)
    assert len(column(page, 5)) < len(KEYS)


def test_five_thousand_groups_can_be_searched(
    visit: Visiting, reports: dict[str, str]
) -> None:
    page = visit().page
    page.goto(reports["many"])
    assert len(column(page, 0)) == 300
    page.get_by_label("Find").fill("group 4999")
    assert column(page, 0) == ["group 4999"]


def test_the_download_is_the_whole_table(
    visit: Visiting, reports: dict[str, str], tmp_path: Path
) -> None:
    page = visit().page
    page.goto(reports["fifty"])
    with page.expect_download() as begun:
        page.get_by_role("button", name="Download as CSV").click()
    begun.value.save_as(tmp_path / "ratios.csv")
    rows = csv.DictReader(io.StringIO((tmp_path / "ratios.csv").read_text("utf-8")))
    estimates = dpr.estimate_ratios(released(KEYS))
    assert [float(row["ci_lower"]) for row in rows] == estimates.ci_lower.tolist()


@pytest.mark.parametrize("name", ["fifty", "many", "hostile", "watched"])
def test_the_release_is_saved_byte_for_byte(
    visit: Visiting, reports: dict[str, str], tmp_path: Path, name: str
) -> None:
    seen = visit()
    page = seen.page
    page.goto(reports[name])
    page.get_by_text("For the record").click()
    with page.expect_download() as begun:
        page.get_by_role("button", name="Save the release").click()
    saved = tmp_path / begun.value.suggested_filename
    begun.value.save_as(saved)
    written = Path(unquote(urlsplit(reports[name]).path)).with_suffix(".json")
    assert saved.read_bytes() == written.read_bytes()
    assert hashlib.sha256(saved.read_bytes()).hexdigest() in page.content()
    assert f"dpratio estimate {saved.name}" in page.content()
    assert seen.errors == []
    assert seen.requests == [
        reports[name],
        *(each for each in seen.requests if each.startswith("blob:")),
    ]


def test_an_old_browser_saves_the_release_packed(
    visit: Visiting, reports: dict[str, str], tmp_path: Path
) -> None:
    page = visit().page
    page.add_init_script("delete window.DecompressionStream")
    page.goto(reports["fifty"])
    page.get_by_text("For the record").click()
    with page.expect_download() as begun:
        page.get_by_role("button", name="Save the release").click()
    assert begun.value.suggested_filename.endswith(".json.gz")
    begun.value.save_as(tmp_path / "release.json.gz")
    written = Path(unquote(urlsplit(reports["fifty"]).path)).with_suffix(".json")
    packed = (tmp_path / "release.json.gz").read_bytes()
    assert gzip.decompress(packed) == written.read_bytes()


def test_hostile_names_appear_as_text_and_nothing_runs(
    visit: Visiting, reports: dict[str, str]
) -> None:
    seen = visit()
    seen.page.on("dialog", lambda dialog: seen.errors.append(dialog.message))
    page = seen.page
    page.goto(reports["hostile"])
    page.get_by_role("button", name="ratio", exact=True).click()  # Drawn by the script.
    texts = page.locator(".forest td.label").all_text_contents()
    assert sorted(texts) == sorted(printable(each) for each in HOSTILE)
    assert "\u202e" not in page.content()
    assert page.locator("img").count() == 0
    assert page.title() == "SIMULATED: Σ score / Σ label"
    assert seen.errors == []
    assert seen.requests == [reports["hostile"]]


def test_a_report_can_be_read_without_scripts(
    visit: Visiting, reports: dict[str, str]
) -> None:
    page = visit(scripts=False).page
    page.goto(reports["curves"])
    assert len(column(page, 0)) == 10
    assert not page.locator(".tools").is_visible()
    assert page.locator(".curves svg:visible .panel").count() == 2


@pytest.mark.parametrize(
    "name", ["fifty", "hostile", "curves", "months", "watched", "asked"]
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP])
def test_a_report_is_accessible(
    visit: Visiting,
    reports: dict[str, str],
    axe: str,
    name: str,
    scheme: str,
    size: tuple[int, int],
) -> None:
    page = visit(size=size, scheme=scheme).page
    page.goto(reports[name])
    unfold(page)
    assert find_faults(page, axe) == []


@pytest.mark.parametrize("name", ["fifty", "curves", "spent"])
def test_a_phone_shows_every_number_of_a_row(
    visit: Visiting, reports: dict[str, str], name: str
) -> None:
    page = visit(size=PHONE).page
    page.goto(reports[name])
    unfold(page)
    for _ in range(2):  # As the file has it, then as the script draws it.
        row = page.locator(".forest tbody tr").first
        cells = row.locator("td")
        assert cells.count() == len(page.locator(".forest thead th").all())
        for at in range(cells.count()):
            place = cells.nth(at).bounding_box()
            assert place is not None
            assert place["width"] > 0
            assert 0 <= place["x"] <= place["x"] + place["width"] <= PHONE[0]
        number, picture = row.locator(".number").first, row.locator(".picture")
        top = "e => e.getBoundingClientRect().top"
        assert number.evaluate(top) < picture.evaluate(top)
        assert "ratio" in number.evaluate(
            "e => getComputedStyle(e, '::before').content"
        )
        page.get_by_role("button", name="status", exact=True).click()


def test_a_report_without_a_reference_gives_no_verdicts(
    visit: Visiting, reports: dict[str, str]
) -> None:
    found = dpr.estimate_ratios(spent())
    located = found.is_located.tolist()
    assert located[:2] == [True, True]
    assert not all(located)
    (block,) = blocks_of(found)
    on_axis = sum(block.scale().holds(row.value) for row in block.rows)
    assert 2 <= on_axis <= sum(located)
    page = visit().page
    page.goto(reports["spent"])
    heads = ["arm", "ratio", "from", "to", "status"]
    for _ in range(2):
        assert page.locator(".forest th[data-sort]").all_text_contents() == heads
        assert page.locator(".forest .rule").count() == 0
        shapes = "path:not([d^='M0 0'])"  # All but arrows.
        assert page.locator(f".forest td svg svg {shapes}").count() == on_axis
        page.get_by_role("button", name="status", exact=True).click()
    page.get_by_label("no finite interval", exact=False).uncheck()
    assert {"a", "b"} <= set(column(page, 0))
    assert len(column(page, 0)) == np.isfinite(found.ci_upper).sum()


@pytest.mark.parametrize("name", ["fifty", "hostile", "curves", "watched", "asked"])
def test_a_phone_never_scrolls_the_page_sideways(
    visit: Visiting, reports: dict[str, str], name: str
) -> None:
    page = visit(size=PHONE).page
    page.goto(reports[name])
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


@pytest.mark.parametrize("name", ["curves", "watched", "asked"])
def test_a_report_prints(visit: Visiting, reports: dict[str, str], name: str) -> None:
    page = visit().page
    page.goto(reports[name])
    page.emulate_media(media="print")
    assert not page.locator(".tools").is_visible()
    assert page.locator("svg").filter(visible=True).count() > 0
    assert page.pdf().startswith(b"%PDF")
    rules = "[...document.styleSheets].flatMap((each) => [...each.cssRules])"
    margin = f"{rules}.find((each) => each instanceof CSSPageRule).style.margin"
    assert page.evaluate(margin) == "16mm 15mm"
    headings = page.locator("h2, h3").filter(visible=True)
    after = "(all) => all.map((each) => getComputedStyle(each).breakAfter)"
    assert set(headings.evaluate_all(after)) == {"avoid"}


def test_hundreds_of_groups_fit_a_phone_and_three_pages(
    visit: Visiting, reports: dict[str, str]
) -> None:
    page = visit(size=PHONE).page
    page.goto(reports["hundreds"])
    assert page.evaluate("document.documentElement.scrollHeight") <= 6_000
    assert page.locator(".overview svg").filter(visible=True).count() == 1
    pages = re.findall(rb"/Type\s*/Page\b", page.pdf())
    assert 1 <= len(pages) <= 3


def test_what_the_script_lists_is_drawn_as_in_the_file(
    visit: Visiting, reports: dict[str, str]
) -> None:
    page = visit().page
    page.goto(reports["spent"])
    pictures = page.locator(".forest tbody .strip")
    before = [each.inner_html() for each in pictures.all()]
    page.get_by_label("Find").fill("e")
    page.get_by_label("Find").fill("")
    assert [each.inner_html() for each in pictures.all()] == before
