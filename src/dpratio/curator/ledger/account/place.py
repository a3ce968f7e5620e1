"""Where a source really lies: what a scope binds, and whether two of them meet.

Files are compared by the real path of a pattern's fixed folder, tables by host,
database, schema and name, tables in memory by the name the curator gave them.
"""

import json
import re
from dataclasses import asdict, dataclass

from dpratio.codec import parse_json
from dpratio.strict import Node

IN_FILES, IN_MEMORY = "files", "memory"
WILD = re.compile(r"[*?\[{]")  # where a pattern, or a template, begins
_WILD_END = re.compile(r"[*?\]}]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where one source lies.

    ``where`` is the server or the file of a database, ``"files"`` or ``"memory"``;
    ``names`` name the source there. ``base`` are the names of the table as its database
    knows it, where the database was asked; ``declared`` says which names columns of CSV
    files were given.
    """

    where: str
    names: tuple[str, ...]
    base: tuple[str, ...] = ()
    declared: str = ""

    @property
    def text(self) -> str:
        """The place as JSON, the same for the same place."""
        return json.dumps(asdict(self), sort_keys=True)


def place_from_text(text: str) -> Place:
    """Read a place that was written as JSON.

    Raises:
        DocumentRefused: When it is not a place.
    """
    fields = Node(parse_json(text)).fields("where", "names", "base", "declared")
    names, base = (
        tuple(each.text() for each in fields[name].items())
        for name in ("names", "base")
    )
    if not names:
        fields["names"].refuse("must name the source")
    return Place(fields["where"].text(), names, base, fields["declared"].text())


def may_meet(one: Place, other: Place) -> bool:
    """Tell whether two sources are, or may be, about the same rows.

    Folders and files in them meet, and so do patterns unless their fixed beginnings or
    ends tell them apart.

    Example:
        >>> folder, file = Place("files", ("/d/*.csv",)), Place("files", ("/d/a.csv",))
        >>> may_meet(folder, file), may_meet(file, Place("files", ("/d/b.csv",)))
        (True, False)
    """
    if one.where != other.where:
        return False
    if one.where == IN_MEMORY:
        return one.names == other.names
    if one.where == IN_FILES:
        return _paths_meet(one.names[0], other.names[0])
    known = [[names for names in (at.names, at.base) if names] for at in (one, other)]
    return any(_same_table(left, right) for left in known[0] for right in known[1])


def is_same(bound: Place, asked: Place) -> bool:
    """Tell whether a source is the one that was bound, and declared as it was.

    What was bound without asking its database holds for every table behind it.
    """
    if bound.where != asked.where or bound.declared not in {"", asked.declared}:
        return False
    if bound.where in {IN_FILES, IN_MEMORY}:
        return bound.names == asked.names
    behind = not bound.base or _same_table(bound.base, asked.base)
    return behind and _same_table(bound.names, asked.names)


def _same_table(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Compare names from the last; a schema that was left out may be any."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return all(left.casefold() == right.casefold() for left, right in pairs)


def _paths_meet(one: str, other: str) -> bool:
    if one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/"):
        return True
    if not WILD.search(one) and not WILD.search(other):
        return False
    heads = sorted((_head(one), _head(other)), key=len)
    tails = sorted((_tail(one), _tail(other)), key=len)
    return heads[1].startswith(heads[0]) and tails[1].endswith(tails[0])


def _head(path: str) -> str:
    """The part of a path before its first wildcard."""
    return WILD.split(path, maxsplit=1)[0]


def _tail(path: str) -> str:
    """The part after the last wildcard, where it tells files from each other."""
    last = _WILD_END.split(path)[-1]
    # Spark reads whole folders: what has no ending may stand for files with one.
    return last if "." in last.rpartition("/")[2] else ""
