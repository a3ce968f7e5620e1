"""What databases write differently.

Every primitive is total by itself: whatever a cell holds, it has a value or is NULL.
Nothing relies on the order in which a database tests its conditions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dpratio.curator.reading.statement import ColumnType
from dpratio.terms.groups import Keys

# No key can be declared as this number.
UNDECLARED = -(2**63)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a column is compared with constants.

    Args:
        name: ``"integer"``, ``"float"``, ``"decimal"``, ``"boolean"``, ``"text"``,
            ``"date"`` or ``"time"``; or ``"none"``, for a column that may be NULL and
            is not compared.
        precision: The digits of a decimal; None for any number of them.
        scale: The digits after its point.
        has_zone: Whether a time has a zone.
    """

    name: str
    precision: int | None = None
    scale: int = 0
    has_zone: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column as its database has it.

    Args:
        name: Its name there, quoted.
        given: Its public type.
        native: The database's own name of the type.
        is_text: Whether keys and ids in it are text to the database.
        comparison: How a condition may compare it; None if it may not name it.
    """

    name: str
    given: ColumnType
    native: str
    is_text: bool
    comparison: Comparison | None = None


@dataclass(frozen=True, slots=True)
class Dialect:
    """The primitives of a database, as functions that write SQL.

    Args:
        name: ``"duckdb"``, ``"postgres"`` or ``"spark"``.
        identifier: A name, whatever it holds.
        literal: A text, whatever it holds; it has no NUL.
        double: A double, so that it is read back as it is.
        number: A column as doubles; what cannot be read is NULL or not finite.
        is_finite: Whether a number is there and finite.
        one_if: 1 where a test holds, else 0, as a double.
        cell: A number rounded down to an integer: of few bits, or of 64.
        total: The sum of such integers, which cannot overflow.
        result: A total as it is fetched.
        count_if: How many rows pass a test.
        as_double: An integer as a double.
        key: A column as keys: text that is compared by its bytes, or whole numbers of
            64 bits, among them 1 and 0 for truths. A number that is too large for a
            declared key is another one, and not a missing one.
        unit: A column as ids, likewise.
        cell_text: Any column of text as it is compared in a condition.
        as_text: A text of ours, compared likewise.
        text: A key or an id, which may be text or a whole number, as plain text.
        day: A column of dates, times or text in days since 1970; NULL off the calendar.
        months: The months from year 0 to that of a day on the calendar.
        iso_day: The text of a day on the calendar: ``2026-01-31``.
        is_whole: Whether a text is a whole number of at most 18 digits.
        whole: The number of such a text.
        hash: 60 bits of a text's MD5.
        digest: The MD5 of texts that follow each other.
        hexed: A text as hexadecimal digits of its bytes.
        split: The parts of a text between commas as ``part``, with their number from 0
            as ``place``: a relation.
        unhex: The text, as keys are compared, of which a part holds the bytes.
        condition: A condition on rows, which a planner may guess hardly any row meets.
        fence: What ends a subquery that is worked out once.
        gather: What ends one whose rows are brought together by their ids.
        tests_first: Whether a test costs less before a CASE than in it.
    """

    name: str
    identifier: Callable[[str], str]
    literal: Callable[[str], str]
    double: Callable[[float], str]
    number: Callable[[Column], str]
    is_finite: Callable[[str], str]
    one_if: Callable[[str], str]
    cell: Callable[[str, bool], str]
    total: Callable[[str, bool], str]
    result: Callable[[str, bool], str]
    count_if: Callable[[str], str]
    as_double: Callable[[str], str]
    key: Callable[[Column, Keys], str]
    unit: Callable[[Column], str]
    cell_text: Callable[[Column], str]
    as_text: Callable[[str], str]
    text: Callable[[str, bool], str]
    day: Callable[[Column], str]
    months: Callable[[str], str]
    iso_day: Callable[[str], str]
    is_whole: Callable[[str], str]
    hash: Callable[[str], str]
    digest: Callable[[Sequence[str]], str]
    hexed: Callable[[str], str]
    split: Callable[[str], str]
    unhex: Callable[[str], str]
    whole: Callable[[str], str] = "CAST({} AS BIGINT)".format
    condition: Callable[[str], str] = str
    fence: str = ""
    gather: str = ""
    tests_first: bool = False
