"""What each extra is for: used where it is installed, refused by name where not."""

import contextlib
import importlib.util
import signal
import subprocess
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import dpratio as dpr
from people import people, released
from run_dpratio import SCRIPT, refused
from try_databases import (
    refuse_postgres,
    refuse_spark,
    use_postgres,
    use_spark,
)

__all__ = ["FEATURES", "Feature", "is_there"]

MISSING = dpr.errors.MissingExtra.exit_code
STUDY, RELEASE = "demo/study.toml", "demo/release.json"


@dataclass(frozen=True)
class Feature:
    """An extra: its packages, how it is used, and how it is refused without them."""

    packages: tuple[str, ...]
    use: Callable[[], object]
    refuse: Callable[[], object]


def is_there(feature: Feature) -> bool:
    """Say whether all packages are installed, by whatever extra."""
    return all(importlib.util.find_spec(each) for each in feature.packages)


def use_arrow() -> None:
    """Release an Arrow table, and give estimates as one."""
    import pyarrow.parquet

    released(pyarrow.parquet.read_table("demo/people.parquet"))
    table = dpr.estimate_ratios(dpr.read_release(RELEASE)).to_arrow()
    assert table.num_rows == 4


def refuse_arrow() -> None:
    """Refuse estimates as an Arrow table."""
    frame_is_refused("to_arrow", "arrow")


def use_page() -> None:
    """Ask the page for itself, on loopback, and stop it."""
    with served() as address:
        answer = urllib.request.urlopen(address, timeout=60)  # noqa: S310 (loopback)
        with contextlib.closing(answer):
            assert answer.status == 200
            assert "dpratio" in answer.read().decode()


@contextlib.contextmanager
def served() -> Iterator[str]:
    """Serve the page while it is needed."""
    command = [SCRIPT, "page", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            assert address.startswith("http://127.0.0.1:"), address
            yield address
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=60)


def refuse_page() -> None:
    """Refuse to serve the page."""
    assert "'.[page]'" in refused(MISSING, "page", "--no-browser")


def use_pandas() -> None:
    """Release a pandas frame, and give estimates as one."""
    import pandas as pd

    released(pd.DataFrame(people()))
    assert len(dpr.estimate_ratios(dpr.read_release(RELEASE)).to_pandas()) == 4


def refuse_pandas() -> None:
    """Refuse estimates as a pandas frame."""
    frame_is_refused("to_pandas", "pandas")


def use_polars() -> None:
    """Release a Polars frame, and give estimates as one."""
    import polars as pl

    released(pl.DataFrame(people()))
    released(pl.DataFrame(people()).lazy())
    assert dpr.estimate_ratios(dpr.read_release(RELEASE)).to_polars().height == 4


def refuse_polars() -> None:
    """Refuse estimates as a Polars frame."""
    frame_is_refused("to_polars", "polars")


def frame_is_refused(method: str, extra: str) -> None:
    """Ask a result for what needs an extra that is not there."""
    estimates = dpr.estimate_ratios(dpr.read_release(RELEASE))
    said = "nothing was refused"
    try:
        getattr(estimates, method)()
    except dpr.errors.MissingExtra as error:
        said = str(error)
    assert f"'.[{extra}]'" in said, said


FEATURES = {
    "arrow": Feature(("pyarrow",), use_arrow, refuse_arrow),
    "page": Feature(("starlette", "uvicorn"), use_page, refuse_page),
    "pandas": Feature(("pandas",), use_pandas, refuse_pandas),
    "polars": Feature(("polars",), use_polars, refuse_polars),
    "postgres": Feature(("psycopg",), use_postgres, refuse_postgres),
    "spark": Feature(("pyspark",), use_spark, refuse_spark),
}
