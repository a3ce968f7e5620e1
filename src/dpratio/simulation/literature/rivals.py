"""Which methods answer which sums, and what each takes for it.

Miao & Li's two intervals get their own split, even shares of the budget. The bootstraps
get the same sums by one vector mechanism on their joint sensitivity, which is never
worse. To tell what the sums do from what the interval does, all but the plain plug-in
answer the sums of our default plan too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from dpratio.analyst.ratio.estimate import estimate_ratios
from dpratio.analyst.ratio.tail import normal_quantile
from dpratio.analyst.sums.moments import moments_of
from dpratio.release.release import Release
from dpratio.simulation.coverage.samples import Asked, Block
from dpratio.simulation.literature.bootstrap import debiased, percentile, pivotal
from dpratio.simulation.literature.interval import Interval
from dpratio.simulation.literature.plug_in import plug_in
from dpratio.simulation.literature.timed import Found, join, timed

__all__ = ["DEFAULT", "STRATEGIES", "AnswerSums", "Way"]

Rng = np.random.Generator
Answer = Callable[[Release], Interval]
DEFAULT = "dpratio"
STRATEGIES = ("focused", "even", "joint")
_BOOTSTRAPS = {"bootstrap": pivotal, "percentile": percentile, "debiased": debiased}


@dataclass(frozen=True, slots=True)
class Way:
    """A method and the sums that it answers."""

    method: str
    sums: str


@dataclass(frozen=True, slots=True)
class AnswerSums:
    """Puts noise on a block of sums and answers by all methods for such sums."""

    asked: tuple[Asked, ...]
    level: float
    draws: int

    def __call__(self, block: Block) -> dict[Way, Found]:
        """Answer one block."""
        sample = block.with_noise(self.asked)
        strategy = self.asked[block.asked][0].strategy
        rng = np.random.default_rng(block.seed.spawn(1)[0])
        order = np.argsort(sample.places)
        found = {}
        for method, answer in self._ways(strategy, rng).items():
            given = join(
                [timed(partial(answer, part.release)) for part in sample.parts]
            )
            ends = (getattr(given.interval, each.name) for each in fields(Interval))
            interval = Interval(*(each[order] for each in ends))
            found[Way(method, strategy)] = Found(interval, given.seconds)
        return found

    def _ways(self, strategy: str, rng: Rng) -> Mapping[str, Answer]:
        quantile = normal_quantile(self.level)

        def of_moments(method: Callable[..., Interval], *given: Any) -> Answer:  # noqa: ANN401
            return lambda release: method(moments_of(release), *given)

        corrected = of_moments(partial(plug_in, corrected=True), quantile)
        again = {
            name: of_moments(method, self.level, self.draws, rng)
            for name, method in _BOOTSTRAPS.items()
        }
        if strategy == "even":
            plain = of_moments(partial(plug_in, corrected=False), quantile)
            return {"plug_in": plain, "corrected": corrected}
        if strategy == "joint":
            return again
        ours = {DEFAULT: partial(_default, self.level)}
        return ours | {"corrected": corrected} | again


def _default(level: float, release: Release) -> Interval:
    given = estimate_ratios(release, level=level)
    return Interval(given.ratio, given.ci_lower, given.ci_upper)
