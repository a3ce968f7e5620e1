"""Exact tests of noise against its planned law, and the faults that they find.

A count refutes the law where the planned chance hardly ever brings it so far from its
mean, by the bound of Hoeffding (1963), which holds for every number of trials. All
tests of a case share one risk. docs/methods/audit.md says what each of them finds.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dpratio.arrays import Floats, Integers
from dpratio.simulation.audit.repeats import LENGTH
from dpratio.simulation.audit.rounded_law import RoundedLaw
from dpratio.simulation.audit.tally import WORD, Tally

EXACT = "exact sums"
CENTRE = "centre"
SIGNS = "signs"
SHAPE = "shape"
TAILS = "tails"
BITS = "low bits"
ONE_NUMBER = "one number"
REPEATS = "repeats"

_ALL = "all sums"
_RESIDUES = 16
_FEW = 10


@dataclass(frozen=True, slots=True)
class Fault:
    """A count that noise of the planned law hardly ever reaches.

    ``kind`` is the test that found it, ``place`` what was counted, ``chance`` the
    logarithm of a bound on how likely so many or so few are.
    """

    kind: str
    name: str
    place: str
    seen: int
    drawn: int
    expected: float
    chance: float

    @property
    def said(self) -> str:
        """Say what was found, in a sentence.

        Example:
            >>> Fault(EXACT, "ww", "exactly 0", 9, 1_000, 0.5, -20.0).said
            'exact sums: 9 of 1,000 noises of ww are exactly 0; 0.5 were expected.'
        """
        counted = f"{self.seen:,} of {self.drawn:,} noises of {self.name}"
        few = self.expected < _FEW
        expected = f"{self.expected:.2g}" if few else f"{self.expected:,.0f}"
        return f"{self.kind}: {counted} are {self.place}; {expected} were expected."


def faults_of(
    tally: Tally, laws: Sequence[RoundedLaw], names: Sequence[str], *, risk: float
) -> tuple[Fault, ...]:
    """Test every sum, and all together; give the worst fault of each kind.

    Args:
        tally: What was counted.
        laws: The planned law of each sum.
        names: The names of the sums.
        risk: How often noise of these laws may be accused of anything.
    """
    tests = list(_tests(tally, laws))
    most = math.log(risk / sum(test.chances.size for test in tests))
    worst: dict[str, Fault] = {}
    for test in tests:
        at = np.unravel_index(int(test.chances.argmin()), test.chances.shape)
        if test.chances[at] > most:
            continue
        row, event = (int(each) for each in at)
        fault = test.fault(row, event, [*names, _ALL][row], tally.drawn)
        known = worst.get(test.kind)
        if known is None or fault.chance < known.chance:
            worst[test.kind] = fault
    return tuple(worst.values())


def log_chance(seen: Integers, trials: int | Integers, planned: Floats) -> Floats:
    """Bound the chance of a count that lies so far from its mean, on either side.

    Args:
        seen: How many trials had the event.
        trials: How many there were, independent.
        planned: The chance of the event, in the mean over the trials.

    Returns:
        The natural logarithm of a bound on P(count ≥ seen), or P(count ≤ seen), twice.

    Example:
        >>> bound = math.exp(log_chance(np.array(0), 100, np.array(0.1)))
        >>> math.isclose(bound, 2 * 0.9**100)
        True
    """
    from scipy.special import rel_entr

    # Hoeffding (1963), theorem 1, in the form 2.1: chances may differ between trials.
    missed = trials - seen
    exponent = rel_entr(seen, trials * planned)
    exponent = exponent + rel_entr(missed, trials * (1 - planned))
    return np.asarray(np.minimum(0.0, math.log(2) - exponent))


@dataclass(frozen=True, slots=True)
class _Test:
    """Events of one kind: counts and chances, a row for each sum and one for all.

    ``chances`` are logarithms; ``place`` says what a sum's event is.
    """

    kind: str
    seen: Integers
    planned: Floats
    chances: Floats
    place: Callable[[int, int], str]

    def fault(self, row: int, event: int, name: str, drawn: int) -> Fault:
        sums = len(self.seen) - 1
        trials = drawn * (sums if row == sums else 1)
        return Fault(
            kind=self.kind,
            name=name,
            place=self.place(min(row, sums - 1), event),
            seen=int(self.seen[row, event]),
            drawn=trials,
            expected=float(self.planned[row, event] * trials),
            chance=float(self.chances[row, event]),
        )


def _test(
    kind: str,
    seen: Integers,
    planned: Floats,
    drawn: int,
    place: Callable[[int, int], str],
) -> _Test:
    """Hold counts to their chances, sums × events, and to the mean over all sums."""
    seen = np.vstack([seen, seen.sum(axis=0)])
    planned = np.vstack([planned, planned.mean(axis=0)])
    drawn_each = np.full((len(seen), 1), drawn)
    drawn_each[-1] *= len(seen) - 1
    return _Test(kind, seen, planned, log_chance(seen, drawn_each, planned), place)


def _tests(tally: Tally, laws: Sequence[RoundedLaw]) -> Iterator[_Test]:
    yield from _sizes(tally, laws)
    yield from _low_bits(tally, laws)
    yield from _repeats(tally, laws)


def _sizes(tally: Tally, laws: Sequence[RoundedLaw]) -> Iterator[_Test]:
    """Test how far noise lies from zero: at it, near it, in the middle, far out."""
    marks, drawn = tally.marks.distances, tally.drawn
    middle, far = tally.marks.middle, tally.marks.far
    count = marks.shape[1]
    beneath, upto = tally.upto[:, :count][:, ::-1], tally.upto[:, count:]
    over = drawn - upto
    pairs = list(zip(laws, marks, strict=True))
    above = np.stack([law.above(each) for law, each in pairs])
    within = np.stack([law.within(each) for law, each in pairs])
    between = np.stack([law.between(each[:-1], each[1:]) for law, each in pairs])

    def far_from(row: int, at: int) -> str:
        if at < middle:
            return f"{marks[row, at]:,} cells"
        return f"{marks[row, at] / laws[row].scale:.3g} scales"

    def sized(start: int) -> Callable[[int, int], str]:
        return lambda row, at: f"within {far_from(row, at + start)} of 0"

    def beyond(start: int, side: str) -> Callable[[int, int], str]:
        return lambda row, at: f"more than {far_from(row, at + start)} {side} 0"

    def binned(start: int, side: str) -> Callable[[int, int], str]:
        return lambda row, at: (
            f"more than {far_from(row, at + start)} and at most "
            f"{far_from(row, at + start + 1)} {side} 0"
        )

    sizes, outside = upto - beneath, over + beneath
    parts = [
        (CENTRE, slice(1, middle)),
        (SHAPE, slice(middle, far)),
    ]
    yield _test(EXACT, sizes[:, :1], within[:, :1], drawn, lambda *_: "exactly 0")
    for kind, part in parts:
        yield _test(kind, sizes[:, part], within[:, part], drawn, sized(part.start))
    yield _test(TAILS, outside[:, far:], 2 * above[:, far:], drawn, beyond(far, "from"))
    for side, counts in (("above", over), ("below", beneath)):
        inner = np.abs(np.diff(counts, axis=1))
        for kind, part in [
            (SIGNS, slice(0, middle)),
            (SHAPE, slice(middle, far)),
            (TAILS, slice(far, count)),
        ]:
            seen, planned = counts[:, part], above[:, part]
            yield _test(kind, seen, planned, drawn, beyond(part.start, side))
        for kind, part in [
            (CENTRE, slice(0, middle - 1)),
            (SHAPE, slice(middle - 1, far - 1)),
            (TAILS, slice(far - 1, count - 1)),
        ]:
            seen, planned = inner[:, part], between[:, part]
            yield _test(kind, seen, planned, drawn, binned(part.start, side))


def _low_bits(tally: Tally, laws: Sequence[RoundedLaw]) -> Iterator[_Test]:
    """Test the residues of noise modulo 16, and each bit below a quarter of a scale."""
    sums, words, values = tally.words.shape
    bits = min(words * WORD, *(law.uniform_bits for law in laws))
    if 2**bits < _RESIDUES:
        return
    low = tally.words[:, 0].reshape(sums, -1, _RESIDUES).sum(axis=1)
    planned = np.stack([law.residues(_RESIDUES) for law in laws])
    yield _test(
        BITS, low, planned, tally.drawn, lambda _, at: f"{at} modulo {_RESIDUES}"
    )
    is_set = (np.arange(values)[:, None] >> np.arange(WORD)) & 1
    seen = (tally.words @ is_set).reshape(sums, -1)[:, :bits]
    planned = np.stack([law.bits_set(bits) for law in laws])
    yield _test(
        BITS, seen, planned, tally.drawn, lambda _, at: f"numbers with bit {at} set"
    )


def _repeats(tally: Tally, laws: Sequence[RoundedLaw]) -> Iterator[_Test]:
    """Test whether one number comes too often, and whether a series comes again.

    That some number comes r times has at most the chance C(n, r)·P(0)^(r − 1): no
    number is likelier than 0, and the chances of all add up to 1. That any of four
    noises equals the one it is compared with has the chance P(0) at most, whatever came
    before: C(n, 2)·P(0)⁴ for all pairs of series.
    """
    likeliest = np.array([float(law.within(np.array(0))) for law in laws])
    most, drawn, echoes = tally.most, tally.drawn, tally.echoes
    often = np.minimum(0.0, _ways(drawn, most) + (most - 1) * np.log(likeliest))
    again = np.minimum(0.0, _ways(drawn, 2) + LENGTH * np.log(likeliest))
    yield _alone(
        ONE_NUMBER, most, likeliest, often, lambda *_: "one and the same number"
    )
    place = f"the first of {LENGTH} that came before, in this order"
    again = np.where(echoes > 0, again, 0.0)
    yield _alone(
        REPEATS, echoes, np.exp(again) / max(drawn, 1), again, lambda *_: place
    )


def _ways(drawn: int, chosen: Integers | int) -> Floats:
    """Give the logarithm of a binomial coefficient."""
    from scipy.special import gammaln

    left = gammaln(chosen + 1) + gammaln(drawn - chosen + 1)
    return np.asarray(gammaln(drawn + 1) - left)


def _alone(
    kind: str,
    seen: Integers,
    planned: Floats,
    chances: Floats,
    place: Callable[[int, int], str],
) -> _Test:
    """Hold each sum to its law alone: scales differ, and so do their numbers."""
    counts, means, bounds = (
        np.append(each, 0)[:, None] for each in (seen, planned, chances)
    )
    return _Test(kind, counts, means, bounds, place)
