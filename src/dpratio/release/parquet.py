"""Releases of many groups as Parquet: integers in columns, the document in the footer.

Columns ``key:…`` hold the keys of each row for other programs; what a release means is
told by the document alone, and reading checks that they agree.
"""

import contextlib
import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.checks import import_extra, require
from dpratio.errors import DocumentRefused
from dpratio.release.checked_json import (
    body_of,
    checked_line,
    checksum,
    parse,
    require_checksum,
)
from dpratio.release.document import (
    release_from_document,
    release_to_document,
    require_format,
)
from dpratio.release.parquet_footer import read_footer
from dpratio.release.release import Release, ReleasedQuestion
from dpratio.strict import Node

__all__ = ["from_parquet", "to_parquet"]

_FOOTER = b"dpratio"
_LONGEST_TEXT = 2**31 - 1  # that PyArrow can be told of
_MOST_PARTS = 1_000  # columns, pieces of a million rows, notes in the footer
_MOST_SUMS = 900  # leave room for columns of keys


def to_parquet(release: Release) -> bytes:
    """Write a release as the content of a Parquet file."""
    arrow = import_extra("pyarrow", "arrow")
    parquet = import_extra("pyarrow.parquet", "arrow")
    body = release_to_document(release)
    columns: dict[str, Any] = {
        "part": np.repeat(
            np.arange(len(release.questions), dtype=np.int32),
            [len(question.values) for question in release.questions],
        )
    }
    if len(release.questions) == 1:
        columns |= _key_columns(release.questions[0], arrow)
    integers = [question.integers for question in release.questions]
    width = max(each.shape[1] for each in integers)
    hint = (
        "Write JSON; or merge fewer releases that were measured around other guesses."
    )
    rule = f"a Parquet file holds up to {_MOST_SUMS} sums in a row"
    require(width <= _MOST_SUMS, rule, width, hint)
    for at in range(width):
        columns[f"sum{at}"] = np.concatenate([_column(each, at) for each in integers])
    text = checked_line(body, _content(release))
    table = arrow.table(columns).replace_schema_metadata({_FOOTER: text.encode()})
    file = io.BytesIO()
    # Noise does not compress; trying takes time.
    parquet.write_table(table, file, compression="none", use_dictionary=False)
    return file.getvalue()


def from_parquet(content: bytes) -> Release:
    """Read a release from the content of a Parquet file.

    Raises:
        DocumentRefused: When it is truncated, edited or of a newer format.
    """
    arrow = import_extra("pyarrow", "arrow")
    table = None
    with contextlib.suppress(OSError, ValueError, MemoryError, arrow.ArrowException):
        table = _read_plain(content, arrow)
    if table is None:
        raise DocumentRefused("$: not a Parquet file; it may be truncated.")
    footer = (table.schema.metadata or {}).get(_FOOTER)
    if footer is None:
        raise DocumentRefused("$.format: this Parquet file is no dpratio release.")
    try:
        text = footer.decode("utf-8")
    except UnicodeDecodeError:
        raise DocumentRefused("$: the footer is not UTF-8.") from None
    node = Node(parse(text))
    require_format(node)
    body = body_of(node)
    questions = _integers(table, "part", arrow.int32())
    release = release_from_document(
        Node(body),
        lambda at, rows, sums: _values(table, questions == at, rows, sums, arrow),
    )
    require_checksum(node, checksum(body, _content(release)))
    if len(questions) != sum(len(question.values) for question in release.questions):
        raise DocumentRefused("$.part: rows belong to no part of the plan.")
    _require_keys(table, release, arrow)
    return release


def _read_plain(content: bytes, arrow: Any) -> Any:  # noqa: ANN401
    """Read a table that takes about as much memory as its file.

    Releases are written without compression. A small file that stands for a large
    table was made by somebody else, perhaps to fill the memory of its reader.
    """
    parquet = import_extra("pyarrow.parquet", "arrow")
    source = arrow.BufferReader(content)
    limits = {
        "thrift_string_size_limit": min(len(content), _LONGEST_TEXT),
        "thrift_container_size_limit": _MOST_PARTS,
    }
    opened = parquet.ParquetFile(source, **limits)
    names = opened.schema_arrow.names
    flat = not any(arrow.types.is_nested(each.type) for each in opened.schema_arrow)
    stored = read_footer(content)
    # Every column takes a bit for each row at least, and those of sums eight bytes.
    least = 8 * sum(name.startswith("sum") for name in names) + len(names) / 8
    fits = stored.rows_of_pieces == stored.rows <= len(content) / least
    if not (flat and fits and stored.is_plain):
        raise DocumentRefused("$: a release is a Parquet file without compression.")
    texts = [name for name in names if name.startswith("key:")]
    # A text that is repeated is held once until its whole length is known.
    opened = parquet.ParquetFile(source, read_dictionary=texts, **limits)
    table = opened.read()
    length = sum(_text_length(column, arrow) for column in table.columns)
    if length > len(content):
        raise DocumentRefused("$: a release is a Parquet file without compression.")
    for at, each in enumerate(table.schema):
        if arrow.types.is_dictionary(each.type):
            plain_text = table.column(at).cast(each.type.value_type)
            table = table.set_column(at, each.name, plain_text)
    return table


def _text_length(column: Any, arrow: Any) -> int:  # noqa: ANN401
    """Give the length of all texts of a column, without writing them out."""
    compute = import_extra("pyarrow.compute", "arrow")
    if not arrow.types.is_dictionary(column.type):
        return 0
    lengths = [
        compute.sum(compute.binary_length(each.dictionary).take(each.indices)).as_py()
        for each in column.chunks
    ]
    return sum(each or 0 for each in lengths)


def _column(values: NDArray[np.int64], at: int) -> NDArray[np.int64]:
    if at < values.shape[1]:
        return np.ascontiguousarray(values[:, at])
    return np.zeros(len(values), dtype=np.int64)


def _content(release: Release) -> bytes:
    """Give the integers as bytes, part by part."""
    return b"".join(
        np.ascontiguousarray(question.integers, dtype="<i8").tobytes()
        for question in release.questions
    )


def _key_columns(question: ReleasedQuestion, arrow: Any) -> dict[str, Any]:  # noqa: ANN401
    if question.groups is None:
        return {}
    columns = question.groups.columns
    if len(columns) == 1:
        return {f"key:{columns[0]}": arrow.array(question.keys)}
    split = zip(*question.keys, strict=True)
    return {
        f"key:{name}": arrow.array(list(keys))
        for name, keys in zip(columns, split, strict=True)
    }


def _values(
    table: Any,  # noqa: ANN401
    chosen: NDArray[np.bool_],
    rows: int,
    sums: int,
    arrow: Any,  # noqa: ANN401
) -> NDArray[np.int64]:
    if int(chosen.sum()) != rows:
        raise DocumentRefused(
            f"$.part: must have {rows} rows, has {int(chosen.sum())}."
        )
    held = [name for name in table.column_names if name.startswith("sum")]
    columns = [
        _integers(table, f"sum{at}", arrow.int64())
        for at in range(max(sums, len(held)))
    ]
    if any(column[chosen].any() for column in columns[sums:]):
        raise DocumentRefused(f"$.sum{sums}: must be 0 where a part has {sums} sums.")
    return np.stack([column[chosen] for column in columns[:sums]], axis=1)


def _integers(table: Any, name: str, wanted: Any) -> NDArray[np.int64]:  # noqa: ANN401
    if table.column_names.count(name) != 1:
        raise DocumentRefused(f"$.{name}: the column is missing, or there twice.")
    column = table.column(name)
    if column.type != wanted or column.null_count:
        raise DocumentRefused(f"$.{name}: must be a column of {wanted}, none missing.")
    return np.asarray(column.to_numpy(), dtype=np.int64)


def _require_keys(table: Any, release: Release, arrow: Any) -> None:  # noqa: ANN401
    """Refuse columns that the document does not know, or keys that differ from it."""
    keys = (
        _key_columns(release.questions[0], arrow) if len(release.questions) == 1 else {}
    )
    width = max(question.integers.shape[1] for question in release.questions)
    known = ["part", *keys, *(f"sum{at}" for at in range(width))]
    if table.column_names != known:
        raise DocumentRefused(f"$: columns must be {', '.join(known)}.")
    for name, wanted in keys.items():
        if not table.column(name).combine_chunks().equals(wanted):
            raise DocumentRefused(f"$.{name}: keys differ from those of the plan.")
