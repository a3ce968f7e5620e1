"""Bounds that name a release are those that it proposes, or nothing is charged."""

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from curator.histograms_for_tests import study_of
from dpratio.analyst.bounds.propose_bounds import propose_bounds
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.preflight import check_release
from dpratio.curator.release_bounds import release_bounds
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds, Proposed
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups
from dpratio.terms.question import Question
from dpratio.terms.ratio import Ratio
from dpratio.terms.study import Study
from dpratio.terms.unit import PrivacyUnit

# All alike, and far more than noise: some bound is proposed, whatever is drawn.
TABLE: dict[str, Any] = {
    "user": list(range(2000)),
    "spent": [5.0] * 2000,
    "orders": [1.0] * 2000,
    "weight": [1.0] * 2000,
    "region": ["north", "south"] * 1000,
}
ROWS = {name: TABLE[name] for name in ("spent", "orders")}
ORDERS = {"orders": Bounds(0, 4)}
HALF = Budget("0.5")
USERS = PrivacyUnit("user")
NORTH = Groups("region", ["north"])


@dataclass
class Shop:
    """A ledger, and a release of histograms of what was spent that it holds."""

    ledger: Ledger
    release: Release

    @property
    def found(self) -> Bounds:
        return propose_bounds(self.release, budget=Budget(1)).bounds["spent"]

    def refusal(self, plan: Plan, table: object = None, **given: Any) -> str:  # noqa: ANN401
        """Ask for a plan, which must be refused: why, in a release and before one."""
        before = [self.ledger.account(each) for each in self.ledger.scopes()]
        asked = {"ledger": self.ledger, "scope": "shop", "source": "visits", **given}
        read = ROWS if table is None else table
        with pytest.raises(LedgerRefused) as refused:
            release_sums(read, plan, **asked)
        with pytest.raises(LedgerRefused) as checked:
            check_release(read, plan, **asked)
        assert str(checked.value) == str(refused.value)
        assert [self.ledger.account(each) for each in self.ledger.scopes()] == before
        return str(refused.value)


def plan_with(found: Bounds, **terms: Any) -> Plan:  # noqa: ANN401
    """The plan of spending per order within such bounds."""
    return make_plan(study_of(bounds={**ORDERS, "spent": found}, **terms))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A shop whose ledger has a second scope, and a release that is no histogram."""
    ledger = Ledger(tmp_path_factory.mktemp("shop") / "ledger.sqlite")
    for name in ("shop", "other"):
        ledger.open_scope(Scope(name, Budget(100)))
    given: dict[str, Any] = {"ledger": ledger, "scope": "shop", "source": "visits"}
    release = release_bounds(ROWS, study_of(bounds=ORDERS), budget=HALF, **given)
    return Shop(ledger, release)


def test_a_plan_takes_what_a_release_in_its_scope_proposes(
    ledger: Ledger, tmp_path: Path
) -> None:
    """On a file and on a server; plan, release and ledger say where it came from."""
    ledger.open_scope(Scope("shop", Budget(100)))
    given: dict[str, Any] = {"ledger": ledger, "scope": "shop", "source": "visits"}
    out = tmp_path / "bounds.json"
    release = release_bounds(
        ROWS, study_of(bounds=ORDERS), budget=HALF, out=out, **given
    )
    found = propose_bounds(release, budget=Budget(1)).bounds["spent"]
    assert found.proposed == Proposed(release.id, Fraction(1, 2))
    plan = plan_with(found)
    said = f"proposed by release {release.id} at epsilon 0.5"
    assert said in str(plan)
    check_release(ROWS, plan, **given)
    sums = release_sums(ROWS, plan, **given)
    assert sums.plan.bounds["spent"] == found
    history = ledger.history("shop")
    assert history.columns()["plan"][1].endswith(f", bounds by {release.id[:12]}")
    assert ledger.account("shop").spent.loss == Fraction(3, 2)
    # Asked again it is given again, and a new draw is admitted again.
    assert release_sums(ROWS, plan, release_id=sums.id, **given) == sums
    assert release_sums(ROWS, plan, new_draw=True, **given) != sums


@pytest.mark.parametrize(
    "other",
    [
        lambda found: replace(found, upper=found.upper * 2),
        lambda found: replace(found, upper=found.upper - 1),
        lambda found: replace(found, lower=-1.0),
    ],
)
def test_other_bounds_than_those_proposed_are_refused(shop: Shop, other: Any) -> None:  # noqa: ANN401
    said = shop.refusal(plan_with(other(shop.found)))
    assert f"For epsilon 1 that release proposes 0 to {shop.found.upper:g}." in said
    assert "Take what propose_bounds gives for the budget of the study." in said


def test_what_was_not_proposed_at_all_is_refused(tmp_path: Path) -> None:
    """Numbers reached beyond the outer limits, so no bound of them was found."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_scope(Scope("shop", Budget(100)))
    given: dict[str, Any] = {"ledger": ledger, "scope": "shop", "source": "visits"}
    study, limits = study_of(bounds=ORDERS), (1, 4)
    release = release_bounds(ROWS, study, budget=HALF, limits=limits, **given)
    none = Bounds(0, 8, proposed=Proposed(release.id, Fraction(1, 2)))
    said = Shop(ledger, release).refusal(plan_with(none))
    assert "that release proposes nothing" in said


def test_another_price_than_was_paid_is_refused(shop: Shop) -> None:
    free = replace(shop.found, proposed=Proposed(shop.release.id, Fraction(1, 100)))
    assert "which cost epsilon 0.5. Write that." in shop.refusal(plan_with(free))


def test_a_release_that_the_scope_does_not_hold_is_refused(shop: Shop) -> None:
    words = "is not sealed in scope"
    unknown = replace(shop.found, proposed=Proposed("f" * 32, Fraction(1, 2)))
    assert f"{words} 'shop'" in shop.refusal(plan_with(unknown))
    said = shop.refusal(plan_with(shop.found), scope="other", source="others")
    assert f"{words} 'other'. Release histograms in this scope" in said


def test_a_release_that_was_charged_and_not_sealed_proposes_nothing(
    tmp_path: Path,
) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_scope(Scope("shop", Budget(100)))
    ledger.charge("a" * 32, plan_with(Bounds(0, 8)))
    claimed = Bounds(0, 8, proposed=Proposed("a" * 32, Fraction(1)))
    plan = plan_with(claimed)
    with pytest.raises(LedgerRefused, match="is not sealed in scope 'shop'"):
        ledger.charge("b" * 32, plan)


def test_another_source_is_refused(shop: Shop) -> None:
    plan = plan_with(shop.found)
    assert "which read another source" in shop.refusal(plan, source="night")
    ledger = shop.ledger
    with pytest.raises(LedgerRefused, match="without a name may be another one"):
        ledger.charge("c" * 32, plan, scope="shop")


@pytest.mark.parametrize("simulated", [True, False])
def test_what_is_no_histogram_of_real_people_is_refused(
    shop: Shop, tmp_path: Path, *, simulated: bool
) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_scope(Scope("shop", Budget(100)))
    given: dict[str, Any] = {"ledger": ledger, "scope": "shop", "source": "visits"}
    study = study_of(bounds=ORDERS)
    if simulated:
        release = release_bounds(ROWS, study, budget=HALF, simulated=True, **given)
        plain = propose_bounds(release, budget=Budget(1)).bounds["spent"]
        assert plain.proposed is None
    else:
        release = release_sums(ROWS, plan_with(Bounds(0, 8), budget=HALF), **given)
    claimed = replace(shop.found, proposed=Proposed(release.id, Fraction(1, 2)))
    said = Shop(ledger, release).refusal(plan_with(claimed))
    assert "which holds no histograms of real people" in said


def test_another_column_is_refused(shop: Shop) -> None:
    bounds = {"spent": Bounds(0, 8), "orders": shop.found}
    said = shop.refusal(make_plan(study_of(bounds=bounds)))
    assert "the bounds of 'orders' are proposed by release" in said
    assert "which counted 'spent'. With ids totals are counted" in said


def test_a_release_without_a_ledger_names_no_origin_and_takes_none(shop: Shop) -> None:
    study = study_of(bounds=ORDERS)
    release = release_bounds(ROWS, study, budget=HALF, ledger=None)
    found = propose_bounds(release, budget=Budget(1)).bounds["spent"]
    assert found.proposed is None
    release_sums(ROWS, plan_with(found), ledger=None)
    for door in (release_sums, check_release):
        with pytest.raises(LedgerRefused, match="no ledger was named that holds"):
            door(ROWS, plan_with(shop.found), ledger=None)


# --- People with many rows ------------------------------------------------------------


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """A shop whose histogram counted each person's total in one region."""
    ledger = Ledger(tmp_path_factory.mktemp("people") / "ledger.sqlite")
    ledger.open_scope(Scope("shop", Budget(100), unit="user"))
    release = release_bounds(
        TABLE,
        study_of(bounds=ORDERS, unit=USERS, groups=NORTH),
        budget=HALF,
        columns=["spent"],
        ledger=ledger,
        source="visits",
    )
    return Shop(ledger, release)


def people_plan(found: Bounds, unit: PrivacyUnit = USERS, **terms: Any) -> Plan:  # noqa: ANN401
    """The plan of spending per order of people, within such totals."""
    totals = {"spent": found, "orders": Bounds(0, 4)}
    rows = terms.pop("bounds", {"spent": Bounds(0, 8), **ORDERS})
    given = {"groups": NORTH, "bounds": rows, **terms}
    return make_plan(study_of(unit=replace(unit, totals=totals), **given))


def test_a_total_takes_what_a_histogram_of_it_proposes(people: Shop) -> None:
    given: dict[str, Any] = {"ledger": people.ledger, "source": "visits"}
    sums = release_sums(TABLE, people_plan(people.found), **given)
    assert sums.plan.unit.totals["spent"] == people.found
    assert f"proposed by release {people.release.id}" in str(sums.plan)


def test_another_unit_is_refused(people: Shop) -> None:
    twice = replace(USERS, most_groups=2)
    said = people.refusal(people_plan(people.found, twice), TABLE)
    assert "in at most 1 group, add-or-remove-one; the plan protects all rows" in said
    assert "Release histograms for this unit." in said


@pytest.mark.parametrize(
    "terms",
    [
        {"groups": None},
        {"groups": Groups("region", ["south"])},
        {"groups": [NORTH, None]},
        {
            "weight": "weight",
            "bounds": {**ORDERS, "weight": Bounds(0, 1), "spent": Bounds(0, 8)},
        },
    ],
)
def test_totals_of_other_groups_or_weights_are_refused(
    people: Shop, terms: dict[str, Any]
) -> None:
    said = people.refusal(people_plan(people.found, **terms), TABLE)
    assert "which counted 'spent'. With ids totals are counted, for one weight" in said


def test_the_bounds_of_rows_are_not_those_of_totals(people: Shop) -> None:
    rows = {"spent": people.found, **ORDERS}
    said = people.refusal(people_plan(Bounds(0, 8), bounds=rows), TABLE)
    assert "which counted 'spent'. With ids totals are counted" in said


def own_plan(found: Bounds) -> Plan:
    """The same, where the totals of what was spent are those of one question."""
    ratio, totals = (
        Ratio("spent", per="orders"),
        {"spent": found, "orders": Bounds(0, 2)},
    )
    asked = [Question(ratio, groups=NORTH, totals=totals)]
    unit = replace(USERS, totals={"spent": Bounds(0, 1), "orders": Bounds(0, 4)})
    asked.append(Question(ratio, groups=None))
    rows = {"spent": Bounds(0, 8), **ORDERS}
    return make_plan(Study(asked, bounds=rows, budget=Budget(1), unit=unit))


def test_the_totals_of_a_question_are_held_to_what_was_counted(people: Shop) -> None:
    assert "that release proposes" in people.refusal(
        own_plan(replace(people.found, upper=777.0)), TABLE
    )
    nobody = Bounds(0, 8, proposed=Proposed("f" * 32, Fraction(1, 2)))
    assert "is not sealed in scope" in people.refusal(own_plan(nobody), TABLE)
    with pytest.raises(LedgerRefused, match="no ledger was named that holds"):
        release_sums(TABLE, own_plan(people.found), ledger=None)
    given: dict[str, Any] = {"ledger": people.ledger, "source": "visits"}
    released = release_sums(TABLE, own_plan(people.found), **given)
    held = people.ledger.account("shop").releases[released.id]
    assert held.said("charge")["bounds_by"] == people.release.id


def test_only_the_first_of_several_draws_proposes(shop: Shop) -> None:
    again = release_bounds(
        ROWS,
        study_of(bounds=ORDERS),
        budget=HALF,
        ledger=shop.ledger,
        scope="shop",
        source="visits",
        new_draw=True,
    )
    found = propose_bounds(again, budget=Budget(1)).bounds["spent"]
    said = shop.refusal(plan_with(found))
    assert f"drew again what release {shop.release.id} had counted" in said
