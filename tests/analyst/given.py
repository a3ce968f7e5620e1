"""Releases and moments as given, without a curator, for the tests of the analyst."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.moments import Moments
from dpratio.analyst.noise import Noise
from dpratio.plan.part import Part
from dpratio.plan.plan import Plan
from dpratio.release.release import Release, fresh_part
from dpratio.terms.groups import Groups, PrivateKeys

Floats = NDArray[np.float64]


def given_release(
    plan: Plan,
    *values: Any,  # noqa: ANN401
    id: str = "0" * 32,  # noqa: A002
    is_simulated: bool = False,
) -> Release:
    """Release whole numbers as given, one table of them for each part of the plan."""
    parts = tuple(
        fresh_part(plan, part, cells_of(plan, part), each)
        for part, each in zip(plan.parts, values, strict=True)
    )
    return Release(id, plan, parts, "a test", is_simulated=is_simulated)


def cells_of(plan: Plan, part: Part) -> Groups | None:
    partition = plan.partitions[part.partition]
    assert not isinstance(partition, PrivateKeys)
    return partition


@dataclass(frozen=True)
class NoiseTerm:
    """One independent noise, and its weight in every moment."""

    law: str
    scale: float
    loading: Floats


def noise_on(
    name: str, scale: float, law: str = "gaussian", *, names: Sequence[str]
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
