"""The groups of a study file: declared, crossed, binned, by period, or found."""

import datetime as dt
from fractions import Fraction
from typing import Any

import pytest

from dpratio.errors import DocumentRefused
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.study_file import parse_study
from dpratio.terms.unit import PrivacyUnit

PRIVACY = "[privacy]\nepsilon = 1\n"
BOUNDS = '[bounds]\ns = [0, 1]\ny = "binary"\n'
RATIO = '[ratio]\nnumerator = "s"\nper = "y"\n'


def partition_of(table: str) -> Groups | PrivateKeys | None:
    """Read a single table of groups."""
    study = parse_study(f"{RATIO}{BOUNDS}{PRIVACY}[groups]\n{table}\n")
    (partition,) = study.partitions
    return partition


def refusal(table: str) -> str:
    with pytest.raises(DocumentRefused) as caught:
        partition_of(table)
    return str(caught.value)


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ('["north", "south"]', ("north", "south")),
        ("[2, 1]", (2, 1)),
        ("[true, false]", (True, False)),
        ("[2026-01-31, 2026-02-01]", (dt.date(2026, 1, 31), dt.date(2026, 2, 1))),
        ('["north", { missing = true }]', ("north", None)),
    ],
)
def test_keys_of_every_kind_are_declared(keys: str, wanted: tuple[Any, ...]) -> None:
    partition = partition_of(f'column = "k"\nkeys = {keys}')
    assert partition == Groups("k", wanted)


def test_cells_of_several_columns_are_listed() -> None:
    partition = partition_of(
        'columns = ["state", "age"]\nkeys = [["CA", 1], [{ missing = true }, 2]]'
    )
    assert partition == Groups(["state", "age"], [("CA", 1), (None, 2)])


def test_dimensions_are_crossed() -> None:
    partition = partition_of(
        "cross = [\n"
        '  { column = "sex", keys = ["f", "m"] },\n'
        '  { column = "s", bins = 10 },\n'
        '  { column = "y", bins = [0, 0.5, 1] },\n'
        '  { column = "a", every = "month", first = 2026-01-01, last = 2026-12-31 },\n'
        '  { column = "b", every = "day", first = "2026-01-01", last = "2026-01-02" }\n'
        "]"
    )
    assert partition == Groups.cross(
        Keys("sex", ["f", "m"]),
        ScoreBins("s", 10),
        ScoreBins("y", [0, 0.5, 1]),
        Periods("a", "month", dt.date(2026, 1, 1), dt.date(2026, 12, 31)),
        Periods("b", "day", "2026-01-01", "2026-01-02"),
    )


@pytest.mark.parametrize(
    ("table", "wanted"),
    [
        ('column = "s"\nbins = 4', ScoreBins("s", 4)),
        ('column = "s"\nbins = [0, 1]', ScoreBins("s", [0, 1])),
        (
            'column = "t"\nevery = "week"\nfirst = 2026-01-01\nlast = 2026-02-01',
            Periods("t", "week", "2026-01-01", "2026-02-01"),
        ),
    ],
)
def test_bins_and_periods_may_stand_alone(
    table: str, wanted: ScoreBins | Periods
) -> None:
    assert partition_of(table) == Groups.cross(wanted)
    assert partition_of(f"{table}\nweight = 3") == Groups.cross(wanted)


def test_the_whole_table_is_a_partition() -> None:
    assert partition_of("whole = true") is None
    assert partition_of("whole = true\nweight = 2") is None


@pytest.mark.parametrize("kind", ["text", "integer", "boolean", "date"])
def test_keys_are_found_with_a_budget_of_their_own(kind: str) -> None:
    found = partition_of(
        f'column = "shop"\nkind = "{kind}"\nfind = {{ epsilon = 0.1, delta = 1e-7 }}'
    )
    assert found == PrivateKeys("shop", Budget("0.1", "1e-7"), kind)


def test_found_keys_are_text_unless_said_otherwise() -> None:
    found = partition_of('column = "k"\nfind = { epsilon = "1/3", delta = "1/3000" }')
    wanted = Budget(Fraction(1, 3), Fraction(1, 3000))
    assert found == PrivateKeys("k", wanted, "text")


def test_several_tables_are_several_partitions() -> None:
    study = parse_study(
        f"{RATIO}{BOUNDS}{PRIVACY}"
        '[[groups]]\ncolumn = "a"\nkeys = ["x"]\n'
        "[[groups]]\nwhole = true\nweight = 2\n"
        '[[groups]]\ncolumn = "s"\nbins = 2\nweight = 0.5\n'
    )
    assert study.partitions == (
        Groups("a", ["x"]),
        None,
        Groups.cross(ScoreBins("s", 2)),
    )
    assert [each.share for each in study.questions] == [1, 2, Fraction(1, 2)]


def test_a_unit_without_fields_is_a_row() -> None:
    assert parse_study(f"{RATIO}{BOUNDS}{PRIVACY}[unit]\n").unit == PrivacyUnit()


def test_a_unit_may_leave_out_all_but_its_column() -> None:
    text = f'{RATIO}{BOUNDS}{PRIVACY}[unit]\ncolumn = "user"\n'
    assert parse_study(text).unit == PrivacyUnit("user")
    totals = parse_study(f'{text}totals = {{ s = [0, 5], y = "binary" }}\n').unit.totals
    assert totals == {"s": Bounds(0, 5), "y": Bounds.binary()}


BAD_GROUPS = {
    'keys = ["a"]': ": field 'column' is missing.",
    'column = "g"': ": field 'keys' is missing.",
    'cross = [{ column = "g" }]': ".cross[0]: field 'keys' is missing.",
    "whole = 1": ".whole: must be true, or left out, got 1.",
    "whole = false": ".whole: must be true, or left out, got False.",
    'whole = true\ncolumn = "g"': (
        ": unknown field 'column'. Known fields: population, totals, weight, whole."
    ),
    "cross = 1": ".cross: must be a list, got 1.",
    "cross = [1]": ".cross[0]: must be a table of fields, got 1.",
    'cross = [{ column = "a", keys = ["x"], weight = 2 }]': (
        ".cross[0]: unknown field 'weight'. Known fields: column, keys."
    ),
    "cross = []": (
        ".cross: groups are crossed from Keys, ScoreBins and Periods, got []."
    ),
    'column = "g"\nfind = { epsilon = 1 }': ".find: field 'delta' is missing.",
    'column = "g"\nfind = { epsilon = 1, delta = 0 }': (
        ".find: finding keys needs a delta above 0. Give a delta such as 1e-7."
    ),
    'column = "g"\nkind = "blob"\nfind = { epsilon = 1, delta = 1e-7 }': (
        ".kind: must be one of text, integer, boolean, date, got 'blob'."
    ),
    'columns = "g"\nkeys = []': ".columns: must be a list, got 'g'.",
    'columns = ["g", 1]\nkeys = []': ".columns[1]: must be text, got 1.",
    'columns = ["g", "h"]\nkeys = ["a"]': ".keys[0]: must be a list, got 'a'.",
    'columns = ["g", "h"]\nkeys = [["a"]]': (
        ".keys: a cell of 2 columns needs as many keys, got ('a',)."
    ),
    'column = "g"\nbins = 0.5': ".bins: must be a whole number, got 0.5.",
    'column = "g"\nbins = [0, "1"]': ".bins[1]: must be a number, got '1'.",
    'column = "g"\nbins = [1, 0]': (
        ".bins: bins must be a number from 1 to 1,000, or a list of rising edges such "
        "as [0, 0.2, 0.5, 1], got (1.0, 0.0)."
    ),
    'column = "g"\nbins = 0': (".bins: must lie between 1 and 1000, got 0."),
    'column = "g"\nevery = "month"\nfirst = 2026-01-01': ": field 'last' is missing.",
    'column = "g"\nevery = "year"\nfirst = 2026-01-01\nlast = 2026-01-01': (
        ".every: must be one of day, week, month, quarter, got 'year'."
    ),
    'column = "g"\nevery = "day"\nfirst = 2026\nlast = 2026-01-01': (
        ".first: a day is a date such as 2026-01-31, got 2026."
    ),
    'column = "g"\nevery = "day"\nfirst = "soon"\nlast = 2026-01-01': (
        ".first: a day is a date such as 2026-01-31, got 'soon'."
    ),
    'column = "g"\nevery = "day"\nfirst = 2026-01-01T00:00:00\nlast = "x"': (
        ".first: must be text, got a datetime."
    ),
    **{
        f'column = "g"\nkeys = [{{ {key} }}]': (
            ".keys[0]: must be a key such as 'north' or { missing = true }, got a dict."
        )
        for key in ("missing = false", "missing = 1", "none = true", 'integer = "01"')
    },
    'column = "g"\nkeys = [0.5]': ".keys[0]: must be text, got 0.5.",
    'column = "g"\nkeys = [2026-01-01T00:00:00]': (
        ".keys[0]: must be text, got a datetime."
    ),
    'column = "g"\nkeys = ["a"]\nweight = true': ".weight: must be a number, got True.",
}


@pytest.mark.parametrize(("table", "message"), BAD_GROUPS.items())
def test_a_bad_table_is_refused_with_its_path(table: str, message: str) -> None:
    assert refusal(table) == f"$.groups{message}"


BAD_UNITS = {
    "column = 1": ".column: must be text, got 1.",
    "totals = []": ".totals: must be a table of fields, got [].",
    "totals = { s = 1 }": (".totals.s: must be [lower, upper] or 'binary', got 1."),
    "most_groups = 1.5": ".most_groups: must be a whole number, got 1.5.",
    "key = 1": ".key: must be text, got 1.",
    'neighbours = "swap"': (
        ".neighbours: must be one of add-or-remove-one, change-one, got 'swap'."
    ),
    "most_groups = 2": (
        ".most_groups: totals and most_groups need a unit with a column of ids."
    ),
}


@pytest.mark.parametrize(("table", "message"), BAD_UNITS.items())
def test_a_bad_unit_is_refused_with_its_path(table: str, message: str) -> None:
    with pytest.raises(DocumentRefused) as caught:
        parse_study(f"{RATIO}{BOUNDS}{PRIVACY}[unit]\n{table}\n")
    assert str(caught.value) == f"$.unit{message}"


def test_a_bad_ratio_of_several_is_refused_with_its_place() -> None:
    text = f"{BOUNDS}{PRIVACY}{RATIO.replace('[ratio]', '[[ratio]]')}[[ratio]]\nper = 1"
    with pytest.raises(DocumentRefused) as caught:
        parse_study(text)
    assert str(caught.value) == "$.ratio[1]: field 'numerator' is missing."


def test_a_last_period_is_a_day() -> None:
    table = 'column = "seen"\nevery = "month"\nfirst = 2026-01-05\nlast = "open"'
    assert "a day is a date" in refusal(table)
