"""`dpratio ledger approve`: what was approved is what runs."""

from pathlib import Path

from cli.commands_for_tests import Call
from cli.ledger.charged import STUDY, released
from dpratio.curator.ledger.ledger import Ledger
from dpratio.release.plan_file import plan_hash, read_plan


def test_what_was_approved_is_what_runs(call: Call, folder: Path) -> None:
    assert call("ledger", "init", "--epsilon", "1", "--approval")[0] == 0
    code, out, _ = call("plan", "study.toml", "-o", "plan.json")
    hashed = plan_hash(read_plan("plan.json"))
    assert code == 0
    assert f"Plan {hashed} written to plan.json." in out
    words = ("release", "plan.json", "--data", "people.csv", "-o", "r.json")
    code, _, error = call(*words)
    assert code == 10
    assert f"admits approved plans only; this one, {hashed[:12]}…, is not" in error
    code, out, _ = call("ledger", "approve", "plan.json", "--by", "officer")
    assert code == 0
    assert f"Approved: plan {hashed}." in out
    assert "epsilon 0.5" in out
    assert call(*words)[0] == 0
    approved = Ledger("dpratio.db").account().approved[hashed]
    assert approved.said == {"by": "officer"}
    # The study makes the same plan, so it is approved as well.
    released(call, "s.json")
    text = STUDY.replace("score = [0, 1]", "score = [0, 2]\n").replace(
        'per = "label"', 'per = "label"\nguess = 1.0'
    )
    (folder / "study.toml").write_text(text, encoding="utf-8")
    assert call("release", "study.toml", "-o", "t.json")[0] == 10


def test_a_study_may_be_approved_and_its_plan_run(call: Call) -> None:
    assert call("ledger", "init", "--epsilon", "1", "--approval")[0] == 0
    assert call("ledger", "approve", "study.toml")[0] == 0
    assert call("plan", "study.toml", "-o", "plan.json")[0] == 0
    words = ("release", "plan.json", "--data", "people.csv", "-o", "r.json")
    assert call(*words)[0] == 0


def test_a_plan_file_has_no_data_of_its_own(ready: Call) -> None:
    assert ready("plan", "study.toml", "-o", "plan.json")[0] == 0
    code, _, error = ready("release", "plan.json", "-o", "r.json")
    assert code == 3
    assert "a release needs data, got none" in error


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
    assert "r.json: $.format: this is not a dpratio-plan document" in error
    assert ready("ledger", "approve", "none.json")[0] == 5
