"""The routes over HTTP, in this process: a study and a release go in."""

import re
import time
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from dpratio.release.files import release_to_bytes
from dpratio.terms.groups import Groups
from dpratio.web import page
from release.releases_for_tests import plan_of, release_of

HOME = "http://127.0.0.1:8000"
PAGE = TestClient(page.make_application(8000), base_url=HOME)
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"
STUDY = """
[ratio]
numerator = "score"
per = "label"

[bounds]
score = [0, 1]
label = "binary"

[privacy]
epsilon = 1
"""
FORM = {"content-type": "application/x-www-form-urlencoded", "Origin": HOME}


def plan(study: str) -> tuple[int, str]:
    answer = PAGE.post("/", content=urlencode({"study": study}), headers=FORM)
    return answer.status_code, answer.text.replace("&#39;", "'")


def view(content: bytes, name: str = "a.json") -> tuple[int, str]:
    sent = {"release": (name, content)}
    answer = PAGE.post("/view", files=sent, headers={"Origin": HOME})
    return answer.status_code, answer.text


def test_the_first_page_answers_its_own_example() -> None:
    text = PAGE.get("/").text
    for part in ("Forecast for a guessed ratio", "Rehearsed: 20 answers", "Σ z·z"):
        assert part in text
    assert text.count("<svg") == 2


def test_nothing_on_the_page_is_written_inline_and_all_it_asks_for_is_there() -> None:
    text = PAGE.get("/").text
    for part in ("<style", " style=", "onclick", "<script>"):
        assert part not in text
    paths = re.findall(r'(?:href|src)="(/[a-z]+\.[a-z]+)"', text)
    assert len(paths) == 4
    for path in paths:
        assert PAGE.get(path).status_code == 200, path


def test_a_study_is_forecast_and_without_described_people_not_rehearsed() -> None:
    status, text = plan(STUDY)
    assert status == 200
    assert "Nobody described the people" in text
    assert "<code>[population]</code>" in text
    assert text.count("<svg") == 1


@pytest.mark.parametrize(
    ("study", "message"),
    [
        ("", "field 'ratio' is missing"),
        ("[ratio", "not valid TOML"),
        (STUDY.replace("epsilon = 1", "epsilon = 0"), "epsilon must be positive"),
        (STUDY + 'guess = "x"\n', "unknown field 'guess'"),
        (STUDY.replace("score", HOSTILE), "not valid TOML"),
    ],
)
def test_what_cannot_be_planned_is_said_beside_the_text(
    study: str, message: str
) -> None:
    status, text = plan(study)
    assert status == 422
    assert message in text
    assert "<script>alert" not in text
    assert "</textarea>" in text


def test_names_of_a_study_are_escaped() -> None:
    status, text = plan(STUDY.replace("score", '"<b>"').replace('""<b>""', '"<b>"'))
    assert status == 200
    assert "&lt;b&gt;" in text
    assert "<b>" not in text


def test_a_release_is_shown_as_its_report_with_an_origin_of_its_own() -> None:
    groups = Groups("region", ["north", HOSTILE])
    release = release_of(plan_of(groups), is_simulated=True)
    sent = {"release": ("a.json", release_to_bytes(release))}
    answer = PAGE.post("/view", files=sent, headers={"Origin": HOME})
    assert answer.status_code == 200
    assert "SIMULATED" in answer.text
    assert "<img src=x" not in answer.text
    assert answer.headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert (
        "script-src &#39;sha256-" in answer.text or "script-src 'sha256-" in answer.text
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no file was chosen"),
        (b"{}", "this is no release"),
        (b"\xff\xfe", "it is not UTF-8"),
        (b"PAR1", "not valid JSON"),
    ],
)
def test_a_broken_release_is_refused_in_a_sentence(
    content: bytes, message: str
) -> None:
    status, text = view(content)
    assert status == 422
    assert message in text
    assert "Traceback" not in text


def test_what_is_too_large_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(page, "_LARGEST_RELEASE", 2**20)
    content = b"x" * (2**20 + 1)
    assert view(content)[0] == 413
    assert plan("x" * 2**18)[0] == 413


@given(st.binary(), st.text(st.characters(max_codepoint=255)))
def test_no_request_makes_the_page_fail(body: bytes, kind: str) -> None:
    headers = {"Origin": HOME, "content-type": kind.encode("latin-1").hex()}
    for path in ("/", "/view"):
        for sent in (headers, headers | {"content-type": "x; boundary=b"}):
            answer = PAGE.post(path, content=body, headers=sent)
            assert answer.status_code == 422


@pytest.mark.parametrize(
    "piece", ["a = 1 # ://", 'a = "://:"', "[a.b]", "[[a]]", "{period}", "</"]
)
def test_a_study_that_is_twice_as_long_costs_at_most_twice_as_much(piece: str) -> None:
    def cost(letters: int) -> float:
        text = f"{piece}\n" * (letters // len(piece))
        times = []
        for _ in range(3):
            start = time.process_time()
            plan(text)
            times.append(time.process_time() - start)
        return min(times)

    assert cost(80_000) < 3 * cost(40_000) + 0.05


def test_an_unknown_page_and_a_failure_are_sentences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answer = PAGE.get("/ledger")
    assert (answer.status_code, answer.text) == (404, "No such page.\n")

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(page, "parse_study", fail)
    application = page.make_application(8000)
    own = TestClient(application, base_url=HOME, raise_server_exceptions=False)
    answer = own.get("/")
    assert (answer.status_code, answer.text) == (500, "The page failed.\n")
    assert "content-security-policy" in answer.headers
