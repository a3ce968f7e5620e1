"""Two hundred ways to write an address with a password in it."""

from collections.abc import Iterator
from urllib.parse import quote

__all__ = ["SECRET", "spellings"]

SECRET = "Xq7horseBattery"  # noqa: S105 (that is the point)
_USER = f"ann:{SECRET}@127.0.0.1:1"
_SCHEMES = (
    "postgresql",
    "postgres",
    "PostgreSQL",
    "POSTGRES",
    "postgresql+psycopg",
    "postgresql+psycopg2",
    "postgresql+asyncpg",
    "postgresql+pg8000",
    "Postgres+Psycopg",
    "pgsql",
    "psql",
    "pg",
    "jdbc:postgresql",
    "mysql",
    "mariadb",
    "oracle",
    "mssql+pyodbc",
    "snowflake",
    "redshift",
    "cockroachdb",
    "sqlite",
    "file",
    "http",
    "https",
    "postgresq",
    "postgresqll",
    "postgre",
)


def spellings() -> list[str]:
    """All spellings; each holds the password, plain."""
    found = list(dict.fromkeys(_all()))
    assert all(SECRET in each for each in found)
    return found


def _all() -> Iterator[str]:
    plain = f"postgresql://{_USER}/db"
    for scheme in _SCHEMES:
        yield f"{scheme}://{_USER}/db"
        yield f"{scheme}:/{_USER}/db"
        yield f"{scheme}:{_USER}/db"
    for around in (
        " {}",
        "{} ",
        "\t{}",
        "{}\n",
        "\n{}",
        "'{}'",
        '"{}"',
        "<{}>",
        "({})",
    ):
        yield around.format(plain)
    for before in ("url=", "DPRATIO_LEDGER=", "--ledger=", "ledger:", "x ", "./", "/"):
        yield before + plain
    for hidden in ("\0", "\u200b", "\u2060", "\ufeff", "\u00a0", "\u00ad", "\u3000"):
        yield hidden + plain
        yield plain + hidden
        yield plain.replace("postgresql", f"postgres{hidden}ql")
        yield plain.replace("://", f":{hidden}//")
    for option in (
        "sslmode=require",
        "sslmode=nonsense",
        "connect_timeout=1",
        "application_name=x",
        "options=-c%20search_path%3Dx",
        "target_session_attrs=any",
        "no_such_option=1",
        "host=127.0.0.1",
        "port=1",
        "passfile=/none",
        "channel_binding=disable",
    ):
        yield f"{plain}?{option}"
    yield f"postgresql://ann@127.0.0.1:1/db?password={SECRET}"
    yield f"postgresql:///db?host=127.0.0.1&port=1&user=ann&password={SECRET}"
    yield f"postgresql://ann:{SECRET}%40x@127.0.0.1:1/db"
    yield f"postgresql://ann:{SECRET}@[::1]:1/db"
    yield f"postgresql://ann:{SECRET}@[/db"
    yield f"postgresql://ann:{SECRET}@127.0.0.1:port/db"
    yield f"postgresql://ann:{SECRET}@127.0.0.1:1,127.0.0.1:2/db"
    yield f"postgresql://ann:{SECRET}@127.0.0.1:99999/db"
    yield f"postgresql://ann:{SECRET}%zz@127.0.0.1:1/db"
    yield f"postgresql://:{SECRET}@127.0.0.1:1/db"
    yield f"postgresql://{SECRET}@127.0.0.1:1"
    yield quote(plain, safe="")
    yield quote(plain, safe="/")
    yield quote(quote(plain, safe=""), safe="")
    yield f"//{_USER}/db"
    yield f"{_USER}/db"
    yield f"ann:{SECRET}@/db"
    yield from _pairs()


def _pairs() -> Iterator[str]:
    base = "host=127.0.0.1 port=1 dbname=db user=ann "
    for name in ("password", "PASSWORD", "Password", "passwd", "pwd", "pass"):
        for pair in ("{}={}", "{} = {}", "{}='{}'", '{}="{}"', "{}= {}", "{}: {}"):
            yield base + pair.format(name, SECRET)
            yield pair.format(name, SECRET) + " host=127.0.0.1 port=1"
    yield f"{base}password={SECRET} no_such_option=1"
    yield f"{base}password='{SECRET}"
    yield f"{base}password={SECRET}\0"
    yield f"{base}password={SECRET}\\"
    yield f"{base};password={SECRET}"
    yield f"Server=127.0.0.1;Port=1;User Id=ann;Password={SECRET};"
    yield f"host=127.0.0.1&password={SECRET}"
    yield f"service=none password={SECRET}"
    yield f"service=none options='-c x={SECRET}'"
