"""`dpratio report`: one page, which answers first what was asked."""

from pathlib import Path

import pytest

import dpratio as dpr
from cli.commands_for_tests import refusal, shown
from dpratio.release.files import write_release


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file: Path = tmp_path_factory.mktemp("report") / "r.json"
    write_release(dpr.example_release(), file)
    return file


def page_of(path: Path, *words: str) -> str:
    out = path.parent / "report.html"
    shown("report", path, "-o", out, *words)
    return out.read_text(encoding="utf-8").replace("\xa0", " ")


def test_two_groups_are_compared_first(path: Path) -> None:
    page = page_of(path, "--compare", "west", "north")
    assert '<p class="answer">In region west, score per label is 20.7 % higher' in page
    assert page.count('<p class="answer">') == 1


def test_a_reference_is_a_number_or_a_group(path: Path) -> None:
    page = page_of(path, "--reference", "1.1")
    assert "beside 1.1" in page
    assert '<p class="answer">9 ratios' in page
    page = page_of(path, "--reference", "north")
    assert '<p class="answer">3 of 3 comparisons of score per label show' in page
    assert "beside 1" in page


def test_several_answers_are_asked_for_at_once(path: Path) -> None:
    page = page_of(path, "--compare", "west", "north", "--curve")
    assert page.count('<p class="answer">') == 2
    page = page_of(path, "--compare", "west", "north", "--question", "1", "--curve")
    assert page.count('<p class="answer">') == 2
    page = page_of(path, "--reference", "north", "--question", "1", "--curve")
    assert '<p class="answer">Calibration of score: ' in page
    page = page_of(path, "--curve", "--question", "2")
    assert '<p class="answer">Calibration of score: ' in page


def test_what_is_not_in_the_release_is_refused(path: Path) -> None:
    words = ("report", path, "-o", path.parent / "no.html")
    for more, said in (
        (["--compare", "west", "nroth"], "Did you mean 'north'?"),
        (["--reference", "nroth"], "no such group"),
        (["--question", "2"], "a question needs an answer to it"),
    ):
        assert said in str(refusal(*words, *more))
    assert not (path.parent / "no.html").exists()


def test_a_ledger_is_asked_only_where_it_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DPRATIO_LEDGER", "dpratio.db")
    file = folder / "r.json"
    shown("release", "study.toml", "-o", "r.json", "--by", "Ann Lee")
    assert "Ann Lee" not in page_of(file)
    assert "<b>Asked by</b> Ann Lee" in page_of(file, "--ledger", "dpratio.db")
    error = refusal("report", "r.json", "--anchor", "a.txt")
    assert "an anchor needs its ledger" in str(error)
