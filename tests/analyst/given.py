"""Releases and moments as given, without a curator, for the tests of the analyst."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.sums.moments import Moments
from dpratio.analyst.sums.noise import Noise
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.sensitivity.sums import MOMENTS
from dpratio.release.release import Release, fresh_question
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import Groups, PrivateKeys
from dpratio.terms.question import Partition
from dpratio.terms.ratio import Ratio

Floats = NDArray[np.float64]
SCORE_PER_LABEL = {"s": Bounds(0, 1), "y": Bounds.binary()}


def given_plan(
    bounds: Mapping[str, Bounds] = SCORE_PER_LABEL,
    budget: Budget = Budget(1),  # noqa: B008 (a value)
    **terms: Any,  # noqa: ANN401
) -> Plan:
    """Plan s per y, weighted where w has bounds; unless said, nobody counts cuts."""
    asked = {
        name: terms.pop(name) for name in ("guess", "residual_bound") if name in terms
    }
    ratio = Ratio("s", per="y", weight="w" if "w" in bounds else None, **asked)
    given = {"clipping": "unmeasured", "stage": 0, **terms}
    return make_plan(ratio, bounds=dict(bounds), budget=budget, **given)


def given_release(
    plan: Plan,
    *values: Any,  # noqa: ANN401
    id: str = "0" * 32,  # noqa: A002
    is_simulated: bool = False,
) -> Release:
    """Release whole numbers as given, one table of them for each part of the plan."""
    questions = tuple(
        fresh_question(plan.law, measured, declared(measured.groups), each)
        for measured, each in zip(plan.measurements, values, strict=True)
    )
    return Release(id, plan, questions, "a test", is_simulated=is_simulated)


def noiseless(plan: Plan) -> Plan:
    """The same plan with the least noise that a release can state."""
    measurements = tuple(
        replace(
            measured, sums=tuple(replace(one, scale=2.0**-10) for one in measured.sums)
        )
        for measured in plan.measurements
    )
    return replace(plan, measurements=measurements)


def summed(
    plan: Plan, columns: Mapping[str, Floats], cells: Floats
) -> NDArray[np.int64]:
    """Add up rows as planned: letters w, s, y by row, and the cell of each row."""
    question = plan.measurements[0]
    contrast = plan.layout(question).contrast
    values = dict(columns)
    if contrast is not None:
        weight = values.get("w", np.ones(len(cells)))
        (_, by), (first, second) = contrast.rows
        values["z"] = weight * (values["s"] + by * values["y"])
        values["h"] = weight * (first * values["s"] + second * values["y"])
    totals = []
    for each in question.sums:
        product = np.ones(len(cells))
        for factor in each.summand.factors:
            product = product * values[factor]
        total = np.zeros(int(cells.max()) + 1)
        np.add.at(total, cells.astype(int), product)
        totals.append(np.rint(total / each.step))
    return np.stack(totals, axis=1).astype(np.int64)


def declared(groups: Partition) -> Groups | None:
    assert not isinstance(groups, PrivateKeys)
    return groups


@dataclass(frozen=True)
class NoiseTerm:
    """One independent noise, and its weight in every moment."""

    law: str
    scale: float
    loading: Floats


def noise_on(
    name: str,
    scale: float,
    law: str = "gaussian",
    *,
    names: Sequence[str] = MOMENTS,
) -> NoiseTerm:
    return NoiseTerm(law, scale, np.array([float(each == name) for each in names]))


def given_moments(
    names: tuple[str, ...], rows: Sequence[Sequence[float]], *terms: NoiseTerm
) -> Moments:
    """Moments with noise as given, as if each noise lay on a sum of its own."""
    matrix = np.zeros((len(names), len(terms)))
    for at, term in enumerate(terms):
        matrix[:, at] = term.loading
    scales = np.array([[term.scale for term in terms]])
    is_laplace = np.array([[term.law == "laplace" for term in terms]], dtype=bool)
    noise = Noise(scales**2 * np.where(is_laplace, 2.0, 1.0), scales * is_laplace)
    return Moments(names, np.array(rows, dtype=np.float64), matrix, noise)
