"""Nothing of the data but the noisy sums ever reaches the ledger or a message."""

import random
import struct
import traceback
from collections import Counter
from collections.abc import Callable
from os import PathLike
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.door_for_tests import release_with
from curator.ledger.attacks.books import name_of, open_book
from dpratio.curator import measure
from dpratio.curator.choose_engine import open_reading
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.reading.statement import Reading
from dpratio.errors import DpratioError
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.ratio import Ratio
from dpratio.terms.source import CsvFile
from dpratio.terms.unit import PrivacyUnit
from soak import IS_SOAK

RELEASES = 1_000 if IS_SOAK else 100
WORD = "kanarienvogel"
NUMBER = 918273.6455
Columns = dict[str, list[object]]


class Loud:
    """An object that says its secret in every way it can."""

    def __float__(self) -> float:
        raise ValueError(WORD)

    def __repr__(self) -> str:
        return WORD

    __str__ = __repr__


def plans() -> list[Plan]:
    """With and without groups."""
    bounds = {"s": Bounds(0, 1), "y": Bounds.binary()}
    unit = PrivacyUnit("id", totals={"s": Bounds(0, 1), "y": Bounds(0, 1)})
    terms = [
        (None, None, "laplace"),
        (Groups("k", ("a", "b")), None, "laplace"),
        (Groups("k", ("a", "b")), None, "analytic_gaussian"),
        (None, unit, "laplace"),
    ]
    return [
        make_plan(
            Ratio("s", per="y"),
            bounds=bounds,
            budget=Budget("0.1", "1e-6"),
            groups=groups,
            unit=whom,
            strategy="even",
            mechanism=mechanism,
        )
        for groups, whom, mechanism in terms
    ]


def random_columns(chance: random.Random) -> Columns:
    """A small table with a secret in some of its cells, sometimes of a wrong type."""
    count = chance.randint(1, 6)
    usual: dict[str, list[object]] = {
        "s": [0.5] * count,
        "y": [1.0] * count,
        "k": ["a"] * count,
        "id": ["one"] * count,
    }
    columns: Columns = {name: list(cells) for name, cells in usual.items()}
    for name in chance.sample(sorted(columns), chance.randint(1, 3)):
        secrets: list[object] = [NUMBER, -NUMBER, f"{WORD}{NUMBER}", str(NUMBER)]
        at = chance.randrange(count)
        columns[name][at] = chance.choice(secrets)
    if chance.random() < 0.1:
        columns["s"][0] = Loud()
    if chance.random() < 0.1:
        columns["y"].append(NUMBER)  # A column that is too long.
    return columns


def as_mapping(columns: Columns, _: Path) -> object:
    return columns


def as_frame(columns: Columns, _: Path) -> object:
    shortest = min(len(cells) for cells in columns.values())
    return pd.DataFrame({name: cells[:shortest] for name, cells in columns.items()})


def as_csv(columns: Columns, path: Path) -> object:
    lines = [",".join(columns)]
    longest = max(len(cells) for cells in columns.values())
    for at in range(longest):
        row = [str(cells[at]) for cells in columns.values() if at < len(cells)]
        lines.append(",".join(row))
    path.write_text("\n".join([*lines, f'"{WORD}', ""][: longest + 1 + len(lines) % 3]))
    return path


def as_parquet(columns: Columns, path: Path) -> object:
    """Written whole, and then sometimes cut or overwritten in its middle."""
    path = path.with_suffix(".parquet")
    shortest = min(len(cells) for cells in columns.values())
    cells = {name: each[:shortest] for name, each in columns.items()}
    if len(columns["s"]) % 3:  # Of the declared types, so that the engine gets far.
        numbers = {"s": NUMBER, "y": 1.0}
        cells |= {name: [each] * 5000 for name, each in numbers.items()}
        cells |= {name: [f"{WORD}{at}" for at in range(5000)] for name in ("k", "id")}
    else:
        cells = {name: [str(each) for each in held] for name, held in cells.items()}
    table = pa.table(cells)
    pq.write_table(table, path)
    content = path.read_bytes()
    if len(columns["y"]) % 2:
        path.write_bytes(content[:4] + (WORD * 10).encode() + content[134:])
    return path


SOURCES: tuple[Callable[[Columns, Path], object], ...] = (
    as_mapping,
    as_frame,
    as_csv,
    as_parquet,
)


def secrets_in(content: bytes) -> list[bytes]:
    """Find secrets as words, as decimals and as doubles."""
    doubles = [struct.pack(order, NUMBER) for order in ("<d", ">d")]
    secrets = [WORD.encode(), b"918273", *doubles]
    return [each for each in secrets if each in content]


def breaking(chance: random.Random) -> Callable[..., Callable[[], object]]:
    """Open tables with an engine that now and then stops, and quotes a cell."""

    def stop() -> object:
        raise ValueError(f"could not convert {WORD} {NUMBER}")

    def opened(table: object, reading: Reading, engine: str) -> Callable[[], object]:
        ask = open_reading(table, reading, engine)
        return stop if chance.random() < 0.1 else ask

    return opened


def test_no_cell_of_hostile_tables_is_in_the_ledger_its_anchor_or_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(9)  # noqa: S311 (not for secrets)
    path, anchor = tmp_path / "budget.db", tmp_path / "heads"
    scope = Scope("persons", Budget(1000, "1e-2"), unit="id")
    open_book(str(path), anchor=anchor).open_scope(scope)
    choices, found = plans(), Counter[str]()
    monkeypatch.setattr(measure, "open_reading", breaking(random.Random(10)))  # noqa: S311
    for number in range(RELEASES):
        plan = chance.choice(choices)
        name = "loans" if plan.unit.column is None else "persons"
        table = chance.choice(SOURCES)(random_columns(chance), tmp_path / f"{name}.csv")
        is_file = isinstance(table, str | PathLike | CsvFile)
        said = ""
        try:
            release_with(
                chance.choice(["auto", "duckdb"]),
                table,
                plan,
                ledger=Ledger(path, anchor=anchor),
                scope=name,
                source=None if is_file else name,
                release_id=name_of(number + 1),
                by="analyst",
            )
            found["released"] += 1
        except DpratioError as error:
            said = "".join(traceback.format_exception(error))
            found[type(error).__name__] += 1
        assert secrets_in(said.encode()) == []
        content = b"".join(each.read_bytes() for each in tmp_path.glob("budget.db*"))
        assert secrets_in(content + anchor.read_bytes()) == []
    print(dict(found))  # noqa: T201
    assert found["released"] >= 20
    assert found["EngineFailed"] >= 5
    assert found.total() - found["released"] >= 20
    ledger = Ledger(path, anchor=anchor)
    assert verify_ledger(ledger).wrong == ()
    charged = sum(len(ledger.account(name).releases) for name in ledger.scopes())
    assert charged >= found["released"]
