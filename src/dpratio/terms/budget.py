"""How much privacy loss may be spent."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from dpratio.checks import show_given, to_exact
from dpratio.errors import InvalidInput
from dpratio.terms.bounds import settle

_LARGEST_DENOMINATOR = 10**100


@dataclass(frozen=True, slots=True, init=False)
class Budget:
    """Epsilon and delta that may be spent, as the decimals that were written.

    Args:
        epsilon: Above 0. ``0.1`` means one tenth exactly. In a study file a fraction
            is text: ``"1/3"``.
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
        exact, exact_delta = to_exact(epsilon, "epsilon"), to_exact(delta, "delta")
        if not Fraction(1, 10**12) <= exact <= 10**6:
            raise InvalidInput(
                "epsilon must be positive, from 1e-12 to 1e6, got "
                f"{show_given(epsilon)}. Values between 0.1 and 10 are usual.",
                field="epsilon",
            )
        if exact_delta != 0 and not Fraction(1, 10**100) <= exact_delta < 1:
            raise InvalidInput(
                "delta must be 0, or at least 1e-100 and below 1, got "
                f"{show_given(delta)}. Values such as 1e-6 are usual; 0 means none.",
                field="delta",
            )
        for name, number in (("epsilon", exact), ("delta", exact_delta)):
            if number.denominator > _LARGEST_DENOMINATOR:
                raise InvalidInput(f"{name} has too many digits. Round it.", field=name)
        settle(self, epsilon=exact, delta=exact_delta)

    def __repr__(self) -> str:
        epsilon, delta = decimal_text(self.epsilon), decimal_text(self.delta)
        return f"Budget(epsilon={epsilon}, delta={delta})"


def decimal_text(exact: Fraction) -> str:
    """Return an exact number as a decimal where that is short, else as a fraction.

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
    """Return a cost in words."""
    return f"epsilon {decimal_text(cost.epsilon)}, delta {decimal_text(cost.delta)}"
