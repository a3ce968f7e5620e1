"""`dpratio release` charges a ledger, and publishes again what was charged."""

import json
from pathlib import Path

import pytest

from cli.commands_for_tests import Call, is_refused
from cli.data_holder.ledger.charged import ID, STUDY, released
from dpratio.curator.ledger.ledger import Ledger
from dpratio.release.files import read_release
from release.golden_releases import golden_document


def test_a_release_is_charged_to_the_ledger_of_the_folder(ready: Call) -> None:
    code, out, error = ready("release", "study.toml", "-o", "r.json", "--by", "Ada")
    assert (code, error) == (0, "")
    assert "Written to r.json." in out
    assert "Left: epsilon 1.5, delta 0.000001." in out
    account = Ledger("dpratio.db").account()
    release = read_release("r.json")
    held = account.releases[release.id]
    assert (held.state, held.said("charge")["by"]) == ("published", "Ada")
    assert release.ledger_head == held.entries[1].hash


def test_without_a_ledger_the_message_names_both_ways_out(
    call: Call, folder: Path
) -> None:
    before = sorted(folder.iterdir())
    code, out, error = call("release", "study.toml", "-o", "r.json")
    assert (code, out) == (11, "")
    assert error.startswith("LedgerFailed: there is no ledger 'dpratio.db'.")
    assert "`dpratio ledger init`" in error
    assert "--no-ledger" in error
    assert len(error.splitlines()) == 1
    assert sorted(folder.iterdir()) == before


def test_no_ledger_keeps_no_account_and_says_so(call: Call, folder: Path) -> None:
    code, out, _ = call("release", "study.toml", "-o", "r.json", "--no-ledger")
    assert code == 0
    assert "No account was kept: --no-ledger." in out
    assert read_release("r.json").ledger_head is None
    assert not (folder / "dpratio.db").exists()


def test_no_ledger_leaves_a_ledger_alone(ready: Call) -> None:
    released(ready, "r.json", "--no-ledger")
    assert Ledger("dpratio.db").account().seq == 0


@pytest.mark.parametrize("more", [("--scope", "main"), ("--id", ID)])
def test_no_ledger_has_no_scopes_and_no_ids(more: tuple[str, str], ready: Call) -> None:
    words = ("release", "study.toml", "-o", "r.json", "--no-ledger", *more)
    done = ready(*words)
    assert is_refused(done, 3, "--no-ledger and a ledger contradict each other")


def test_a_cap_that_is_reached_refuses_with_its_exit_code(
    ready: Call, folder: Path
) -> None:
    for number in range(4):
        released(ready, f"{number}.json", "--new-draw")
    code, out, error = ready("release", "study.toml", "-o", "r.json", "--new-draw")
    assert (code, out) == (10, "")
    assert error.startswith("LedgerRefused: scope 'main' has epsilon 0 and delta")
    assert not (folder / "r.json").exists()
    assert Ledger("dpratio.db").account().seq == 16


def test_the_ledger_may_be_named_by_option_or_environment(
    call: Call, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "books").mkdir()
    monkeypatch.setenv("DPRATIO_LEDGER", "books/a.db")
    monkeypatch.setenv("DPRATIO_ANCHOR", "books/heads")
    assert call("ledger", "init", "--epsilon", "1")[0] == 0
    released(call, "a.json")
    assert len((folder / "books/heads").read_text("utf-8").splitlines()) == 5
    assert call("ledger", "verify", "a.json")[0] == 0
    monkeypatch.delenv("DPRATIO_ANCHOR")
    code, _, error = call("release", "study.toml", "-o", "b.json")
    assert code == 10
    assert "scope 'main' is anchored: name its anchor with --anchor" in error
    released(call, "b.json", "--anchor", "books/heads", "--new-draw")
    done = call("ledger", "show", "--ledger", "c.db")
    assert is_refused(done, 11, "there is no ledger 'c.db'")
    assert sorted(path.name for path in (folder / "books").iterdir()) == [
        "a.db",
        "a.db.lock",
        "heads",
    ]


# --- release --id ---------------------------------------------------------------------


def test_a_release_is_published_again_into_its_own_file_without_force(
    ready: Call, folder: Path
) -> None:
    name = released(ready)
    content = (folder / "r.json").read_bytes()
    (folder / "people.csv").unlink()
    again = released(ready, "r.json", "--id", name)
    assert again == name
    assert (folder / "r.json").read_bytes() == content
    assert Ledger("dpratio.db").account().seq == 4


def test_a_release_is_published_again_into_another_file(
    ready: Call, folder: Path
) -> None:
    name = released(ready, "r.json")
    (folder / "people.csv").unlink()
    released(ready, "again.json", "--id", name)
    first, again = (folder / f"{each}.json" for each in ("r", "again"))
    assert again.read_bytes() == first.read_bytes()
    assert Ledger("dpratio.db").account().spent.loss * 2 == 1


def test_another_release_in_the_way_is_kept(ready: Call, folder: Path) -> None:
    name = released(ready, "a.json")
    released(ready, "b.json", "--new-draw")
    kept = (folder / "b.json").read_bytes()
    words = ("release", "study.toml", "-o", "b.json", "--id", name)
    assert is_refused(ready(*words), 5, "'b.json' holds a release already")
    assert (folder / "b.json").read_bytes() == kept
    assert ready(*words, "--force")[0] == 0
    assert (folder / "b.json").read_bytes() == (folder / "a.json").read_bytes()


def test_another_plan_is_refused_for_an_id(ready: Call, folder: Path) -> None:
    name = released(ready)
    text = STUDY.replace("epsilon = 0.5", "epsilon = 0.25")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    done = ready("release", "study.toml", "-o", "s.json", "--id", name)
    assert is_refused(done, 10, f"release {name} belongs to another plan")


@pytest.mark.parametrize("name", ["0" * 31, "A" * 32, ""])
def test_what_is_no_id_is_refused(name: str, ready: Call) -> None:
    done = ready("release", "study.toml", "-o", "r.json", "--id", name)
    assert is_refused(done, 3, "a release id ")


# --- Scopes ---------------------------------------------------------------------------


def test_the_scope_of_the_study_or_of_the_command_is_charged(
    ready: Call, folder: Path
) -> None:
    assert ready("ledger", "init", "--epsilon", "1", "--scope", "loans")[0] == 0
    code, _, error = ready("release", "study.toml", "-o", "r.json")
    assert code == 10
    assert "name the scope of the data. Registered scopes: 'loans', 'main'." in error
    (folder / "study.toml").write_text(f'{STUDY}scope = "loans"\n', encoding="utf-8")
    released(ready, "a.json")
    # The same data are another scope's only where the officer says so.
    words = ("release", "study.toml", "-o", "b.json", "--scope", "main")
    done = ready(*words)
    assert is_refused(done, 10, "the data were charged to another scope, 'loans'")
    allow = ("ledger", "allow-source", "study.toml", "--scope", "main", "--by", "eve")
    code, out, _ = ready(*allow)
    assert code == 0
    assert "Allowed, on the record: files 'people.csv', delimiter ','" in out
    released(ready, "b.json", "--scope", "main")
    book = Ledger("dpratio.db")
    assert [book.account(name).seq for name in ("loans", "main")] == [4, 5]
    text = f'{STUDY}scope = "loan"\n'
    (folder / "study.toml").write_text(text, encoding="utf-8")
    done = ready("release", "study.toml", "-o", "r.json")
    assert is_refused(done, 10, "there is no scope 'loan' in this ledger")
    released(ready, "c.json", "--no-ledger")


def test_a_release_file_holds_nothing_of_the_ledger_but_head_and_hash(
    call: Call, folder: Path
) -> None:
    words = ("--scope", "CANARY scope", "--dataset", "CANARY data")
    place = ("--ledger", "CANARY.db", "--anchor", "CANARY.heads")
    assert call("ledger", "init", "--epsilon", "7", *words, *place)[0] == 0
    released(call, "r.json", "--by", "CANARY by", *place)
    head = read_release("r.json").ledger_head
    assert head is not None
    assert head in (folder / "r.json").read_text("utf-8")
    assert b"CANARY" not in (folder / "r.json").read_bytes()
    document = json.loads((folder / "r.json").read_text("utf-8"))
    assert document["ledger_head"] == head
    assert set(document) - set(golden_document()) == {"ledger_head", "source_hash"}
    assert document["source_hash"] == read_release("r.json").source_hash
    assert b"people.csv" not in (folder / "r.json").read_bytes()
