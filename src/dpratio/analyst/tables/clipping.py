"""How many people the bounds cut, as far as noise lets it be seen, and in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpratio.analyst.tables.labels import name_of
from dpratio.analyst.tables.sentence import percent
from dpratio.arrays import Flags, Floats, Integers

CLIPPED, UNSEEN, NATURAL = "clipped", "not seen", "natural"
LEVEL = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Clipping:
    """Counts of people that a bound cut, whole numbers, with intervals at level 0.95.

    They are NaN where every bound is natural and nothing was counted. ``everyone`` is
    the noisy number of all people, and NaN where it was not measured or is not above 0.
    ``surely`` is the least number that was cut, of all rows and their sum at level 0.95
    together, and a row is clipped where that is above 0. ``together`` is the sum over
    rows; a person counts in each row that cuts them.
    """

    people: Floats
    lower: Floats
    upper: Floats
    surely: Floats
    everyone: Floats
    together: "Clipping | None" = None
    noun: str = "people"

    @property
    def share(self) -> Floats:
        """The part of all people that was cut; NaN where their number is not known."""
        return np.minimum(self.people / self.everyone, 1.0)

    @property
    def is_clipped(self) -> Flags:
        """Whether more than nobody was cut."""
        clipped: Flags = self.surely > 0
        return clipped

    @property
    def status(self) -> tuple[str, ...]:
        """Clipped, not seen, or natural, for every row."""
        seen = np.where(self.is_clipped, CLIPPED, UNSEEN)
        return tuple(np.where(np.isnan(self.people), NATURAL, seen).tolist())

    def columns(self) -> dict[str, list[Any]]:
        """Columns of a table; a share only where one is known."""
        found = {
            "clipped_people": self.people.tolist(),
            "clipped_lower": self.lower.tolist(),
            "clipped_upper": self.upper.tolist(),
        }
        if not np.isnan(self.share).all():
            found["clipped_share"] = self.share.tolist()
        return found | {"clipping": list(self.status)}

    def said(self, labels: Mapping[str, Sequence[Any]]) -> list[str]:
        """Say how many were cut, or how many may have been; nothing of no rows."""
        counted = np.flatnonzero(~np.isnan(self.people))
        if self.briefly():
            return [self._said_of_cuts(counted, labels)]
        if not len(counted):
            return []
        hidden = int((self.upper >= self.everyone)[counted].sum())
        if hidden == len(counted):
            hides = f"any number of {self.noun} may have been cut"
            return [f"Clipping: noise hides it; {hides}."]
        most = int(np.max(self.upper[counted]))
        where = "" if len(self.people) == 1 else " in each row"
        said = (
            f"Clipping: no cut was seen; at most {most:,} {self.noun}{where} may have "
            f"been cut, at level {LEVEL:g}."
        )
        if hidden:
            said += f" In {hidden:,} of {len(counted):,} rows that may be everybody."
        return [said]

    def _said_of_cuts(
        self, counted: Integers, labels: Mapping[str, Sequence[Any]]
    ) -> str:
        end = "Ratios are those of clipped values; what was cut off is not in them."
        if len(self.people) == 1:
            return f"Clipping: bounds cut {self.about()}. {end}"
        clipped = np.flatnonzero(self.is_clipped)
        said = f"Clipping: bounds cut {self.noun}, but noise hides in which rows."
        if len(clipped):
            surest = int(clipped[np.argmax(self.surely[clipped])])
            said = (
                f"Clipping: bounds cut {self.noun} in {len(clipped):,} of "
                f"{len(counted):,} rows; the surest is "
                f"{name_of(labels, surest)}: about "
                f"{int(self.people[surest]):,} {self.noun}, surely "
                f"{int(self.surely[surest]):,} or more."
            )
        if self.together is not None and self.together.is_clipped[0]:
            said += f" All rows together: {self.together.about()}."
        return f"{said} {end}"

    def about(self) -> str:
        """The only row, in words."""
        about = (
            f"about {int(self.people[0]):,} {self.noun}, 95 % interval "
            f"{int(self.lower[0]):,} to {int(self.upper[0]):,}"
        )
        if np.isfinite(self.share[0]):
            about += f", {percent(float(self.share[0]))} of all"
        return about

    def briefly(self) -> str:
        """Say that bounds cut, where they did; for the end of a sentence."""
        many = int(self.is_clipped.sum())
        if many and len(self.people) == 1:
            return f"; bounds cut about {int(self.people[0]):,} {self.noun}"
        if many:
            return f"; bounds cut {self.noun} in {many:,} of them"
        if self.together is not None and self.together.is_clipped[0]:
            return f"; bounds cut {self.noun} in some of them"
        return ""
