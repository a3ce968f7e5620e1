"""The ledger from the command line: every command, its words and its exit code."""

import csv
import io
import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from dpratio.cli.main import run
from dpratio.curator.ledger.ledger import Ledger
from dpratio.release.files import read_release
from dpratio.release.plan_file import plan_hash, read_plan

STUDY = """
[data]
path = "people.csv"

[ratio]
numerator = "score"
per = "label"

[bounds]
score = [0, 1]
label = "binary"

[privacy]
epsilon = 0.5
"""
ROWS = "score,label\n" + "0.5,1\n0.25,0\n" * 50
ID = "0" * 32

Done = tuple[int, str, str]
Call = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("DPRATIO_LEDGER", "DPRATIO_ANCHOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "people.csv").write_text(ROWS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def call(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """Run a command in the folder; give its exit code and what it printed."""
    assert folder.is_dir()

    def called(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["dpratio", *words])
        with pytest.raises(SystemExit) as stopped:
            run()
        said = capsys.readouterr()
        assert isinstance(stopped.value.code, int)
        return stopped.value.code, said.out, said.err

    return called


@pytest.fixture
def ready(call: Call) -> Call:
    """The same, with a ledger of one scope in its usual place."""
    assert call("ledger", "init", "--epsilon", "2", "--delta", "1e-6")[0] == 0
    return call


def released(call: Call, name: str = "r.json", *more: str) -> str:
    """Release the study into a file; give the id."""
    code, _, error = call("release", "study.toml", "-o", name, *more)
    assert (code, error) == (0, "")
    return read_release(name).id


def spoil(folder: Path) -> None:
    """Make the first charge free, as the owner of the file could."""
    with closing(sqlite3.connect(folder / "dpratio.db")) as connection:
        ((sql,),) = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'entry_keeps_update'"
        )
        connection.execute("DROP TRIGGER entry_keeps_update")
        connection.execute("UPDATE entry SET loss = '0/1' WHERE seq = 1")
        connection.execute(sql)
        connection.commit()


# --- init -----------------------------------------------------------------------------


def test_init_registers_a_dataset_and_says_its_terms(call: Call, folder: Path) -> None:
    code, out, error = call("ledger", "init", "--epsilon", "3", "--delta", "1e-5")
    assert (code, error) == (0, "")
    assert out.splitlines() == [
        "Scope 'main': single rows, add-or-remove-one.",
        "Caps: epsilon 3, delta 0.00001; epsilon and delta add up.",
        "Spent: epsilon 0, delta 0.",
        "Left: epsilon 3, delta 0.00001.",
        "The next release: up to epsilon 3 and delta 0.00001.",
    ]
    assert (folder / "dpratio.db").is_file()


def test_init_takes_every_term(call: Call, folder: Path) -> None:
    words = [
        *("--scope", "loans", "--dataset", "All loans", "--unit", "customer"),
        *("--epsilon", "3", "--delta", "1e-5", "--accounting", "zcdp"),
        *("--neighbours", "change-one", "--largest-delta", "1e-6", "--approval"),
        *("--ledger", "budget.db", "--anchor", "heads"),
    ]
    code, out, _ = call("ledger", "init", *words)
    assert code == 0
    assert "Scope 'loans' (All loans): all rows of one 'customer', change-one." in out
    assert "No release may have a delta above 0.000001." in out
    assert "Only approved plans run: 0 so far." in out
    assert "Its heads are anchored outside." in out
    scope = Ledger(folder / "budget.db", anchor="heads").account().scope
    assert (scope.accounting, scope.needs_approval) == ("zcdp", True)


def test_init_again_changes_nothing_and_raises_no_cap(ready: Call) -> None:
    released(ready)
    code, out, _ = ready("ledger", "init", "--epsilon", "2", "--delta", "1e-6")
    assert code == 0
    assert "Spent: epsilon 0.5" in out
    code, _, error = ready("ledger", "init", "--epsilon", "3", "--delta", "1e-6")
    assert code == 10
    assert error.startswith(
        "LedgerRefused: scope 'main' is open already, with other terms: "
    )


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--epsilon", "0"], 3, "epsilon must be positive"),
        (["--epsilon", "-1"], 3, "epsilon must be positive"),
        (["--epsilon", "nan"], 3, "epsilon must be a finite number"),
        (["--epsilon", "much"], 3, "epsilon must be a finite number"),
        (["--epsilon", "1", "--delta", "1"], 3, "delta must be at least 0, below 1"),
        (["--epsilon", "1", "--scope", "a\nb"], 3, "a scope needs a plain name"),
        (["--epsilon", "1", "--accounting", "rdp"], 3, "unknown accounting"),
        (["--epsilon", "1", "--accounting", "zcdp"], 3, "needs a cap of delta above 0"),
        (["--epsilon", "1", "--largest-delta", "0.1"], 3, "at most the cap of delta"),
        (["--epsilon", "1", "--largest-delta", "x"], 3, "must be a finite number"),
        (["--epsilon", "1", "--neighbours", "none"], 3, "unknown neighbour relation"),
        (["--epsilon", "1", "--ledger", "no/such.db"], 11, "it cannot be opened"),
        (["--epsilon", "1", "--ledger", "people.csv"], 11, "it is not a ledger"),
        ([], 2, "Missing option '--epsilon'"),
    ],
)
def test_bad_terms_are_one_line_and_make_no_ledger(
    words: list[str], code: int, said: str, call: Call, folder: Path
) -> None:
    before = sorted(folder.iterdir())
    given, _, error = call("ledger", "init", *words)
    assert given == code
    assert said in error
    assert sorted(folder.iterdir()) == before


# --- release --------------------------------------------------------------------------


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
    code, _, error = ready(*words)
    assert code == 3
    assert "--no-ledger and a ledger contradict each other" in error


def test_a_cap_that_is_reached_refuses_with_its_exit_code(
    ready: Call, folder: Path
) -> None:
    for number in range(4):
        released(ready, f"{number}.json")
    code, out, error = ready("release", "study.toml", "-o", "r.json")
    assert (code, out) == (10, "")
    assert error.startswith("LedgerRefused: scope 'main' has epsilon 0 and delta")
    assert not (folder / "r.json").exists()
    assert Ledger("dpratio.db").account().seq == 16


def test_what_fails_before_the_charge_costs_nothing(ready: Call, folder: Path) -> None:
    (folder / "people.csv").write_text("score,lable\n0.5,1\n", encoding="utf-8")
    code, _, error = ready("release", "study.toml", "-o", "r.json")
    assert code == 4
    assert "column 'label' is not in the table" in error
    assert Ledger("dpratio.db").account().seq == 0


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
    released(call, "b.json", "--anchor", "books/heads")
    code, _, error = call("ledger", "show", "--ledger", "c.db")
    assert code == 11
    assert "there is no ledger 'c.db'" in error
    assert sorted(path.name for path in (folder / "books").iterdir()) == [
        "a.db",
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


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_a_release_is_published_again_into_another_file(
    ending: str, ready: Call, folder: Path
) -> None:
    name = released(ready, f"r.{ending}")
    (folder / "people.csv").unlink()
    released(ready, f"again.{ending}", "--id", name)
    first, again = (folder / f"{each}.{ending}" for each in ("r", "again"))
    assert again.read_bytes() == first.read_bytes()
    assert Ledger("dpratio.db").account().spent.loss * 2 == 1


def test_another_release_in_the_way_is_kept(ready: Call, folder: Path) -> None:
    name = released(ready, "a.json")
    released(ready, "b.json")
    kept = (folder / "b.json").read_bytes()
    words = ("release", "study.toml", "-o", "b.json", "--id", name)
    code, _, error = ready(*words)
    assert code == 5
    assert "'b.json' holds a release already" in error
    assert (folder / "b.json").read_bytes() == kept
    assert ready(*words, "--force")[0] == 0
    assert (folder / "b.json").read_bytes() == (folder / "a.json").read_bytes()


def test_another_format_or_plan_is_refused_for_an_id(ready: Call, folder: Path) -> None:
    name = released(ready)
    words = ("release", "study.toml", "-o", "r.parquet", "--id", name)
    code, _, error = ready(*words)
    assert code == 10
    assert f"release {name} was sealed as .json" in error
    text = STUDY.replace("epsilon = 0.5", "epsilon = 0.25")
    (folder / "study.toml").write_text(text, encoding="utf-8")
    code, _, error = ready("release", "study.toml", "-o", "s.json", "--id", name)
    assert code == 10
    assert f"release {name} belongs to another plan" in error


@pytest.mark.parametrize("name", ["r.json", "0" * 31, ""])
def test_what_is_no_id_is_refused(name: str, ready: Call) -> None:
    code, _, error = ready("release", "study.toml", "-o", "r.json", "--id", name)
    assert code == 3
    assert "a release id is 32 hexadecimal digits" in error


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
    released(ready, "b.json", "--scope", "main")
    book = Ledger("dpratio.db")
    assert [book.account(name).seq for name in ("loans", "main")] == [4, 4]
    text = f'{STUDY}scope = "loan"\n'
    (folder / "study.toml").write_text(text, encoding="utf-8")
    code, _, error = ready("release", "study.toml", "-o", "r.json")
    assert code == 10
    assert "there is no scope 'loan' in this ledger" in error
    released(ready, "c.json", "--no-ledger")


def test_show_asks_for_a_scope_where_there_are_several(ready: Call) -> None:
    assert ready("ledger", "init", "--epsilon", "1", "--scope", "loans")[0] == 0
    code, _, error = ready("ledger", "show")
    assert code == 10
    assert "name the scope of the data" in error
    code, out, _ = ready("ledger", "show", "--scope", "loans")
    assert code == 0
    assert out.startswith("Scope 'loans'")


# --- plan, approve, release -----------------------------------------------------------


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


# --- show -----------------------------------------------------------------------------


def test_show_says_where_an_empty_scope_stands(ready: Call) -> None:
    code, out, _ = ready("ledger", "show")
    assert code == 0
    assert out.endswith("\n\nNothing has been released.\n")


def test_show_lists_what_was_released(ready: Call) -> None:
    name = released(ready, "r.json", "--by", "Ada")
    code, out, _ = ready("ledger", "show")
    assert code == 0
    assert "Spent: epsilon 0.5, delta 0." in out
    head, row = out.splitlines()[-2:]
    assert head.split() == [
        "charged",
        "release",
        "state",
        "epsilon",
        "delta",
        "plan",
        "by",
    ]
    assert name in row
    assert row.endswith("Ada")


@pytest.mark.parametrize("plan", ["study.toml", "plan.json"])
def test_show_says_how_often_a_plan_fits(plan: str, ready: Call) -> None:
    assert ready("plan", "study.toml", "-o", "plan.json")[0] == 0
    code, out, _ = ready("ledger", "show", "--plan", plan)
    assert code == 0
    assert "This plan costs epsilon 0.5, delta 0: it fits 4 times." in out


def test_other_formats_hold_the_history_alone(ready: Call) -> None:
    empty = json.loads(ready("ledger", "show", "--format", "json")[1])
    assert empty == []
    name = released(ready, "r.json", "--by", "Ada")
    (row,) = json.loads(ready("ledger", "show", "--format", "json")[1])
    assert (row["release"], row["state"], row["by"]) == (name, "published", "Ada")
    assert row["epsilon"] == "0.5"
    text = ready("ledger", "show", "--format", "csv", "--plan", "study.toml")[1]
    assert list(csv.DictReader(io.StringIO(text))) == [row]
    marked = ready("ledger", "show", "--format", "markdown")[1].splitlines()
    assert len(marked) == 3
    assert marked[0].startswith("| charged | release | state | epsilon |")
    code, _, error = ready("ledger", "show", "--format", "xml")
    assert code == 3
    assert "unknown format, got 'xml'" in error


def test_a_zcdp_scope_is_shown_in_rho(call: Call) -> None:
    words = ("--epsilon", "5", "--delta", "1e-6", "--accounting", "zcdp")
    assert call("ledger", "init", *words)[0] == 0
    code, out, _ = call("release", "study.toml", "-o", "r.json")
    assert code == 0
    assert "Left: rho 0." in out
    out = call("ledger", "show")[1]
    for said in ("Caps: epsilon 5", "rho adds up to", "; together epsilon "):
        assert said in out


# --- void -----------------------------------------------------------------------------


def test_a_charge_is_given_back_before_data_were_opened(ready: Call) -> None:
    assert ready("plan", "study.toml", "-o", "plan.json")[0] == 0
    Ledger("dpratio.db").charge(ID, read_plan("plan.json"))
    code, out, _ = ready("ledger", "void", ID, "--by", "curator")
    assert (code, out) == (0, f"Release {ID} is void; its charge is given back.\n")
    account = Ledger("dpratio.db").account()
    assert account.spent.loss == 0
    assert account.releases[ID].said("void") == {"by": "curator"}


def test_what_was_released_is_not_given_back(ready: Call) -> None:
    name = released(ready)
    code, _, error = ready("ledger", "void", name)
    assert code == 10
    assert error == (
        f"LedgerRefused: release {name} is published, so it cannot be voided. A charge "
        "comes back only before data are opened.\n"
    )
    code, _, error = ready("ledger", "void", ID)
    assert code == 10
    assert f"release {ID} is not in this ledger" in error
    assert ready("ledger", "void", "r.json")[0] == 3


# --- verify ---------------------------------------------------------------------------


def test_a_sound_ledger_is_called_sound(ready: Call) -> None:
    name = released(ready)
    code, out, error = ready("ledger", "verify", "r.json")
    assert (code, error) == (0, "")
    head = Ledger("dpratio.db").account().head
    assert out.splitlines() == [
        f"Checked: scope 'main', 4 entries, head {head}.",
        f"Checked: release {name}.",
        "The ledger is sound.",
    ]


def test_an_edited_ledger_is_called_unsound_and_releases_nothing(
    ready: Call, folder: Path
) -> None:
    name = released(ready)
    spoil(folder)
    code, out, error = ready("ledger", "verify")
    assert code == 11
    assert "WRONG: the ledger was edited, damaged or rolled back: entry 1" in out
    assert error.startswith("LedgerFailed: The ledger is NOT sound.")
    for words in (
        ("release", "study.toml", "-o", "s.json"),
        ("release", "study.toml", "-o", "r.json", "--id", name),
        ("ledger", "show"),
        ("ledger", "approve", "study.toml"),
        ("ledger", "void", name),
    ):
        code, _, error = ready(*words)
        assert code == 11, words
        assert "the ledger was edited, damaged or rolled back" in error
    assert not (folder / "s.json").exists()


def test_a_release_that_the_ledger_does_not_know_is_found(ready: Call) -> None:
    released(ready, "r.json", "--no-ledger")
    code, out, _ = ready("ledger", "verify", "r.json")
    assert code == 11
    assert "was made without a ledger." in out
    assert ready("ledger", "verify", "none.json")[0] == 5
    code, _, error = ready("ledger", "verify", "r.json", "study.toml")
    assert code == 6
    assert error.startswith("DocumentRefused: study.toml: $: ")


@pytest.mark.parametrize(
    "words",
    [
        ("show",),
        ("verify",),
        ("void", ID),
        ("approve", "study.toml"),
    ],
)
def test_a_ledger_that_is_not_there_is_not_made(
    words: tuple[str, ...], call: Call, folder: Path
) -> None:
    before = sorted(folder.iterdir())
    code, _, error = call("ledger", *words)
    assert code == 11
    assert "there is no ledger 'dpratio.db'" in error
    assert "`dpratio ledger init`" in error
    assert sorted(folder.iterdir()) == before


def test_an_address_of_a_server_is_not_shown(call: Call) -> None:
    address = "postgresql://curator:SECRET@127.0.0.1:1/budget"
    code, out, error = call("ledger", "show", "--ledger", address)
    assert code == 11
    assert "the PostgreSQL ledger cannot be used" in error
    assert "SECRET" not in out + error


# --- Help, and what a release file tells ----------------------------------------------


def test_help_names_the_commands_and_their_environment(call: Call) -> None:
    code, out, _ = call("ledger", "--help")
    assert code == 0
    for name in ("init", "show", "verify", "void", "approve"):
        assert name in out
    _, out, _ = call("ledger", "show", "--help")
    assert "DPRATIO_LEDGER" in out
    assert "DPRATIO_ANCHOR" in out
    _, out, _ = call("--help")
    assert "10 ledger refused" in out
    assert "11 ledger failed" in out


def test_a_release_file_holds_nothing_of_the_ledger_but_its_head(
    call: Call, folder: Path
) -> None:
    words = ("--scope", "CANARY scope", "--dataset", "CANARY data")
    place = ("--ledger", "CANARY.db", "--anchor", "CANARY.heads")
    assert call("ledger", "init", "--epsilon", "7", *words, *place)[0] == 0
    released(call, "r.json", "--by", "CANARY by", *place)
    released(call, "r.parquet", "--by", "CANARY by", *place)
    head = read_release("r.json").ledger_head
    assert head is not None
    assert head in (folder / "r.json").read_text("utf-8")
    for name in ("r.json", "r.parquet"):
        assert b"CANARY" not in (folder / name).read_bytes()
    document = json.loads((folder / "r.json").read_text("utf-8"))
    assert document["ledger"] == head
    assert set(document) == {
        "format",
        "version",
        "id",
        "made_by",
        "simulated",
        "origin",
        "sources",
        "ledger",
        "plan",
        "parts",
        "values",
        "sha256",
    }
