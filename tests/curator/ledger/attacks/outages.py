"""Breaking the network at named points of a release, and asking for it again.

Nobody is killed: the process that asked goes on with what it holds, is told that the
ledger cannot be reached, and asks for the same id once the network is back.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from curator.ledger.attacks.books import DATA, artifacts_of, plan_of
from curator.ledger.attacks.killing import COST, POINTS, Point
from curator.ledger.attacks.network import BREAKS, Network, network
from curator.ledger.attacks.own_server import OwnServer
from dpratio.curator import measure
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store import server
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed
from dpratio.release.files import release_to_bytes
from dpratio.terms.budget import Budget

__all__ = ["WAYS", "Outages"]

WAYS = (*BREAKS, "terminated")
_OTHERS = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""


class Outages:
    """A ledger on a server, reached through a network that breaks."""

    def __init__(
        self,
        address: str,
        through: str,
        between: Network,
        folder: Path,
        own: OwnServer | None,
    ) -> None:
        self.address, self.through, self.between = address, through, between
        self.folder, self.draws, self.own = folder, list[str](), own
        self.seconds, self.told = 0.0, list[str]()
        self.ledger().open_scope(Scope("loans", Budget(1000, "1e-6")))

    @classmethod
    @contextmanager
    def at(
        cls, address: str, folder: Path, *, own: OwnServer | None = None
    ) -> Iterator["Outages"]:
        """Make a ledger in an empty database, with short limits of time."""
        with network(address) as (through, between), pytest.MonkeyPatch.context() as at:
            at.setattr(server, "_SILENCE", 5)
            at.setattr(server, "_CONNECT", 2)  # The least that the driver takes.
            at.setattr(server, "_IDLE_WRITER", "2s")
            yield cls(address, through, between, folder, own)

    def ledger(self, *, through: bool = False) -> Ledger:
        """The ledger as a new process sees it, past the network or through it."""
        return Ledger(
            self.through if through else self.address,
            anchor=self.folder / "heads",
            spool=self.folder / "spool",
        )

    def ask(self, name: str) -> bytes:
        """Ask for a release through the network."""
        release = release_sums(
            DATA,
            plan_of("0.01"),
            ledger=self.ledger(through=True),
            release_id=name,
            out=self.folder / f"{name}.json",
        )
        return release_to_bytes(release)

    def break_at(self, name: str, point: str, way: str) -> str:
        """Break it at a point of a release; say what went wrong, or ''."""
        before = self.ledger().account().spent.loss
        asked = time.monotonic()
        with self._patched(POINTS[point], name, way) as hits:
            try:
                self.ask(name)
            except LedgerFailed as error:
                told = str(error)
                self.told.append(told)
            else:
                told = ""
        self.seconds = max(self.seconds, time.monotonic() - asked)
        if hits != ["hit"]:
            return f"the point was hit {len(hits)} times"
        spooled = self.ledger().spool.kept(name)
        drawn = self.draws.count(name)
        self.between.mend()
        if self.own is not None and way == "full":
            self.own.make_room()
        asked = time.monotonic()
        with self._logged(name):
            given = self.ask(name)
        self.seconds = max(self.seconds, time.monotonic() - asked)
        ledger = self.ledger()
        account, sealed = ledger.account(), artifacts_of(ledger)[name]
        wrong = {
            "another draw": self.draws.count(name) != 1 or drawn > 1,
            "other bytes": not sealed == given == (spooled or given),
            "another file": (self.folder / f"{name}.json").read_bytes() != given,
            "another charge": account.spent.loss != before + COST,
            "not published": account.releases[name].state != "published",
            "not sound": bool(verify_ledger(ledger).wrong),
            "a strange message": bool(told) and "cannot be" not in told,
        }
        return ", ".join(said for said, is_so in wrong.items() if is_so)

    def _hit(self, way: str) -> None:
        if way == "terminated":
            with psycopg.connect(self.address, autocommit=True) as connection:
                connection.execute(_OTHERS)
        elif self.own is not None:
            self.own.restart() if way == "restarted" else self.own.fill_disk()
        else:
            self.between.break_down(way)

    @contextmanager
    def _logged(self, name: str) -> Iterator[None]:
        """Write down each draw of noise."""
        draw = getattr(measure, "draw_noise")  # noqa: B009 (it is not exported)

        def logged(*given: Any) -> Any:  # noqa: ANN401
            self.draws.append(name)
            return draw(*given)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(measure, "draw_noise", logged)
            yield

    @contextmanager
    def _patched(self, point: Point, name: str, way: str) -> Iterator[list[str]]:
        """Break the network before or after a function, once."""
        hits: list[str] = []
        with self._logged(name), pytest.MonkeyPatch.context() as patched:
            original = getattr(point.owner, point.name)

            def breaking(*given: Any, **named: Any) -> Any:  # noqa: ANN401
                is_it = not hits and (not point.kind or given[1].kind == point.kind)
                if is_it:
                    hits.append("hit")
                if is_it and point.when == "before":
                    self._hit(way)
                result = original(*given, **named)
                if is_it and point.when == "after":
                    self._hit(way)
                return result

            patched.setattr(point.owner, point.name, breaking)
            yield hits
