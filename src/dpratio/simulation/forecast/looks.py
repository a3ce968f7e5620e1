"""What many looks cost one person, and how wide the last interval is then.

A plan is taken for one look. Who is in all looks pays for all of them: how that adds
up depends on the accounting of the ledger. Who is in one look pays for one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.tables.options import require_level
from dpratio.analyst.watch.boundary import Boundary
from dpratio.checks import require
from dpratio.curator.ledger.account.accounting import (
    ACCOUNTINGS,
    charge_of,
    epsilon_of_loss,
    gaussian_epsilon,
    loss_within,
    pure_epsilon,
)
from dpratio.plan.laws import LAPLACE
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.simulation.forecast.forecast import forecast
from dpratio.simulation.forecast.simulated_widths import replan
from dpratio.simulation.population import DrawPeople
from dpratio.tabular import Tabular, columns_of
from dpratio.terms.population import Population

NEW = "people are new"
_MOST_LOOKS = 100_000
_USUAL_DELTA = Fraction(1, 10**6)


@dataclass(frozen=True, slots=True)
class LooksForecast(Tabular):
    """One row per accounting and size, and one for people who are in one look.

    ``epsilon_of_all`` is what all looks cost one person if each costs what the plan
    says. ``epsilon_of_one`` is what one look may cost if all of them together are to
    cost that, and the widths are those of the last interval then.
    """

    rows: tuple[dict[str, Any], ...]
    looks: int
    level: float
    epsilon: float
    delta: float

    def columns(self) -> dict[str, list[Any]]:
        """The rows as a table."""
        return columns_of(self.rows)

    def precision(self) -> dict[str, list[float]]:
        """Two or three digits say all that a forecast knows."""
        return {
            name: [each / 5 if math.isfinite(each) else math.nan for each in cells]
            for name, cells in self.columns().items()
            if name.startswith(("width", "epsilon_of"))
        }

    def notes(self) -> list[str]:
        """Say what the columns mean."""
        sure = f"{100 * self.level:.4g} %"
        costs = (
            f"{self.looks:,} looks at people who may be in all of them. "
            "epsilon_of_all: what all cost one person, each as planned here, at delta "
            f"{self.delta:g}. epsilon_of_one: what a look may cost so that all "
            f"together cost epsilon {self.epsilon:g}."
        )
        widths = (
            "width: median at the last look then, of n people, answered by itself so "
            f"that all looks hold at once with {sure} (Bonferroni). In the last row "
            "each person is in one look and pays for one; width is that of the running "
            "sequence, with the last look declared."
        )
        return [costs, widths, "No data were read and nothing was spent."]


def forecast_looks(
    plan: Plan,
    *,
    looks: int,
    n: Sequence[int],
    population: Population | DrawPeople | None = None,
    question: str | int | None = None,
    level: float = 0.95,
) -> LooksForecast:
    """Forecast what many looks cost one person, under each accounting.

    Args:
        plan: What one look would measure.
        looks: How many there will be.
        n: People behind one answer of one look; several sizes may be tried.
        population: What the people are like, as in `forecast`.
        question: One question, where there are several.
        level: The confidence over all looks.

    Raises:
        InvalidInput: When an option breaks a rule.
    """
    counted = type(looks) is int and 1 < looks <= _MOST_LOOKS
    require(counted, "looks must be a whole number from 2 to 100,000", looks)
    require_level(level)
    delta = plan.budget.delta or _USUAL_DELTA
    each = 1 - (1 - level) / looks
    last = Boundary(1 - level, looks, is_last=True)
    over = float(last.quantile(np.array([float(looks)]), np.ones(1))[0])
    rows = []
    for size in n:
        asked = {"n": size, "population": population, "question": question}
        for accounting in ACCOUNTINGS:
            one, one_delta = _of_one(plan, accounting, looks, delta)
            narrowed = replan(plan, one, size, population, delta=one_delta)
            found = _widths(narrowed, level=each, **asked)
            whole = _of_all(plan, accounting, looks, delta)
            rows.append(_row(accounting, size, (whole, float(one)), found, 1.0))
        found = _widths(plan, level=level, **asked)
        paid = (float(plan.epsilon), float(plan.epsilon))
        times = over / normal_quantile(level) / math.sqrt(looks)
        rows.append(_row(NEW, size, paid, found, times))
    return LooksForecast(tuple(rows), looks, level, float(plan.epsilon), float(delta))


def _of_all(plan: Plan, accounting: str, looks: int, delta: Fraction) -> float:
    """Give the epsilon that so many looks come to."""
    cost = price(plan)
    if accounting == "basic":
        return float(looks * cost.epsilon)
    loss = float(looks * charge_of(cost, accounting).loss)
    return epsilon_of_loss(accounting, loss, float(_converted(accounting, delta)))


def _of_one(
    plan: Plan, accounting: str, looks: int, delta: Fraction
) -> tuple[Fraction, Fraction]:
    """Give the epsilon and delta that one look may have, rounded down."""
    if accounting == "basic":
        return plan.epsilon / looks, plan.budget.delta / looks
    converted = _converted(accounting, delta)
    loss = float(loss_within(accounting, plan.epsilon, converted)) / looks
    if plan.law == LAPLACE:
        return _down(pure_epsilon(accounting, loss)), plan.budget.delta
    small = gaussian_epsilon(accounting, loss, float(delta))
    return _down(small), plan.budget.delta


def _converted(accounting: str, delta: Fraction) -> Fraction:
    """Give the delta of the conversion, as a scope sets it aside."""
    return delta if accounting == "gdp" else delta / 2


def _down(epsilon: float) -> Fraction:
    return Fraction(math.floor(epsilon * 10**6), 10**6)


def _widths(plan: Plan, **asked: Any) -> dict[str, float]:  # noqa: ANN401
    """Give the widest of the questions: one figure, or both ends of a range."""
    found = forecast(plan, **asked)
    if found.rows:
        return {"width": max(each.width for each in found.rows)}
    return {
        name: max(getattr(each, name) for each in found.ranges)
        for name in ("width_low", "width_high")
    }


def _row(
    accounting: str,
    size: int,
    costs: tuple[float, float],
    widths: dict[str, float],
    times: float,
) -> dict[str, Any]:
    whole, one = costs
    scaled = {name: times * width for name, width in widths.items()}
    return {
        "accounting": accounting,
        "n": size,
        "epsilon_of_all": whole,
        "epsilon_of_one": one,
    } | scaled
