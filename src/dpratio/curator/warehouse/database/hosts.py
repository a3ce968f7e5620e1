"""Which hosts a study may lead to, and which of them may get a password.

A study is written by whoever asks, and its address names a host. Without a list the
host may be any, but a password of the data holder's environment (PGPASSWORD, a password
file, a service) stays on this machine: a server may ask for it in clear.
"""

import os
from ipaddress import ip_address
from urllib.parse import unquote

from dpratio.checks import import_extra
from dpratio.errors import FileRefused
from dpratio.terms.source import WITHOUT_HOST, DatabaseTable

HOSTS = "DPRATIO_HOSTS"

# Where neither libpq nor anybody else finds a password.
_NOWHERE = os.path.join(os.devnull, "none")  # noqa: PTH118 (no file of ours)


def require_listed(source: DatabaseTable) -> None:
    """Refuse an address whose host the data holder did not list.

    Raises:
        FileRefused: When there is a list, and a host of the address is not on it.
    """
    listed = _listed()
    if listed is None or set(_hosts_of(source)) <= listed:
        return
    raise FileRefused(
        f"a study may connect to the hosts that {HOSTS} lists, got '{source.shown}'. "
        f"Ask the data holder to add the host, or take {HOSTS} out of the environment."
    )


def withheld(source: DatabaseTable) -> dict[str, str]:
    """Give options of PostgreSQL that keep passwords of the environment from a host.

    None is needed for a host that is listed, or that is this machine. A password in the
    address itself is the study's own.
    """
    if is_trusted(source):
        return {}
    given = _parts_of(source.url)
    # An empty password is one: libpq looks for no other, in no service either.
    return {"password": given.get("password", ""), "passfile": _NOWHERE}


def is_trusted(source: DatabaseTable) -> bool:
    """Tell whether passwords of the environment may go to the hosts of an address."""
    trusted = _listed() or frozenset()
    return all(host in trusted or _is_here(host) for host in _hosts_of(source))


def _listed() -> frozenset[str] | None:
    written = os.environ.get(HOSTS)
    if written is None:
        return None
    return frozenset(_folded(each) for each in written.split(",") if each.strip())


def _hosts_of(source: DatabaseTable) -> list[str]:
    """List the hosts that an address names; none where the environment chooses."""
    if source.scheme == "spark":
        # Without a host, settings of the data holder's own say where.
        own = WITHOUT_HOST.fullmatch(source.url) is not None
        places = [] if own else source.cluster.split(",")
        return [_folded(each.rpartition(":")[0] or each) for each in places]
    if source.scheme == "duckdb":
        return []
    parts = _parts_of(source.url)
    named = [parts.get(each, "") for each in ("host", "hostaddr")]
    # A file that the study names may say anything, another host too.
    named += ["servicefile"] if "servicefile" in unquote(source.url) else []
    return [_folded(each) for some in named for each in some.split(",") if each]


def _parts_of(url: str) -> dict[str, str]:
    """Read an address as libpq does; one that it cannot read leads nowhere."""
    psycopg = import_extra("psycopg", "engines")
    try:
        return dict(import_extra("psycopg.conninfo", "engines").conninfo_to_dict(url))
    except psycopg.ProgrammingError:
        return {}


def _is_here(host: str) -> bool:
    """Tell whether a host is this machine: by name, by address, or as a socket."""
    if host == "localhost" or host.startswith(("/", "@")):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _folded(host: str) -> str:
    return host.strip().strip("[]").rstrip(".").lower()
