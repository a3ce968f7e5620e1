"""Every form of condition that a study may hold, and rows that are hard on them.

Where a database has no such type, or reads the form in another way, it has no such
form.
"""

from collections.abc import Iterator
from typing import Any

__all__ = ["COLUMNS", "FORMS", "REFUSED", "forms_of", "rows_for"]

# What each column holds: ends, signs, missing cells, and what looks alike.
COLUMNS: dict[str, list[Any]] = {
    "whole": [None, 0, 1, -1, 5, 2**31 - 1, -(2**31), 7],
    "small": [0, None, 1, -1, 5, 32767, -32768],
    "large": [None, 0, 5, -5, 2**63 - 1, -(2**63), 2**53 + 1, 2**53, 1],
    "score": [
        *(0.5, None, "NaN", "Infinity", "-Infinity", -0.0, 0.0, 0.1, -0.5, 5e-324),
        *(0.30000000000000004, 0.3, 1e15, 123456.789),
    ],
    "single": [0.5, "NaN", None, "-Infinity", 0.1, -0.0, 0.25, "Infinity", -0.5, 3e38],
    "price": ["1.50", None, "-1.50", "0.00", "9999999.99", "1.49", "-9999999.99"],
    "region": [
        *("north", None, "", " ", "North", "north ", " north", "ß", "ss", "İ", "i̇"),
        *("é", "e\u0301", "it's", "%", "n_rth", "NULL", "5", "😀", "\ufeffnorth"),
    ],
    "code": ["x", None, "x  ", "", "X", "xy", "ß", "y"],
    "adult": [True, False, None],
    "seen": [
        *("2026-01-01", None, "0001-01-01", "9999-12-31", "2026-01-02", "2025-12-31"),
        "1582-10-10",
    ],
    "seen_at": [
        *("2026-01-01 00:00:00", None, "2026-01-01 00:00:00.000001"),
        *("2025-12-31 23:59:59.999999", "0001-01-01 00:00:00", "2026-06-01 12:30:00"),
        "9999-12-31 23:59:59",
    ],
}

_P, _D = "postgres", "duckdb"
_ALL = (_P, _D)

# By the databases that have it, and the conditions themselves.
FORMS: list[tuple[tuple[str, ...], list[str]]] = [
    (
        _ALL,
        [
            *(f"{column} IS {word}NULL" for column in COLUMNS for word in ("", "NOT ")),
            *(f"NOT {column} IS NULL" for column in ("whole", "score", "region")),
            *(
                f"{column} {sign} {value}"
                for column in ("whole", "small", "large", "score", "single", "price")
                for sign in ("=", "<>", "<", "<=", ">", ">=")
                for value in ("0", "5", "-1")
            ),
            *(f"score {sign} 0.3" for sign in ("=", "<", ">", "<=", ">=", "<>")),
            *(f"score {sign} -0.5" for sign in ("=", "<", ">", "<=", ">=", "<>")),
            *(f"score > {value}" for value in ("1e15", "123456.789", "0.1", "-1e-3")),
            *(f"single {sign} 0.25" for sign in ("=", "<", ">", "<=", ">=", "<>")),
            *(f"price {sign} 1.50" for sign in ("=", "<", ">", "<=", ">=", "<>")),
            *("price > -1.50", "price >= 9999999.99", "price = 1.5"),
            *(
                f"region {sign} '{value}'"
                for sign in ("=", "<>", "<", ">")
                for value in ("north", "", " ", "ß", "it''s", "%", "é", "NULL", "😀")
            ),
            *(f"code {sign} '{value}'" for sign in ("=", "<>") for value in "xX"),
            *("adult", "NOT adult", "adult = true", "adult <> true", "false = adult"),
            *(
                f"seen {sign} '2026-01-01'"
                for sign in ("=", "<>", "<", ">", "<=", ">=")
            ),
            *(
                f"seen_at {sign} '2026-01-01 00:00:00'"
                for sign in ("=", "<>", "<", ">", "<=", ">=")
            ),
            "seen_at > '2025-12-31 23:59:59.999998'",
            *("5 = whole", "5 < whole", "0.5 >= score", "'north' = region"),
            *("whole IN (1, -1, 5)", "whole NOT IN (1, -1, 5)", "whole IN (7)"),
            *("region IN ('north', '', 'ß')", "region NOT IN ('north', '')"),
            *("score IN (0.5, 0.3)", "score NOT IN (0.5, 0.3)"),
            *("seen IN ('2026-01-01', '2025-12-31')", "price NOT IN (1.50, 0)"),
            *("whole BETWEEN -1 AND 5", "whole NOT BETWEEN -1 AND 5"),
            *("whole BETWEEN 5 AND -1", "score BETWEEN 0.1 AND 0.5"),
            *("region BETWEEN 'a' AND 'o'", "price NOT BETWEEN 0 AND 1.50"),
            "seen BETWEEN '2025-12-31' AND '2026-01-01'",
            "seen_at BETWEEN '2025-12-31 23:59:59' AND '2026-01-01 00:00:00'",
            *("NOT whole = 5", "NOT (whole > 0 AND score > 0.1)", "NOT NOT adult"),
            *("whole > 0 AND score > 0.1", "whole > 0 OR region = 'north'"),
            "whole > 0 AND (region = 'north' OR region IS NULL)",
            "(whole > 0 AND region IS NOT NULL) OR NOT (score < 0.5 OR adult)",
            "NOT (region IS NOT NULL AND score IS NOT NULL)",
            *("large = 9223372036854775807", "large > 9007199254740992"),
            *("whole = (5)", "(whole) > ((5))"),
        ],
    ),
    (
        (_P,),
        [
            *("whole NOTNULL", "whole ISNULL", "adult IS UNKNOWN", "whole = +5"),
            *("price > 1.499", "price <> 1.5000"),
            *("seen_at >= '2026-01-01'", "seen_in < '2026-01-01 00:00:00+00'"),
            *("seen_in IS NOT NULL", "huge IS NULL"),
            *("huge > 5", "huge <> 0.1", "name IN ('a', 'north')"),
            *("name = 'north'", "name NOT IN ('north', '')", "name > 'a'"),
            *("other IS NULL", "other IS NOT NULL", "code < 'xy'"),
        ],
    ),
    (
        (_D,),
        [
            *("whole NOTNULL", "whole == 5", "whole != 5", "large = -5", "whole = 1_0"),
            *("mood > 'sad'", "mood = 'glad'"),
        ],
    ),
]

# What looks like one of these and is read in another way.
REFUSED: dict[str, list[str]] = {
    _P: [
        *("region::text = 'north'", "code = 'x'::bpchar", "score > '0.1'::float8"),
        *("single = 0.25::real", "small = 5::smallint", "price > 1::numeric"),
        *("seen_at >= '2026-01-01'::date", "seen >= DATE '2026-01-01'"),
        *("whole = ANY (ARRAY[1, 5])", "whole <> ALL (ARRAY[1, 5])", "price < 1e2"),
        *("whole BETWEEN SYMMETRIC 5 AND -1", "huge >= -1e20"),
        *("seen = 'January 1, 2026'", "seen_in >= '2026-01-01 00:00:00+02'"),
        *("(whole, small) = (1, 1)", "seen_in < '2026-01-01+00'"),
        *("adult IS TRUE", "adult IS NOT TRUE", "adult IS NOT FALSE", "whole > 0.5"),
        *("whole IS DISTINCT FROM 5", "whole IS NOT DISTINCT FROM 5", "pair IS NULL"),
        *("pair IS NOT NULL", "single = 0.1::real", "code::text = 'x'"),
        *("label = 'X'", "label::text = 'x'", "region = 'north' COLLATE \"C\""),
        *("region LIKE 'n%'", "whole = 5::numeric", "score = 'NaN'::float8"),
        *("score > 0.12345678901234567", "seen_at > now()", "mood = 'sad'"),
        *("mood > 'sad'", "region = 'x'::varchar(1)", "seen > 'infinity'"),
        *("seen_in > '2026-01-01'::timestamp", "adult IS NULL IS NULL", "part > 5"),
        *("whole = ANY (ARRAY[1, NULL])", "part IS NULL"),
        *("whole IN (1, NULL)", "region = 'a' || 'b'", "region = E'\\\\x'"),
        *("whole <> ANY (ARRAY[1])", "whole = ALL (ARRAY[1])", "region SIMILAR TO 'a'"),
    ],
    _D: [
        *("seen = DATE '2026-01-01'", "seen_at > TIMESTAMP '2026-01-01 00:00:00'"),
        *("region = CAST('north' AS VARCHAR)", "whole = CAST('5' AS INTEGER)"),
        "adult = CAST('t' AS BOOLEAN)",
        *(
            "whole IS DISTINCT FROM 5",
            "single = 0.1",
            "whole = 5.0",
            "region = 5",
        ),
        *("score > CAST(0.1 AS FLOAT)", "price > CAST(0.1234 AS DECIMAL)"),
        *("price > 1.499", "price = 1e0", "region::VARCHAR = 'north'"),
        *("seen_at > '2026-01-01'::DATE::TIMESTAMP_NS", "whole = whole"),
        *("seen = '20260101'", "whole BETWEEN 1 AND whole", "seen_ns > '2026-01-01'"),
        *("adult IS TRUE", "region ILIKE 'n%'", "score > 0.12345678901234567"),
    ],
}


def forms_of(database: str) -> list[str]:
    """The conditions that a database is asked."""
    return [each for where, forms in FORMS if database in where for each in forms]


def rows_for(count: int = 220) -> Iterator[tuple[Any, ...]]:
    """Rows in which every cell of one column meets many of another."""
    for at in range(count):
        yield (
            at,
            *(
                cells[(at + at // 11 * k) % len(cells)]
                for k, cells in enumerate(COLUMNS.values())
            ),
        )
