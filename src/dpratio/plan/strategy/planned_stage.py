"""The first stage of a plan: what it spends, measures, and expects of people."""

from dataclasses import dataclass
from fractions import Fraction

from dpratio.plan.sensitivity.sums import MeasuredSum
from dpratio.terms.guess import Guess

__all__ = ["Stage"]


@dataclass(frozen=True, slots=True)
class Stage:
    """Two totals of each question, Σ w·s and Σ w·y over all its groups, with noise.

    They find the guess of the ratio around which the second stage measures. The sums
    that the questions of the plan hold are the fallback: they are measured where the
    totals find none.

    Args:
        epsilon: What the first stage spends, of the plan's budget.
        people: About how many people an answer is about, and
        guess: what they are like; both only share the second stage's budget.
        firsts: The two totals of each question, in the order of the questions.
    """

    epsilon: Fraction
    people: int | None = None
    guess: Guess | None = None
    firsts: tuple[tuple[MeasuredSum, ...], ...] = ()

    def only(self, at: int) -> "Stage":
        """Give the stage of one question alone."""
        return Stage(self.epsilon, self.people, self.guess, self.firsts[at : at + 1])
