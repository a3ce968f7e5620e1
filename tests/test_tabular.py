"""One table, many shapes; whatever text it holds stays text."""

import math
import re
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpratio.errors import MissingExtra
from dpratio.show.text import render
from dpratio.tabular import Table, Tabular, printable, show_rounded, show_value

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a|b",
    "a\\|b",
    "ends in a backslash\\",
    "line\nbreak",
    "carriage\rreturn",
    "&lt;not a tag&gt;",
    "'quoted'",
    "-->",
    "\u2028separator",
]


class Reader(HTMLParser):
    """Collect the tags of a page and the text of its cells."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.cells: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not attrs
        self.tags.add(tag)
        if tag in {"td", "th"}:
            self.cells.append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside &= tag not in {"td", "th"}

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.cells[-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)


def split_cells(line: str) -> list[str]:
    """Split a line of a Markdown table at the bars that are not escaped."""
    return re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1]


SMALL = Table({"region": ["north", "south"], "ratio": [1.0983344, math.inf]})


def test_a_table_without_columns_is_nobodys() -> None:
    with pytest.raises(NotImplementedError):
        Tabular().columns()


def test_rows_are_dictionaries_in_order() -> None:
    assert SMALL.to_dicts() == [
        {"region": "north", "ratio": 1.0983344},
        {"region": "south", "ratio": math.inf},
    ]


def test_columns_of_different_length_are_not_cut_short() -> None:
    with pytest.raises(ValueError, match="longer"):
        Table({"a": [1], "b": [1, 2]}).to_dicts()


def test_the_text_table_is_aligned_to_the_right() -> None:
    assert str(SMALL) == "region   ratio\n north  1.0983\n south       ∞"


def test_the_text_table_is_what_is_printed() -> None:
    assert SMALL.to_text() == str(SMALL)


def test_a_text_table_without_rows_shows_its_names() -> None:
    assert str(Table({"a": [], "bc": []})) == "a  bc"


def test_the_markdown_table_has_a_line_under_its_names() -> None:
    assert SMALL.to_markdown() == (
        "| region | ratio |\n| --- | --- |\n| north | 1.0983 |\n| south | ∞ |"
    )


def test_the_html_table_has_a_head_and_a_body() -> None:
    assert SMALL.to_html() == (
        "<table>\n<thead><tr><th>region</th><th>ratio</th></tr></thead>\n<tbody>\n"
        "<tr><td>north</td><td>1.0983</td></tr>\n"
        "<tr><td>south</td><td>∞</td></tr>\n</tbody></table>"
    )
    assert SMALL._repr_html_() == SMALL.to_html()


def test_a_notebook_shows_twenty_rows_and_counts_the_rest() -> None:
    page = Table({"a": list(range(50))})._repr_html_()
    assert page.count("<td>") == 20
    assert page.endswith("</table><p>and 30 more rows</p>")
    assert Table({"a": list(range(21))})._repr_html_().endswith("<p>and 1 more row</p>")


@given(name=st.text(), cell=st.text())
@example(name="<b>", cell="</td></table><script>alert(1)</script>")
def test_no_text_becomes_a_tag(name: str, cell: str) -> None:
    reader = Reader()
    reader.feed(Table({name: [cell]})._repr_html_())
    reader.close()
    assert reader.tags <= {"table", "thead", "tbody", "tr", "th", "td"}
    assert reader.cells == [printable(name), printable(cell)]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_cells_do_not_break_a_markdown_table(text: str) -> None:
    lines = Table({"a": [text, "x"], "b": [1, text]}).to_markdown().splitlines()
    assert [len(split_cells(line)) for line in lines] == [2, 2, 2, 2]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_do_not_break_a_markdown_table(text: str) -> None:
    lines = Table({text: ["x"], "b": [1]}).to_markdown().splitlines()
    assert [len(split_cells(line)) for line in lines] == [2, 2, 2]


@pytest.mark.parametrize("text", [text for text in HOSTILE if "<" in text])
def test_markdown_that_becomes_a_page_carries_no_tag(text: str) -> None:
    """Markdown lets raw HTML through, so a tag must not stay one."""
    written = Table({text: [text]}).to_markdown()
    assert re.search(r"(?<!\\)<", written) is None


@pytest.mark.parametrize("text", ["two\nlines", "\x1b[2J\x1b[31mred", "bell\x07"])
def test_a_text_table_keeps_its_rows_and_moves_no_cursor(text: str) -> None:
    """A release may come from elsewhere; its keys are printed on a terminal."""
    lines = str(Table({text: [text]})).splitlines()
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


def test_to_pandas_keeps_names_order_and_values() -> None:
    frame = SMALL.to_pandas()
    assert list(frame.columns) == ["region", "ratio"]
    assert frame["region"].tolist() == ["north", "south"]
    assert frame["ratio"].tolist() == [1.0983344, math.inf]


def test_to_polars_keeps_names_order_and_values() -> None:
    frame = SMALL.to_polars()
    assert frame.columns == ["region", "ratio"]
    assert frame.to_dicts() == SMALL.to_dicts()


def test_to_arrow_keeps_names_order_and_values() -> None:
    table = SMALL.to_arrow()
    assert table.column_names == ["region", "ratio"]
    assert table.to_pylist() == SMALL.to_dicts()


@pytest.mark.parametrize(
    ("method", "package", "extra"),
    [
        ("to_pandas", "pandas", "pandas"),
        ("to_polars", "polars", "polars"),
        ("to_arrow", "pyarrow", "arrow"),
    ],
)
def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    method: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    wanted = rf"package '{package}'.*pip install '\.\[{extra}\]'"
    with pytest.raises(MissingExtra, match=wanted):
        getattr(SMALL, method)()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        ("north", "north"),
        (7, "7"),
        (True, "True"),
        (2**70, "1180591620717411303424"),
        (1.0983344, "1.0983"),
        (0.000012345678, "1.2346e-05"),
        (math.inf, "∞"),
        (-math.inf, "-∞"),
        (math.nan, "nan"),
        (0.0, "0"),
    ],
)
def test_a_cell_shows_the_digits_a_reader_needs(value: object, shown: str) -> None:
    assert show_value(value) == shown


@pytest.mark.parametrize(
    ("value", "uncertainty", "shown"),
    [
        (1.0983344, 0.0312, "1.098"),
        (1.0983344, 0.0999, "1.10"),  # 0.0999 is 0.10 in two digits.
        (41234.5, 310.2, "41230"),
        (-0.0004, 0.02, "0.000"),
        (0.5, 1e-20, "0.500000000000"),
        (1.5, 0.0, "1.5"),
        (1.5, math.inf, "–"),
        (math.nan, math.inf, "–"),
        (1.5, math.nan, "1.5"),
        (math.inf, 0.1, "∞"),
        (None, 0.1, ""),
        ("north", 0.1, "north"),
    ],
)
def test_a_value_is_shown_to_the_second_digit_of_its_uncertainty(
    value: object, uncertainty: float, shown: str
) -> None:
    assert show_rounded(value, uncertainty) == shown


class Uncertain(Table):
    """A table whose ratios have standard errors."""

    def precision(self) -> dict[str, list[float]]:
        return {"ratio": [0.012, 0.5]}


def test_people_read_rounded_values_and_programs_every_digit() -> None:
    table = Uncertain({"region": ["north", "south"], "ratio": [1.0983344, 2.25]})
    assert "1.098 " in table.to_markdown()
    assert "1.098<" in table.to_html()
    assert table.to_text().split() == [
        "region",
        "ratio",
        "north",
        "1.098",
        "south",
        "2.25",
    ]
    assert table.to_dicts()[0]["ratio"] == 1.0983344
    assert "1.0983344" in render(table, "csv")
    assert "1.0983344" in render(table, "json")


class Half(Tabular):
    """A table whose second value says nothing."""

    def columns(self) -> dict[str, list[float]]:
        return {"ratio": [1.25, 700.9], "ci_upper": [1.5, math.inf]}

    def precision(self) -> dict[str, list[float]]:
        return {"ratio": [0.1, math.inf], "ci_upper": [0.1, math.inf]}


def test_what_is_withheld_is_withheld_in_every_format() -> None:
    """A value that people read as "–" is no number to a program either."""
    half = Half()
    assert half.shown()["ratio"] == ["1.25", "–"]
    told = [half.told(), half.to_pandas().to_dict("list"), half.to_polars().to_dict()]
    told.append(half.to_arrow().to_pydict())
    for columns in told:
        assert columns["ratio"][0] == 1.25
        assert math.isnan(columns["ratio"][1])
        assert list(columns["ci_upper"]) == [1.5, math.inf]  # An open end is a fact.
    assert math.isnan(half.to_dicts()[1]["ratio"])
    for layout in ("csv", "json", "markdown", "table"):
        assert "700" not in render(half, layout)
    assert "700" not in half.to_html()
