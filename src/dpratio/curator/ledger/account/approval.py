"""An approval in the ledger: of which plan and data, by whom, and within which limits.

It may be limited in number and in time, and it may be withdrawn. If a scope demands it,
the person who asks for a release must not be the one who approved it.
"""

import calendar
import re
from dataclasses import dataclass, replace

from dpratio.checks import require
from dpratio.curator.ledger.account.entry import Entry
from dpratio.errors import DocumentRefused

_NUMBER = re.compile("[1-9][0-9]{0,8}")
_DAY = re.compile("[1-9][0-9]{3}-(0[1-9]|1[0-2])-[0-9]{2}")
_DAY_LETTERS = len("2026-12-31")


@dataclass(frozen=True, slots=True)
class Approval:
    """The line that approves, how many charges stand under it, and its withdrawal."""

    entry: Entry
    used: int = 0
    withdrawal: Entry | None = None

    @property
    def most(self) -> int | None:
        """How many releases it is for; None for any number."""
        said = self.entry.said.get("most")
        return None if said is None else int(said)

    @property
    def until(self) -> str | None:
        """The last day on which it admits, in UTC; None for no end."""
        return self.entry.said.get("until")

    def limit_met(self, time: str) -> str:
        """Say which limit keeps it from admitting at a time; empty where none does."""
        if self.withdrawal is not None:
            day = self.withdrawal.time[:_DAY_LETTERS]
            return f"was withdrawn on {day} by {who(self.withdrawal)}"
        if self.most is not None and self.used >= self.most:
            often = "1 release" if self.most == 1 else f"{self.most:,} releases"
            return f"was for {often}, and that many were charged"
        if self.until is not None and time[:_DAY_LETTERS] > self.until:
            return f"ended on {self.until}"
        return ""

    def is_by_other(self, session: str, by: str) -> bool:
        """Tell whether another person than the one who asks has approved.

        A server knows its users; in a file there are only the names that were given.
        Who cannot be told apart from the approver counts as the approver.
        """
        approver, name = self.entry.session, self.entry.said["by"]
        if approver or session:
            return bool(approver and session) and approver != session
        return bool(_folded(name) and _folded(by)) and _folded(name) != _folded(by)

    def charged(self, count: int) -> "Approval":
        """Give the approval with one more charge under it, or one less."""
        return replace(self, used=self.used + count)


def approval_of(entry: Entry) -> Approval:
    """Read the line of an approval.

    Raises:
        DocumentRefused: When it says something else.
        ValueError: When a limit is not valid.
    """
    said = entry.said
    for name, is_one in (("most", _is_number), ("until", _is_day)):
        if name in said and not is_one(said[name]):
            raise ValueError(name)
    return Approval(entry)


def limits_of(most: int | None, until: str | None) -> dict[str, str]:
    """Write down the limits of an approval; one that is None is left out.

    Raises:
        InvalidInput: When a limit is not valid.
    """
    said = {}
    if most is not None:
        whole = isinstance(most, int) and not isinstance(most, bool)
        counted = whole and _is_number(str(most))
        require(counted, "most must be a number of releases from 1 on", most)
        said["most"] = str(most)
    if until is not None:
        hint = "Write the last day as 2026-12-31."
        dated = isinstance(until, str) and _is_day(until)
        require(dated, "until must be a day", until, hint)
        said["until"] = until
    return said


def who(entry: Entry) -> str:
    """Say who wrote a line: the name that was given, and the server's own."""
    try:
        name = entry.said.get("by", "")
    except DocumentRefused:
        name = ""
    try:
        user = entry.session
    except DocumentRefused:
        user = ""
    name = name or "somebody without a name"
    return f"{name} ({user})" if user else name


def _is_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None


def _is_day(text: str) -> bool:
    if not _DAY.fullmatch(text):
        return False
    year, month, day = (int(part) for part in text.split("-"))
    return 1 <= day <= calendar.monthrange(year, month)[1]


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
