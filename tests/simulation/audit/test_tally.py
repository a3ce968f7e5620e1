"""What is counted of noise is what a slow count would give."""

from collections import Counter

import numpy as np
import pytest

from dpratio.plan.laws import GAUSSIAN, LAPLACE, NoiseLaw
from dpratio.simulation.audit.rounded_law import RoundedLaw
from dpratio.simulation.audit.tally import WORD, marks_of, no_tally

LAWS = [RoundedLaw(LAPLACE, 3e4), RoundedLaw(LAPLACE, 7e6)]


@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN], ids=lambda law: law.name)
def test_marks_rise_from_the_exact_sum_to_where_noise_never_comes(
    noise: NoiseLaw,
) -> None:
    marks = marks_of([RoundedLaw(noise, 3e5), RoundedLaw(noise, 4e9)])
    distances = marks.distances
    assert (np.diff(distances, axis=1) > 0).all()
    assert distances[:, :4].tolist() == [[0, 1, 3, 7]] * 2
    assert 0 < marks.middle < marks.far < distances.shape[1]
    law = RoundedLaw(noise, 3e5)
    # Marks leave no gap: neighbours are at most a few times as likely as each other.
    within = law.within(distances[0, 1 : marks.far])
    assert (within[1:] < 4 * within[:-1]).all()
    assert 2 * law.above(distances[0, -1]) < 1e-14
    assert (marks.cuts[0] == sorted(marks.cuts[0])).all()


def test_noise_of_a_few_cells_has_marks_too() -> None:
    marks = marks_of([RoundedLaw(LAPLACE, 2.0)])
    assert marks.distances[0, :3].tolist() == [0, 1, 1]
    assert (np.diff(marks.distances, axis=1) >= 0).all()


def test_counts_are_those_of_a_slow_count_and_add_up() -> None:
    rng = np.random.default_rng(1)
    marks = marks_of(LAWS)
    releases = [
        np.rint(rng.laplace(size=(size, 2)) * [3e4, 7e6]).astype(np.int64)
        for size in (0, 1, 2, 700)
    ]
    releases[-1][::100, 1] = 12345
    tally = no_tally(marks)
    for each in releases:
        tally = tally.plus(each)
    noise = np.concatenate(releases)
    assert tally.drawn == 703
    for at in range(2):
        column = noise[:, at].tolist()
        cuts = marks.cuts[at].tolist()
        upto = [sum(each <= cut for each in column) for cut in cuts]
        assert tally.upto[at].tolist() == upto
        for word in range(2):
            counts = Counter(each >> WORD * word & 2**WORD - 1 for each in column)
            wanted = [counts[value] for value in range(2**WORD)]
            assert tally.words[at, word].tolist() == wanted
    assert tally.most[1] == 7
    assert tally.echoes.tolist() == [0, 0]
    assert len(tally.fours) == 4
