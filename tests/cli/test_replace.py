"""Files that commands write: what exists is not replaced by accident."""

import shutil
from pathlib import Path

import pytest

import dpratio as dpr
from cli.commands_for_tests import Call, is_refused
from dpratio.cli.replace import require_replaceable
from dpratio.errors import FileRefused

FORECAST = ("forecast", "study.toml", "--n", "500")
AUDIT = ("audit", "--strategy", "even", "--samples", "500", "--epsilon", "1")

KEPT = {
    "dpratio.db": "a ledger or another database",
    "team.db": "a ledger or another database",
    "anchor.json": "an anchor",
    "release.json": "a release",
    "cut.json": "a release",
    "people.parquet": "data, in Parquet",
    "plan.json": "a plan",
}


@pytest.fixture
def kept(folder: Path) -> Path:
    """The folder with everything in it that must never be written over."""
    release = dpr.example_release()
    dpr.write_release(release, folder / "release.json")
    (folder / "people.parquet").write_bytes(b"PAR1 and more")
    dpr.write_release(release, folder / "release.svg")
    shutil.copy("release.svg", "release.html")
    (folder / "cut.json").write_bytes((folder / "release.json").read_bytes()[:500])
    dpr.write_plan(release.plan, folder / "plan.json")  # type: ignore[arg-type]
    dpr.Ledger(folder / "team.db", anchor=folder / "anchor.json").open_scope(
        dpr.Scope("people", dpr.Budget(3))
    )
    return folder


def test_what_counts_is_never_replaced(kept: Path, call: Call) -> None:
    for name, words in KEPT.items():
        before = (kept / name).read_bytes()
        for command in ((*FORECAST, "--csv"), (*AUDIT, "--json")):
            for more in ((), ("--force",)):
                code, _, said = call(*command, name, *more)
                assert (code, "is never replaced" in said) == (5, True), name
                assert words in said
        assert (kept / name).read_bytes() == before


def test_every_command_keeps_to_it(kept: Path, call: Call) -> None:
    before = {each: each.read_bytes() for each in kept.iterdir()}
    for words in (
        ("estimate", "release.json", "--chart", "release.svg"),
        ("curve", "release.json", "--question", "2", "--chart", "release.svg"),
        ("function", "release.json", "mean", "--chart", "release.svg"),
        ("ledger", "show", "--chart", "release.svg"),
        ("coverage", "study.toml", "--n", "500", "--chart", "release.svg"),
        ("coverage", "limit", "--json", "release.json"),
        ("report", "release.json", "-o", "release.html"),
    ):
        for more in ((), ("--force",)):
            code, _, said = call(*words, *more)
            assert (code, "is never replaced" in said) == (5, True), words
    assert {each: each.read_bytes() for each in kept.iterdir()} == before


def test_other_files_are_replaced_where_it_is_said(folder: Path, call: Call) -> None:
    for option, name in (
        ("--json", "a.json"),
        ("--csv", "a.csv"),
        ("--chart", "a.svg"),
    ):
        words = (*FORECAST, option, name)
        assert call(*words)[0] == 0
        first = (folder / name).read_bytes()
        done = call(*words, "--epsilon", "7")
        assert is_refused(done, 5, "say --force to replace it")
        assert (folder / name).read_bytes() == first
        assert call(*words, "--epsilon", "7", "--force")[0] == 0
        assert (folder / name).read_bytes() != first


def test_a_report_may_be_written_again_and_other_pages_not(
    kept: Path, call: Call
) -> None:
    words = ("report", "release.json", "-o", "a.html")
    for title in ("one", "two"):
        assert call(*words, "--title", title)[0] == 0
        assert f"<h1>{title}</h1>" in (kept / "a.html").read_text("utf-8")
    (kept / "a.html").write_text("<h1>mine</h1>", encoding="utf-8")
    assert is_refused(call(*words), 5, "'a.html' exists.")
    assert (kept / "a.html").read_text("utf-8") == "<h1>mine</h1>"
    assert call(*words, "--force")[0] == 0


def test_links_and_devices_stay(tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "a.csv")
    for each in (link, Path("/dev/null")):
        with pytest.raises(FileRefused, match="a link, a device or a pipe"):
            require_replaceable(each, force=True)
