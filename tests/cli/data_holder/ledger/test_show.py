"""`dpratio ledger show`: where a scope stands, and what was released."""

import csv
import io
import json

import pytest

from cli.commands_for_tests import Call, is_refused
from cli.data_holder.ledger.charged import released


def test_show_asks_for_a_scope_where_there_are_several(ready: Call) -> None:
    assert ready("ledger", "init", "--epsilon", "1", "--scope", "loans")[0] == 0
    assert is_refused(ready("ledger", "show"), 10, "name the scope of the data")
    code, out, _ = ready("ledger", "show", "--scope", "loans")
    assert code == 0
    assert out.startswith("Scope 'loans'")


def test_show_says_where_an_empty_scope_stands(ready: Call) -> None:
    code, out, _ = ready("ledger", "show")
    assert code == 0
    assert out.endswith("\n\nNothing has been released.\n")


def test_show_lists_what_was_released(ready: Call) -> None:
    name = released(ready, "r.json", "--by", "Ada")
    code, out, _ = ready("ledger", "show", "--wide")
    assert code == 0
    assert "Spent: epsilon 0.5, delta 0." in out
    head, _, row = out.splitlines()[-3:]
    assert head.split() == [
        "charged",
        "release",
        "state",
        "epsilon",
        "delta",
        "plan",
        "by",
        "source",
        "source_hash",
    ]
    assert name in row
    assert "Ada  files 'people.csv', delimiter ',', quote" in row


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
    done = ready("ledger", "show", "--format", "xml")
    assert is_refused(done, 3, "unknown format, got 'xml'")


def test_a_zcdp_scope_is_shown_in_rho(call: Call) -> None:
    words = ("--epsilon", "5", "--delta", "1e-6", "--accounting", "zcdp")
    assert call("ledger", "init", *words)[0] == 0
    code, out, _ = call("release", "study.toml", "-o", "r.json")
    assert code == 0
    assert "Left: rho 0." in out
    out = call("ledger", "show")[1]
    for said in ("Caps: epsilon 5", "rho adds up to", "; together epsilon "):
        assert said in out


def test_an_address_of_a_server_is_not_shown(call: Call) -> None:
    address = "postgresql://curator:SECRET@127.0.0.1:1/budget"
    code, out, error = call("ledger", "show", "--ledger", address)
    assert code == 11
    assert "the PostgreSQL ledger cannot be used" in error
    assert "SECRET" not in out + error
