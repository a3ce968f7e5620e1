"""The release inside its report: the bytes of its file, or a word that it is not."""

import base64
import gzip
import hashlib
from dataclasses import replace
from pathlib import Path

import dpratio as dpr
from dpratio.plan.plan import Plan
from dpratio.release.files import release_from_bytes
from dpratio.show.sections.embedded import embedded_release
from dpratio.show.sections.page import render_report, verify_commands

RELEASE = dpr.example_release()


def test_what_is_packed_is_the_file_that_is_written(tmp_path: Path) -> None:
    dpr.write_release(RELEASE, tmp_path / "release.json")
    content = (tmp_path / "release.json").read_bytes()
    held = embedded_release(RELEASE)
    assert held is not None
    assert gzip.decompress(base64.b64decode(held.packed)) == content
    assert held.sha256 == hashlib.sha256(content).hexdigest()
    assert held.size == len(content)
    assert release_from_bytes(content) == RELEASE
    assert f"{held.name}, {held.size:,} bytes" in held.words()
    page = render_report(RELEASE)
    assert held.packed in page
    assert held.sha256 in page


def test_a_release_that_is_too_large_is_named_by_its_hash() -> None:
    held = embedded_release(RELEASE, most=100)
    assert held is not None
    assert held.packed == ""
    assert held.data() is None
    assert "too many to be held by this report" in held.words()
    assert len(held.sha256) == 64


def test_the_commands_are_those_that_made_the_answers() -> None:
    held = embedded_release(RELEASE)
    assert held is not None
    commands = [line for _, line in verify_commands(RELEASE, held, 0.9, "analytical")]
    assert commands == [
        f"sha256sum {held.name}",
        f"dpratio estimate {held.name} --level 0.9 --method analytical",
    ]
    kept = replace(RELEASE, ledger_head="ab" * 32)
    assert "ledger verify" in verify_commands(kept, held, 0.95, "pivot")[-1][1]


def test_the_title_of_a_study_is_the_heading_unless_another_is_given() -> None:
    assert isinstance(RELEASE.plan, Plan)
    titled = replace(RELEASE, plan=RELEASE.plan.titled("Loans <2025>"))
    page = render_report(titled)
    assert "<h1>Loans &lt;2025&gt;</h1>" in page
    assert "It is published" not in page
    assert "<h1>Mine</h1>" in render_report(titled, title="Mine")
