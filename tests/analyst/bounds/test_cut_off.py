"""What was cut off a column: between two amounts, as far as noise lets it be seen."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyst.bounds.cut_people import LADDER, counted
from dpratio.analyst.bounds.cut_off import NOTHING, CutOff, lost_beyond, reach_of
from dpratio.plan.histogram.propose import Noisy
from dpratio.terms.bounds import Bounds

TAIL = {0: 4000, 1: 3000, 2: 2000, 3: 1000, 4: 100}


def at_powers(people: dict[int, int], scale: float = 1.0) -> Noisy:
    """People between 2^power and 2^(power + 1), and nobody elsewhere."""
    values = np.repeat([1.5 * 2.0**at for at in people], list(people.values()))
    return counted(values, scale)


def test_who_lies_in_a_cell_lost_between_its_edges() -> None:
    """100 people between 16 and 32, cut at 8: each lost 8 at least and 24 at most."""
    found = lost_beyond(at_powers(TAIL), Bounds(0, 8))
    assert found.least.value == 100 * (16 - 8)
    assert found.most.value == 100 * (32 - 8) + 1000 * (16 - 8)
    assert found.reach.seen == (0, 32)


def test_a_bound_between_two_powers_may_cut_part_of_its_cell() -> None:
    found = lost_beyond(at_powers(TAIL), Bounds(0, 20))
    assert (found.least.value, found.most.value) == (0, 100 * (32 - 20))


def test_one_empty_cell_is_counted_where_the_tail_falls_fast_and_two_elsewhere() -> (
    None
):
    assert reach_of(at_powers(TAIL), Bounds(0, 8)).ends == (0, 64)
    slowly = TAIL | {4: 500}
    assert reach_of(at_powers(slowly), Bounds(0, 8)).ends == (0, 128)
    assert reach_of(at_powers(slowly), Bounds(0, 100)).ends == (0, 512)
    assert reach_of(at_powers({3: 5000}), Bounds(0, 8)).ends == (0, 64)


def test_noise_of_cells_that_seem_empty_is_in_what_was_lost_at_most() -> None:
    found = lost_beyond(at_powers(TAIL, scale=2.0), Bounds(0, 32))
    assert found.least == NOTHING
    assert found.reach.ends == (0, 64)
    assert found.most.value == 0
    assert found.most.noise == pytest.approx(2 * (2.0 * 32) ** 2)
    assert found.most.laplace == pytest.approx(2.0 * 32)
    assert found.most.sampling == pytest.approx(2.0 * 32**2)


def test_counts_below_zero_never_take_off_more_than_nothing() -> None:
    noisy = at_powers(TAIL, scale=2.0)
    place = LADDER.place(33.0)
    counts = tuple(-9 if at == place else each for at, each in enumerate(noisy.counts))
    assert lost_beyond(replace(noisy, counts=counts), Bounds(0, 32)).most.value == 0


def test_an_end_is_open_where_people_are_seen_beyond_it() -> None:
    far = TAIL | {12: 70}
    assert reach_of(at_powers(far), Bounds(0, 32)).ends == (0, 2**15)
    assert reach_of(at_powers(far, scale=8.0), Bounds(0, 32)).ends == (0, math.inf)
    assert reach_of(at_powers(TAIL, scale=8.0), Bounds(0, 32)).ends == (0, 64)


def test_few_people_in_many_cells_are_seen_together() -> None:
    """No cell holds more than noise may, and eight together hold more."""
    spread = TAIL | dict.fromkeys(range(9, 17), 50)
    alone = TAIL | {9: 50}
    assert reach_of(at_powers(alone, scale=10.0), Bounds(0, 32)).ends == (0, 128)
    assert math.isinf(reach_of(at_powers(spread, scale=10.0), Bounds(0, 32)).ends[1])


def test_an_end_is_open_where_noise_may_hide_many() -> None:
    """Fifteen cells of scale 150: 2·150·√30 = 1,643 of 10,100 people is too many."""
    assert math.isinf(reach_of(at_powers(TAIL, scale=150.0), Bounds(0, 32)).ends[1])
    few = lost_beyond(at_powers(TAIL, scale=90.0), Bounds(0, 32))
    assert math.isfinite(few.reach.ends[1])


def test_a_sign_that_nobody_was_seen_with_is_not_doubted_for_noise_alone() -> None:
    noisy = at_powers(TAIL, scale=150.0)
    assert reach_of(noisy, Bounds(0, 32)).ends[0] == 0
    below = counted(np.repeat([-3.0, 3.0], [3000, 3000]), scale=1.0)
    assert reach_of(below, Bounds(0, 4)).ends == (-16, 16)


def test_people_beyond_the_outer_limits_open_an_end() -> None:
    assert reach_of(at_powers({21: 5000}), Bounds(0, 8)).ends == (0, math.inf)


def test_nothing_is_lost_beyond_the_widest_bounds() -> None:
    widest = Bounds(0, 40)
    found = lost_beyond(at_powers(TAIL), Bounds(0, 8), widest=widest)
    assert found.reach.ends == (0, 40)
    assert lost_beyond(at_powers(TAIL), widest, widest=widest).most == NOTHING


def test_a_group_may_have_lost_all_or_nothing() -> None:
    whole = lost_beyond(at_powers(TAIL), Bounds(0, 8))
    part = lost_beyond(at_powers(TAIL), Bounds(0, 8), is_part=True)
    assert (part.least, part.most) == (NOTHING, whole.most)


def test_weights_multiply_what_was_lost() -> None:
    plain = lost_beyond(at_powers(TAIL), Bounds(0, 8))
    found = lost_beyond(at_powers(TAIL), Bounds(0, 8), weights=(0.5, 3.0))
    assert found.least.value == 0.5 * plain.least.value
    assert found.most.value == 3 * plain.most.value


def test_who_may_have_been_cut_is_counted_as_far_as_the_reach() -> None:
    found = lost_beyond(at_powers(TAIL, scale=2.0), Bounds(0, 20))
    assert (found.people.value, found.people.noise) == (100, 2 * 2 * 2.0**2)


@pytest.mark.parametrize(
    ("bounds", "widest", "ends"),
    [
        (Bounds(0, 8), None, (0, math.inf)),
        (Bounds(0, 8), Bounds(0, 64), (0, 64)),
        (Bounds(-8, 8), None, (-math.inf, math.inf)),
        (Bounds(-8, 8), Bounds(-8, 4096), (-8, math.inf)),
    ],
)
def test_ends_are_taken_away_where_somebody_may_lie_beyond(
    bounds: Bounds, widest: Bounds | None, ends: tuple[float, float]
) -> None:
    found = lost_beyond(at_powers(TAIL), bounds, widest=widest)
    assert found.opened(bounds, widest).reach.ends == ends


def test_what_is_taken_off_a_sum_is_lost_the_other_way_round() -> None:
    one, other = CutOff(5, 2, 1, 4), CutOff(3, 1, 1, 9)
    assert one.less(other) == CutOff(2, 3, 2**0.25, 25)


NUMBERS = st.floats(-1000, 1000).filter(lambda each: each == 0 or abs(each) > 0.1)


@given(
    st.lists(NUMBERS, min_size=1, max_size=60),
    st.tuples(st.floats(-700, 0), st.floats(0.5, 700)),
)
def test_without_noise_both_amounts_hold_what_was_lost(
    people: list[float], ends: tuple[float, float]
) -> None:
    values, bounds = np.array(people), Bounds(*ends)
    lost = float(np.sum(values - np.clip(values, *ends)))
    found = lost_beyond(counted(values), bounds)
    slack = 1e-9 * (1 + abs(lost))
    assert found.least.value - slack <= lost <= found.most.value + slack
    assert found.reach.ends[0] <= values.min() or values.min() >= 0
    assert found.reach.ends[1] >= values.max() or values.max() <= 0
