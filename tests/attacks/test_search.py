"""Bounds that a release finds: noisy counts alone decide, and all is paid for."""

import os
import signal
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from dpratio.curator import searched as room
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.admission.paid import Priced, require_paid
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import (
    DpratioError,
    EngineFailed,
    LedgerFailed,
    PlanRefused,
)
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.plan.search.realise_bounds import (
    Searched,
    is_searched,
    realise_bounds,
)
from dpratio.release.checked_json import checked_bytes, parse
from dpratio.release.files import release_to_bytes
from dpratio.release.merge import merge
from dpratio.release.plan_file import plan_hash
from dpratio.release.roll_up import roll_up
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio
from dpratio.terms.unit import PrivacyUnit
from plan.search_plans import PERSON, REGIONS, counts_at, search_of, search_plan

PLAN = search_plan(budget=Budget(4))
TABLE: dict[str, list[Any]] = {
    "spent": [5.0 * (1 + at % 40) for at in range(400)],
    "orders": [1.0 + at % 4 for at in range(400)],
    "region": ["north", "south"] * 200,
}


def ledger_in(folder: Path) -> Ledger:
    ledger = Ledger(folder / "ledger.db")
    ledger.open_scope(Scope("shop", Budget(100)))
    return ledger


def test_23_histograms_that_find_bounds_are_priced_at_the_door() -> None:
    """Counts with too little noise are refused before a table is opened.

    Source: found when the search for bounds was designed, 2026.
    More: tests/plan/histogram/test_require_search.py
    """
    held = search_of(PLAN).histograms
    (question,) = held.questions
    quiet = replace(question.sums[0], scale=question.sums[0].scale / 2)
    edited = replace(held, questions=(replace(question, sums=(quiet,)),))
    loud = replace(PLAN, search=replace(search_of(PLAN), histograms=edited))
    with pytest.raises(PlanRefused, match="histograms is too small"):
        release_sums("nowhere.parquet", loud, ledger=None)


def test_23_sums_do_not_spend_what_finding_bounds_has_spent() -> None:
    """The whole budget for the sums, and the histograms on top.

    Source: found when the search for bounds was designed, 2026.
    More: tests/plan/histogram/test_require_search.py
    """
    whole = search_plan(budget=Budget(4), bounds={"spent": Bounds(0, 4096)})
    with pytest.raises(PlanRefused, match="too small for the budget"):
        price(replace(PLAN, questions=whole.questions))


def test_23_the_second_stage_is_priced_at_what_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A plan within its own budget, which is the whole one, comes out in between.

    Source: found when the search for bounds was designed, 2026.
    More: tests/curator/test_searched.py
    """
    dear = search_plan(budget=Budget(4), bounds={"spent": Bounds(0, 9)})
    searched = Searched(counts_at(PLAN), is_taken=False)
    monkeypatch.setattr(room, "realise_bounds", lambda *_: (dear, searched))
    with pytest.raises(PlanRefused, match="more than the search has left"):
        release_sums(TABLE, PLAN, ledger=None)


def test_17_bounds_are_found_for_the_unit_that_is_protected() -> None:
    """Histograms of changed rows, or of people in one group: less noise than needed.

    Source: found when the search for bounds was designed, 2026.
    More: tests/plan/histogram/test_require_search.py
    """
    alone = search_plan(unit=replace(PERSON, most_groups=1), groups=REGIONS)
    people = search_plan(unit=PERSON, groups=REGIONS)
    for plan, other in ((people, alone), (people, search_plan())):
        with pytest.raises(PlanRefused):
            price(replace(plan, search=other.search))
    rows = replace(search_plan(), unit=PrivacyUnit(neighbours="change-one"))
    with pytest.raises(PlanRefused, match="unit that the release protects"):
        price(rows)


def test_08_no_counts_stop_the_release_between_its_stages() -> None:
    """Bounds within which there is no plan: the declared ones are used, and no word.

    Source: found when the search for bounds was designed, 2026.
    More: tests/plan/search/test_realise_bounds.py
    """
    ratio = Ratio("spent", per="orders", guess=25, residual_bound=1_000)
    plan = search_plan(ratio)
    second, searched = realise_bounds(plan, counts_at(plan, 5, 6, 7))
    assert not searched.is_taken
    assert second.questions == plan.questions


def test_08_people_beyond_a_tiny_end_do_not_stop_the_release() -> None:
    """Everybody lies below a declared end that is next to zero: nothing is left.

    Source: found when the search for bounds was attacked, 2026.
    More: tests/plan/search/test_realise_bounds.py
    """
    plan = search_plan(bounds={"spent": Bounds.find(-1e-40, 4096)}, budget=Budget(40))
    table = TABLE | {"spent": [-5.0] * 400}
    release = release_sums(table, plan, ledger=None)
    assert release.measured.bounds["spent"] == Bounds(-1e-40, 4096)


def test_09_a_file_that_is_gone_between_the_readings_is_not_named(
    tmp_path: Path,
) -> None:
    """The name of its folder may be a cell, which the system's own words would show.

    Source: found when the search for bounds was attacked, 2026.
    More: tests/curator/test_searched.py
    """
    file = tmp_path / "day=canary" / "a.parquet"
    file.parent.mkdir()
    parquet.write_table(pa.table(TABLE), file)
    broken = tmp_path / "broken"
    broken.symlink_to("nowhere")
    with pytest.raises(EngineFailed) as stopped, room.held_source(f"{tmp_path}/")():
        broken.replace(file)
    assert "canary" not in str(stopped.value)


@pytest.mark.parametrize("upper", [256, 2048])
def test_19_a_bound_that_counts_do_not_propose_is_no_release(upper: float) -> None:
    """A file with sums within a hand-set bound, or with noise for a narrower one.

    Source: found when the search for bounds was designed, 2026.
    More: tests/release/test_searched_document.py
    """
    by_hand = search_plan(budget=Budget("3.6"), bounds={"spent": Bounds(0, upper)})
    counts = Searched(counts_at(PLAN, 8), is_taken=True)
    assert realise_bounds(PLAN, counts.counts)[0].bounds["spent"].upper == 512
    assert not is_searched(PLAN, by_hand.questions, counts)


def test_38_files_that_change_between_the_readings_are_not_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounds of one table, sums of another.

    Source: found when the search for bounds was designed, 2026.
    More: tests/curator/test_searched.py
    """
    parquet.write_table(pa.table(TABLE), tmp_path / "a.parquet")

    def meanwhile(plan: Plan, counts: Any) -> Any:  # noqa: ANN401
        parquet.write_table(pa.table(TABLE).slice(9), tmp_path / "a.parquet")
        return realise_bounds(plan, counts)

    monkeypatch.setattr(room, "realise_bounds", meanwhile)
    with pytest.raises(EngineFailed, match="changed while they were read"):
        release_sums(tmp_path / "a.parquet", PLAN, ledger=None)


def test_38_whatever_finds_bounds_is_approved_with_the_plan() -> None:
    """Share, widest bounds, people, whose guess it is: another one is another plan.

    Source: found when the search for bounds was designed, 2026.
    More: tests/release/test_searched_document.py
    """
    search = search_of(PLAN)
    others = [
        replace(search, people=10),
        replace(search, guessed=(False,)),
        search_of(search_plan(budget=Budget(4), search=0.2)),
        None,
    ]
    plans = [replace(PLAN, search=each) for each in (search, *others)]
    plans.append(replace(PLAN, bounds={**PLAN.bounds, "spent": Bounds(0, 4096)}))
    assert len({plan_hash(each) for each in plans}) == len(plans)


def test_23_what_is_derived_states_what_both_stages_cost() -> None:
    """A roll-up, or a merged release, that forgets what finding bounds has cost.

    Source: found when the search for bounds was designed, 2026.
    More: tests/release/test_searched_document.py
    """
    plan = search_plan(budget=Budget(4), groups=REGIONS)
    release = release_sums(TABLE, plan, ledger=None)
    assert roll_up(release).cost.epsilon == 4
    few = {name: TABLE[name][:2] for name in TABLE}
    both = [release_sums(few, search_plan(), ledger=None) for _ in range(2)]
    assert merge(both, units_are_disjoint=True).cost.epsilon == 2


def test_23_what_was_measured_within_found_bounds_is_priced_by_every_verification(
    tmp_path: Path,
) -> None:
    """Noise stated a thousand times too small, after a sound release of the same plan.

    Source: the same attack on releases in two stages, 2026.
    More: tests/curator/ledger/admission/test_paid.py
    """
    ledger = ledger_in(tmp_path)
    release = release_sums(TABLE, PLAN, ledger=ledger, release_id="a" * 32)
    assert release.searched is not None
    assert release.searched.is_taken
    held, known = ledger.account().releases["a" * 32], dict[str, Priced]()
    content = release_to_bytes(release)
    require_paid(held, "a" * 32, "basic", content, known)
    edited = parse(content.decode())
    del edited["sha256"]
    for each in edited["parts"][0]["realised"]["sums"]:
        each["scale"] /= 1000
    with pytest.raises(LedgerFailed):
        require_paid(held, "a" * 32, "basic", checked_bytes(edited), known)


def test_31_a_release_that_is_killed_between_its_stages_is_not_drawn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who kills a release after its first stage would draw counts until they please.

    Source: found when the search for bounds was designed, 2026.
    More: tests/curator/ledger/attacks/test_kill.py
    """
    ledger_in(tmp_path)

    def die(*_: object) -> Any:  # noqa: ANN401
        os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        monkeypatch.setattr(room, "realise_bounds", die)
        release_sums(
            TABLE,
            PLAN,
            ledger=tmp_path / "ledger.db",
            source="shop",
            release_id="a" * 32,
        )
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    ledger = Ledger(tmp_path / "ledger.db")
    held = ledger.account().releases["a" * 32]
    assert (held.state, held.charge.loss) == ("opened", Fraction(4))
    read: list[object] = []
    monkeypatch.setattr(room, "realise_bounds", read.append)
    for name in ("a" * 32, None):
        with pytest.raises(DpratioError):
            release_sums(TABLE, PLAN, ledger=ledger, source="shop", release_id=name)
    assert read == []
    assert list(ledger.account().releases) == ["a" * 32]
