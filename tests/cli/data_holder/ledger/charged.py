"""A study that is charged four times before its ledger is empty."""

from cli import commands_for_tests
from cli.commands_for_tests import Call
from dpratio.release.files import read_release

__all__ = ["ID", "STUDY", "released"]

STUDY = commands_for_tests.STUDY.replace("epsilon = 2", "epsilon = 0.5")
ID = "0" * 32


def released(call: Call, name: str = "r.json", *more: str) -> str:
    """Release the study into a file; give the id."""
    code, _, error = call("release", "study.toml", "-o", name, *more)
    assert (code, error) == (0, "")
    return read_release(name).id
