"""People with many rows in the planner, in a real browser."""

import json
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect
from typer.testing import CliRunner

from browser import PHONE, Visit, find_faults
from dpratio.cli.main import app
from dpratio.tabular import show_value

Visiting = Callable[..., Visit]


def test_people_with_many_rows_are_planned_and_forecast_by_their_totals(
    visit: Visiting, address: str, axe: str, tmp_path: Path
) -> None:
    page = visit(size=PHONE).page
    page.goto(f"{address}/?groups=keys&groups_keys=web,app")
    page.get_by_text("People with many rows").click()
    expect(page.get_by_label("Most groups of one person")).to_be_hidden()
    page.get_by_label("Column of ids").fill("user")
    message = page.locator("#headline .message")
    expect(message).to_contain_text("bounds of one person's total of the numerator")
    message.get_by_role("link").click()
    highest = page.get_by_label("Highest total of the numerator")
    expect(highest).to_be_focused()
    highest.fill("40")
    expect(message).to_contain_text("one person's total of the per column")
    page.get_by_label("Highest total of the per column").fill("15")
    expect(message).to_have_count(0)
    page.get_by_text("What the people are like, a public guess").click()
    page.get_by_label("Numerator mean").fill("10")
    page.get_by_label("Numerator sd").fill("8")
    page.get_by_label("Per mean").fill("5")
    page.get_by_label("Per sd").fill("3")
    page.get_by_label("Most groups of one person").fill("2")
    page.get_by_label("What is hidden of someone").select_option("change-one")
    study = page.locator("#study")
    expect(study).to_contain_text('neighbours = "change-one"')
    assert find_faults(page, axe) == []
    for line in (
        'column = "user"',
        "totals = { score = [0, 40], label = [0, 15] }",
        "most_groups = 2",
        "per = { mean = 5, sd = 3 }",
    ):
        expect(study).to_contain_text(line)
    path = tmp_path / "study.toml"
    path.write_text(page.inner_text("#study"), encoding="utf-8")
    command = ["forecast", str(path), "--format", "json"]
    done = CliRunner().invoke(app, command, catch_exceptions=False)
    (row,) = json.loads(done.stdout)
    width = page.inner_text("#forecast [data-column=width]")
    assert width == show_value(row["width"])
    page.get_by_text("What would be measured").click()
    plan = page.get_by_role("region", name="The plan")
    expect(plan).to_contain_text("all rows of one user, counted in at most 2 groups")


def test_without_ids_every_row_is_someone(visit: Visiting, address: str) -> None:
    page = visit().page
    page.goto(f"{address}/?numerator_total_upper=9&most_groups=3")
    assert "[unit]" not in page.inner_text("#study")
    page.get_by_text("People with many rows").click()
    expect(page.get_by_label("Highest total of the numerator")).to_be_hidden()
