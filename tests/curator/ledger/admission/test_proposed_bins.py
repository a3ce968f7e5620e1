"""Bins that name a release are those that it proposes, or nothing is charged."""

from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from curator.bins_for_tests import BOUNDS, study_of
from dpratio.analyst.bounds.propose_bins import propose_bins
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.preflight import check_release
from dpratio.curator.release_bins import release_bins
from dpratio.curator.release_bounds import release_bounds
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.dimensions import ScoreBins
from dpratio.terms.groups import Groups
from dpratio.terms.unit import PrivacyUnit

COUNT = 4000
TABLE: dict[str, Any] = {
    "score": [0.1 + at / 5000 for at in range(COUNT)],
    "label": [1] * COUNT,
    "age": [float(at % 90) for at in range(COUNT)],
}
HALF = Budget("0.5")


@dataclass
class Bank:
    """A ledger that holds a histogram of the score, and the bins it proposes."""

    ledger: Ledger
    bins: ScoreBins

    @property
    def door(self) -> dict[str, Any]:
        return {"ledger": self.ledger, "scope": "bank", "source": "loans"}

    def refusal(self, plan: Plan, table: Any = TABLE, **given: Any) -> str:  # noqa: ANN401
        """Ask for a plan, which must be refused: why, in a release and before one."""
        before = [self.ledger.account(each) for each in self.ledger.scopes()]
        asked = {**self.door, **given}
        with pytest.raises(LedgerRefused) as refused:
            release_sums(table, plan, **asked)
        with pytest.raises(LedgerRefused) as checked:
            check_release(table, plan, **asked)
        assert str(checked.value) == str(refused.value)
        assert [self.ledger.account(each) for each in self.ledger.scopes()] == before
        return str(refused.value)

    def claim(self, edges: Any = None, asked: int = 4, **named: Any) -> ScoreBins:  # noqa: ANN401
        """Claim edges, by default those that were found, by that release."""
        assert self.bins.proposed is not None
        origin = {"by": self.bins.proposed.release_id, "epsilon": "0.5", **named}
        held = self.bins.edges if edges is None else edges
        return ScoreBins.quantiles("score", asked, held, **origin)


def plan_with(bins: ScoreBins, **terms: Any) -> Plan:  # noqa: ANN401
    """The plan of scores per label in such bins."""
    return make_plan(study_of(groups=bins, **terms))


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    ledger = Ledger(tmp_path_factory.mktemp("bank") / "ledger.sqlite")
    for name in ("bank", "other"):
        ledger.open_scope(Scope(name, Budget(100)))
    given: dict[str, Any] = {"ledger": ledger, "scope": "bank", "source": "loans"}
    release = release_bins(TABLE, study_of(), "score", budget=HALF, cells=64, **given)
    bins = propose_bins(release, 4).bins
    assert bins is not None
    return Bank(ledger, bins)


def test_a_plan_takes_what_a_release_in_its_scope_proposes(
    ledger: Ledger, tmp_path: Path
) -> None:
    """On a file and on a server; plan, release and ledger say where it came from."""
    ledger.open_scope(Scope("bank", Budget(100)))
    given: dict[str, Any] = {"ledger": ledger, "scope": "bank", "source": "loans"}
    out = tmp_path / "bins.json"
    release = release_bins(TABLE, study_of(), "score", budget=HALF, out=out, **given)
    bins = propose_bins(release, 4).bins
    assert bins is not None
    plan = plan_with(bins)
    check_release(TABLE, plan, **given)
    sums = release_sums(TABLE, plan, **given)
    assert sums.questions[0].groups == Groups.cross(bins)
    history = ledger.history("bank")
    assert history.columns()["plan"][1].endswith(f", bounds by {release.id[:12]}")
    assert ledger.account("bank").spent.loss == Fraction(3, 2)
    crossed = Groups.cross(Groups("label", [0, 1]).dimensions[0], bins)
    assert crossed.dimensions[1] == bins


def test_other_edges_than_those_proposed_are_refused(bank: Bank) -> None:
    found = bank.bins.edges
    for edges in (
        [found[0], 0.4321, *found[2:]],
        [*found[:-2], found[-1]],
        [found[0], found[-1]],
    ):
        said = bank.refusal(plan_with(bank.claim(edges)))
        assert f"That release proposes {list(found)}." in said
        assert "Or write the bins by judgement, without the release." in said
    # For another number of bins other edges are proposed.
    assert "That release proposes" in bank.refusal(plan_with(bank.claim(asked=3)))


def test_the_price_the_scope_the_source_and_the_unit_must_be_those(bank: Bank) -> None:
    cheap = bank.claim(epsilon="0.01")
    assert "which cost epsilon 0.5. Write that." in bank.refusal(plan_with(cheap))
    unknown = bank.claim(by="f" * 32)
    said = bank.refusal(plan_with(unknown))
    assert "the bins of 'score' are proposed by release" in said
    assert "is not sealed in scope 'bank'" in said
    plan = plan_with(bank.bins)
    said = bank.refusal(plan, scope="other", source="others")
    assert "is not sealed in scope 'other'" in said
    assert "which read another source" in bank.refusal(plan, source="night")
    with pytest.raises(LedgerRefused, match="without a name may be another"):
        bank.ledger.charge("c" * 32, plan, scope="bank")


def test_bins_of_people_are_for_as_many_groups(bank: Bank) -> None:
    bank.ledger.open_scope(Scope("people", Budget(100), unit="user"))
    door = {**bank.door, "scope": "people", "source": "people"}
    table = {**TABLE, "user": list(range(COUNT))}
    unit = PrivacyUnit("user", totals={"score": Bounds(0, 1), "label": Bounds(0, 1)})
    study = study_of(unit=unit)
    release = release_bins(table, study, "score", budget=HALF, cells=16, **door)
    bins = propose_bins(release, 4).bins
    assert bins is not None
    two = plan_with(bins, unit=replace(unit, most_groups=2))
    said = bank.refusal(two, table, scope="people", source="people")
    assert "Release histograms for this unit. Or write the bins" in said
    release_sums(table, plan_with(bins, unit=unit), **door)


def test_another_column_and_other_bounds_are_refused(bank: Bank) -> None:
    bounds = {**BOUNDS, "age": Bounds(0.1, 0.9)}
    origin = {"by": bank.bins.proposed.release_id, "epsilon": "0.5"}  # type: ignore[union-attr]
    aged = ScoreBins.quantiles("age", 4, bank.bins.edges, **origin)
    said = bank.refusal(plan_with(aged, bounds=bounds))
    assert "which counted 'score' from 0.1 to 0.9." in said
    wider = {**BOUNDS, "score": Bounds(0, 1)}
    said = bank.refusal(plan_with(bank.bins, bounds=wider))
    assert "which counted 'score' from 0.1 to 0.9." in said


def test_other_releases_propose_no_bins(bank: Bank) -> None:
    """Sums, histograms on a ladder, and bins that somebody declared one by one."""
    labels = {"label": Bounds.binary()}
    ladder = release_bounds(
        TABLE, study_of(bounds=labels), budget=HALF, columns=["score"], **bank.door
    )
    sums = release_sums(TABLE, make_plan(study_of(budget=HALF)), **bank.door)
    for other in (ladder, sums):
        said = bank.refusal(plan_with(bank.claim(by=other.id)))
        assert "Name a release that `dpratio bounds` made for bins." in said


def test_too_little_known_proposes_nothing(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.open_scope(Scope("bank", Budget(100)))
    given: dict[str, Any] = {"ledger": ledger, "scope": "bank", "source": "loans"}
    few = {name: held[:1] for name, held in TABLE.items()}
    tiny = Budget("0.001")
    release = release_bins(few, study_of(), "score", budget=tiny, cells=16, **given)
    counts = release.questions[0].values[:, 0]
    claimed = ScoreBins.quantiles(
        "score", 2, [0.1, 0.123, 0.9], by=release.id, epsilon="0.001"
    )
    said = Bank(ledger, claimed).refusal(plan_with(claimed))
    assert "That release proposes" in said
    assert ("nothing" in said) == (propose_bins(release, 2).bins is None), counts


def test_only_the_first_draw_proposes(bank: Bank) -> None:
    again = release_bins(
        TABLE,
        study_of(),
        "score",
        budget=HALF,
        cells=64,
        new_draw=True,
        **bank.door,
    )
    bins = propose_bins(again, 4).bins
    assert bins is not None
    assert "which drew again what release" in bank.refusal(plan_with(bins))


def test_without_a_ledger_nobody_can_tell(bank: Bank) -> None:
    with pytest.raises(LedgerRefused, match="no ledger was named"):
        release_sums(TABLE, plan_with(bank.bins), ledger=None)
