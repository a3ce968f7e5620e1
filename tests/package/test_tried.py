"""What `make package` tries is what is declared, and what is missing is said."""

import sys
from pathlib import Path

import pytest
from packaging.version import Version

from declared import asked, extras, lowest
from interpreters import SUPPORTED, find_interpreters
from try_package import try_commands, try_demo, try_help, try_python, try_version
from wheelhouse import SOURCE_ALONE, only_wheels

ROOT = Path(__file__).parent.parent.parent
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


def test_every_python_of_the_classifiers_is_tried() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for version in SUPPORTED:
        assert f'"Programming Language :: Python :: {version}"' in text
    assert text.count("Programming Language :: Python ::") == len(SUPPORTED)


def test_every_extra_has_something_that_uses_it() -> None:
    text = (ROOT / "tools" / "package" / "try_extras.py").read_text(encoding="utf-8")
    for extra in extras():
        assert f'"{extra}": Feature(' in text


def test_what_is_tried_first_works_in_this_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for each in (try_help, try_version, try_demo, try_commands, try_python):
        each()


def test_the_lowest_versions_are_those_of_the_interpreter() -> None:
    assert lowest("3.12", [])["numpy"] == Version("1.26")
    assert lowest("3.13", [])["numpy"] == Version("2.1")
    assert lowest("3.13", ["polars"])["pyarrow"] == Version("18")
    assert "pyarrow" not in lowest("3.13", [])


def test_what_comes_as_source_alone_belongs_to_an_extra_and_not_to_the_core() -> None:
    assert SOURCE_ALONE in {each.name for each in asked(["spark"])}
    assert SOURCE_ALONE not in {each.name for each in asked([])}
    assert only_wheels([]) == ["--only-binary", ":all:"]


def test_an_interpreter_is_found_by_name_or_reported_as_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONS", f"{sys.executable} python3.999")
    found = find_interpreters()
    assert list(found) == [HERE, "python3.999"]
    assert Path(str(found[HERE])).samefile(sys.executable)
    assert found["python3.999"] is None


def test_a_shim_that_leads_nowhere_is_no_interpreter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shim = tmp_path / "python3.12"
    shim.write_text("#!/bin/sh\nexit 127\n", encoding="utf-8")
    shim.chmod(0o755)
    monkeypatch.delenv("PYTHONS", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_interpreters() == dict.fromkeys(SUPPORTED)
