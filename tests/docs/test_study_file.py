"""The reference of the study file says what the codec reads."""

from collections.abc import Iterator, Mapping
from typing import Any

from dpratio.terms.study_file import STUDY
from study_fields import PAGE, page


def names_in(schema: Mapping[str, Any]) -> Iterator[str]:
    for name, part in schema.get("properties", {}).items():
        yield name
        yield from names_in(part)
    for kind in schema.get("anyOf", ()):
        yield from names_in(kind)
    if "items" in schema:
        yield from names_in(schema["items"])


def test_the_tables_of_the_page_are_those_of_the_codec() -> None:
    """After a change: .venv/bin/python tools/guides/study_fields.py --write."""
    assert page() == PAGE.read_text(encoding="utf-8")


def test_the_page_names_every_field() -> None:
    text = PAGE.read_text(encoding="utf-8")
    names = set(names_in(STUDY.schema))
    assert {"numerator", "bins", "delimiter", "noun", "sd"} <= names
    assert sorted(name for name in names if name not in text) == []


def test_every_field_of_a_table_says_what_it_means() -> None:
    rows = [line for line in page().splitlines() if line.startswith("| `")]
    assert len(rows) > 30
    assert [row for row in rows if not row.split("|")[2].strip(" ;")] == []
