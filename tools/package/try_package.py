"""Try an installed dpratio, as a stranger would; run by the interpreter that has it.

It imports nothing of this repository but its neighbours, works in a folder of its own,
and needs no network.
Usage: python try_package.py [EXTRA…], the extras that were asked for.
"""

import importlib.metadata
import os
import pydoc
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import dpratio as dpr
from run_dpratio import run_module, run_script
from try_extras import FEATURES, is_there

__all__: list[str] = []


def main() -> int:
    """Try everything, print one line for each, and say whether all went well."""
    wanted = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, check in checks(wanted):
            try:
                check()
            except Exception as error:  # noqa: BLE001 (whatever it is, it is reported)
                failed += 1
                traceback.print_exc()
                words = " ".join(str(error).split()) or type(error).__name__
                print(f"FAILED {name}: {words[:300]}")
            else:
                print(f"ok {name}")
        os.chdir(Path(sys.prefix))
    return 1 if failed else 0


def checks(wanted: list[str]) -> Iterator[tuple[str, Callable[[], object]]]:
    """Name what is tried: the core and what it refuses, or the extras."""
    yield "names", try_names
    yield "version", try_version
    yield "demo", try_demo
    if not wanted:
        yield "help", try_help
        yield "commands", try_commands
        yield "python", try_python
    for extra in wanted:
        if extra not in FEATURES:
            yield extra, lambda: no_such(extra)  # noqa: B023 (called before the next)
    for extra, feature in FEATURES.items():
        if extra in wanted or is_there(feature):
            yield extra, feature.use
        elif not wanted:
            yield f"no {extra}", feature.refuse


def no_such(extra: str) -> None:
    """Fail for an extra that nothing here tries."""
    raise AssertionError(f"nothing tries the extra '{extra}'")


def try_names() -> None:
    """Import every public name from where packages are installed."""
    home = Path(dpr.__file__).resolve()
    assert home.is_relative_to(Path(sys.prefix).resolve()), home
    for name in dpr.__all__:
        assert getattr(dpr, name) is not None, name
    assert (home.parent / "py.typed").is_file()


def try_help() -> None:
    """Read the page of help: it begins with whom each name is for."""
    page = pydoc.plain(pydoc.render_doc(dpr))
    first = page.partition("PACKAGE CONTENTS")[0]
    for words in ("release_sums", "estimate_ratios", "make_plan", "Ledger"):
        assert words in first, words
    for name in set(dpr.__all__) - {"__version__"}:
        assert name in page, name


def try_version() -> None:
    """See one version in the metadata, the package and both ways to the commands."""
    version = importlib.metadata.version("dpratio")
    assert dpr.__version__ == version
    assert run_script("--version") == f"dpratio {version}\n"
    assert run_module("--version") == f"dpratio {version}\n"


def try_demo() -> None:
    """Run the demo, whose files the rest uses."""
    said = run_script("demo", "--people", "2000")
    assert "intervals hold the invented truth" in said, said
    found = {path.name for path in Path("demo").iterdir()}
    wanted = {"people.parquet", "study.toml", "release.json", "report.html"}
    assert wanted | {"ledger.db", "ledger.db.lock"} == found, found


def try_commands() -> None:
    """Go from a study to a report with the commands, as the README does."""
    study = "demo/study.toml"
    assert "Not covered" in run_script("plan", study)
    run_script("ledger", "init", "--epsilon", "3", "--delta", "1e-5")
    run_script("release", study, "-o", "release.json")
    assert "Left: epsilon 2" in run_script("ledger", "show")
    assert "north" in run_module("estimate", "release.json", "--level", "0.9")
    assert "north" in run_module("compare", "release.json", "north", "south")
    run_script("report", "release.json", "-o", "report.html")
    page = Path("report.html").read_text(encoding="utf-8")
    assert "north" in page
    assert page.rstrip().endswith("</html>")
    assert "sound" in run_script("ledger", "verify", "release.json")


def try_python() -> None:
    """Go from terms to intervals in Python, on a mapping of columns."""
    plan = dpr.make_plan(
        dpr.Ratio("score", per="label"),
        bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        budget=dpr.Budget(epsilon=5),
    )
    table = {"score": [0.25, 0.5, 0.75, 1.0] * 500, "label": [0, 1, 0, 1] * 500}
    release = dpr.release_sums(table, plan, ledger=None)
    dpr.write_release(release, "python.json")
    estimates = dpr.estimate_ratios(dpr.read_release("python.json"))
    (row,) = estimates.to_dicts()
    assert row["status"] == "ok", row
    assert 1 < row["ci_lower"] < row["ratio"] < row["ci_upper"] < 1.5, row


if __name__ == "__main__":
    sys.exit(main())
