"""What `dpratio release` says while it runs, and the line that schedulers read."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.commands_for_tests import Call, rows_of_people
from cli.on_a_terminal import on_a_terminal
from dpratio.cli.studies import read_terms
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import STAGES
from dpratio.release.files import read_release
from dpratio.release.release import id_of
from tiers import quick_first

pytestmark = pytest.mark.usefixtures("folder")

RELEASE = ("release", "study.toml", "-o", "r.json")
LEFT = {"epsilon": "98", "delta": "0"}
SPENT = {"epsilon": "2", "delta": "0"}


def day_of(name: str) -> str:
    return Ledger("dpratio.db").account().releases[name].read_on


@pytest.mark.parametrize("named", [(), ("--id", "orders 2026-11")])
def test_the_line_says_that_a_release_was_given_again(
    named: tuple[str, ...], call: Call
) -> None:
    lines = [
        json.loads(call(*RELEASE, "--format", "json", *named)[1]) for _ in range(2)
    ]
    assert [each.pop("given_again") for each in lines] == [False, True]
    assert lines[0] == lines[1]
    assert lines[1]["drawn_on"] == day_of(lines[1]["id"])


def test_the_last_line_is_json_and_the_only_one_on_standard_output(
    folder: Path, call: Call
) -> None:
    code, out, error = call(*RELEASE, "--format", "json", "--id", "orders 2026-11")
    assert (code, error) == (0, "")
    assert json.loads(out) == {
        "id": id_of("orders 2026-11"),
        "scope": "people",
        "status": "published",
        "given_again": False,
        "drawn_on": day_of(id_of("orders 2026-11")),
        "spent": SPENT,
        "left": LEFT,
        "exit_code": 0,
    }
    assert read_release(folder / "r.json").id == id_of("orders 2026-11")


def test_a_refusal_ends_with_its_line_too(folder: Path, call: Call) -> None:
    (folder / "people.csv").write_text("score,lable\n0.5,1\n", encoding="utf-8")
    code, out, error = call(*RELEASE, "--format", "json")
    assert code == 4
    assert error.startswith("SchemaRefused: ")
    line = json.loads(out)
    assert re.fullmatch("[0-9a-f]{32}", line.pop("id"))
    assert line == {
        "scope": None,
        "status": "not charged",
        "given_again": False,
        "drawn_on": None,
        "spent": None,
        "left": None,
        "exit_code": 4,
    }


def test_a_study_that_is_not_there_ends_with_a_line(folder: Path, call: Call) -> None:
    (folder / "study.toml").unlink()
    code, out, _ = call(*RELEASE, "--format", "json")
    assert code == 5
    assert (json.loads(out)["id"], json.loads(out)["exit_code"]) == (None, 5)


def test_without_a_ledger_nothing_is_spent(folder: Path, call: Call) -> None:
    code, out, _ = call(*RELEASE, "--format", "json", "--no-ledger")
    assert code == 0
    line = json.loads(out)
    assert (line["status"], line["spent"], line["left"]) == ("written", None, None)
    assert line["id"] == read_release(folder / "r.json").id


def test_the_same_text_is_the_same_release(call: Call) -> None:
    first = call(*RELEASE, "--id", "orders 2026-11")
    assert first[0] == 0
    again = call(*RELEASE, "--id", "orders 2026-11")
    day = day_of(id_of("orders 2026-11"))
    said = (
        f"Given again as it was drawn on {day}, for free. Rows that were added or\n"
        f"changed since {day} are not in it.\n"
    )
    assert (again[1].replace(said, ""), again[2]) == first[1:]
    assert said in again[1]
    book = Ledger("dpratio.db")
    assert list(book.account().releases) == [id_of("orders 2026-11")]


def test_a_charge_is_voided_by_its_text(folder: Path, call: Call) -> None:
    name = "orders 2026-11"
    _, plan = read_terms(folder / "study.toml")
    Ledger("dpratio.db").charge(id_of(name), plan)
    assert call("ledger", "void", name)[0] == 0
    assert Ledger("dpratio.db").account().spent.loss == 0


@pytest.mark.parametrize("pairs", [1, 3000])
def test_stages_are_said_if_asked_and_the_same_for_all_data(
    pairs: int, folder: Path, call: Call
) -> None:
    (folder / "people.csv").write_text(rows_of_people(pairs), encoding="utf-8")
    code, _, error = call(*RELEASE, "--verbose")
    assert code == 0
    assert error == "".join(f"dpratio: {each}\n" for each in STAGES)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal")
@pytest.mark.parametrize("more", quick_first([((),), (("--verbose",),)]))
def test_on_a_terminal_stages_have_their_times(
    more: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    code, said = on_a_terminal(folder, "", *RELEASE, *more, redirected="out.txt")
    assert code == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said)
    times = re.findall(r"([a-z ]+?) +\d:\d\d:\d\d", text)
    assert {each.strip() for each in times} & set(STAGES)
    assert not more or {each.strip() for each in times} >= set(STAGES)


# The signal comes from within: whoever reads what is said may be too late.
STOPPED = """
import os, sys, threading
from dpratio.cli.data_holder import curate
from dpratio.cli.main import run
from dpratio.curator.release_sums import STAGES

number, say = int(sys.argv.pop(1)), curate._line

def say_and_stop(stage):
    say(stage)
    if stage == STAGES[3]:
        threading.Timer(0.1, os.kill, (os.getpid(), number)).start()

curate._line = say_and_stop
run()
"""


@pytest.mark.parametrize(
    ("number", "code"), quick_first([(signal.SIGTERM, 143), (signal.SIGINT, 130)])
)
def test_a_signal_while_files_are_read_ends_a_release(
    number: signal.Signals, code: int, folder: Path
) -> None:
    (folder / "people.csv").write_text(rows_of_people(1_000_000), encoding="utf-8")
    more = ("--format", "json", "--verbose", "--id", "a run")
    done = subprocess.run(
        [sys.executable, "-c", STOPPED, str(int(number)), *RELEASE, *more],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    *said, last = done.stderr.splitlines()
    assert said == [f"dpratio: {each}" for each in STAGES[:4]]
    assert last.startswith(f"Release {id_of('a run')} stays charged")
    line = json.loads(done.stdout)
    assert (line["status"], line["exit_code"]) == ("opened", code)
    assert line["spent"] == SPENT


def test_other_commands_end_with_the_same_codes(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dpratio.cli.data_holder.curate.read_terms", interrupted)
    assert call("plan", "study.toml") == (130, "", "Interrupted.\n")
