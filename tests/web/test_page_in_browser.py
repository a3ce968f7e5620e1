"""The page in a real browser: what its reader sees, hears, copies and sends."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from typer.testing import CliRunner

from browser import DESKTOP, PHONE, Visit, find_faults
from dpratio.cli.main import app
from dpratio.plan.make_plan import make_plan
from dpratio.tabular import show_rounded, show_value
from dpratio.terms.study_file import parse_study

Visiting = Callable[..., Visit]

SIZES = pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])


PEOPLE = "numerator_mean=0.5&numerator_sd=0.22&per_mean=0.45"


def shown(page: Page, column: str) -> str:
    return page.inner_text(f"#forecast [data-column={column}]")


def wait_for(page: Page, column: str, text: str) -> None:
    expect(page.locator(f"#forecast [data-column={column}]")).to_have_text(text)


def settled(page: Page) -> None:
    page.locator("body:not([aria-busy])").wait_for()


def printed_forecast(page: Page, folder: Path) -> dict[str, Any]:
    """Run the command that the page names on the study that it shows."""
    study = folder / "study.toml"
    study.write_text(page.inner_text("#study"), encoding="utf-8")
    words = page.inner_text("#forecast caption code").split()[1:]
    words[words.index("study.toml")] = str(study)
    done = CliRunner().invoke(app, [*words, "--format", "json"], catch_exceptions=False)
    (row,) = json.loads(done.stdout)
    return dict(row)


def as_shown(row: dict[str, Any], against: float = 1.0) -> dict[str, str]:
    """Write a row as the command's table does: two digits of the ends of a range."""
    start = {"width": 0.0, "detectable": against}
    return {
        name: show_rounded(cell, (cell - start[name.split("_")[0]]) / 2)
        if name.endswith(("_low", "_high"))
        else show_value(cell)
        for name, cell in row.items()
    }


def test_the_page_opens_without_errors_and_asks_nobody_else(
    visit: Visiting, address: str
) -> None:
    seen = visit()
    seen.page.goto(f"{address}/")
    assert seen.page.inner_text("h1") == "Plan a study"
    seen.page.get_by_label("Epsilon", exact=True).fill("0.5")
    wait_for(seen.page, "epsilon", "0.5")
    settled(seen.page)
    seen.page.get_by_role("link", name="Release viewer").click()
    assert seen.page.inner_text("h1") == "View a release"
    assert seen.errors == []
    assert seen.addresses == {address}


def test_a_slider_moved_by_the_keyboard_changes_forecast_study_and_charts(
    visit: Visiting, address: str
) -> None:
    page = visit().page
    page.goto(f"{address}/")
    before, drawn = shown(page, "width_low"), page.inner_html("#charts svg >> nth=0")
    slider = page.get_by_role("slider", name="Epsilon, slider")
    slider.focus()
    slider.press("Home")
    wait_for(page, "epsilon", "0.01")
    settled(page)
    assert page.get_by_label("Epsilon", exact=True).input_value() == "0.01"
    assert slider.get_attribute("aria-valuetext") == "0.01"
    assert float(shown(page, "width_low")) > float(before)
    assert "epsilon = 0.01" in page.inner_text("#study")
    assert page.inner_html("#charts svg >> nth=0") != drawn
    assert "epsilon=0.01" in page.url
    page.reload()
    assert shown(page, "epsilon") == "0.01"


def test_every_slider_follows_its_number_and_the_other_way_round(
    visit: Visiting, address: str
) -> None:
    page = visit().page
    page.goto(f"{address}/?groups=bins")
    for slider in page.get_by_role("slider").all():
        field = page.locator(f"#{slider.get_attribute('data-for')}")
        slider.press("End")
        highest = slider.get_attribute("data-high")
        assert float(field.input_value()) == float(highest or "nan")
        field.fill(slider.get_attribute("data-low") or "")
        assert slider.input_value() == "0"


@pytest.mark.parametrize(
    "query",
    [
        "",
        "weights=range&groups=bins&groups_count=10&n=20000&level=0.9",
        "per_kind=range&per_upper=4&guess=0.4&guess_is=unknown&mechanism=laplace",
        f"strategy=even&mechanism=classical_gaussian&epsilon=0.3&against=1.1&{PEOPLE}",
        f"{PEOPLE}&correlation=0.4&n=300",
    ],
)
def test_the_forecast_on_screen_is_the_one_the_command_prints(
    visit: Visiting, address: str, query: str, tmp_path: Path
) -> None:
    page = visit().page
    page.goto(f"{address}/?{query}")
    page.get_by_label("Delta", exact=True).fill("1e-7")
    expect(page.locator("#study")).to_contain_text("delta = 1e-7")
    row = printed_forecast(page, tmp_path)
    on_screen = {name: shown(page, name) for name in row}
    tested = re.search(r"--against (\S+)", page.inner_text("#forecast caption"))
    assert on_screen == as_shown(row, float(tested[1]) if tested else 1.0)
    headline = (
        f"{row['width']:.3g}"
        if "width" in row
        else " to ".join(on_screen[name] for name in ("width_low", "width_high"))
    )
    assert page.inner_text("#figures strong") == headline


def test_a_width_that_is_wanted_leads_to_the_epsilon_that_reaches_it(
    visit: Visiting, address: str
) -> None:
    page = visit().page
    page.goto(f"{address}/?{PEOPLE}")
    page.get_by_label("Width that is wanted").fill("0.1")
    link = page.get_by_role("link", name=re.compile("Plan with epsilon"))
    epsilon = link.inner_text().split()[-1]
    link.click()
    page.wait_for_url(f"**/?*epsilon={epsilon}*")
    assert float(shown(page, "width")) == pytest.approx(0.1, rel=0.02)


def test_what_is_copied_is_a_study_whose_plan_was_forecast(
    visit: Visiting, address: str
) -> None:
    page = visit().page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{address}/?weights=range&groups=keys&groups_keys=n,s&delta=0")
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied.").wait_for()
    study = parse_study(page.evaluate("navigator.clipboard.readText()"))
    assert make_plan(study).mechanism == shown(page, "mechanism") == "laplace"
    page.get_by_text("What would be measured").click()
    measured = page.get_by_role("region", name="The plan").text_content()
    assert measured == str(make_plan(study))


def test_the_study_can_be_saved(visit: Visiting, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/?n=777")
    with page.expect_download() as saving:
        page.get_by_role("link", name="Download").click()
    assert saving.value.suggested_filename == "study.toml"
    saved = Path(saving.value.path()).read_text(encoding="utf-8")
    assert parse_study(saved).n == 777


def test_a_wrong_number_is_said_beside_its_field_and_nothing_blanks(
    visit: Visiting, address: str, axe: str
) -> None:
    seen = visit()
    page = seen.page
    page.goto(f"{address}/")
    width, study = page.inner_text("#figures strong"), page.inner_text("#study")
    field = page.get_by_label("Epsilon", exact=True)
    field.fill("-3")
    beside = page.locator("#epsilon-wrong")
    expect(beside).to_contain_text("epsilon must be positive")
    expect(field).to_have_accessible_description(re.compile("must be positive"))
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("the last terms that could be planned")).to_be_visible()
    settled(page)
    assert page.inner_text("#figures strong") == width
    assert page.inner_text("#study") == study
    assert page.locator("#charts svg").count() == 2
    assert find_faults(page, axe) == []
    field.fill("2")
    wait_for(page, "epsilon", "2")
    expect(beside).to_have_count(0)
    expect(page.get_by_text("the last terms that could be planned")).to_be_hidden()
    assert field.get_attribute("aria-describedby") is None


def test_a_hint_stays_beside_what_is_wrong(visit: Visiting, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/?delta=2")
    field = page.get_by_label("Delta", exact=True)
    both = re.compile("Laplace noise only.*delta must be at least 0", re.DOTALL)
    expect(field).to_have_accessible_description(both)
    field.fill("3")
    settled(page)
    expect(field).to_have_accessible_description(both)
    field.fill("0")
    expect(page.locator("#delta-wrong")).to_have_count(0)
    expect(field).to_have_accessible_description("0 allows Laplace noise only.")


def test_a_page_that_does_not_answer_says_so_and_keeps_what_it_showed(
    visit: Visiting, address: str
) -> None:
    page = visit().page
    page.goto(f"{address}/")
    width = page.inner_text("#figures strong")
    page.route("**/forecast?*", lambda route: route.abort())
    page.get_by_label("Epsilon", exact=True).fill("2")
    page.get_by_text("Is `dpratio page` still running?").wait_for()
    assert page.inner_text("#figures strong") == width


@SIZES
@SCHEMES
@pytest.mark.parametrize(
    "path",
    [
        (
            "/?weights=range&groups=keys&unit_column=user&per_total_upper=9&guess=1"
            "&per_kind=range&numerator_total_upper=9"
        ),
        "/?n=-1",
        "/view",
    ],
    ids=["planner", "refused", "viewer"],
)
def test_axe_finds_nothing_and_nothing_runs_out_of_the_window(
    visit: Visiting,
    address: str,
    axe: str,
    size: tuple[int, int],
    scheme: str,
    path: str,
) -> None:
    page = visit(size=size, scheme=scheme).page
    page.goto(f"{address}{path}")
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert find_faults(page, axe) == []
    script = "document.documentElement.scrollWidth <= window.innerWidth"
    assert page.evaluate(script)


def test_on_a_phone_the_forecast_stays_in_sight_while_sliders_move(
    visit: Visiting, address: str
) -> None:
    page = visit(size=PHONE).page
    page.goto(f"{address}/")
    page.get_by_label("Confidence level", exact=True).scroll_into_view_if_needed()
    page.mouse.wheel(0, 300)
    page.wait_for_timeout(200)
    box = page.locator("#headline").bounding_box()
    assert box is not None
    assert 0 <= box["y"] < 200


def test_the_planner_works_without_scripts(
    visit: Visiting, address: str, tmp_path: Path
) -> None:
    page = visit(scripts=False).page
    page.goto(f"{address}/")
    assert page.get_by_role("slider").count() == 0
    page.get_by_label("Epsilon", exact=True).fill("0.25")
    page.get_by_role("radiogroup", name="Weights").get_by_label("a range").check()
    page.get_by_role("button", name="Forecast").click()
    page.wait_for_url("**/?*epsilon=0.25*")
    row = printed_forecast(page, tmp_path)
    assert row["epsilon"] == 0.25
    assert shown(page, "width_high") == as_shown(row)["width_high"]
    assert 'weight = "weight"' in page.inner_text("#study")
    page.get_by_label("People per answer (n)", exact=True).fill("0")
    page.get_by_role("button", name="Forecast").click()
    expect(page.locator("#n-wrong")).to_contain_text("a whole number of at least 1")


@pytest.mark.parametrize("field", ["numerator", "epsilon", "weights", "groups_column"])
def test_hostile_queries_are_shown_as_text(
    visit: Visiting, address: str, field: str
) -> None:
    hostile = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>"
    seen = visit()
    seen.page.on("dialog", lambda dialog: seen.errors.append(dialog.message))
    seen.page.goto(f"{address}/")
    seen.page.evaluate(
        "([name, value]) => { location.search = new URLSearchParams("
        "{groups: 'keys', [name]: value}).toString() }",
        [field, hostile],
    )
    seen.page.wait_for_url(f"**/?*{field}=*")
    seen.page.wait_for_load_state()
    assert "<img src=x" in seen.page.inner_text("main")
    assert seen.page.locator("script").count() == 1
    assert seen.page.locator("img").count() == 0
    assert [each for each in seen.errors if "422" not in each] == []
