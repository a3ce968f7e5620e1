"""An outage at any point of a release: nothing is lost, and nothing drawn twice."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from curator.ledger.attacks.books import name_of
from curator.ledger.attacks.killing import POINTS
from curator.ledger.attacks.outages import WAYS, Outages
from curator.ledger.attacks.own_server import OwnServer, own_server_at
from soak import IS_SOAK

REPEATS = 5
LONGEST = 60  # seconds; with the limits of these tests a release takes a few


def cases() -> list[tuple[str, str]]:
    """Every point in every way, or in turn; and lost answers to every commit."""
    if IS_SOAK:
        return [(each, way) for each in POINTS for way in WAYS] * REPEATS
    turns = [(each, WAYS[at % len(WAYS)]) for at, each in enumerate(POINTS)]
    commits = [(each, "deaf") for each in POINTS if each.endswith("before its commit")]
    return [*turns, *(each for each in commits if each not in turns)]


@pytest.fixture
def own_server(postgres_server: str) -> Iterator[OwnServer]:
    """A server of its own."""
    assert postgres_server
    with (
        TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder,
        own_server_at(folder) as made,
    ):
        yield made


@pytest.mark.parametrize("way", ["restarted", "full"])
def test_a_server_that_fails_inside_a_commit_loses_nothing(
    own_server: OwnServer, tmp_path: Path, way: str
) -> None:
    """It starts anew; or its disk is full, and it gives up until there is room."""
    points = [each for each in POINTS if each.endswith("before its commit")]
    assert len(points) == 4
    with Outages.at(own_server.address, tmp_path, own=own_server) as outages:
        for number, point in enumerate(points, start=1):
            assert outages.break_at(name_of(number), point, way) == "", point
        assert way != "full" or len(outages.told) == len(points), outages.told


def test_an_outage_anywhere_loses_nothing_and_draws_nothing_twice(
    postgres_url: str, tmp_path: Path
) -> None:
    found = {}
    with Outages.at(postgres_url, tmp_path) as outages:
        for number, (point, way) in enumerate(cases(), start=1):
            wrong = outages.break_at(name_of(number), point, way)
            if wrong:
                found[number, point, way] = wrong
        assert found == {}
        assert outages.seconds < LONGEST
        assert outages.ledger().account().spent.loss * 100 == len(cases())
