"""Every block of code on every page runs, and prints what the page says.

Some pages have tests of their own: the README in test_readme.py, the team's ledger
below, Spark in tests/curator/warehouse/spark.
"""

from pathlib import Path

import psycopg
import pytest

from docs.page_blocks import ROOT, blocks_of, written_pages
from docs.page_runner import run_blocks
from dpratio.curator.ledger.store.server_roles import ROLES

ELSEWHERE = {
    "README.md",
    "docs/guides/credit.md",  # with its kept release, in tests/guides
    "docs/guides/mortgages.md",  # as a notebook, in tests/guides
    "docs/guides/spark.md",
    "docs/guides/team_ledger.md",
}
LEDGER = "docs/guides/team_ledger.md"
PAGES = [
    page
    for page in written_pages()
    if page not in ELSEWHERE
    and any(b.language != "text" for b in blocks_of(ROOT / page))
]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_from_top_to_bottom(page: str, tmp_path: Path) -> None:
    run_blocks(blocks_of(ROOT / page), tmp_path, kept=(ROOT / page).with_suffix(""))


def test_the_guide_on_the_team_ledger_runs_on_a_real_server(
    postgres_url: str, tmp_path: Path
) -> None:
    as_ann = postgres_url.replace("postgres:", "ann:", 1)
    assert as_ann != postgres_url
    shown = {
        "postgresql://ann@ledger.example/budget": as_ann,
        "postgresql://ledger.example/budget": postgres_url,
    }
    page = blocks_of(ROOT / LEDGER)
    try:
        run_blocks(page, tmp_path, replaced=shown, database=postgres_url)
    finally:
        with psycopg.connect(postgres_url, autocommit=True) as server:
            names = [f"dpratio_{role}" for role in ROLES]
            for name in (*names, "ann", "olga"):
                server.execute(f"DROP OWNED BY {name} CASCADE".encode())
                server.execute(f"DROP ROLE {name}".encode())


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    left_out = [
        (page, block.not_run)
        for page in written_pages()
        for block in blocks_of(ROOT / page)
        if block.not_run
    ]
    assert left_out == [("docs/guides/planning.md", "it serves until it is stopped")]
