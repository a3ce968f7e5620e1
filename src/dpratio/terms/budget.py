"""How much privacy loss may be spent."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from dpratio.checks import require, to_exact

__all__ = ["Budget", "cost_words", "decimal_text"]

_LARGEST_DENOMINATOR = 10**100


@dataclass(frozen=True, slots=True, init=False)
class Budget:
    """Epsilon and delta that may be spent, as the decimals that were written.

    Args:
        epsilon: Above 0. ``0.1`` means one tenth exactly.
        delta: At least 0 and below 1; 0 allows pure differential privacy only.

    Raises:
        InvalidInput: When either is not a number in its range.

    Example:
        >>> Budget(epsilon=0.1, delta=1e-6).epsilon * 10
        Fraction(1, 1)
    """

    epsilon: Fraction
    delta: Fraction

    def __init__(
        self,
        epsilon: float | str | Decimal | Fraction,
        delta: float | str | Decimal | Fraction = 0,
    ) -> None:
        exact_epsilon = to_exact(epsilon, "epsilon")
        exact_delta = to_exact(delta, "delta")
        spendable = Fraction(1, 10**12) <= exact_epsilon <= 10**6
        hint = "Values between 0.1 and 10 are usual."
        rule = "epsilon must be positive, from 1e-12 to 1e6"
        require(spendable, rule, epsilon, hint)
        hint = "Values such as 1e-6 are usual; 0 means none."
        require(0 <= exact_delta < 1, "delta must be at least 0, below 1", delta, hint)
        sensible = exact_delta == 0 or exact_delta >= Fraction(1, 10**100)
        require(sensible, "delta must be 0 or at least 1e-100", delta, hint)
        for name, exact in (("epsilon", exact_epsilon), ("delta", exact_delta)):
            short = exact.denominator <= _LARGEST_DENOMINATOR
            require(short, f"{name} has too many digits", exact, "Round it.")
        object.__setattr__(self, "epsilon", exact_epsilon)
        object.__setattr__(self, "delta", exact_delta)

    def __repr__(self) -> str:
        epsilon, delta = decimal_text(self.epsilon), decimal_text(self.delta)
        return f"Budget(epsilon={epsilon}, delta={delta})"


def decimal_text(exact: Fraction) -> str:
    """Write an exact number as a decimal where that is short, else as a fraction.

    Example:
        >>> decimal_text(Fraction(1, 5)), decimal_text(Fraction(1, 35))
        ('0.2', '1/35')
    """
    decimal = Decimal(exact.numerator) / Decimal(exact.denominator)
    if Fraction(decimal) != exact:
        return str(exact)
    text = format(decimal.normalize(), "f")
    return text if len(text) <= 12 else f"{decimal.normalize():e}"  # noqa: PLR2004


def cost_words(cost: Budget) -> str:
    """Write a cost as it is said in sentences."""
    return f"epsilon {decimal_text(cost.epsilon)}, delta {decimal_text(cost.delta)}"
