"""The rule that proposes a bound, on counts that are known."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dpratio.analyst.bounds.noisy import Noisy, candidates_of, people_of, proposed
from dpratio.plan.ladder import Ladder
from dpratio.terms.bounds import Bounds

LADDER = Ladder(-2, 12)


def noisy(powers: dict[int, int], scale: float = 10.0, **cells: int) -> Noisy:
    """A histogram with so many people from 2^k on to its double, as many in each cell.

    ``cells`` are others by their labels; nobody is elsewhere.
    """
    counts = dict.fromkeys(LADDER.labels, 0) | cells
    for power, people in powers.items():
        first = LADDER.place(2.0**power)
        for label in LADDER.labels[first : first + LADDER.steps]:
            counts[label] = people // LADDER.steps
    return Noisy(LADDER, tuple(counts.values()), scale)


def upper(found: Noisy, epsilon: float = 1.0, moved: int = 1) -> float:
    """The upper bound that is proposed."""
    bounds = proposed(found, epsilon=epsilon, moved=moved)
    assert bounds is not None
    assert bounds.lower == 0
    return bounds.upper


FALLING = {2: 4000, 3: 1600, 4: 640}


@pytest.mark.parametrize(("cap", "held"), [("5 to 6", 6), ("7 to 8", 8)])
def test_values_that_end_are_bounded_at_the_next_edge(cap: str, held: float) -> None:
    assert upper(noisy({1: 3000}, **{cap: 5000})) == held
    # A few of noise beyond are no tail.
    assert upper(noisy({1: 3000}, **{cap: 5000, "8 to 10": 15, "12 to 14": 9})) == held


def test_a_tail_that_falls_is_followed_as_far_as_it_is_there() -> None:
    """From 16 to 32 there are 640; the next may hold 256, and then about 100."""
    found = [upper(noisy(FALLING | tail)) for tail in ({}, {5: 120}, {5: 240, 6: 80})]
    assert found[0] == 32
    assert found[0] < found[1] < found[2]


def test_cells_that_are_too_weak_alone_are_seen_together() -> None:
    """200 in four cells are not noise, though 90 in one may be."""
    one = noisy({2: 4000}, **{"16 to 20": 90})
    four = noisy({2: 4000, 4: 200})
    assert [each.filled(is_negative=False)[-1] for each in (one, four)] == [19, 24]
    assert all(count < four.threshold for count in four.counts[-30:])


def test_a_tail_bends_as_it_bent_before() -> None:
    # Where nobody is beyond, nothing is foreseen.
    ended = people_of(noisy({2: 3000, 3: 1500, 4: 500}), is_negative=False)
    assert sum(ended[28:]) == 0
    falling = noisy({2: 3000, 3: 1500, 4: 500, 5: 100})
    people = people_of(falling, is_negative=False)
    # 100 fill no cells. 500 are a third of 1,500, and these a half of 3,000: foreseen
    # are 2/3 of 1/3 of 500, and 2/3 less of these.
    foreseen = [sum(people[at : at + 4]) for at in (28, 32)]
    assert foreseen[1] == foreseen[0] * Fraction(4, 27)
    assert 90 < foreseen[0] < 110


def test_less_epsilon_for_the_sums_gives_a_narrower_bound() -> None:
    found = noisy(FALLING | {5: 240, 6: 80})
    wide, narrow = upper(found, epsilon=10.0), upper(found, epsilon=0.005)
    assert narrow <= 16
    assert wide > 64
    assert upper(found, epsilon=10.0, moved=2000) == narrow


def test_each_side_of_zero_has_its_own_end() -> None:
    both = noisy({4: 3000}, **{"-2 to -1.75": 900, "around 0": 100})
    assert proposed(both, epsilon=1.0, moved=1) == Bounds(-2, 32)
    below = noisy({}, **{"-8 to -7": 900})
    assert proposed(below, epsilon=1.0, moved=1) == Bounds(-8, 0)


@pytest.mark.parametrize("cells", [{}, {"around 0": 9000}, {"4 to 5": 50}])
def test_where_no_cell_is_filled_nothing_is_proposed(cells: dict[str, int]) -> None:
    assert proposed(noisy({}, **cells), epsilon=1.0, moved=1) is None


def test_where_half_of_the_people_may_lie_beyond_nothing_is_proposed() -> None:
    """Many who lie below zero, none of their cells filled: zero is no bound of theirs.

    Counts beyond have deviations of 10·√(2·86) = 131 in all.
    """
    spread = {label: 20 for label in LADDER.labels[1:57] if label.startswith("-")}
    many = noisy({4: 3000}, **spread)
    assert proposed(many, epsilon=1.0, moved=1) == Bounds(0, 32)
    assert proposed(noisy({4: 1500}, **spread), epsilon=1.0, moved=1) is None
    # All that noise hides may be half of few people.
    assert proposed(noisy({4: 600}), epsilon=1.0, moved=1) == Bounds(0, 32)
    assert proposed(noisy({4: 500}), epsilon=1.0, moved=1) is None


@pytest.mark.parametrize("cell", ["4096 or above", "-4096 or below"])
def test_where_numbers_reach_beyond_the_limits_nothing_is_proposed(cell: str) -> None:
    found = noisy({2: 5000}, **{cell: 500})
    assert proposed(found, epsilon=1.0, moved=1) is None
    assert found.is_beyond
    below = cell.startswith("-")
    listed = candidates_of(found, is_negative=below, epsilon=1.0, moved=1)
    # Of those below zero nobody is seen within any bound.
    last = [(each.bound, each.people_beyond) for each in listed[-1:]]
    assert last == ([] if below else [(4096, 500)])


def test_candidates_trade_bias_for_width() -> None:
    found = noisy(FALLING)
    listed = candidates_of(found, is_negative=False, epsilon=1.0, moved=1)
    assert listed[0].bound == 5
    assert listed[11].bound == 32
    assert listed[-1].bound == 512
    biases, widths = zip(*((each.bias, each.width) for each in listed), strict=True)
    assert list(biases) == sorted(biases, reverse=True)
    assert list(widths) == sorted(widths)
    assert listed[7].people_beyond == 640
    assert listed[7].bias == 160 * sum(each - 16 for each in (18, 22, 26, 30))
    assert listed[7].together == listed[7].width + 2 * listed[7].bias


def test_the_first_and_the_last_cell_have_candidates_too() -> None:
    assert upper(noisy({}, **{"0.25 to 0.3125": 5000})) == 0.3125
    assert upper(noisy({}, **{"3584 to 4096": 5000})) == 4096


def test_far_above_most_people_twice_as_many_must_be_there() -> None:
    few = noisy({-2: 9000}, **{"3584 to 4096": 150})
    many = noisy({-2: 9000}, **{"3584 to 4096": 250})
    near = noisy({0: 9000}, **{"3584 to 4096": 150})
    assert [upper(each) for each in (few, many, near)] == [0.5, 4096, 4096]


def test_noise_alone_rarely_fills_a_cell() -> None:
    found = noisy({}, scale=1.0)
    assert 10 < found.threshold < 12
    assert found.people == 1.0


def test_any_counts_have_an_answer() -> None:
    """A filled cell may stand beside one that holds less than nothing."""
    for cells in ({"5 to 6": -90, "7 to 8": 400}, {"3584 to 4096": 200}):
        found = noisy({}, **cells)
        for shifted in (found, replace(found, counts=(*found.counts[:-2], 150, 0))):
            proposed(shifted, epsilon=1e-6, moved=10**6)
