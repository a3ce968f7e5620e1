"""`dpratio ledger approve`: what was approved is what runs."""

from pathlib import Path

import pytest

from cli.commands_for_tests import Call
from cli.data_holder.ledger.charged import STUDY, released
from cli.on_a_terminal import on_a_terminal
from dpratio.curator.ledger.ledger import Ledger
from dpratio.release.files import plan_hash, read_plan


def test_what_was_approved_is_what_runs(call: Call, folder: Path) -> None:
    assert call("ledger", "init", "--epsilon", "2", "--approval")[0] == 0
    code, out, _ = call("plan", "study.toml", "-o", "plan.json")
    hashed = plan_hash(read_plan("plan.json"))
    assert code == 0
    assert f"Plan {hashed} written to plan.json." in " ".join(out.split())
    words = ("release", "study.toml", "-o", "r.json")
    code, _, error = call(*words)
    assert code == 10
    rule = f"admits approved studies only; this plan, {hashed[:12]}…, is not"
    assert rule in error
    code, out, _ = call("ledger", "approve", "study.toml", "--by", "officer")
    assert code == 0
    data = "files 'people.csv', delimiter ',', quote '\"'"
    assert f"Approved: plan {hashed}, with {data}." in " ".join(out.split())
    assert "epsilon 0.5" in out
    assert call(*words)[0] == 0
    (approved,) = Ledger("dpratio.db").account().approved.values()
    assert approved.entry.said["by"] == "officer"
    text = STUDY.replace("score = [0, 1]", "score = [0, 2]\n").replace(
        'per = "label"', 'per = "label"\nguess = 1.0'
    )
    (folder / "study.toml").write_text(text, encoding="utf-8")
    assert call("release", "study.toml", "-o", "t.json")[0] == 10


@pytest.mark.parametrize("file", ["study.toml", "plan.json"])
def test_data_named_aside_do_not_run_where_studies_are_approved(
    file: str, call: Call
) -> None:
    assert call("ledger", "init", "--epsilon", "1", "--approval")[0] == 0
    assert call("ledger", "approve", "study.toml")[0] == 0
    assert call("plan", "study.toml", "-o", "plan.json")[0] == 0
    code, _, error = call("release", file, "--data", "people.csv", "-o", "r.json")
    assert code == 10
    assert "neither a plan alone nor --data. Release the study that was" in error
    assert Ledger("dpratio.db").account().spent.loss == 0


def test_a_table_in_memory_is_approved_by_its_name(call: Call) -> None:
    assert call("ledger", "init", "--epsilon", "1", "--approval")[0] == 0
    assert call("plan", "study.toml", "-o", "plan.json")[0] == 0
    named = ("--source", "people 2026")
    code, out, _ = call("ledger", "approve", "plan.json", *named)
    assert code == 0
    assert "with table in memory 'people 2026'." in " ".join(out.split())
    for words, fits in (((), False), (named, True)):
        _, out, _ = call("ledger", "show", "--plan", "plan.json", *words)
        assert ("it fits 2 times" in out) is fits
    assert "Only approved studies run: 1 so far." in out


@pytest.mark.parametrize("command", ["approve", "allow-source"])
def test_what_is_approved_or_allowed_names_its_data_once(
    command: str, call: Call, folder: Path
) -> None:
    assert call("ledger", "init", "--epsilon", "1", "--approval")[0] == 0
    text = (folder / "study.toml").read_text("utf-8")
    bare = text.replace('[data]\npath = "people.csv"\n', "")
    (folder / "bare.toml").write_text(bare, encoding="utf-8")
    code, _, error = call("ledger", command, "bare.toml")
    assert code == 3
    assert "must name its data, got None. Give the study with its [data]" in error
    assert call("ledger", command, "bare.toml", "--source", "people")[0] == 0
    code, _, error = call("ledger", command, "study.toml", "--source", "people")
    assert code == 3
    assert "a study that names its data needs no --source, got 'people'" in error
    assert Ledger("dpratio.db").account().seq == 1


def test_a_name_is_allowed_without_a_study(ready: Call) -> None:
    code, out, _ = ready("ledger", "allow-source", "--source", "people 2026")
    assert code == 0
    assert "Allowed, on the record: table in memory 'people 2026'." in out
    assert (
        "Allowed besides: table in memory 'people 2026'." in ready("ledger", "show")[1]
    )


def test_a_plan_file_is_shown_as_the_study_is(ready: Call) -> None:
    _, study, _ = ready("plan", "study.toml", "-o", "plan.json", "--format", "csv")
    _, plan, _ = ready("plan", "plan.json", "--format", "csv")
    assert study == plan
    code, out, _ = ready("plan", "plan.json")
    assert code == 0
    assert "Not covered" in out


def test_an_edited_plan_file_is_refused_with_its_name(
    ready: Call, folder: Path
) -> None:
    assert ready("plan", "study.toml", "-o", "plan.json")[0] == 0
    text = (folder / "plan.json").read_text("utf-8")
    (folder / "plan.json").write_text(text.replace('"1/2"', '"1/4"'), "utf-8")
    words = ("release", "plan.json", "--data", "people.csv", "-o", "r.json")
    for asked in (
        words,
        ("ledger", "approve", "plan.json"),
        ("ledger", "show", "--plan", "plan.json"),
        ("plan", "plan.json"),
    ):
        code, _, error = ready(*asked)
        assert code == 6
        assert "plan.json: $.sha256: the document was edited or damaged" in error


def test_a_release_is_no_plan(ready: Call) -> None:
    released(ready)
    code, _, error = ready("ledger", "approve", "r.json")
    assert code == 6
    assert "r.json: $.format: this is no plan" in error
    assert ready("ledger", "approve", "none.json")[0] == 5


@pytest.mark.parametrize(
    ("answer", "more", "approved"),
    [("n", (), 0), ("y", (), 1), ("", ("--yes",), 1)],
)
def test_on_a_terminal_it_asks(
    answer: str, more: tuple[str, ...], approved: int, call: Call, folder: Path
) -> None:
    assert call("ledger", "init", "--epsilon", "2", "--approval")[0] == 0
    words = ("ledger", "approve", "study.toml", *more)
    code, said = on_a_terminal(folder, answer, *words)
    assert "Left after one: epsilon 1.5, delta 0." in said
    assert (code == 0) == bool(approved)
    assert ("Approve it?" in said) == (not more)
    before = " ".join(said.partition("Approve it?")[0].split())
    assert call("plan", "study.toml", "-o", "plan.json")[0] == 0
    hashed = plan_hash(read_plan("plan.json"))
    asked = f"To approve: plan {hashed}, with files 'people.csv'"
    assert (asked in before) == (not more)
    assert len(Ledger(folder / "dpratio.db").account().approved) == approved
