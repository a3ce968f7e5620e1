"""A bound that was read off the rows cannot pass for one that was found with noise."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from curator.histograms_for_tests import study_of
from dpratio.analyst.bounds.propose_bounds import propose_bounds
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.account.source import meant_source
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_bounds import release_bounds
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.plan_bounds import plan_bounds
from dpratio.terms.bounds import Bounds, Proposed
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

LARGEST = 777.0  # What one person spent: a bound of it tells that they are there.
COUNT = 1000
TABLE: dict[str, Any] = {
    "user": list(range(COUNT)),
    "spent": [LARGEST] + [5.0] * (COUNT - 1),
    "orders": [1.0] * COUNT,
    "region": ["north"] * COUNT,
}
ROWS = {name: TABLE[name] for name in ("spent", "orders")}
ORDERS = {"orders": Bounds(0, 4)}
ONE = Budget(1)


@pytest.fixture(params=["sqlite", "postgres"])
def book(request: pytest.FixtureRequest, tmp_path: Path) -> Ledger:
    """A ledger with two scopes, in a file and on a server."""
    is_file = request.param == "sqlite"
    place = tmp_path / "b.db" if is_file else request.getfixturevalue("postgres_url")
    ledger = Ledger(place)
    for name in ("shop", "other"):
        ledger.open_scope(Scope(name, Budget(100)))
    return ledger


def plan_of(found: Bounds, **terms: Any) -> Plan:  # noqa: ANN401
    return make_plan(study_of(bounds={**ORDERS, "spent": found}, **terms))


def found_in(book: Ledger, **door: Any) -> Bounds:  # noqa: ANN401
    """Buy histograms of what was spent; give the bounds that they propose."""
    given = {"ledger": book, "scope": "shop", "source": "visits", **door}
    release = release_bounds(ROWS, study_of(bounds=ORDERS), budget=ONE, **given)
    (found,) = propose_bounds(release, budget=ONE).bounds.values()
    return found


def is_refused(book: Ledger, plan: Plan, table: Any = ROWS, **door: Any) -> bool:  # noqa: ANN401
    """Ask for a plan; tell whether it was refused, and nothing charged for it."""
    given = {"ledger": book, "scope": "shop", "source": "visits", **door}
    before = [book.account(each).spent for each in book.scopes()]
    try:
        release_sums(table, plan, **given)
    except LedgerRefused:
        return [book.account(each).spent for each in book.scopes()] == before
    return False


def test_19_a_bound_of_the_largest_value_is_not_one_that_was_found(
    book: Ledger,
) -> None:
    """A hand-written bound under the id of a true release is refused; so is its price.

    Source: the rule of the issue that asked for proposals, 2026.
    """
    found = found_in(book)
    for forged in (
        replace(found, upper=LARGEST),
        replace(found, upper=found.upper / 2 + 1),
        replace(found, lower=-found.upper),
        replace(found, proposed=Proposed(found.proposed.release_id, Fraction(1, 9))),  # type: ignore[union-attr]
    ):
        assert is_refused(book, plan_of(forged))
    assert not is_refused(book, plan_of(found))


def test_19_what_a_bound_names_must_be_a_release_of_histograms_in_the_scope(
    book: Ledger,
) -> None:
    """No id of nobody, of a mere charge, of sums, of invented people, of another scope.

    Source: the rule of the issue that asked for proposals, 2026.
    """
    found = found_in(book)
    given: dict[str, Any] = {"ledger": book, "scope": "shop", "source": "visits"}
    sums = release_sums(ROWS, plan_of(found), **given)
    study = study_of(bounds=ORDERS)
    invented = release_bounds(
        ROWS, study, budget=ONE, limits=(0.5, 1e6), simulated=True, **given
    )
    upper = propose_bounds(invented, budget=ONE).bounds["spent"].upper
    read = meant_source("visits")
    book.charge("e" * 32, plan_of(Bounds(0, 8)), source=read, scope="shop")
    names = {"f" * 32: 8.0, "e" * 32: 8.0, sums.id: 8.0, invented.id: upper}
    for name, end in names.items():
        claimed = Bounds(0, end, proposed=Proposed(name, Fraction(1)))
        assert is_refused(book, plan_of(claimed))
    assert is_refused(book, plan_of(found), scope="other", source="others")


def test_19_a_bound_that_was_found_in_another_table_is_refused(book: Ledger) -> None:
    """It says nothing of these rows, and the release would say that it does.

    Source: the rule of the issue that asked for proposals, 2026.
    """
    plan = plan_of(found_in(book))
    assert is_refused(book, plan, source="night")
    with pytest.raises(LedgerRefused, match="without a name"):
        book.charge("c" * 32, plan, scope="shop")


def test_19_a_bound_of_one_column_is_not_that_of_another(book: Ledger) -> None:
    """Nor is a bound of totals in one group that of all totals, or that of rows.

    Source: the rule of the issue that asked for proposals, 2026.
    """
    bounds = {"spent": Bounds(0, 8), "orders": found_in(book)}
    assert is_refused(book, make_plan(study_of(bounds=bounds)))
    book.open_scope(Scope("people", Budget(100), unit="user"))
    given: dict[str, Any] = {"ledger": book, "scope": "people", "source": "people"}
    unit, north = PrivacyUnit("user"), Groups("region", ["north"])
    study = study_of(bounds=ORDERS, unit=unit, groups=north)
    counted = release_bounds(TABLE, study, budget=ONE, columns=["spent"], **given)
    (found,) = propose_bounds(counted, budget=ONE).bounds.values()
    totals = {"spent": found, "orders": Bounds(0, 4)}
    rows = {"spent": Bounds(0, 8), **ORDERS}

    def plan(groups: Groups | None, **changed: Any) -> Plan:  # noqa: ANN401
        own = replace(unit, **{"totals": totals, **changed})
        return make_plan(study_of(bounds=rows, unit=own, groups=groups))

    assert is_refused(book, plan(None), TABLE, **given)
    assert is_refused(book, plan(north, most_groups=2), TABLE, **given)
    assert is_refused(book, plan(north, key="other"), TABLE, **given)
    assert not is_refused(book, plan(north), TABLE, **given)
    rows["spent"], totals["spent"] = found, Bounds(0, 8)
    assert is_refused(book, plan(north), TABLE, **given)


def test_19_without_a_ledger_nobody_can_tell_what_was_found(tmp_path: Path) -> None:
    """A claim that nobody checks is refused before the table is opened.

    Source: the rule of the issue that asked for proposals, 2026.
    """
    claimed = Bounds(0, 8, proposed=Proposed("f" * 32, Fraction(1)))
    with pytest.raises(LedgerRefused, match="no ledger was named"):
        release_sums(tmp_path / "nowhere.parquet", plan_of(claimed), ledger=None)


def test_19_a_single_step_around_a_bound_does_not_find_it(book: Ledger) -> None:
    """Counts on each side of one power of two propose it, or twice as much.

    Source: found by an independent attack on this code, 2026.
    """
    plan = plan_bounds(study_of(), budget=ONE, columns=["spent"], limits=(4, 8))
    given: dict[str, Any] = {"ledger": book, "scope": "shop", "source": "visits"}
    checked = release_sums(ROWS, plan, **given)
    for upper in (1.0, 2.0, 4.0, 8.0, 16.0):
        claimed = Bounds(0, upper, proposed=Proposed(checked.id, Fraction(1)))
        assert is_refused(book, plan_of(claimed))


def test_19_who_draws_again_until_noise_is_kind_found_nothing(book: Ledger) -> None:
    """Histograms cost little where they are noise alone, and may propose anything.

    Source: found by an independent attack on this code, 2026.
    """
    first, second = found_in(book), found_in(book, new_draw=True)
    assert is_refused(book, plan_of(second))
    assert not is_refused(book, plan_of(first))


def test_19_the_totals_of_a_question_are_no_way_around(tmp_path: Path) -> None:
    """A bound that a question gives by itself is looked up as any other.

    Source: found by an independent attack on this code, 2026.
    """
    forged = Bounds(0, LARGEST, proposed=Proposed("f" * 32, Fraction(1, 100)))
    ratio = Ratio("spent", per="orders")
    asked = Question(ratio, groups=None, totals={"spent": forged})
    unit = PrivacyUnit("user", totals={"orders": Bounds(0, 4)})
    rows = {**ORDERS, "spent": Bounds(0, 1000)}
    plan = make_plan(Study(asked, bounds=rows, budget=ONE, unit=unit))
    ledger = Ledger(tmp_path / "b.db")
    ledger.open_scope(Scope("shop", Budget(100), unit="user"))
    assert is_refused(ledger, plan, TABLE)
    with pytest.raises(LedgerRefused, match="no ledger was named"):
        release_sums(TABLE, plan, ledger=None)
