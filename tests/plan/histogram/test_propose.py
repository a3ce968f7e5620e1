"""The rule that proposes a bound, on counts that are known."""

import pytest

from dpratio.plan.histogram.ladder import Ladder
from dpratio.plan.histogram.propose import Noisy, candidates_of, proposed, side_of
from dpratio.terms.bounds import Bounds

LADDER = Ladder(-2, 12)


def noisy(counts: dict[str, int], scale: float = 10.0) -> Noisy:
    """A histogram that is empty but for some cells."""
    given = tuple(counts.get(label, 0) for label in LADDER.labels)
    assert sum(given) == sum(counts.values())
    return Noisy(LADDER, given, scale)


def test_a_sharp_end_gives_the_power_of_two_above_it() -> None:
    found = noisy({"2^2 to 2^3": 5000})
    assert proposed(found, epsilon=1.0, moved=1) == Bounds(0, 8)


def test_a_tail_that_falls_is_followed() -> None:
    falling = {"2^2 to 2^3": 4000, "2^3 to 2^4": 1600, "2^4 to 2^5": 640}
    sharp = proposed(noisy(falling), epsilon=1.0, moved=1)
    seen = falling | {"2^5 to 2^6": 70, "2^6 to 2^7": 25}
    longer = proposed(noisy(seen), epsilon=1.0, moved=1)
    assert sharp == Bounds(0, 32)
    assert longer == Bounds(0, 128)


def test_less_epsilon_for_the_sums_gives_a_narrower_bound() -> None:
    counts = {"2^3 to 2^4": 1600, "2^4 to 2^5": 640, "2^5 to 2^6": 60}
    wide = proposed(noisy(counts), epsilon=10.0, moved=1)
    narrow = proposed(noisy(counts), epsilon=0.01, moved=1)
    assert wide is not None
    assert narrow == Bounds(0, 32)
    assert wide.upper > narrow.upper
    assert proposed(noisy(counts), epsilon=10.0, moved=1000) == narrow


def test_each_side_of_zero_has_its_own_end() -> None:
    counts = {"-2^1 to -2^0": 900, "2^4 to 2^5": 3000, "around 0": 100}
    assert proposed(noisy(counts), epsilon=1.0, moved=1) == Bounds(-2, 32)
    counts = {"-2^3 to -2^2": 900}
    assert proposed(noisy(counts), epsilon=1.0, moved=1) == Bounds(-8, 0)


@pytest.mark.parametrize("counts", [{}, {"around 0": 9000}, {"2^2 to 2^3": 50}])
def test_where_no_cell_is_filled_nothing_is_proposed(counts: dict[str, int]) -> None:
    assert proposed(noisy(counts), epsilon=1.0, moved=1) is None


def test_where_half_of_the_people_may_lie_beyond_nothing_is_proposed() -> None:
    """Many who lie below zero, none of their cells filled: zero is no bound of theirs.

    Counts beyond have deviations of 10·√(2·23) = 67.8 in all.
    """
    spread = dict.fromkeys(LADDER.labels[2:12], 90)
    people = {"2^4 to 2^5": 2000}
    assert proposed(noisy(people | spread), epsilon=1.0, moved=1) == Bounds(0, 32)
    fewer = {"2^4 to 2^5": 1100}
    assert proposed(noisy(fewer | spread), epsilon=1.0, moved=1) is None
    # All that noise hides may be half of few people.
    assert proposed(noisy({"2^4 to 2^5": 280}), epsilon=1.0, moved=1) == Bounds(0, 32)
    assert proposed(noisy({"2^4 to 2^5": 270}), epsilon=1.0, moved=1) is None


@pytest.mark.parametrize("cell", ["2^12 or above", "-2^12 or below"])
def test_where_numbers_reach_beyond_the_limits_nothing_is_proposed(cell: str) -> None:
    found = noisy({"2^2 to 2^3": 5000, cell: 500})
    assert proposed(found, epsilon=1.0, moved=1) is None
    side = side_of(found, is_negative=cell.startswith("-"))
    assert side is not None
    assert side.is_beyond


def test_candidates_trade_bias_for_width() -> None:
    found = noisy({"2^3 to 2^4": 1600, "2^4 to 2^5": 640, "2^5 to 2^6": 256})
    side = side_of(found, is_negative=False)
    assert side is not None
    listed = candidates_of(found, side, epsilon=1.0, moved=1)
    assert [each.bound for each in listed] == [4, 8, 16, 32, 64, 128, 256]
    assert [each.bias for each in listed] == sorted(
        (each.bias for each in listed), reverse=True
    )
    assert [each.width for each in listed] == sorted(each.width for each in listed)
    assert listed[2].people_beyond == pytest.approx(640 + 256, abs=30)


def test_the_first_and_the_last_cell_have_candidates_too() -> None:
    low = side_of(noisy({"2^-2 to 2^-1": 5000}), is_negative=False)
    high = side_of(noisy({"2^11 to 2^12": 5000}), is_negative=False)
    assert low is not None
    assert high is not None
    assert (low.last, low.most, high.last, high.most) == (-2, 0, 11, 12)


def test_far_above_most_people_twice_as_many_must_be_there() -> None:
    few = noisy({"2^-2 to 2^-1": 9000, "2^11 to 2^12": 150})
    many = noisy({"2^-2 to 2^-1": 9000, "2^11 to 2^12": 250})
    near = noisy({"2^-1 to 2^0": 9000, "2^11 to 2^12": 150})
    ends = [proposed(each, epsilon=1.0, moved=1) for each in (few, many, near)]
    assert ends == [Bounds(0, 0.5), Bounds(0, 4096), Bounds(0, 4096)]


def test_noise_alone_rarely_fills_a_cell() -> None:
    found = noisy({}, scale=1.0)
    assert 9 < found.threshold < 10
    assert found.people == 1.0
