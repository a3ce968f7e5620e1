"""Ratios without cuts: what a histogram saw is put back, and what it hides is said."""

from dataclasses import replace

import numpy as np
import pytest

from analyst.bounds.cut_people import ORDERS, found_release, histograms, released
from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.tables.without_cuts import WithoutCuts
from dpratio.errors import InvalidInput
from dpratio.release.release import Release
from dpratio.terms.bounds import Bounds, Proposed
from dpratio.terms.budget import Budget
from dpratio.terms.ratio import Ratio

RNG = np.random.default_rng(27)
BOUGHT = RNG.integers(1, 5, 4_000).astype(float)
SPENT = BOUGHT * RNG.lognormal(3, 0.8, 4_000)
TRUTH = SPENT.sum() / BOUGHT.sum()
NARROW = {"spent": Bounds(0, 64), "orders": ORDERS}


def uncut(release: Release, given: Release | None = None, **how: object) -> WithoutCuts:
    found = estimate_ratios(release, histograms=given, **how).uncut  # type: ignore[arg-type]
    assert found is not None
    return found


def test_what_was_cut_is_put_back() -> None:
    release = released(SPENT, BOUGHT, NARROW)
    plain = estimate_ratios(release)
    assert plain.uncut is None
    assert plain.ci_upper[0] < TRUTH
    found = uncut(release, histograms(spent=SPENT))
    assert plain.ci_upper[0] < found.upper[0]
    assert found.lower[0] < TRUTH < found.upper[0]
    # Cells above twice the bound moved the lower end, too.
    assert found.lower[0] > plain.ci_lower[0] + 0.5
    assert found.reach == {"spent": (0, 2048)}


def test_weights_bound_what_each_number_was_worth() -> None:
    ratio = Ratio("spent", per="orders", weight="weight", guess=25)
    bounds = NARROW | {"weight": Bounds(0, 3)}
    counts = histograms(spent=SPENT)
    weighted = released(SPENT, BOUGHT, bounds, ratio=ratio)
    plain, found = estimate_ratios(weighted), uncut(weighted, counts)
    # A weight may be 0, so that nothing need have been lost.
    assert found.lower[0] == pytest.approx(plain.ci_lower[0])
    once = uncut(released(SPENT, BOUGHT, NARROW), counts)
    assert found.upper[0] > once.upper[0] + 1.5 * (once.upper[0] - plain.ratio[0])


def test_a_release_that_found_its_bounds_needs_no_other() -> None:
    widest = Bounds.find(0, 2.0**20)
    release = found_release(SPENT, BOUGHT, widest)
    estimates = estimate_ratios(release)
    found = uncut(release)
    assert found.lower[0] == pytest.approx(estimates.ci_lower[0], rel=1e-6)
    assert found.upper[0] > estimates.ci_upper[0]
    assert estimates.columns()["uncut_upper"] == [found.upper[0]]
    assert found.said()[0] in estimates.notes()
    assert estimate_ratios(release, method="analytical").uncut is None


def test_widest_bounds_that_were_used_cut_nothing() -> None:
    """Ten people are too few to find bounds for: nothing but the widest can cut."""
    release = found_release(SPENT[:10], BOUGHT[:10], Bounds.find(0, 4096))
    assert release.searched is not None
    assert not release.searched.is_taken
    estimates, found = estimate_ratios(release), uncut(release)
    assert found.upper.tolist() == estimates.ci_upper.tolist()
    assert found.reach == {"spent": (0, 4096)}


def test_intervals_hold_the_uncut_ratio_of_people_and_plain_ones_do_not() -> None:
    """25 samples of a lognormal whose mean is exp(3.32), cut at 64."""
    rng, truth = np.random.default_rng(3), float(np.exp(3.32))
    held, plain_held = 0, 0
    for _ in range(25):
        bought = rng.integers(1, 5, 2_000).astype(float)
        spent = bought * rng.lognormal(3, 0.8, 2_000)
        release = released(spent, bought, NARROW, rng)
        plain = estimate_ratios(release, histograms=histograms(rng, spent=spent))
        assert plain.uncut is not None
        held += bool(plain.uncut.lower[0] < truth < plain.uncut.upper[0])
        plain_held += bool(plain.ci_lower[0] < truth < plain.ci_upper[0])
    assert plain_held == 0
    assert held >= 24


def test_a_denominator_that_was_cut_is_put_back_too() -> None:
    """Orders cut at 2 make the ratio too large; put back, the true one is held."""
    bounds = {"spent": Bounds(0, 4096, natural=True), "orders": Bounds(0, 2)}
    release = released(SPENT, BOUGHT, bounds)
    assert estimate_ratios(release).ci_lower[0] > TRUTH
    found = uncut(release, histograms(orders=BOUGHT))
    assert found.lower[0] < TRUTH < found.upper[0]
    assert found.reach == {"orders": (0, 32)}


def test_columns_that_nothing_counted_keep_their_cuts_and_are_named() -> None:
    bounds = {"spent": Bounds(0, 64), "orders": Bounds(0, 2)}
    found = uncut(released(SPENT, BOUGHT, bounds), histograms(spent=SPENT))
    assert found.kept == ("orders",)
    assert "bounds of orders cut" in found.said()[-1]


def test_numbers_below_zero_lower_the_lower_end() -> None:
    signed = SPENT * np.where(RNG.random(len(SPENT)) < 0.3, -1, 1)
    bounds = {"spent": Bounds(-64, 64), "orders": ORDERS}
    release = released(signed, BOUGHT, bounds)
    estimates = estimate_ratios(release)
    found = uncut(release, histograms(spent=signed))
    assert found.lower[0] < estimates.ci_lower[0]
    assert found.lower[0] < signed.sum() / BOUGHT.sum() < found.upper[0]
    assert found.reach["spent"][0] < -64


def test_an_end_is_open_where_people_are_seen_far_out() -> None:
    far = np.concatenate([SPENT, np.full(80, 50_000.0)])
    seen = uncut(released(SPENT, BOUGHT, NARROW), histograms(spent=far))
    assert seen.reach["spent"][1] == 2.0**18  # 80 people fill a cell.
    few = np.concatenate([SPENT, np.full(40, 50_000.0)])
    found = uncut(released(SPENT, BOUGHT, NARROW), histograms(spent=few))
    assert found.upper.tolist() == [np.inf]
    assert np.isfinite(found.lower).all()
    assert "far beyond" in found.said()[1]


def test_an_end_is_open_where_more_were_cut_than_the_histogram_shows() -> None:
    """600 people at 50,000 are cut, and are not where the histogram looks."""
    far = np.where(np.arange(len(SPENT)) < 600, 50_000.0, np.minimum(SPENT, 63))
    release = released(far, BOUGHT, NARROW)
    hidden = histograms(spent=np.minimum(SPENT, 63))
    found = uncut(release, hidden)
    assert found.upper.tolist() == [np.inf]
    assert found.reach == {"spent": (0, np.inf)}
    unmeasured = released(far, BOUGHT, NARROW, clipping="unmeasured")
    assert np.isfinite(uncut(unmeasured, hidden).upper).all()


def test_cuts_of_a_column_that_nothing_counted_do_not_open_an_end() -> None:
    bounds = {"spent": Bounds(0, 64), "orders": Bounds(0, 1)}
    low = np.minimum(SPENT, 63)
    found = uncut(released(low, BOUGHT, bounds), histograms(spent=low))
    assert np.isfinite(found.upper).all()


def test_a_denominator_without_an_end_takes_the_ratio_to_zero() -> None:
    bounds = {"spent": Bounds(0, 4096, natural=True), "orders": Bounds(0, 4)}
    far = np.concatenate([BOUGHT, np.full(40, 50_000.0)])
    found = uncut(released(SPENT, BOUGHT, bounds), histograms(orders=far))
    assert found.lower.tolist() == [0.0]
    assert np.isfinite(found.upper).all()


def test_each_group_may_have_lost_all_that_was_cut() -> None:
    whole = released(SPENT, BOUGHT, NARROW)
    rolled = replace(whole, sources=("2" * 32,))
    part, all_of_it = (uncut(each, histograms(spent=SPENT)) for each in (rolled, whole))
    assert part.is_part
    assert part.upper.tolist() == all_of_it.upper.tolist()
    assert part.lower[0] < all_of_it.lower[0]
    assert "of all rows together" in part.said()[1]


def test_what_is_taken_off_the_numerator_is_lost_the_other_way() -> None:
    ratio = Ratio("spent", minus="back", per="orders")
    bounds = {"spent": Bounds(0, 64), "back": Bounds(0, 64), "orders": ORDERS}
    release = released(SPENT, BOUGHT, bounds, ratio=ratio)
    one = uncut(release, histograms(spent=SPENT))
    assert one.kept == ("back",)
    assert one.upper[0] > estimate_ratios(release).ci_upper[0]


def test_a_residual_bound_cuts_what_no_histogram_counted() -> None:
    ratio = Ratio("spent", per="orders", guess=25, residual_bound=50)
    release = released(SPENT, BOUGHT, NARROW, ratio=ratio)
    with pytest.raises(InvalidInput, match="must count a column"):
        estimate_ratios(release, histograms=histograms(spent=SPENT))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"given": "bounds.json"}, "must be a release that counted"),
        ({"given": "sums"}, "must be a release that counted"),
        ({"given": "invented"}, "both be of real people"),
        ({"given": "other"}, "name the histograms that proposed them"),
        ({"given": "natural"}, "must count a column"),
        ({"given": "merged"}, "not counted in one histogram"),
        ({"given": "plain", "method": "analytical"}, "made by method 'pivot'"),
    ],
)
def test_histograms_that_do_not_fit_are_refused(how: dict[str, str], said: str) -> None:
    release, counts = released(SPENT, BOUGHT, NARROW), histograms(spent=SPENT)
    named = replace(NARROW["spent"], proposed=Proposed("3" * 32, Budget("0.1").epsilon))
    other = released(SPENT, BOUGHT, NARROW | {"spent": named})
    pairs: dict[str, tuple[Release, object]] = {
        "bounds.json": (release, "bounds.json"),
        "sums": (release, release),
        "invented": (release, replace(counts, is_simulated=True)),
        "other": (other, counts),
        "natural": (release, histograms(orders=BOUGHT)),
        "merged": (replace(release, sources=("1" * 32, "2" * 32)), counts),
        "plain": (release, counts),
    }
    first, second = pairs[how["given"]]
    method = how.get("method", "pivot")
    with pytest.raises(InvalidInput, match=said):
        estimate_ratios(first, histograms=second, method=method)  # type: ignore[arg-type]
