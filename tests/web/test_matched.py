"""A sheet that was approved, held to a report or a release: match, or not."""

import base64
import gzip
import re
from dataclasses import replace

import pytest

from dpratio.plan.plan import Plan
from dpratio.release.files import release_to_bytes
from dpratio.release.plan_file import plan_hash
from dpratio.show.sections.page import render_report
from dpratio.show.sheet.sheet import render_sheet
from dpratio.terms.groups import Groups
from release.releases_for_tests import plan_of, release_of
from web.page_for_tests import send

PLAN, OTHER = (plan_of(Groups("region", [key, "s"])) for key in ("north", "west"))
RELEASE = release_of(PLAN)
REPORT = render_report(RELEASE).encode()
EMPTY = gzip.compress(b"{}", mtime=0)
FILES = {
    "report.html": REPORT,
    "release.json": release_to_bytes(RELEASE, "json"),
    "release.parquet": release_to_bytes(RELEASE, "parquet"),
}


def sheet_of(plan: Plan) -> bytes:
    return render_sheet(plan).encode()


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize("turned", [False, True])
def test_a_report_or_release_of_the_approved_plan_matches(
    name: str, *, turned: bool
) -> None:
    files = [("sheet.html", sheet_of(PLAN)), (name, FILES[name])]
    status, text = send(*(reversed(files) if turned else files))
    assert status == 200
    assert "<title>They match" in text
    assert "was made from the plan that is on this sheet." in text
    assert text.count(f"<code>{plan_hash(PLAN)}</code>") == 2
    assert "NOT" not in text
    assert "2 declared keys of region" in text


@pytest.mark.parametrize("name", sorted(FILES))
def test_those_of_another_plan_do_not(name: str) -> None:
    status, text = send(("s.html", sheet_of(OTHER)), (name, FILES[name]))
    assert status == 200
    assert "<title>They do NOT match" in text
    assert 'role="alert"' in text
    assert "was made from another plan than that of this sheet." in text
    for plan in (PLAN, OTHER):
        assert f"<code>{plan_hash(plan)}</code>" in text


def test_a_title_is_no_term_and_another_one_matches() -> None:
    sheet = sheet_of(replace(PLAN, title="Another title"))
    assert "<title>They match" in send(("s", sheet), ("r.html", REPORT))[1]


def test_a_sheet_with_an_edited_hash_is_told() -> None:
    edited = sheet_of(OTHER).replace(
        plan_hash(OTHER).encode(), plan_hash(PLAN).encode()
    )
    _, text = send(("sheet.html", edited), ("report.html", REPORT))
    assert "<title>They do NOT match" in text
    assert "The approval sheet was altered" in text
    assert f"printed on it: <code>{plan_hash(PLAN)}</code>" in text
    _, text = send(
        ("sheet.html", edited),
        ("r.html", render_report(release_of(OTHER)).encode()),
    )
    assert "<title>They do NOT match" in text


def test_a_report_with_an_edited_hash_is_told() -> None:
    edited = REPORT.replace(plan_hash(PLAN).encode(), plan_hash(OTHER).encode())
    _, text = send(("sheet.html", sheet_of(OTHER)), ("report.html", edited))
    assert "<title>They do NOT match" in text
    assert "The report was altered" in text


def test_a_hash_that_nothing_proves_is_no_match() -> None:
    bare = re.sub(rb'<template id="plan">.*?</template>', b"", sheet_of(OTHER))
    edited = bare.replace(plan_hash(OTHER).encode(), plan_hash(PLAN).encode())
    _, text = send(("sheet.html", edited), ("report.html", REPORT))
    assert "<title>They print the same hash" in text
    assert "nothing proves the hash that is printed on it" in text
    _, text = send(("sheet.html", bare), ("report.html", REPORT))
    assert "<title>They do NOT match" in text


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (b"%%%", "cannot be unpacked"),
        (base64.b64encode(EMPTY), "not a dpratio-plan document"),
        (base64.b64encode(EMPTY[:-9]), "cannot be unpacked"),
        (base64.b64encode(gzip.compress(b"\xff", mtime=0)), "cannot be unpacked"),
    ],
    ids=["no base 64", "another document", "cut off", "no text"],
)
def test_a_sheet_that_holds_something_else_is_refused(packed: bytes, said: str) -> None:
    sheet = re.sub(rb'(id="plan">)[^<]*', rb"\g<1>" + packed, sheet_of(PLAN))
    status, text = send(("s.html", sheet), ("r.html", REPORT))
    assert (status, "holds was altered" in text, said in text) == (422, True, True)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([("a.html", b"<!doctype html><p>hello</p>")], "neither an approval sheet nor"),
        ([("a.html", b"<!doctype html>\xff")], "it is not UTF-8"),
        ([("a.txt", b"hello")], "not valid JSON"),
        ([("s.html", sheet_of(PLAN))], "This is the approval sheet alone."),
        ([("r.html", REPORT)], "This is the report alone."),
        (
            [("s.html", sheet_of(PLAN)), ("t.html", sheet_of(PLAN))],
            "'s.html' is an approval sheet and 't.html' is an approval sheet",
        ),
        ([("s.html", sheet_of(PLAN)), ("x.json", b"{}")], "not a dpratio-release"),
    ],
)
def test_what_is_neither_is_refused_in_words(
    files: list[tuple[str, bytes]], said: str
) -> None:
    status, text = send(*files)
    assert status == 422
    assert said in text
    assert "They" not in text
