"""Rows 40 and 45: what a file of text begins with, a mark or a header that is none."""

import gzip
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from curator.door_for_tests import release_with
from curator.tables_for_tests import ENGINES, exact, fixed, plan_of, said_by
from dpratio.errors import SchemaRefused
from dpratio.terms.source import CsvFile
from tiers import quick_first

MARK = b"\xef\xbb\xbf"
NAMES = ["region", "score", "label"]
PLAN = plan_of(keys=["a", "b", "\ufeffa", "\ufeffb", ""])
PIECES = [MARK, MARK, b"a", b"b", b",0.5,1", b",0.25,0", b"", b'"', b"\xff", b"\x01"]
LINES = st.lists(st.sampled_from(PIECES), max_size=4).map(b"".join)
HEADER = b"region,score,label"

Sums = list[list[int]]


def sums_of(path: Path, lines: list[bytes], engine: str, *, header: bytes) -> Sums:
    """The integers of a file of lines, under a header or with declared columns."""
    content = b"\n".join([header, *lines] if header else lines)
    packed = path.name.endswith(".gz")
    path.write_bytes(gzip.compress(content) if packed else content)
    columns = None if header else NAMES
    return exact(CsvFile(path, columns=columns), PLAN, engine)


def added(parts: list[Sums]) -> Sums:
    return [
        [sum(cells) for cells in zip(*rows, strict=True)]
        for rows in zip(*parts, strict=True)
    ]


@pytest.mark.parametrize(
    ("name", "header"),
    quick_first(
        [
            ("rows.csv", b""),
            ("rows.csv", MARK + HEADER),
            ("rows.csv.gz", b""),
            ("rows.csv", HEADER),
        ],
        2,
    ),
    ids=["declared", "marked header", "packed", "header"],
)
@given(lines=st.lists(LINES, min_size=1, max_size=5))
@example(lines=[b"a,0.5,1", MARK + b"b,0.5,1"])
@example(lines=[MARK + b"a,0.5,1", b"b,0.5,1"])
@example(lines=[MARK + MARK + b"a,0.5,1", MARK, b"", MARK + b"a,0.5,1"])
@fixed(3)
def test_40_a_line_counts_the_same_wherever_it_stands(
    lines: list[bytes], name: str, header: bytes, tmp_path: Path
) -> None:
    """A file is worth the sum of its lines, so removing one moves no other.

    Source: found by an independent attack on this code, 2026: without its first line a
    file began with the mark of the second, whose key became another.
    """
    path, found = tmp_path / name, []
    for engine in ("python", "duckdb"):
        whole = sums_of(path, lines, engine, header=header)
        alone = [sums_of(path, [line], engine, header=header) for line in lines]
        assert whole == added(alone), engine
        found.append(whole)
    assert found[0] == found[1]


@pytest.mark.parametrize("engine", ENGINES)
def test_40_every_file_of_a_glob_may_begin_with_a_mark(
    engine: str, tmp_path: Path
) -> None:
    """Files with a mark and without, and empty ones, are one table.

    Source: found by an independent attack on this code, 2026.
    """
    contents = [MARK + b"a,1,1\nb,1,1", b"a,1,1", b"", MARK, MARK + MARK + b"a,1,1"]
    for at, content in enumerate(contents):
        (tmp_path / f"{at}.csv").write_bytes(content)
    file = CsvFile(tmp_path / "*.csv", columns=NAMES)
    assert [row[0] >> 24 for row in exact(file, PLAN, engine)] == [2, 1, 1, 0, 0]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "line", ["ann@example.org,0.5,1", "labels,CANARY,scores", "Score"]
)
def test_45_a_row_that_stands_where_a_header_was_expected_is_not_quoted(
    line: str, engine: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A file without a header: its first row gives no names to a message.

    Source: found by an independent attack on this code, 2026: the refusal of a missing
    column listed the cells of the first row.
    """
    path = tmp_path / "rows.csv"
    path.write_text(f"{line}\nb,0.5,1\n", encoding="utf-8")
    cells = [cell for cell in line.split(",") if not cell.replace(".", "").isdigit()]
    said = set()
    for plan in (plan_of(names=("score", "label", "", "")), plan_of(keys=["a"])):
        for given_file in (path, CsvFile(path, delimiter=";")):
            with pytest.raises(SchemaRefused) as refused:
                release_with(engine, given_file, plan, ledger=None)
            told = said_by(refused.value) + "".join(capfd.readouterr())
            assert [cell for cell in cells if cell in told] == []
            said.add(str(refused.value))
    assert len(said) == 1  # What is said does not go with the line.
