"""Releases of every kind survive both formats, and every edit is refused."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpratio.errors import DocumentRefused, FileRefused, MissingExtra
from dpratio.release.checked_json import checksum
from dpratio.release.files import read_release, write_release
from dpratio.release.parquet import from_parquet, to_parquet
from dpratio.release.release import Release
from release.edited_documents import alter, leaves
from release.releases_for_tests import GROUPS, RELEASES, plan_of, release_of

Table = Any
TEXT = RELEASES["groups: text"]


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_a_release_survives_its_file(name: str, ending: str, tmp_path: Path) -> None:
    path, release = tmp_path / f"release.{ending}", RELEASES[name]
    write_release(release, path)
    first = path.read_bytes()
    back = read_release(path)
    assert back == release
    assert back.plan == release.plan
    for part, own in zip(back.parts, release.parts, strict=True):
        assert [type(key) for key in part.keys] == [type(key) for key in own.keys]
        assert part.noise == own.noise
    write_release(back, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("name", GROUPS)
def test_other_programs_find_keys_and_sums_in_columns(name: str) -> None:
    release = RELEASES[f"groups: {name}"]
    table = pq.read_table(io.BytesIO(to_parquet(release)))
    columns = [] if GROUPS[name] is None else list(GROUPS[name].columns)
    sums = [f"sum{at}" for at in range(5)]
    assert table.column_names == ["part", *(f"key:{each}" for each in columns), *sums]
    values = np.stack([table[each].to_numpy() for each in sums], axis=1)
    assert np.array_equal(values, release.values)
    if columns:
        keys = [table[f"key:{each}"].to_pylist() for each in columns]
        rows = keys[0] if len(keys) == 1 else list(zip(*keys, strict=True))
        assert tuple(rows) == release.parts[0].keys


def written(table: Table) -> bytes:
    file = io.BytesIO()
    pq.write_table(table, file, compression="none")
    return file.getvalue()


def table_of(release: Release) -> Table:
    return pq.read_table(io.BytesIO(to_parquet(release)))


def refusal(content: bytes) -> str:
    with pytest.raises(DocumentRefused) as caught:
        from_parquet(content)
    assert caught.value.__cause__ is None
    return str(caught.value)


def with_footer(table: Table, footer: bytes) -> bytes:
    return written(table.replace_schema_metadata({b"dpratio": footer}))


def document_of(release: Release) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(table_of(release).schema.metadata[b"dpratio"])
    return document


def signed(release: Release, document: dict[str, Any]) -> bytes:
    body = {name: each for name, each in document.items() if name != "sha256"}
    content = b"".join(part.values.astype("<i8").tobytes() for part in release.parts)
    return json.dumps({**body, "sha256": checksum(body, content)}).encode()


@pytest.mark.parametrize(
    "name", ["groups: text", "several parts", "two ratios of unequal width"]
)
def test_every_edited_integer_is_refused(name: str) -> None:
    table = table_of(RELEASES[name])
    for column in table.column_names:
        if not column.startswith("sum"):
            continue
        for row in range(table.num_rows):
            values = table[column].to_numpy().copy()
            values[row] += 1
            at = table.column_names.index(column)
            edited = table.set_column(at, column, pa.array(values))
            assert refusal(written(edited)).startswith("$."), (column, row)


@pytest.mark.parametrize("name", ["groups: listed", "merged", "found: date", "people"])
def test_every_edit_of_the_footer_is_refused_with_its_path(name: str) -> None:
    release = RELEASES[name]
    table = table_of(release)
    for place in leaves(document_of(release)):
        document = document_of(release)
        alter(document, place)
        message = refusal(with_footer(table, json.dumps(document).encode()))
        assert message.startswith("$"), (place, message)


def test_another_parquet_file_is_refused_as_such() -> None:
    assert refusal(written(pa.table({"a": [1]}))) == (
        "$.format: this Parquet file is no dpratio release."
    )
    for content in (b"", b"PAR1", b"{}", to_parquet(TEXT)[:-5], to_parquet(TEXT)[9:]):
        assert refusal(content) == "$: not a Parquet file; it may be truncated."


def test_a_footer_that_is_no_document_is_refused() -> None:
    table = table_of(TEXT)
    assert refusal(with_footer(table, b"\xff")) == "$: the footer is not UTF-8."
    assert refusal(with_footer(table, b"{")).startswith("$: not valid JSON near")
    said = refusal(with_footer(table, b"[]"))
    assert said == "$.format: this is not a dpratio-release document."
    newer = {**document_of(TEXT), "version": 2}
    said = refusal(with_footer(table, json.dumps(newer).encode()))
    assert said.startswith("$.version: format dpratio-release 2 is newer than 1")
    bare = document_of(TEXT)
    del bare["sha256"]
    said = refusal(with_footer(table, json.dumps(bare).encode()))
    assert said == "$: field 'sha256' is missing."


def test_columns_that_were_changed_are_refused() -> None:
    table = table_of(TEXT)
    known = "part, key:g, sum0, sum1, sum2, sum3, sum4"
    cases = {
        "$.part: the column is missing, or there twice.": table.drop(["part"]),
        "$.sum3: the column is missing, or there twice.": table.drop(["sum3"]),
        "$.sum1: must be a column of int64, none missing.": table.set_column(
            3, "sum1", table["sum1"].cast(pa.string())
        ),
        "$.sum0: must be a column of int64, none missing.": table.set_column(
            2, "sum0", pa.array([1, None, 2, 3], pa.int64())
        ),
        "$.part: must be a column of int32, none missing.": table.set_column(
            0, "part", table["part"].cast(pa.int64())
        ),
        "$.part: must have 4 rows, has 3.": table.slice(0, 3),
        f"$: columns must be {known}.": table.append_column("more", table["sum0"]),
        "$.key:g: keys differ from those of the plan.": table.set_column(
            1, "key:g", pa.array(["b", "é\u2028", "", "z"])
        ),
    }
    for message, changed in cases.items():
        assert refusal(written(changed)) == message
    twice = refusal(written(table.append_column("sum0", table["sum0"])))
    assert twice.startswith("$")
    strange = table.slice(0, 1).set_column(0, "part", pa.array([7], pa.int32()))
    said = refusal(written(pa.concat_tables([table, strange])))
    assert said == "$.part: rows belong to no part of the plan."


EDITS: list[tuple[str, str, Any, str]] = [
    ("merged", "noise", None, "$.parts[0].noise: must say how noise was added up"),
    ("merged", "noise", {}, "$.parts[0].noise: must be a list"),
    ("groups: text", "noise", [], "$.parts[0].noise: must be null where nothing was"),
    ("groups: text", "found", {}, "$.parts[0].found: must be null where keys were"),
    ("found: text", "found", None, "$.parts[0].found: must be keys of 'g'"),
    (
        "found: text",
        "found",
        {
            "dimensions": [{"keys": {"column": "h", "values": ["a", "b"]}}],
            "cells": None,
        },
        "$.parts[0].found: must be keys of 'g'",
    ),
    (
        "found: text",
        "found",
        {"dimensions": [{"keys": {"column": "g", "values": [1, 2]}}], "cells": None},
        "$.parts[0].found: must be",
    ),
    (
        "found: text",
        "found",
        {
            "dimensions": [
                {
                    "periods": {
                        "column": "g",
                        "every": "day",
                        "first": "2026-01-01",
                        "last": "2026-01-02",
                    }
                }
            ],
            "cells": None,
        },
        "$.parts[0].found: must be",
    ),
    (
        "found: text",
        "found",
        {
            "private_keys": {
                "column": "g",
                "kind": "text",
                "epsilon": "1",
                "delta": "1/2",
            }
        },
        "$.parts[0].found: must be keys of 'g'",
    ),
]


@pytest.mark.parametrize(("name", "field", "value", "message"), EDITS)
def test_a_signed_edit_of_a_part_is_refused_where_it_breaks_a_rule(
    name: str, field: str, value: object, message: str
) -> None:
    release, document = RELEASES[name], document_of(RELEASES[name])
    document["parts"][0][field] = value
    footer = signed(release, document)
    assert refusal(with_footer(table_of(release), footer)).startswith(message)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("mechanism", "none", "mechanism: must be one of laplace"),
        ("scales", [], "scales: must be 5 noise scales"),
        ("scales", [1.0] * 4, "scales: must be 5 noise scales"),
        ("scales", [0.0] * 5, "scales: must be 5 noise scales"),
        ("scales", [2.0**60] * 5, "scales: must be 5 noise scales"),
        ("scales", ["1"] * 5, "scales[0]: must be a number"),
        ("counts", [], "counts: must be 1 or 4 numbers of draws"),
        ("counts", [1, 1], "counts: must be 1 or 4 numbers of draws"),
        ("counts", [-1], "counts: must be 1 or 4 numbers of draws"),
        ("counts", [2**40], "counts: must be 1 or 4 numbers of draws"),
        ("counts", [1.5], "counts[0]: must be a whole number"),
    ],
)
def test_a_signed_edit_of_noise_is_refused_where_it_breaks_a_rule(
    field: str, value: object, message: str
) -> None:
    release = RELEASES["merged"]
    document = document_of(release)
    document["parts"][0]["noise"][0][field] = value
    said = refusal(with_footer(table_of(release), signed(release, document)))
    assert said.startswith(f"$.parts[0].noise[0].{message}")


def test_parts_that_are_missing_are_refused_in_both_formats(tmp_path: Path) -> None:
    document = document_of(TEXT)
    document["parts"] = []
    said = refusal(with_footer(table_of(TEXT), signed(TEXT, document)))
    assert said.startswith("$.parts: must have 1 parts")
    path = tmp_path / "release.json"
    write_release(TEXT, path)
    whole = json.loads(path.read_text(encoding="utf-8"))
    for parts in ([], [*whole["parts"]] * 2):
        body = {**whole, "parts": parts}
        del body["sha256"]
        text = json.dumps({**body, "sha256": checksum(body)})
        path.write_text(text, encoding="utf-8")
        with pytest.raises(DocumentRefused, match=r"^\$\.(parts|values): must have"):
            read_release(path)


def test_a_plan_that_costs_more_than_it_says_is_refused() -> None:
    document = document_of(TEXT)
    document["plan"]["privacy"]["epsilon"] = "1/2"
    said = refusal(with_footer(table_of(TEXT), signed(TEXT, document)))
    assert said.startswith("$.plan: the noise of the sums is too small")


def test_what_cannot_be_read_or_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match="cannot be read: No such file"):
        read_release(tmp_path / "no.parquet")
    with pytest.raises(FileRefused, match="cannot be written"):
        write_release(TEXT, tmp_path / "no" / "release.parquet")


def test_without_pyarrow_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "release.parquet"
    write_release(TEXT, path)
    for module in [name for name in sys.modules if name.split(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, module, None)
    for act in (lambda: write_release(TEXT, path), lambda: read_release(path)):
        with pytest.raises(MissingExtra) as refused:
            act()
        assert str(refused.value).endswith("pip install 'dpratio[arrow]'")
    write_release(TEXT, tmp_path / "release.json")
    assert read_release(tmp_path / "release.json") == TEXT


def test_many_cells_are_written_and_read(tmp_path: Path) -> None:
    groups = [f"cell {at}" for at in range(20_000)]
    release = release_of(plan_of(type(GROUPS["text"])("g", groups)))
    write_release(release, tmp_path / "many.parquet")
    assert read_release(tmp_path / "many.parquet") == release


def zeros(rows: int, **options: Any) -> bytes:  # noqa: ANN401
    """A small file that stands for a table of many rows."""
    sums = {f"sum{at}": np.zeros(rows, dtype=np.int64) for at in range(5)}
    table = pa.table({"part": np.zeros(rows, dtype=np.int32), **sums})
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


@pytest.mark.parametrize(
    "options",
    [{"compression": "zstd"}, {"compression": "none", "use_dictionary": True}],
)
def test_a_small_file_that_stands_for_a_large_table_is_refused_unread(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = zeros(1_000_000, **options)
    assert len(content) < 10**6
    monkeypatch.setattr(pq.ParquetFile, "read", lambda _file: pytest.fail("was read"))
    assert refusal(content) == "$: a release is a Parquet file without compression."


def test_a_text_that_is_repeated_in_a_small_file_is_not_written_out() -> None:
    codes = pa.array(np.zeros(2000, dtype=np.int32))
    texts = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 100_000]))
    table = pa.table({"part": np.zeros(2000, dtype=np.int32), "key:g": texts})
    content = written(table)
    assert len(content) < 10**6
    before = pa.default_memory_pool().bytes_allocated()
    assert refusal(content) == "$: a release is a Parquet file without compression."
    assert pa.default_memory_pool().bytes_allocated() - before < 10**7


@pytest.mark.parametrize("name", ["part", "key:g", "sum0"])
def test_a_column_of_columns_is_refused(name: str) -> None:
    table = table_of(RELEASES["groups: text"])
    nested = pa.nulls(table.num_rows, pa.list_(pa.int64()))
    at = table.column_names.index(name)
    content = written(table.set_column(at, name, nested))
    assert refusal(content) == "$: a release is a Parquet file without compression."
