"""That terms were set after a look stays with a release, whatever becomes of it."""

from dataclasses import replace
from pathlib import Path

import pytest

from dpratio.release.files import read_release, release_to_bytes
from dpratio.release.release import Release
from dpratio.release.roll_up import roll_up
from release.derived_releases import TEXT
from release.edited_documents import document_of, refusal, signed
from release.releases_for_tests import RELEASES, add_up

LOOKED = replace(TEXT[0], is_after_look=True)


@pytest.mark.parametrize("kind", ["json", "parquet"])
@pytest.mark.parametrize("release", RELEASES.values(), ids=list(RELEASES))
def test_it_is_written_and_read_again(
    release: Release, kind: str, tmp_path: Path
) -> None:
    file = tmp_path / f"release.{kind}"
    file.write_bytes(release_to_bytes(replace(release, is_after_look=True), kind))
    back = read_release(file)
    assert back.is_after_look
    assert back == replace(release, is_after_look=True)


def test_a_release_without_it_has_the_bytes_that_it_had() -> None:
    document = document_of(TEXT[0])
    assert "after_look" not in document
    marked = document_of(LOOKED)
    assert marked.pop("after_look") is True
    assert {**marked, "sha256": ""} == {**document, "sha256": ""}


def test_nothing_states_that_there_was_no_look(tmp_path: Path) -> None:
    document = document_of(TEXT[0])
    text = signed({**document, "after_look": False})
    said = refusal(tmp_path / "release.json", text)
    assert said.startswith("$.after_look: must be true, or left out")
    text = signed({**document, "after_look": "yes"})
    assert refusal(tmp_path / "release.json", text).startswith("$.after_look: ")


def test_what_is_made_of_it_says_so_too() -> None:
    assert roll_up(LOOKED).is_after_look
    assert not roll_up(TEXT[0]).is_after_look
    assert add_up([TEXT[1], LOOKED]).is_after_look
    assert add_up([LOOKED, TEXT[1], TEXT[2]]).is_after_look
    assert not add_up(TEXT[:2]).is_after_look
    assert roll_up(add_up([TEXT[1], LOOKED])).is_after_look
