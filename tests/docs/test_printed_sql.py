"""The statement that docs/warehouses.md shows is that of the tutorial's study."""

import re
from pathlib import Path

import dpratio as dpr

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_shows_the_statement_of_the_tutorial() -> None:
    tutorial = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    (study,) = re.findall('```toml title="study.toml"\n(.*?)```', tutorial, re.DOTALL)
    page = (DOCS / "warehouses.md").read_text(encoding="utf-8")
    (shown,) = re.findall("```text\n(-- Types.*?)\n```", page, re.DOTALL)
    assert shown == dpr.plan_sql(dpr.make_plan(dpr.parse_study(study)), "postgres")
