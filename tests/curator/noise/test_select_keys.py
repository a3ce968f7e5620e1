"""Keys that are found by how many people share them, and by nothing else."""

import datetime as dt
import math
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.agreement import Placed
from curator.door_for_tests import release_with
from curator.holders_for_tests import DAY, HELD, found_by, holders, people_of, rule_of
from curator.people_for_tests import ODD_IDS, WHOLE_IDS
from curator.table_sources import SOURCES, invalid_text, mapping_of, write_csv
from curator.tables_for_tests import ENGINES, fixed, plan_of, shape_of
from dpratio.curator.noise.rounded import name_keys
from dpratio.curator.reading.statement import ColumnType, KeyCount
from dpratio.errors import SchemaRefused
from dpratio.plan.laws import threshold_of
from dpratio.plan.plan import Plan
from dpratio.release.files import read_release, write_release
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from dpratio.terms.unit import PrivacyUnit

if TYPE_CHECKING:
    from dpratio.terms.groups import Key


def fixed_bits(seed: int) -> Any:  # noqa: ANN401
    return np.random.default_rng(seed).bytes


@pytest.mark.parametrize("kind", HELD)
@given(data=st.data())
@fixed(3)
def test_counts_are_those_of_plain_loops_from_every_source(
    kind: str, data: st.DataObject, placed: Placed, folder: Path
) -> None:
    table = data.draw(holders(kind))
    held = people_of(table)
    loaded = placed(table)
    sources = {"on postgres": loaded}
    if loaded is table:
        sources = {name: make(table, folder) for name, make in SOURCES.items()}
    for unit in (None, rule_of(9), rule_of(1)):
        asked = KeyCount("region", kind, unit)
        expected = found_by(mapping_of(table), asked, "python")
        for name, source in sources.items():
            assert found_by(source, asked, "auto") == expected, name
        if unit == rule_of(9):
            assert expected == {key: len(people) for key, people in held.items()}
    assert sum(expected.values()) == len(
        {unit for each in held.values() for unit in each}
    )


@pytest.mark.parametrize("kind", HELD)
@given(data=st.data())
@fixed(3)
def test_counts_of_a_text_file_are_alike_and_an_empty_key_is_none(
    kind: str, data: st.DataObject, folder: Path
) -> None:
    table = data.draw(holders(kind))
    file = write_csv(table, folder, "plain")
    for most in (1, 2, 9):
        asked = KeyCount("region", kind, rule_of(most))
        found = found_by(file, asked, "auto")
        assert found == found_by(file, asked, "python")
        if most > 5:
            people = people_of(table).items()
            assert found == {key: len(each) for key, each in people if key != ""}


def test_of_the_keys_of_one_person_the_same_count_everywhere(placed: Placed) -> None:
    """Everybody holds fifty keys a few times, and counts in so many of them."""
    keys = [f"key {number}" for number in range(50)] * 3
    ids = (ODD_IDS, WHOLE_IDS)
    for some in ids:
        rows = [(key, person) for person in some for key in keys]
        held = {"region": [key for key, _ in rows], "id": [one for _, one in rows]}
        loaded = placed(pa.table(held))
        for most in (3, 60):
            asked = KeyCount("region", "text", rule_of(most))
            found = found_by(loaded, asked, "auto")
            assert found == found_by(held, asked, "python")
            assert sum(found.values()) == len(some) * min(most, 50)


def test_who_has_no_id_counts_for_no_key(placed: Placed, tmp_path: Path) -> None:
    asked = KeyCount("region", "text", rule_of(2))
    path = tmp_path / "people.csv"
    path.write_text("region,id\nnorth,a\nnorth,\nsouth,\n")
    assert found_by(str(path), asked, "auto") == {"north": 1}
    table = pa.table({"region": ["north", "north", "south"], "id": ["a", None, None]})
    assert found_by(placed(table), asked, "auto") == {"north": 1}


# The kind of a key, and cells of text or of Arrow of which one is such a key.
HOSTILE: dict[str, tuple[str, Any]] = {
    "a date of year 0": ("date", ["0000-05-05", "2026-01-31"]),
    "a date of no month": ("date", ["2026-13-01", "2026-01-31"]),
    "a long number": ("integer", ["99999999999999999999", "1"]),
    "no truth": ("boolean", ["yes", "true"]),
    "a number beyond 64 bits": ("integer", pa.array([2**64 - 1, 1], pa.uint64())),
    "the least number": ("integer", pa.array([-(2**63), 1], pa.int64())),
    "an endless date": (
        "date",
        pa.array([2**31 - 1, 0], pa.int32()).cast(pa.date32()),
    ),
    "a date of year 10000": (
        "date",
        pa.array([2932897, 0], pa.int32()).cast(pa.date32()),
    ),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_cell_that_no_key_can_be_is_not_counted(
    what: str, placed: Placed, folder: Path
) -> None:
    kind, cells = HOSTILE[what]
    table = pa.table({"region": cells, "x": [1, 1]})
    loaded = placed(table)
    if loaded is not table and what == "a number beyond 64 bits":
        return  # It is a decimal there, which holds no keys.
    if isinstance(cells, list):
        loaded = write_csv(table, folder, "plain")
    found = found_by(loaded, KeyCount("region", kind, None), "auto")
    assert list(found.values()) == [1]


def test_a_key_that_is_not_utf8_is_not_counted() -> None:
    table = pa.table({"region": invalid_text(b"\xff", b"a")})
    assert found_by(table, KeyCount("region", "text", None), "auto") == {"a": 1}


# Naming.

ROWS = PrivacyUnit()
KEYS = PrivateKeys("region", Budget(1, "1e-6"))


def test_keys_are_named_in_an_order_of_their_own() -> None:
    many: dict[Key, int] = {
        "b": 10**6,
        "a": 10**6,
        "é": 10**6,
        "B": 10**6,
        "10": 10**6,
        "9": 10**6,
    }
    named = name_keys(many, KEYS, ROWS, fixed_bits(1))
    assert named.keys == ("10", "9", "B", "a", "b", "é")
    turned: dict[Key, int] = dict(reversed(many.items()))
    assert name_keys(turned, KEYS, ROWS, fixed_bits(1)) == named
    whole = PrivateKeys("region", KEYS.budget, "integer")
    numbers: dict[Key, int] = dict.fromkeys((10, 9, -3, 0), 10**6)
    assert name_keys(numbers, whole, ROWS, fixed_bits(1)).keys == (-3, 0, 9, 10)
    truth = PrivateKeys("region", KEYS.budget, "boolean")
    both: dict[Key, int] = {True: 10**6, False: 10**6}
    assert name_keys(both, truth, ROWS, fixed_bits(1)).keys == (False, True)
    days = PrivateKeys("region", KEYS.budget, "date")
    dates: dict[Key, int] = {DAY: 10**6, dt.date(999, 1, 1): 10**6}
    assert name_keys(dates, days, ROWS, fixed_bits(1)).keys == (dt.date(999, 1, 1), DAY)


def test_the_same_counts_give_other_keys_with_other_bits() -> None:
    threshold = threshold_of(KEYS, ROWS)
    counts: dict[Key, int] = {f"{at:03}": threshold.least for at in range(200)}
    first, again, other = (
        name_keys(counts, KEYS, ROWS, fixed_bits(seed)) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other
    # P(noise ≥ −½) = 1 − e^(−½) / 2 of 200 keys, give or take 5 standard errors.
    assert 107 < first.count < 172


@pytest.mark.parametrize("most", [1, 4])
@pytest.mark.parametrize("epsilon", ["0.5", "2"])
def test_a_key_of_one_person_is_named_no_more_often_than_delta_allows(
    epsilon: str, most: int
) -> None:
    """200,000 draws at a delta of a tenth; a person shares it between its keys."""
    draws, delta = 200_000, Fraction(1, 10)
    keys = PrivateKeys("region", Budget(epsilon, delta), "integer")
    unit = PrivacyUnit("id", totals={}, most_groups=most) if most > 1 else ROWS
    alone: dict[Key, int] = dict.fromkeys(range(draws), 1)
    named = name_keys(alone, keys, unit, fixed_bits(7)).count / draws
    share = float(delta) / most
    assert named <= share + 5 * math.sqrt(share / draws)
    assert named >= share * math.exp(-2 * float(Fraction(epsilon)) / most) / 2


@pytest.mark.parametrize("chance", [0.5, 0.9, 0.99])
def test_a_key_of_the_stated_size_is_found_with_the_stated_chance(
    chance: float,
) -> None:
    draws = 100_000
    keys = PrivateKeys("region", Budget("0.5", "1e-6"), "integer")
    size = threshold_of(keys, ROWS).size_found(chance)
    shared: dict[Key, int] = dict.fromkeys(range(draws), size)
    named = name_keys(shared, keys, ROWS, fixed_bits(9)).count / draws
    spread = math.sqrt(chance * (1 - chance) / draws)
    assert named >= chance - 5 * spread
    less: dict[Key, int] = dict.fromkeys(range(draws), size - 8)
    fewer = name_keys(less, keys, ROWS, fixed_bits(9)).count / draws
    assert fewer < named


def test_no_key_that_nobody_holds_is_named() -> None:
    named = name_keys({}, KEYS, ROWS, fixed_bits(1))
    assert (named.count, named.keys) == (0, ())
    assert named == KEYS.groups_of(())


# At the door.


def private_plan(kind: str = "text", **terms: Any) -> Plan:  # noqa: ANN401
    found = PrivateKeys("region", Budget("0.5", "1e-7"), kind)
    return plan_of(groups=found, **terms)


@pytest.mark.parametrize("engine", ENGINES)
def test_keys_of_many_are_found_and_those_of_one_are_not(
    engine: str, tmp_path: Path
) -> None:
    regions = ["north"] * 500 + ["south"] * 400 + ["someone"] + [None] * 300
    many = len(regions)
    table = pa.table({"score": [0.5] * many, "label": [1] * many, "region": regions})
    plan = private_plan()
    release = release_with(engine, table, plan, ledger=None)
    assert release.questions[0].keys == ("north", "south")
    scale = plan.measurements[0].sums[0].scale
    count = release.questions[0].values[:, 0] - np.array([500, 400]) * 2**24
    assert np.all(np.abs(count) < 60 * scale)
    write_release(release, tmp_path / "release.json")
    assert read_release(tmp_path / "release.json") == release
    assert b"someone" not in (tmp_path / "release.json").read_bytes()


@pytest.mark.parametrize("kind", HELD)
@pytest.mark.parametrize("engine", ENGINES)
def test_no_keys_found_gives_an_empty_question_that_is_written_and_read(
    kind: str, engine: str, tmp_path: Path
) -> None:
    type_, cells = HELD[kind]
    table = pa.table(
        {"score": [0.5], "label": [1], "region": pa.array(cells[:1], type_)}
    )
    release = release_with(engine, table, private_plan(kind), ledger=None)
    assert shape_of(release) == (0, 5)
    assert release.questions[0].keys == ()
    write_release(release, tmp_path / "release.json")
    assert read_release(tmp_path / "release.json") == release


@pytest.mark.parametrize("engine", ENGINES)
def test_keys_may_be_found_by_people_and_beside_declared_groups(engine: str) -> None:
    many = 300
    table = pa.table(
        {
            "score": [0.5] * many * 2,
            "label": [1.0] * many * 2,
            "region": ["big"] * many + ["whale"] * many,
            "id": [*map(str, range(many)), *["whale"] * many],
        }
    )
    unit = PrivacyUnit("id", totals={"score": Bounds(0, 1), "label": Bounds(0, 2)})
    plan = plan_of(
        label=Bounds(0, 1),
        groups=[None, PrivateKeys("region", Budget("0.5", "1e-7"))],
        unit=unit,
    )
    release = release_with(engine, table, plan, ledger=None)
    assert [question.keys for question in release.questions] == [(None,), ("big",)]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_schema_is_checked_before_keys_are_looked_for(engine: str) -> None:
    rows = {"score": [0.5], "label": [1]}
    with pytest.raises(SchemaRefused, match="column 'region' is not in the table"):
        release_with(engine, pa.table(rows), private_plan(), ledger=None)
    with pytest.raises(SchemaRefused, match="a column of text keys was declared"):
        release_with(
            engine,
            pa.table({**rows, "region": [1]}),
            private_plan(),
            ledger=None,
        )


def test_a_key_count_reads_its_key_and_id_and_refuses_other_types() -> None:
    asked = KeyCount("region", "text", rule_of(1))
    assert (asked.columns, asked.numbers) == (["region", "id"], [])
    text, number = ColumnType("text", "T"), ColumnType("number", "N")
    asked.check_schema({"region": text, "id": text})
    for types, message in [
        ({"region": text}, "column 'id' is not in the table"),
        ({"region": number, "id": text}, "'region' is N; a column of text keys was"),
        ({"region": text, "id": number}, "'id' is N; a column of text or integer ids"),
    ]:
        with pytest.raises(SchemaRefused, match=message):
            asked.check_schema(types)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_popular_key_that_cannot_be_declared_is_left_out(engine: str) -> None:
    """NUL is in no key; the smallest 64-bit number is in none either."""
    many = 400
    rows = {"score": [0.5] * many, "label": [1] * many}
    for kind, cell in (("text", "a\x00b"), ("integer", -(2**63))):
        frame = pd.DataFrame({**rows, "region": [cell] * many})
        release = release_with(engine, frame, private_plan(kind), ledger=None)
        assert release.questions[0].keys == ()
