"""What each row of an answer is about: its ratio, its partition, its keys."""

from collections.abc import Sequence
from typing import Any

from dpratio.release.release import Release

__all__ = ["labels_of", "part_labels"]

ALL = "(all)"


def labels_of(release: Release) -> dict[str, Sequence[Any]]:
    """Give label columns for the cells of every part, in their order.

    A release of one ratio over one set of groups has just the columns of its groups.
    With several ratios a column ``question`` says which; with several partitions the
    columns of the others hold "(all)".
    """
    planned, parts = release.plan.parts, release.parts
    ratios = list(dict.fromkeys(part.ratio for part in planned))
    names = dict.fromkeys(
        name
        for part in parts
        if part.groups is not None
        for name in part.groups.columns
    )
    labels: dict[str, Sequence[Any]] = {}
    if len(ratios) > 1:
        title = "question"
        while title in names:
            title = f"{title}_asked"
        labels[title] = [
            str(plan.ratio)
            for plan, part in zip(planned, parts, strict=True)
            for _ in range(len(part.values))
        ]
    if len(parts) == 1 and len(names) == 1:
        # A million keys are not copied.
        return labels | dict.fromkeys(names, parts[0].keys)
    for name in names:
        column: list[Any] = []
        for part in parts:
            column += _column(part.groups, name, len(part.values), part.keys)
        if ALL in column and not all(isinstance(each, str | None) for each in column):
            # Frames want one type in a column.
            column = [None if each is None else str(each) for each in column]
        labels[name] = column
    return labels


def part_labels(release: Release, part: int) -> dict[str, Sequence[Any]]:
    """Give label columns for the cells of one part."""
    given = release.parts[part]
    if given.groups is None:
        return {}
    count, keys = len(given.values), given.keys
    return {
        name: _column(given.groups, name, count, keys) for name in given.groups.columns
    }


def _column(groups: Any, name: str, count: int, keys: Sequence[Any]) -> list[Any]:  # noqa: ANN401
    if groups is None or name not in groups.columns:
        return [ALL] * count
    if len(groups.columns) == 1:
        return list(keys)
    at = groups.columns.index(name)
    return [key[at] for key in keys]
