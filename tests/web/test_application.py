"""The routes over HTTP, in this process: planner, parts, study, viewer."""

import json
import re
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from dpratio.plan.make_plan import make_plan
from dpratio.terms.groups import Groups
from dpratio.terms.study_file import parse_study
from dpratio.web import application
from dpratio.web.application import make_application
from dpratio.web.form import DEFAULTS, read_form
from dpratio.web.pages import MEANINGS
from dpratio.web.planner import plan_form
from web.page_for_tests import DESCRIBED, HOME, PAGE, send

PEOPLE = urlencode(DESCRIBED)


def test_the_planner_holds_headline_forecast_charts_and_study() -> None:
    text = PAGE.get("/").text
    for part in ('id="headline"', 'id="forecast"', 'role="img"', 'id="study"'):
        assert part in text
    assert text.count("<svg") == 2
    for name in DEFAULTS:
        assert f'name="{name}"' in text, name


def test_nothing_on_the_page_is_written_inline() -> None:
    for path in ("/", "/view", "/?n=0"):
        text = PAGE.get(path).text
        assert "<style" not in text
        assert " style=" not in text
        assert "onclick" not in text
        assert "//" not in text.replace("http://www.w3.org", "").replace("/>", "")


def test_every_file_that_a_page_asks_for_is_served() -> None:
    asked = re.findall(r'(?:href|src)="(/[a-z]+\.[a-z]+)"', PAGE.get("/view").text)
    assert len(asked) == 7
    for path in asked:
        assert PAGE.get(path).status_code == 200, path


def test_every_column_of_a_forecast_has_its_words() -> None:
    found = [plan_form(read_form(form)).forecast for form in ({}, DESCRIBED)]
    names = {name for each in found for name in each.columns()}
    assert set(MEANINGS) == names


def test_the_study_that_is_saved_is_the_one_that_is_shown() -> None:
    saved = PAGE.get("/study.toml?weights=range&groups=bins&groups_count=7")
    assert saved.headers["content-disposition"].endswith('filename="study.toml"')
    assert saved.text in PAGE.get(
        "/forecast?weights=range&groups=bins&groups_count=7"
    ).text.replace("&#34;", '"').replace("</pre>", "\n")
    plan = make_plan(parse_study(saved.text))
    (groups,) = plan.partitions
    assert isinstance(groups, Groups)
    assert groups.count == 7


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("epsilon=abc", "epsilon must be a finite number, got 'abc'"),
        ("epsilon=0", "epsilon must be positive"),
        ("delta=2", "delta must be at least 0, below 1"),
        ("delta=0&mechanism=analytic_gaussian", "Gaussian noise needs a delta above 0"),
        ("n=2.5", "n must be a whole number of at least 1"),
        ("n=1e11", "n must be a whole number of at least 1"),
        ("level=1", "level must lie between 0.01 and 0.9999"),
        ("level=1e999", "level must lie between 0.01 and 0.9999"),
        ("against=1e999", "between -1e6 and 1e6"),
        ("weights=maybe", "unknown weights"),
        ("strategy=focussed", "Did you mean 'focused'?"),
        ("groups=keys&groups_count=5000", "up to 1000 groups"),
        (f"groups=keys&groups_keys={'1,' * 1001}", "up to 1000 groups"),
        ("groups=periods", "Give a day of the first period"),
        ("groups=periods&groups_first=2026-02-30", "A day is written as 2026-01-31"),
        ("groups=periods&groups_first=20260130", "A day is written as 2026-01-31"),
        (
            "groups=periods&groups_first=2026-03-01&groups_last=2026-01-01",
            "the first period must not follow the last",
        ),
        ("per_kind=counted", "What is counted is called rows or people"),
        ("kept=%5Bprivacy", "These lines are not TOML"),
        ("kept=other%20%3D%201", "unknown field 'other'"),
        ("groups=keys&groups_keys=a,b,a", "a group key is declared once"),
        (f"groups=keys&groups_keys={'x' * 5001}", "at most 5000 characters"),
        ("numerator=label", "the columns of a ratio differ"),
        ("numerator=", "a column name must be text without NUL"),
        ("numerator_lower=2", "bounds must be finite and in order"),
        ("unit_column=user", "bounds of one person's total of the numerator"),
        (
            "unit_column=user&numerator_total_upper=9",
            "bounds of one person's total of the per column",
        ),
        (
            "unit_column=label&numerator_total_upper=1&per_total_upper=1",
            "ids cannot be a column of the ratio",
        ),
        ("neighbours=nobody", "unknown neighbour relation"),
        ("numerator_sd=0.2", "the numerator's mean must be a finite number"),
        ("numerator_mean=0.5&per_mean=0.5", "sd of 'numerator' is missing"),
        (f"numerator={'x' * 201}", "at most 200 characters"),
    ],
)
def test_what_cannot_be_planned_is_said_in_our_words(query: str, message: str) -> None:
    for path in ("/", "/forecast"):
        answer = PAGE.get(f"{path}?{query}")
        assert answer.status_code == 422
        shown = answer.text.replace("&#39;", "'")
        assert message in shown
        assert "Traceback" not in shown
    assert PAGE.get(f"/charts?{query}").status_code == 422
    assert message in PAGE.get(f"/study.toml?{query}").text


def test_tests_are_against_the_ratio_that_a_plan_is_made_around() -> None:
    spend = "numerator=spend&numerator_upper=400&per=visits&per_kind=range&per_upper=9"
    text = PAGE.get(f"/?{spend}&guess=25").text
    assert "with ratios around 25." in text
    assert "least ratio above 25 found with power 0.8" in text
    assert "dpratio forecast study.toml --against 25.0" in text
    means = "numerator_mean=75&numerator_sd=40&per_mean=3&per_sd=1"
    assert "with a ratio of 25." in PAGE.get(f"/?{spend}&guess=25&{means}").text
    assert "above 20 found" in PAGE.get(f"/?{spend}&guess=25&against=20").text


def test_bins_of_the_score_are_planned_with_their_means() -> None:
    saved = PAGE.get("/study.toml?groups=bins&groups_count=5").text
    assert 'answers = ["ratio", "means"]' in saved
    (question,) = parse_study(saved).questions
    assert question.answers == ("ratio", "means")
    assert "means" not in PAGE.get("/study.toml?groups=keys").text


def test_an_unknown_page_is_a_sentence() -> None:
    answer = PAGE.get("/ledger")
    assert (answer.status_code, answer.text) == (404, "There is no such page.\n")


def test_a_failure_of_ours_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(application, "plan_form", fail)
    page = make_application(8000)
    own = TestClient(page, base_url=HOME, raise_server_exceptions=False)
    answer = own.get("/study.toml")
    assert (answer.status_code, answer.text) == (500, "The page failed.\n")
    assert "content-security-policy" in answer.headers


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b"", "not valid JSON"),
        ("a.json", b"{}", "this is not a dpratio-release document"),
        ("a.json", b"\xff\xfe", "it is not UTF-8"),
        ("a.json", json.dumps({"format": "other"}).encode(), "format"),
        ("a.parquet", b"PAR1 this is none", "Parquet"),
        ("", b"", "no file was chosen"),
    ],
)
def test_a_broken_release_is_refused_in_our_words(
    name: str, content: bytes, message: str
) -> None:
    status, text = send((name, content))
    assert status == 422
    assert "This file was refused." in text
    assert message in text
    assert "Traceback" not in text


def test_a_file_that_is_too_large_is_refused_however_it_is_announced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(application, "LARGEST_UPLOAD", 2**20)
    content = b"x" * (2**20 + 1)
    status, text = send(("a.json", content))
    assert status == 413
    assert "files of up to 1 MB" in text

    def in_pieces() -> Iterator[bytes]:
        yield content[:1000]
        yield content[1000:]

    answer = PAGE.post("/view", content=in_pieces(), headers={"Origin": HOME})
    assert answer.status_code == 413


def test_the_viewer_lets_browsers_say_where_a_form_comes_from() -> None:
    assert PAGE.get("/view").headers["referrer-policy"] == "same-origin"


def test_intervals_without_an_end_are_warned_of_and_not_drawn() -> None:
    terms = "n=1500&epsilon=0.01&weights=range"
    weak = PAGE.get(f"/?{terms}&{PEOPLE}&weight_mean=1&weight_sd=0.5").text
    assert "Too much noise for so few people.</strong> Many intervals" in weak
    assert "nothing is drawn" in weak
    assert "this study: width" not in weak
    usual = PAGE.get(f"/?{PEOPLE}").text
    assert "Too much noise" not in usual
    assert usual.count('aria-label="this study: width') == 2


@pytest.mark.slow
def test_ranges_without_an_end_are_warned_of_too() -> None:
    some = PAGE.get("/?n=1500&epsilon=0.01&weights=range").text
    assert "Too much noise for so few people.</strong> For some people" in some
    # A range is marked at both of its ends.
    assert PAGE.get("/").text.count('aria-label="this study: width') == 4


def test_people_whom_nobody_described_are_named_beside_their_range() -> None:
    text = PAGE.get("/").text.replace("&#39;", "'")
    assert "Nobody described the people: ranges go over a family" in text
    assert "by what the people are like" in text
    assert "widest" in text
    text = PAGE.get(f"/?{PEOPLE}").text
    assert "Nobody described" not in text
    assert "for a guessed ratio of 1.11." in text
    assert "with a ratio of 1.11; planned around 1" in text
    missing = PAGE.get("/?strategy=joint")
    assert missing.status_code == 422
    assert 'data-field="numerator_mean"' in missing.text
    assert 'id="numerator_mean-wrong"' in missing.text
