"""What a footer says of rows and compression is read as PyArrow reads it."""

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpratio.errors import DocumentRefused
from dpratio.release.parquet import from_parquet, to_parquet
from dpratio.release.parquet_footer import Stored, read_footer
from release.releases_for_tests import RELEASES
from release.thrift_for_tests import (
    BYTE,
    DOUBLE,
    FALSE,
    I16,
    I64,
    LIST,
    MAP,
    SET,
    STRUCT,
    TEXT,
    TRUE,
    Value,
    field_of_whole,
    footer_file,
)

CODECS = {"NONE": True, "SNAPPY": False, "GZIP": False, "ZSTD": False, "LZ4": False}


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("pieces", [1, 3, 40])
def test_files_of_pyarrow_are_read_as_pyarrow_reads_them(
    codec: str, pieces: int
) -> None:
    table = pa.table({"a": range(120), "key:b": ["x", None, "zz"] * 40})
    file = io.BytesIO()
    pq.write_table(table, file, compression=codec, row_group_size=120 // pieces)
    told = pq.ParquetFile(io.BytesIO(file.getvalue())).metadata
    assert told.num_row_groups == pieces
    stored = read_footer(file.getvalue())
    assert stored == Stored(told.num_rows, told.num_rows, is_plain=CODECS[codec])


@pytest.mark.parametrize("column", ["a", "b"])
def test_one_compressed_column_is_enough(column: str) -> None:
    file = io.BytesIO()
    other = {"a": "none", "b": "none", column: "snappy"}
    pq.write_table(pa.table({"a": [1], "b": [2]}), file, compression=other)
    assert not read_footer(file.getvalue()).is_plain


@pytest.mark.parametrize("name", RELEASES)
def test_releases_are_stored_plainly(name: str) -> None:
    stored = read_footer(to_parquet(RELEASES[name]))
    assert stored.is_plain
    assert stored.rows == stored.rows_of_pieces


def test_a_footer_over_which_pyarrow_ends_the_process_is_refused() -> None:
    """A column that was optional is required: its histograms are too long then."""
    content = to_parquet(next(iter(RELEASES.values())))
    optional, required = b"\x25\x02\x18\x04sum0", b"\x25\x00\x18\x04sum0"
    assert content.count(optional) == 1
    with pytest.raises(DocumentRefused, match="not a Parquet file"):
        from_parquet(content.replace(optional, required))


def piece(rows: int, *columns: Value) -> Value:
    held = {1: (LIST, (STRUCT, [each for _, each in columns]))}
    return STRUCT, {**held, 3: field_of_whole(rows)}


def footer_of(rows: int, *pieces: Value) -> dict[int, Value]:
    groups = (LIST, (STRUCT, [each for _, each in pieces]))
    return {3: field_of_whole(rows), 4: groups}


def values(depth: int = 2) -> st.SearchStrategy[Value]:
    """Any value that a field of Thrift may have."""
    wholes = st.integers(-(2**62), 2**62)
    plain: list[st.SearchStrategy[Value]] = [
        st.sampled_from([(TRUE, None), (FALSE, None), (DOUBLE, None)]),
        st.tuples(st.just(BYTE), st.integers(0, 255)),
        st.tuples(st.sampled_from([I16, I64]), wholes),
        st.tuples(st.just(TEXT), st.binary(max_size=200)),
    ]
    if depth:
        fields = st.dictionaries(st.integers(-50, 50), values(depth - 1), max_size=4)
        items = values(depth - 1).flatmap(
            lambda one: st.tuples(
                st.sampled_from([LIST, SET]),
                st.integers(0, 20).map(lambda count: (one[0], [one[1]] * count)),
            )
        )
        pairs = st.tuples(values(0), values(0), st.integers(0, 3)).map(
            lambda t: (MAP, (t[0][0], t[1][0], [(t[0][1], t[1][1])] * t[2]))
        )
        plain += [st.tuples(st.just(STRUCT), fields), items, pairs]
    return st.one_of(plain)


OTHERS = st.dictionaries(st.sampled_from([-3, 2, 7, 40, 700]), values(), max_size=4)


def shuffled(data: st.DataObject, fields: dict[int, Value]) -> dict[int, Value]:
    """The fields among others, in any order."""
    other = {**data.draw(OTHERS), **fields}
    return {field: other[field] for field in data.draw(st.permutations(list(other)))}


def test_pairs_of_keys_and_values_are_stepped_over() -> None:
    fields = {
        2: (MAP, (TEXT, TRUE, [(b"a", True), (b"bc", False)])),
        3: field_of_whole(5),
        4: (LIST, (STRUCT, [])),
        7: (MAP, (TEXT, I16, [])),
    }
    assert read_footer(footer_file(fields)) == Stored(5, 0, is_plain=True)


@given(st.data())
def test_whatever_else_a_footer_holds_what_is_looked_for_is_found(
    data: st.DataObject,
) -> None:
    codecs = data.draw(st.lists(st.lists(st.integers(0, 7), max_size=3), max_size=4))
    rows = [data.draw(st.integers(0, 10**9)) for _ in codecs]
    pieces: list[Any] = []
    for held, inner in zip(rows, codecs, strict=True):
        columns = [
            shuffled(data, {3: (STRUCT, shuffled(data, {4: field_of_whole(codec)}))})
            for codec in inner
        ]
        fields = {1: (LIST, (STRUCT, columns)), 3: field_of_whole(held)}
        pieces.append(shuffled(data, fields))
    groups = (LIST, (STRUCT, pieces))
    footer = shuffled(data, {3: field_of_whole(5), 4: groups})
    plain = not any(codec for inner in codecs for codec in inner)
    stored = read_footer(footer_file(footer))
    assert stored == Stored(5, sum(rows), is_plain=plain)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(footer: bytes) -> None:
    content = b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    try:
        assert isinstance(read_footer(content), Stored)
    except ValueError as error:
        assert str(error)  # noqa: PT017 (either is right)


@pytest.mark.parametrize(
    "silent",
    [{}, {3: (STRUCT, {})}, {3: (TEXT, b"x")}, {3: (STRUCT, {4: (TRUE, None)})}],
)
def test_a_column_that_does_not_tell_its_compression_is_not_plain(
    silent: dict[int, Value],
) -> None:
    stored = read_footer(footer_file(footer_of(1, piece(1, (STRUCT, silent)))))
    assert not stored.is_plain


def nested(depth: int) -> Value:
    return (STRUCT, {1: nested(depth - 1)}) if depth else (TRUE, None)


REFUSED = {
    "no magic word": footer_file(footer_of(1))[:-1] + b"2",
    "a length beyond the file": b"PAR1\0\xff\xff\xff\x7fPAR1",
    "nothing": b"",
    "an end that is missing": b"PAR1\x15\x15\x15\x01\0\0\0PAR1",
    "a text beyond the end": b"PAR1\x18\x7f\0\x03\0\0\0PAR1",
    "a number without end": b"PAR1\x35" + b"\xff" * 12 + b"\0\x0e\0\0\0PAR1",
    "an unknown kind": b"PAR1\x1d\0\x02\0\0\0PAR1",
    "rows of pieces that are no structs": footer_file({4: (LIST, (BYTE, [1, 2]))}),
    "structs without end": footer_file({9: nested(40)}),
    # Field 3 by a step of three, and again by its own number.
    "rows told twice": b"PAR1\x35\x02\x05\x06\x04\0\x06\0\0\0PAR1",
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_footer_is_refused(what: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_footer(REFUSED[what])
