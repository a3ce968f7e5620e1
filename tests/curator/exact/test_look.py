"""An exact look: entered first, then faults of format and nothing else."""

import datetime as dt
import gzip
from pathlib import Path

import pytest

from curator.ledger.loans import SCOPE
from dpratio.curator.exact import look as looking
from dpratio.curator.exact.fault_words import ORDER_OF_KINDS, fault_of
from dpratio.curator.exact.look import look_at_format, require_text_files
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.reading.csv_lines import lines_of
from dpratio.errors import EngineFailed, FileRefused, InvalidInput, LedgerFailed
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.database import DatabaseTable
from dpratio.terms.dimensions import Keys, Periods, ScoreBins
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.source import CsvFile
from dpratio.terms.unit import PrivacyUnit

BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary()}


def plan_of(groups: object = None, **terms: object) -> Plan:
    given: dict[str, object] = {"bounds": BOUNDS, "budget": Budget(1, "1e-6")}
    return make_plan(Ratio("s", per="y"), groups=groups, **(given | terms))  # type: ignore[arg-type]


@pytest.fixture
def book(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "budget.db")
    made.open_scope(SCOPE)
    return made


def found(book: Ledger, table: object, plan: Plan) -> list[tuple[str, str]]:
    look = look_at_format(table, plan, ledger=book, by="ann")
    return [(each.column, each.kind) for each in look.faults]


def file(tmp_path: Path, text: str, name: str = "a.csv") -> str:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return str(path)


def test_each_column_is_looked_at_as_what_it_is_read_as(
    book: Ledger, tmp_path: Path
) -> None:
    header = "s,y,day,shop,on,week,id"
    row = '"0,5",2,31.01.2026,07,yes,1/2/2026,7'
    table = file(tmp_path, f"{header}\n{row}\n")
    groups = Groups.cross(
        Keys("shop", [7, 8]),
        Keys("on", [True, False]),
        Periods("week", "week", "2026-01-01", "2026-02-01"),
        ScoreBins("s", [0, 0.5, 1]),
    )
    plan = plan_of(groups, unit=PrivacyUnit("id", totals=BOUNDS))
    assert found(book, table, plan) == [
        ("s", "decimal comma"),
        ("y", "labels 1 and 2"),
        ("shop", "whole numbers with zeros or decimals"),
        ("on", "other words for true and false"),
        ("week", "another form of dates"),
    ]
    days = Groups("day", [dt.date(2026, 1, 31)])
    assert found(book, table, plan_of(days))[2:] == [("day", "another form of dates")]
    private = PrivateKeys("day", Budget("0.2", "1e-7"), "date")
    assert ("day", "another form of dates") in found(book, table, plan_of(private))


def test_a_file_without_faults_is_said_to_have_none(
    book: Ledger, tmp_path: Path
) -> None:
    table = file(tmp_path, "s,y,region\n0.5,1,north\n0.2,0,south\n,,\n")
    plan = plan_of(Groups("region", ["north", "south"]))
    look = look_at_format(table, plan, ledger=book)
    assert look.said() == [
        "No fault of format was found in the columns that the study names."
    ]


def test_rows_that_are_counted_are_no_column(book: Ledger, tmp_path: Path) -> None:
    table = file(tmp_path, "s\n0.5\n")
    bounds = {"s": Bounds(0, 1), "visit": Bounds.ones()}
    plan = make_plan(Ratio("s", per="visit"), bounds=bounds, budget=Budget(1))
    assert found(book, table, plan) == []


def test_bins_of_another_column_must_be_numbers(book: Ledger, tmp_path: Path) -> None:
    table = file(tmp_path, "s,y,age\n0.5,1,old\n")
    groups = Groups.cross(ScoreBins("age", [0, 50, 100]))
    plan = plan_of(groups, bounds={**BOUNDS, "age": Bounds(0, 100)})
    assert found(book, table, plan) == [("age", "text where numbers are declared")]


def test_faults_of_several_files_come_together(book: Ledger, tmp_path: Path) -> None:
    file(tmp_path, "s,y\n0.5,1\n", "1.csv")
    file(tmp_path, "s;y\n0.5;1\n", "2.csv")
    with gzip.open(tmp_path / "3.csv.gz", "wb") as packed:
        packed.write(b"s,z\r\n1\r\nabc,1")
    assert found(book, CsvFile(tmp_path / "*.csv*"), plan_of()) == [
        ("The whole file", "separator that splits no line"),
        ("The whole file", "other numbers of cells in lines"),
        ("s", "text where numbers are declared"),
        ("y", "missing column"),
    ]


def test_the_look_is_in_the_ledger_before_the_data_are_opened(
    book: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = file(tmp_path, "s,y\n0.5,1\n")
    before: list[int] = []

    def spied(path: str) -> object:
        before.append(len(Ledger(tmp_path / "budget.db").account().looked))
        return lines_of(path)

    monkeypatch.setattr(looking, "lines_of", spied)
    found(book, table, plan_of())
    assert before == [1]
    (line,) = book.account().looked
    assert line.said["by"] == "ann"
    assert "a.csv" in line.said["source"]


def test_without_a_line_nothing_is_opened(
    book: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = file(tmp_path, "s,y\n0.5,1\n")
    monkeypatch.setattr(looking, "lines_of", None)
    (tmp_path / "budget.db").unlink()
    with pytest.raises(LedgerFailed):
        found(book, table, plan_of())


def test_a_file_that_is_not_there_is_not_looked_at(
    book: Ledger, tmp_path: Path
) -> None:
    with pytest.raises(FileRefused, match="no file at"):
        found(book, str(tmp_path / "none.csv"), plan_of())
    assert book.account().seq == 0


def test_a_file_that_breaks_off_tells_nothing(book: Ledger, tmp_path: Path) -> None:
    packed = gzip.compress(b"s,y\n" + b"0.5,1\n" * 9999)
    (tmp_path / "a.csv.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(EngineFailed, match="Check that the files are whole"):
        found(book, str(tmp_path / "a.csv.gz"), plan_of())
    assert len(book.account().looked) == 1


@pytest.mark.parametrize(
    "table", ["a.parquet", {"s": [1]}, DatabaseTable("sqlite:///a.db", table="a")]
)
def test_only_csv_files_are_looked_at(book: Ledger, table: object) -> None:
    with pytest.raises(InvalidInput, match="an exact look must be at CSV files"):
        found(book, table, plan_of())
    with pytest.raises(InvalidInput, match="dpratio check --schema"):
        require_text_files(table)
    assert book.account().seq == 0


def test_a_variable_in_a_path_stays_a_name(
    book: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file(tmp_path, "s,y\n0.5,1\n")
    monkeypatch.setenv("LAKE", str(tmp_path))
    assert found(book, "${LAKE}/a.csv", plan_of()) == []
    (line,) = book.account().looked
    assert "${LAKE}" in line.said["source"]
    with pytest.raises(FileRefused, match="LAKE") as refused:
        found(book, "${LAKE}/b.csv", plan_of())
    assert str(tmp_path) not in str(refused.value)


# --- Words ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ORDER_OF_KINDS)
@pytest.mark.parametrize("decimal", [".", ","])
def test_every_kind_has_words(kind: str, decimal: str) -> None:
    fault = fault_of(
        "score", kind, "", CsvFile("a.csv", decimal=decimal, delimiter=";")
    )
    said = str(fault)
    assert said.startswith(f"`score`: {fault.kind}. ")
    assert "{" not in said
    assert all(each for each in (fault.cause, fault.write))


def test_what_to_write_is_named() -> None:
    said = str(fault_of("The whole file", "separator", "';'", CsvFile("a.csv")))
    assert said == (
        "The whole file: separator that splits no line. Cells are parted by another "
        "sign than the declared one. Write delimiter = ';' under [data]."
    )
    swapped = fault_of("day", "order of day and month", "'MM/DD/YYYY'", CsvFile("a"))
    assert swapped.write == "Write dates = 'MM/DD/YYYY' under [data]."
    source = CsvFile("a.csv", decimal=",", delimiter=";")
    assert fault_of("s", "decimal sign", "", source).kind == "decimal point"


# --- Nothing but kinds ----------------------------------------------------------------


def test_values_and_how_many_there_are_change_nothing(
    book: Ledger, tmp_path: Path
) -> None:
    plan = plan_of(Groups("region", ["north"]))
    few = file(tmp_path, 's,y,region\n"0,5",2,North\nabc,1,north\n', "1.csv")
    rows = '"0,25",1,north \n"0,125",2,north\nzzz,2,NORTH\n' * 50
    many = file(tmp_path, f"s,y,region\n0.5,1,north\n{rows}", "2.csv")
    texts = [look_at_format(each, plan, ledger=book).said() for each in (few, many)]
    assert texts[0] == texts[1]


def test_several_questions_are_looked_at_together(book: Ledger, tmp_path: Path) -> None:
    table = file(tmp_path, 's,y,w\n"0,5",1,x\n')
    plan = make_plan(
        [Question(Ratio("s", per="y")), Question(Ratio("w", per="y"))],
        bounds={**BOUNDS, "w": Bounds(0, 9)},
        budget=Budget(1),
    )
    assert found(book, table, plan) == [
        ("s", "decimal comma"),
        ("w", "text where numbers are declared"),
    ]
