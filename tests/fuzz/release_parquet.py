"""Releases as Parquet: footers, columns and bytes mutated, tables that are bombs."""

import io
import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from dpratio.errors import DocumentRefused
from dpratio.release.checked_json import checksum
from dpratio.release.files import release_from_bytes, release_to_bytes
from dpratio.release.release import Release
from fuzz.mutations import Mutation, mutate_bytes, mutate_document, mutations
from release.releases_for_tests import RELEASES

__all__ = ["INPUTS", "REFUSALS", "VALID", "check", "make", "read"]

REFUSALS = (DocumentRefused,)
CHOSEN = list(RELEASES.values())
FILES = [release_to_bytes(each, "parquet") for each in CHOSEN]
TABLES = [pq.read_table(io.BytesIO(each)) for each in FILES]
FOOTERS = [json.loads(each.schema.metadata[b"dpratio"]) for each in TABLES]
HELD = [
    b"".join(p.values.astype("<i8").tobytes() for p in each.questions)
    for each in CHOSEN
]
Drawn = tuple[int, int, list[Mutation], list[Mutation]]

INPUTS = st.tuples(
    st.integers(0, len(CHOSEN) - 1),
    st.integers(0, 9),
    mutations(),
    st.lists(st.nothing()) | mutations(6),
)
VALID: Drawn = (0, 0, [], [])


def make(drawn: Drawn) -> bytes:
    at, kind, nodes, flips = drawn
    content = FILES[at]
    if kind in {1, 2, 3}:
        content = _with_footer(at, nodes)
    elif kind in {4, 5}:
        table, options = _with_columns(TABLES[at], nodes)
        content = _written(table, options)
    elif kind == 6:
        content = BOMBS[nodes[0][1] % len(BOMBS)]
    return mutate_bytes(content, flips, FILES)


def read(content: bytes) -> Release:
    return release_from_bytes(content, "parquet")


def check(release: Release) -> None:
    again = release_to_bytes(release, "parquet")
    assert release_from_bytes(again, "parquet") == release


def _with_footer(at: int, nodes: list[Mutation]) -> bytes:
    text = mutate_document(FOOTERS[at], nodes, FOOTERS)
    try:
        document = json.loads(text)
        body = {
            name: question for name, question in document.items() if name != "sha256"
        }
        text = json.dumps({**body, "sha256": checksum(body, HELD[at])})
    except (ValueError, RecursionError, AttributeError):
        pass  # What has no checksum is written as it is.
    held = {b"dpratio": text.encode("utf-8", "surrogatepass")}
    return _written(TABLES[at].replace_schema_metadata(held), {})


def _with_columns(table: Any, nodes: list[Mutation]) -> tuple[Any, dict[str, Any]]:  # noqa: ANN401
    """Change columns: their types, names, values, order, number; how they are held."""
    metadata = table.schema.metadata
    options: dict[str, Any] = {}
    for what, where, given in nodes:
        at = where % table.num_columns
        name, kind = table.column_names[at], what % 7
        if kind == 0:
            type_ = TYPES[given % len(TYPES)]
            table = table.set_column(at, name, pa.nulls(table.num_rows, type_))
        elif kind == 1:
            table = table.append_column(name, table.column(at))
        elif kind == 2 and table.num_columns > 1:
            table = table.remove_column(at)
        elif kind == 3:
            names = list(table.column_names)
            names[at] = ["part", "sum99", "key:", "", "sum0.x"][given % 5]
            table = table.rename_columns(names)
        elif kind == 4:
            table = pa.concat_tables([table] * (2 + given % 3))
        elif kind == 5:
            options["compression"] = ["snappy", "gzip", "zstd", "brotli"][given % 4]
        else:
            options["use_dictionary"] = True
    return table.replace_schema_metadata(metadata), options


TYPES = [
    pa.int8(),
    pa.int32(),
    pa.int64(),
    pa.uint64(),
    pa.float64(),
    pa.string(),
    pa.large_string(),
    pa.binary(),
    pa.decimal128(38, 2),
    pa.timestamp("ns", "Asia/Tokyo"),
    pa.list_(pa.list_(pa.int64())),
    pa.struct([("part", pa.int32()), ("sum0", pa.int64())]),
    pa.dictionary(pa.int32(), pa.string()),
    pa.map_(pa.string(), pa.int64()),
    pa.null(),
]


def _written(table: Any, options: dict[str, Any]) -> bytes:  # noqa: ANN401
    file = io.BytesIO()
    wanted = {"compression": "none", "use_dictionary": False, **options}
    pq.write_table(table, file, **wanted)
    return file.getvalue()


def _bomb(rows: int, **options: Any) -> bytes:  # noqa: ANN401
    """A small file that stands for a table of many rows of zeros."""
    wide = {f"sum{at}": np.zeros(rows, dtype=np.int64) for at in range(5)}
    table = pa.table({"part": np.zeros(rows, dtype=np.int32), **wide})
    return _written(table.replace_schema_metadata(TABLES[0].schema.metadata), options)


def _long_texts(rows: int, length: int) -> bytes:
    """A small file whose one text is repeated."""
    codes = pa.array(np.zeros(rows, dtype=np.int32))
    texts = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * length]))
    table = pa.table({"part": np.zeros(rows, dtype=np.int32), "key:g": texts})
    metadata = TABLES[0].schema.metadata
    return _written(table.replace_schema_metadata(metadata), {"use_dictionary": True})


def _with_pickle() -> bytes:
    """A column of a type that old readers made by running what its notes say."""
    notes = {
        b"ARROW:extension:name": b"arrow.py_extension_type",
        b"ARROW:extension:metadata": b"cos\nsystem\n(S'exit 1'\ntR.",
    }
    table = TABLES[0]
    fields = [each.with_metadata(notes) for each in table.schema]
    return _written(table.cast(pa.schema(fields, table.schema.metadata)), {})


BOMBS = [
    _with_pickle(),
    _bomb(2_000_000, compression="zstd"),
    _bomb(2_000_000, use_dictionary=True),
    _bomb(2_000_000, use_dictionary=True, compression="gzip"),
    _long_texts(100, 2**20),
    _long_texts(20_000, 100_000),
]
