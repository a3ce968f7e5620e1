"""Proposed bounds as tables: what is proposed, and what there is to choose from."""

import json
from dataclasses import dataclass
from typing import Any

from dpratio.analyst.bounds.find_bounds import FoundBounds, bounds_by_name
from dpratio.analyst.bounds.noisy import Candidate, Noisy
from dpratio.analyst.tables.provenance import stamps
from dpratio.tabular import Tabular
from dpratio.terms.bounds import Bounds

PROPOSAL_STATUSES = {
    "ok": "bounds are proposed",
    "too_little_known": (
        "no cell is filled beyond noise; more people or more epsilon would tell, or "
        "bounds from outside"
    ),
    "beyond_limits": (
        "numbers reach beyond the outer limits; widen the limits, or choose a bound "
        "by judgement"
    ),
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is proposed for one histogram, and how many lie beyond with an interval."""

    name: str
    noisy: Noisy
    found: FoundBounds
    beyond: tuple[float, float, float] | None
    status: str

    @property
    def bounds(self) -> Bounds | None:
        """The bounds of this histogram alone."""
        return self.found.bounds


@dataclass(frozen=True, slots=True)
class Proposals(Tabular):
    """Proposed bounds, one row per histogram.

    ``people_beyond`` is a noisy count of rows, or of totals in groups: how many are
    cut, not by how much. ``status`` is one of `PROPOSAL_STATUSES`.
    """

    rows: tuple[Proposal, ...]
    level: float
    is_simulated: bool

    @property
    def bounds(self) -> dict[str, Bounds]:
        """The bounds that are proposed, by column or total.

        A total with several histograms gets bounds that hold those of all of them,
        and none where one of them reaches beyond its limits.
        """
        return bounds_by_name([each.found for each in self.rows])

    def lines(self) -> list[str]:
        """Write the bounds as a study file has them: of columns, or with ids totals."""
        return [
            f"{_toml_name(name)} = [{each.lower!r}, {each.upper!r}]"
            for name, each in self.bounds.items()
        ]

    def columns(self) -> dict[str, list[Any]]:
        """One row per histogram."""
        ends = ("people_beyond", "ci_lower", "ci_upper")
        counts = {
            name: [
                None if each.beyond is None else each.beyond[at] for each in self.rows
            ]
            for at, name in enumerate(ends)
        }
        return {
            "name": [each.name for each in self.rows],
            "lower": [each.bounds and each.bounds.lower for each in self.rows],
            "upper": [each.bounds and each.bounds.upper for each in self.rows],
            **counts,
            "status": [each.status for each in self.rows],
        }

    def notes(self) -> list[str]:
        """Say what is shown and what the statuses mean."""
        seen = dict.fromkeys(each.status for each in self.rows)
        meanings = [
            f"{each}: {PROPOSAL_STATUSES[each]}." for each in seen if each != "ok"
        ]
        return [
            *stamps(is_simulated=self.is_simulated),
            f"Proposed bounds, and how many lie beyond at level {self.level:g}.",
            *meanings,
        ]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class BoundChoices(Tabular):
    """Bounds of one histogram: what clipping takes off the sum, and how wide it is.

    ``bias`` and ``width`` are in the units of the sum, and ``together`` is the width
    and twice the bias. Nothing is said of what lies unseen above the last filled cell
    but for four powers of two.
    """

    name: str
    listed: tuple[tuple[float, Candidate], ...]
    is_simulated: bool

    def columns(self) -> dict[str, list[Any]]:
        """One row per bound, those below zero first."""
        each = [one for _, one in self.listed]
        return {
            "bound": [sign * one.bound for sign, one in self.listed],
            "people_beyond": [one.people_beyond for one in each],
            "bias": [one.bias for one in each],
            "width": [one.width for one in each],
            "together": [one.together for one in each],
        }

    def said(self) -> list[str]:
        """Say what is listed."""
        shown = "what each takes off its sum, and how wide its interval would be"
        return [
            *stamps(is_simulated=self.is_simulated),
            f"Bounds of {self.name}: {shown}.",
        ]

    def __len__(self) -> int:
        return len(self.listed)


def _toml_name(name: str) -> str:
    # TOML reads text in double quotes as JSON writes it.
    plain = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if plain else json.dumps(name, ensure_ascii=False)
