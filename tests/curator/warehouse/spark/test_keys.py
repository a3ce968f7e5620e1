"""Keys, days, ids and people on a cluster, as the specification has them."""

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curator.holders_for_tests import found_by
from curator.tables_for_tests import ROW, exact, plan_of, reading_of
from curator.warehouse.spark.frames_for_tests import (
    Session,
    Table,
    frame_of,
    require_same,
)
from dpratio.curator.choose_engine import open_keys
from dpratio.curator.reading.statement import KeyCount, UnitRule
from dpratio.curator.sql.query import sums_query
from dpratio.curator.sql.spark_frames import open_spark
from dpratio.terms.bounds import Bounds
from dpratio.terms.groups import Groups, Keys, Periods, ScoreBins
from dpratio.terms.unit import PrivacyUnit

TEXTS = ["north", "North", "é", "e\u0301", "😀", "", " ", "\\", "a'\"`b", "%", None]
TEXTS += ["ß", "ss", "\x00", "ﬃ", "null", "1"]
WHOLES = [0, 1, -1, 2**31, 2**63 - 1, -(2**63) + 1, -(2**63), None]
FIRST, LAST = dt.date(1, 1, 1), dt.date(9999, 12, 31)
DAYS = [FIRST, LAST, dt.date(1969, 12, 31), dt.date(1582, 10, 10), dt.date(2026, 2, 1)]


def rows_of(**columns: Any) -> Table:  # noqa: ANN401
    """A table of rows that each count one, with columns beside."""
    many = len(next(iter(columns.values())))
    scores = [0.25 + at % 3 / 4 for at in range(many)]
    return pa.table({"score": scores, "label": [1.0] * many, **columns})


def test_keys_of_text_numbers_and_truths_are_told_apart(session: Session) -> None:
    """In one statement: unicode, collations, None, SQL, and 1,500 declared keys."""
    many = 221
    table = rows_of(
        a=pa.array([TEXTS[at % len(TEXTS)] for at in range(many)], pa.string()),
        b=pa.array([WHOLES[at % len(WHOLES)] for at in range(many)], pa.int64()),
        c=pa.array([[True, False, None][at % 3] for at in range(many)], pa.bool_()),
    )
    declared = [text for text in TEXTS if text not in {"\x00", "%"}]
    declared += [f"key {at}" for at in range(1_500)]
    groups = Groups.cross(
        Keys("a", declared), Keys("b", [-1, 2**63 - 1, None]), Keys("c", [None, True])
    )
    frame = frame_of(session, table).selectExpr(
        "score", "label", "a COLLATE UTF8_LCASE AS a", "b", "c"
    )
    found = require_same(frame, table, plan_of(groups=groups))
    assert sum(row[0] for row in found) > 40 * ROW


def test_text_that_is_not_utf8_is_no_cell(session: Session) -> None:
    frame = session.sql(
        "SELECT 0.5 score, 1 label, cast(k AS string) region, cast(u AS string) id "
        "FROM VALUES (X'FF', X'61'), (X'61', X'62'), (X'EDA080', X'62'), "
        "(X'C0AF', X'62'), (X'61', X'FE'), (NULL, X'63') AS t(k, u)"
    )
    found = exact(frame, plan_of(keys=["a", None]), "auto")
    assert [row[0] // ROW for row in found] == [2, 4]
    count = KeyCount("region", "text", UnitRule("id", "dpratio", 9, {}))
    assert open_keys(frame, count, "auto")() == {"a": 1}


def test_no_more_sums_arrive_than_there_are_groups(session: Session) -> None:
    """However many texts are no UTF-8, and all count for None."""
    frame = session.range(300).selectExpr(
        "0.5D score", "1 label", "cast(unhex('FF' || hex(id)) AS string) region"
    )
    table = open_spark(frame)
    found = table.ask(sums_query(table, reading_of(plan_of(keys=["a", None]))))
    assert (found["code"], found["sum0_0"]) == ([1], [300 * ROW])


def test_days_are_taken_in_utc_whatever_the_zone_of_the_session(
    session: Session,
) -> None:
    """Times with a zone and without, from year 1 to 9999 and off the calendar."""
    assert session.conf.get("spark.sql.session.timeZone") == "America/New_York"
    seconds = [
        *(
            dt.datetime.combine(day, dt.time(at), dt.UTC)
            for day in DAYS
            for at in (0, 23)
        ),
    ]
    micros = [
        (each - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)
        for each in seconds
    ]
    micros += [-1, 0, 86_400_000_000 - 1, 2**62, -(2**62)]
    days = [
        dt.date(1970, 1, 1) + dt.timedelta(days=each // 86_400_000_000)
        if abs(each) < 2**60
        else None
        for each in micros
    ]
    times = session.createDataFrame(
        [(each, at) for at, each in enumerate(micros)], "micros long, at int"
    ).selectExpr(
        "cast((at % 3) / 2.0 AS double) score",
        "1 AS label",
        "timestamp_micros(micros) AS zoned",
        "date_from_unix_date(cast(floor(micros / 86400000000D) AS int)) AS day",
    )
    hour = "cast(day AS timestamp_ntz) + INTERVAL '23:59:59.999999' HOUR TO SECOND"
    times = times.selectExpr("*", f"{hour} AS plain")
    table = pa.table(
        {
            "score": [at % 3 / 2.0 for at in range(len(days))],
            "label": [1] * len(days),
            "zoned": pa.array(days, pa.date32()),
            "day": pa.array(days, pa.date32()),
            "plain": pa.array(days, pa.date32()),
        }
    )
    groups = Groups.cross(
        Keys("zoned", [*DAYS[::-1], None, dt.date(1970, 1, 1)]),
        Keys("day", [*DAYS, None, dt.date(1970, 1, 1)]),
        Keys("plain", [dt.date(1970, 1, 1), None, *DAYS]),
    )
    plan = plan_of(groups=groups)
    found = require_same(times, table, plan)
    assert sum(row[0] for row in found) == len(days) * ROW
    weeks = Periods("zoned", "week", FIRST, dt.date(1, 3, 1))
    months = Periods("plain", "month", FIRST, dt.date(1, 3, 1))
    require_same(times, table, plan_of(groups=Groups.cross(weeks, months)))


def test_a_file_of_text_is_read_in_the_zone_of_its_session(
    session: Session,
    files: Any,  # noqa: ANN401
) -> None:
    path = files / "times.csv"
    path.write_text("0.5,1,2026-01-31 20:00:00\n0.5,1,2026-01-31 18:00:00\n")
    frame = session.read.schema("score double, label int, t timestamp").csv(str(path))
    plan = plan_of(groups=Groups("t", [dt.date(2026, 1, 31), dt.date(2026, 2, 1)]))
    assert [row[0] // ROW for row in exact(frame, plan, "auto")] == [1, 1]


def crowd(ids: list[Any], kind: Any, rows: int) -> Table:  # noqa: ANN401
    """Some people with some rows each."""
    numbers = [0.0, 1.0, -1.0, 0.5, 1 / 3, 9.0, -9.0, 2.0**-25, float("nan"), None]
    regions = ["a", "b", "c", "d", "z", None]

    rng = np.random.default_rng(7)

    def column(cells: list[Any]) -> list[Any]:
        return [cells[at] for at in rng.integers(0, len(cells), rows)]

    some = {name: column(numbers) for name in ("score", "label", "weight", "other")}
    columns = {name: pa.array(cells, pa.float64()) for name, cells in some.items()}
    region = pa.array(column(regions), pa.string())
    return pa.table({**columns, "region": region, "id": pa.array(column(ids), kind)})


CROWDS: dict[str, tuple[Any, list[Any]]] = {
    "text": (
        pa.string(),
        [
            "ann",
            "Ann",
            "ann ",
            "é",
            "a:1",
            "",
            "😀",
            "7",
            "-0",
            " 7",
            None,
            "x" * 9_999,
        ],
    ),
    "digits": (pa.string(), ["+7", "07", "9" * 18, "9" * 19, "1e3", "-12", "٣", "7 "]),
    "whole": (pa.int64(), [0, -1, 7, 2**63 - 1, -(2**63), 10**18, None]),
    "small": (pa.int16(), [0, -1, 7, 32_767, None]),
}


@pytest.mark.parametrize("kind", CROWDS)
def test_people_are_added_up_and_kept_in_so_many_groups(
    kind: str, session: Session
) -> None:
    type_, ids = CROWDS[kind]
    table = crowd(ids, type_, 300)
    totals = {"score - other": Bounds(-1.5, 2.25), "label": Bounds(0.25, 3)}
    unit = PrivacyUnit("id", totals=totals, most_groups=2)
    focused: dict[str, Any] = {"strategy": "focused", "guess": 0.75}
    plan = plan_of(
        Bounds(-1, 1),
        Bounds(0, 1),
        Bounds(0, 2),
        keys=["a", "b", "c", "d"],
        unit=unit,
        minus="other",
        bounds={"other": Bounds(-0.5, 1)},
        **(focused if kind == "text" else {}),
    )
    frame = frame_of(session, table).repartition(3)
    if kind == "text":
        frame = frame.selectExpr("*", "id COLLATE UNICODE_CI_AI AS u").drop("id")
        frame = frame.withColumnRenamed("u", "id")
    require_same(frame, table, plan)


def test_one_person_with_a_million_rows_counts_as_one(session: Session) -> None:
    frame = session.range(1_000_000).selectExpr(
        "cast(id % 5 AS double) - 1 AS score", "id % 2 AS label", "'ann' AS id"
    )
    totals = {"score": Bounds(-10, 10), "label": Bounds(0, 7)}
    plan = plan_of(Bounds(-1, 3), Bounds(0, 1), unit=PrivacyUnit("id", totals=totals))
    one = pa.table({"score": [3.0] * 4, "label": [1] * 4, "id": ["ann"] * 4})
    more = pa.concat_tables([one] * 3)
    assert exact(frame, plan, "auto") == exact(more, plan, "python")


def test_bins_and_listed_cells_are_placed_alike(session: Session) -> None:
    table = rows_of(
        a=["x", "y", "x", None, "y", "x"],
        b=[0.0, 0.5, 1.0, 0.25, float("nan"), 7.0],
        c=[1, 2, 2, 1, 1, 2],
    )
    crossed = Groups.cross(Keys("a", ["y", "x", None]), ScoreBins("b", [0, 0.5, 1]))
    listed = Groups(["a", "c"], [(None, 1), ("x", 2), ("y", 2)])
    for plan in (
        plan_of(groups=crossed, bounds={"b": Bounds(0, 1)}),
        plan_of(groups=listed),
    ):
        require_same(frame_of(session, table), table, plan)


KINDS: dict[str, tuple[Any, list[Any]]] = {
    "text": (pa.string(), TEXTS),
    "integer": (pa.int64(), WHOLES),
    "boolean": (pa.bool_(), [True, False, None]),
    "date": (pa.date32(), [*DAYS, None]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_units_of_keys_that_are_not_public_are_counted_alike(
    kind: str, session: Session
) -> None:
    type_, cells = KINDS[kind]
    table = pa.table(
        {
            "k": pa.array(
                [cells[at * 7 // 3 % len(cells)] for at in range(180)], type_
            ),
            "id": [f"{at * at % 23}" for at in range(180)],
        }
    )
    frame = frame_of(session, table)
    if kind == "text":
        frame = frame.selectExpr("k COLLATE UTF8_LCASE AS k", "id")
    rules = [UnitRule("id", "key:'\\", 2, {})] + ([None] if kind == "text" else [])
    for rule in rules:
        asked = KeyCount("k", kind, rule)
        expected = found_by(table, asked, "python")
        assert open_keys(frame, asked, "auto")() == expected
        assert len(expected) > 1
