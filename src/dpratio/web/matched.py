"""Whether a sheet that was approved and a report or release are of one plan."""

from collections.abc import Sequence
from dataclasses import dataclass

from dpratio.errors import FileRefused
from dpratio.web.dropped import RELEASE, REPORT, SHEET, Dropped

__all__ = ["Match", "match_of"]

_ARTICLES = {SHEET: "an", REPORT: "a", RELEASE: "a"}


@dataclass(frozen=True, slots=True)
class Match:
    """A sheet and what it is held to."""

    sheet: Dropped
    other: Dropped

    @property
    def is_edited(self) -> bool:
        """Whether one of both prints another hash than that of what it holds."""
        return self.sheet.is_edited or self.other.is_edited

    @property
    def is_match(self) -> bool:
        """Whether both are of one plan, as far as is known, and neither was altered."""
        return self.sheet.hash == self.other.hash and not self.is_edited

    @property
    def is_proven(self) -> bool:
        """Whether both hold what their hash is computed from."""
        return None not in (self.sheet.plan, self.other.plan)

    @property
    def heading(self) -> str:
        """What was found, in a few words."""
        if not self.is_match:
            return "They do NOT match"
        return "They match" if self.is_proven else "They print the same hash"

    @property
    def lines(self) -> list[str]:
        """What was found, in sentences."""
        both = (self.sheet, self.other)
        if self.is_edited:
            lines = [
                f"The {each.kind} was altered: it prints another hash than that of "
                "what it holds."
                for each in both
                if each.is_edited
            ]
            return [*lines, "Do not rely on it. Ask for the file anew."]
        which = "the plan that is on" if self.is_match else "another plan than that of"
        lines = [f"The {self.other.kind} was made from {which} this sheet."]
        if not self.is_proven:
            lines = [] if self.is_match else lines
            lines += [
                f"The {each.kind} does not hold what it is about, so nothing proves "
                "the hash that is printed on it."
                for each in both
                if each.plan is None
            ]
            lines.append("Choose the release itself, and a sheet as it was written.")
        release = self.other.release
        if not self.is_match and release is not None and release.sources:
            lines.append(
                "It was rolled up or merged: hold the releases it was made from to the "
                "sheet."
            )
        return lines


def match_of(files: Sequence[Dropped]) -> Match:
    """Hold a sheet to a report or a release.

    Raises:
        FileRefused: When the files are not one of each.
    """
    sheets = [each for each in files if each.kind == SHEET]
    others = [each for each in files if each.kind != SHEET]
    if len(sheets) == len(others) == 1:
        return Match(sheets[0], others[0])
    given = " and ".join(
        f"'{each.name}' is {_ARTICLES[each.kind]} {each.kind}" for each in files[:4]
    )
    raise FileRefused(
        "one approval sheet and one report or release are held to each other, and "
        f"{given}."
    )
