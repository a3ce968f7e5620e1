"""Releases of every kind survive both formats; other Parquet files are refused."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpratio.errors import FileRefused, MissingExtra
from dpratio.release.files import read_release, write_release
from dpratio.release.parquet import to_parquet
from release.parquet_for_tests import (
    TEXT,
    document_of,
    refusal,
    table_of,
    with_footer,
    written,
)
from release.releases_for_tests import GROUPS, RELEASES, plan_of, release_of


@pytest.mark.parametrize("name", RELEASES)
@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_a_release_survives_its_file(name: str, ending: str, tmp_path: Path) -> None:
    path, release = tmp_path / f"release.{ending}", RELEASES[name]
    write_release(release, path)
    first = path.read_bytes()
    back = read_release(path)
    assert back == release
    assert back.plan == release.plan
    for question, own in zip(back.questions, release.questions, strict=True):
        assert [type(key) for key in question.keys] == [type(key) for key in own.keys]
        assert question.noise == own.noise
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
    assert np.array_equal(values, release.questions[0].values)
    if columns:
        keys = [table[f"key:{each}"].to_pylist() for each in columns]
        rows = keys[0] if len(keys) == 1 else list(zip(*keys, strict=True))
        assert tuple(rows) == release.questions[0].keys


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
    newer = {**document_of(TEXT), "version": 4}
    said = refusal(with_footer(table, json.dumps(newer).encode()))
    assert said.startswith("$.version: format dpratio-release 4 is newer than 3")
    bare = document_of(TEXT)
    del bare["sha256"]
    said = refusal(with_footer(table, json.dumps(bare).encode()))
    assert said == "$: field 'sha256' is missing."


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
        assert "pip install '.[arrow]' in the repository" in str(refused.value)
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


def test_a_file_of_two_gibibytes_is_looked_at_like_any_other() -> None:
    """PyArrow counts in 32 bits; the content is zeros, which take no memory."""
    assert "not a Parquet file" in refusal(bytes(2**31))
