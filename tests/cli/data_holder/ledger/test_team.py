"""`dpratio ledger roles`, `withdraw`, `close` and `quarantine`."""

import uuid

import psycopg

from cli.commands_for_tests import Call, is_refused
from curator.ledger.junk import write_past
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.store.server_roles import ROLES, roles_script


def test_the_script_of_roles_is_printed(call: Call) -> None:
    code, out, _ = call("ledger", "roles")
    assert code == 0
    assert out == roles_script("dpratio")
    assert out.startswith("BEGIN;\n")
    assert "GRANT SELECT ON ALL TABLES IN SCHEMA dpratio TO dpratio_curator" in out
    done = call("ledger", "roles", "--prefix", "a;b")
    assert is_refused(done, 3, "a prefix must be a plain name")


def test_the_roles_are_made_on_a_server(call: Call, postgres_url: str) -> None:
    prefix = f"t{uuid.uuid4().hex[:8]}"
    words = ("ledger", "roles", "--run", "--prefix", prefix, "--ledger", postgres_url)
    assert is_refused(call(*words), 11, "holds no ledger")
    assert call("ledger", "init", "--epsilon", "1", "--ledger", postgres_url)[0] == 0
    for _ in range(2):
        code, out, _ = call(*words)
        assert (code, out.startswith(f"The roles {prefix}_owner, ")) == (0, True)
    assert call("ledger", "verify", "--ledger", postgres_url)[0] == 0
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        for role in ROLES:
            connection.execute(f"DROP OWNED BY {prefix}_{role} CASCADE".encode())
            connection.execute(f"DROP ROLE {prefix}_{role}".encode())


def test_a_file_has_no_roles(call: Call) -> None:
    assert call("ledger", "init", "--epsilon", "1")[0] == 0
    done = call("ledger", "roles", "--run")
    assert is_refused(done, 10, "a ledger in a file has no roles")


def test_an_approval_is_limited_withdrawn_and_shown(call: Call) -> None:
    assert call("ledger", "init", "--epsilon", "2", "--approval")[0] == 0
    limits = ("--most", "1", "--until", "2999-12-31", "--by", "olga")
    assert call("ledger", "approve", "study.toml", *limits)[0] == 0
    _, out, _ = call("ledger", "show")
    assert "by olga; 0 of 1 used, until 2999-12-31, open." in " ".join(out.split())
    assert call("release", "study.toml", "-o", "r.json")[0] == 0
    code, _, error = call("release", "study.toml", "-o", "s.json", "--new-draw")
    assert code == 10
    assert "by olga, line 1 of the ledger, was for 1 release, and that many" in error
    assert call("ledger", "approve", "study.toml", "--by", "olga")[0] == 0
    code, out, _ = call("ledger", "withdraw", "6", "--by", "pia")
    assert (code, out) == (0, "The approval on line 6 is withdrawn.\n")
    done = call("release", "study.toml", "-o", "s.json", "--new-draw")
    assert is_refused(done, 10, "was withdrawn on")
    done = call("ledger", "withdraw", "2")
    assert is_refused(done, 10, "there is no approval on line 2 of scope 'main'")
    for wrong in (("--most", "0"), ("--until", "soon")):
        assert call("ledger", "approve", "study.toml", *wrong)[0] == 3


def test_who_asks_must_not_be_who_approved(call: Call) -> None:
    assert call("ledger", "init", "--epsilon", "2", "--approvals-by-others")[0] == 0
    done = call("ledger", "approve", "study.toml")
    assert is_refused(done, 3, "scope 'main' needs to know who approves")
    assert call("ledger", "approve", "study.toml", "--by", "olga")[0] == 0
    words = ("release", "study.toml", "-o", "r.json")
    for own in ((), ("--by", "olga")):
        assert is_refused(call(*words, *own), 10, "must come from another person")
    assert call(*words, "--by", "ann")[0] == 0
    out = call("ledger", "show")[1]
    assert "Only studies that somebody else approved run: 1 so far." in out


def test_a_line_is_set_aside_on_the_record(ready: Call) -> None:
    write_past(Ledger("dpratio.db"), scope="main")
    assert ready("release", "study.toml", "-o", "r.json")[0] == 11
    assert ready("ledger", "quarantine", "1")[0] == 2
    words = ("ledger", "quarantine", "1", "--why", "written by hand", "--by", "otto")
    code, out, _ = ready(*words)
    assert code == 0
    said = " ".join(out.split())
    assert said.startswith("Set aside: line 1 of scope 'main', written by somebody")
    assert "otto set it aside on" in said
    code, out, _ = ready("ledger", "verify")
    assert code == 0
    assert out.endswith("The ledger is sound but for 1 line in quarantine.\n")
    assert ready("release", "study.toml", "-o", "r.json")[0] == 0
    code, _, error = ready(*words)
    assert code == 10
    assert "line 1 of scope 'main' can be followed, is set aside already" in error


def test_a_scope_that_was_a_mistake_is_closed(ready: Call) -> None:
    assert ready("ledger", "init", "--epsilon", "30", "--scope", "much")[0] == 0
    done = ready("release", "study.toml", "-o", "r.json")
    assert is_refused(done, 10, "name the scope of the data")
    code, out, _ = ready("ledger", "close", "much", "--why", "a slip", "--by", "otto")
    assert (code, out) == (
        0,
        "Scope 'much' is closed for good; nothing was charged to it.\n",
    )
    assert "otto: a slip." in " ".join(ready("ledger", "verify")[1].split())
    assert ready("release", "study.toml", "-o", "r.json")[0] == 0
    assert is_refused(ready("ledger", "close", "main"), 10, "scope 'main' is in use")
