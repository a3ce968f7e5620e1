"""``sslmode=verify-full``: only the right server, under its own name, is used."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.ledger.attacks.asking import told_by
from curator.ledger.attacks.books import DATA, open_book, plan_of
from curator.ledger.attacks.certificates import Authority, authority_at
from curator.ledger.attacks.pgbouncer import pgbouncer
from curator.ledger.attacks.spellings import SECRET
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import verify_ledger
from dpratio.curator.release_sums import release_sums

HOST = "ledger.example"
REFUSED = "the server cannot be reached, does not let this user in"


@pytest.fixture(scope="module")
def authorities() -> Iterator[tuple[Authority, Authority]]:
    """Ours, and one that somebody else made with the same name."""
    with tempfile.TemporaryDirectory(prefix="tls-") as folder:
        Path(folder).chmod(0o755)
        yield authority_at(Path(folder) / "ours"), authority_at(Path(folder) / "theirs")


def at(
    pooled: str, root: Path, *, host: str = HOST, word: str = SECRET, mode: str = "full"
) -> str:
    """The address of the guide: a name, which is looked up here, and a root."""
    user, _, rest = pooled.removeprefix("postgresql://").partition("@")
    return (
        f"postgresql://{user}:{word}@{host}{rest.removeprefix('127.0.0.1')}"
        f"?hostaddr=127.0.0.1&sslmode=verify-{mode}&sslrootcert={root}"
    )


def test_the_right_server_is_used(
    authorities: tuple[Authority, Authority], postgres_url: str
) -> None:
    ours, _ = authorities
    open_book(postgres_url)
    settings = {"auth_type": "plain", **ours.settings(HOST)}
    with pgbouncer(postgres_url, "transaction", settings=settings) as pooled:
        ledger = Ledger(at(pooled, ours.root))
        release_sums(DATA, plan_of("1"), ledger=ledger)
        assert verify_ledger(ledger).wrong == ()
        assert ledger.account().spent.loss == 1


def test_another_server_gets_nothing_and_no_password_is_told(
    authorities: tuple[Authority, Authority], postgres_url: str
) -> None:
    ours, theirs = authorities
    open_book(postgres_url)
    settings = {"auth_type": "plain", **ours.settings(HOST)}
    with pgbouncer(postgres_url, "transaction", settings=settings) as pooled:
        addresses = {
            "a wrong root": at(pooled, theirs.root),
            "a wrong name": at(pooled, ours.root, host="other.example"),
            "no root": at(pooled, ours.folder / "none.crt"),
            "a root that is none": at(pooled, ours.folder / "root.key"),
            "a wrong password": at(pooled, ours.root, word=f"{SECRET}2"),
        }
        said = {why: asked(address) for why, address in addresses.items()}
        # The name alone is what the weaker mode does not look at.
        weaker = at(pooled, ours.root, host="other.example", mode="ca")
        assert Ledger(weaker).scopes() == ["loans"]
    settings = {"auth_type": "plain"}
    with pgbouncer(postgres_url, "transaction", settings=settings) as plain:
        said["no encryption"] = asked(at(plain, ours.root))
        assert Ledger(at(plain, ours.root).partition("&")[0]).scopes() == ["loans"]
    assert {why: REFUSED in each for why, each in said.items()} == dict.fromkeys(
        said, True
    )
    assert [why for why, each in said.items() if SECRET in each] == []


def asked(address: str) -> str:
    """All that is told of a ledger there, with the locals of our frames."""
    return "".join(
        (
            told_by(lambda: Ledger(address).scopes()),
            told_by(lambda: release_sums(DATA, plan_of("1"), ledger=Ledger(address))),
        )
    )
