"""What is wrong with the lines of a file of text."""

import pytest

from dpratio.curator.exact.cells import Cells, NumberCells
from dpratio.curator.exact.lines import FileLines
from dpratio.terms.source import CsvFile


def seen(source: CsvFile, content: bytes, *names: str) -> FileLines:
    wanted: dict[str, list[Cells]] = {name: [NumberCells(".")] for name in names}
    lines = FileLines(source, wanted)
    lines.see(iter(content.split(b"\n")))
    return lines


PLAIN = CsvFile("a.csv")


@pytest.mark.parametrize(
    ("content", "kinds", "missing"),
    [
        (b"s,y\n1,2\n\n3,4\n", {}, set()),
        (b"\xef\xbb\xbfs,y\n1,2\n", {}, set()),
        (b"s,x\n1,2\n", {}, {"y"}),
        (b"S, y\n1,2\n", {}, {"s", "y"}),
        (b"s;y\n1;2\n", {"separator": "';'"}, set()),
        (b"s\ty\n1\t2\n", {"separator": "'\\t'"}, set()),
        # One cell in each line, as in its header: another file altogether.
        (b"a;b\n1;2\n", {}, {"s", "y"}),
        (b"a;b\n", {}, {"s", "y"}),
        (b"s,y\n1;2\n3;4\n", {"separator": ""}, set()),
        (b"s,y\n1,2\n0,5,1\n", {"cells in a line": ""}, set()),
        (b's,y\n1,2\n"0,5,1\n', {"cells in a line": ""}, set()),
        (b"s,y\n1,2\n\xe9,1\n", {"encoding": ""}, set()),
        (b"s,\xe9\n1,2\n", {"encoding": ""}, set()),
        (b"s,s\n1,2\n", {"header": ""}, set()),
        (b"", {"header": ""}, set()),
        (b"s,y\n1,\x012\n", {"separator": ""}, set()),
    ],
)
def test_the_lines_of_a_file(
    content: bytes, kinds: dict[str, str], missing: set[str]
) -> None:
    lines = seen(PLAIN, content, "s", "y")
    assert (lines.kinds, lines.missing) == (kinds, missing)


def test_names_that_were_declared_are_not_read() -> None:
    source = CsvFile("a.csv", columns=["s", "y"], delimiter=";")
    assert seen(source, b"0.5;1\n0.2;0\n", "s", "y").kinds == {}
    assert seen(source, b"0.5,1\n0.2,0\n", "s", "y").kinds == {"separator": ""}
    assert seen(source, b"0.5;1\n", "z").missing == {"z"}
    quoted = CsvFile("a.csv", delimiter=",", quote="|")
    assert seen(quoted, b"s;y\n1;2\n", "s", "y").kinds == {"separator": "';'"}


def test_only_wanted_columns_are_looked_at() -> None:
    lines = seen(PLAIN, b"s,y,z\n0.5,1,abc\n", "s", "y")
    assert [each.faults() for listed in lines.wanted.values() for each in listed] == [
        [],
        [],
    ]
    lines = seen(PLAIN, b"s,y,z\n0.5,abc,1\n", "s", "y")
    assert lines.wanted["y"][0].faults() == [("text", "")]
