"""The clock: one format, in UTC, and nothing that depends on it."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from dpratio.curator.ledger.store.clock import attempts, time_now


def test_the_time_is_in_utc_and_ends_with_the_second() -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    said = time_now()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", said)
    assert before <= datetime.fromisoformat(said) <= datetime.now(UTC)


def test_the_zone_of_the_machine_does_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    said = datetime.fromisoformat(time_now())
    assert abs(said - datetime.now(UTC)) < timedelta(minutes=1)


def test_later_times_sort_after_earlier_ones_as_text() -> None:
    days = [datetime(2026, 9, 30, tzinfo=UTC), datetime(2026, 10, 1, tzinfo=UTC)]
    shown = [day.strftime("%Y-%m-%dT%H:%M:%SZ") for day in days]
    assert len(shown[0]) == len(time_now())
    assert shown == sorted(shown)


def test_attempts_are_counted_until_patience_is_over() -> None:
    assert list(attempts(0)) == [0]
    made = list(attempts(0.1))
    assert made == list(range(len(made)))
    assert len(made) > 1
