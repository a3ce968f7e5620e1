"""The planner's groups in a real browser: no study has keys that nobody gave."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect
from typer.testing import CliRunner

from browser import Visit
from dpratio.cli.main import app

Visiting = Callable[..., Visit]


def plan_shown(page: Page, folder: Path) -> tuple[int, str]:
    """Run `dpratio plan` on the study that the page shows."""
    study = folder / "study.toml"
    study.write_text(page.inner_text("#study"), encoding="utf-8")
    done = CliRunner().invoke(app, ["plan", str(study)])
    said = str(done.exception) if done.exception else done.output
    return done.exit_code, said


def test_groups_by_a_column_are_forecast_before_their_keys_are_known(
    visit: Visiting, address: str, tmp_path: Path
) -> None:
    page = visit().page
    page.goto(f"{address}/")
    page.get_by_label("by a column").check()
    page.get_by_label("How many", exact=True).fill("6")
    expect(page.locator("#headline")).to_contain_text("6, about 30,000 people in all")
    study = page.locator("#study")
    expect(study).to_contain_text("keys = []  # write your public keys here")
    assert "group 1" not in page.inner_text("#study")
    code, said = plan_shown(page, tmp_path)
    assert code != 0
    assert "groups need at least one key" in said
    expect(page.locator("#answer .message")).to_contain_text("No plan can be made")
    page.get_by_role("link", name="Give the keys of the groups").click()
    expect(page.get_by_label("Keys of the groups")).to_be_focused()


def test_the_keys_that_are_given_are_those_of_the_study(
    visit: Visiting, address: str, tmp_path: Path
) -> None:
    page = visit().page
    page.goto(f"{address}/?groups=keys&groups_count=6")
    page.get_by_label("Keys of the groups").fill('north, south\nfar "east"')
    written = 'keys = ["north", "south", "far \\"east\\""]'
    expect(page.locator("#study")).to_contain_text(written)
    expect(page.locator("#headline")).to_contain_text("3, about 15,000 people in all")
    expect(page.get_by_label("How many", exact=True)).to_be_hidden()
    assert page.locator("#answer .message").count() == 0
    code, said = plan_shown(page, tmp_path)
    assert code == 0
    assert "3 declared keys of region" in said
    page.reload()
    assert page.get_by_label("Keys of the groups").input_value().count("\n") == 1
    expect(page.locator("#study")).to_contain_text(written)
