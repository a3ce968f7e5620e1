"""Which cells a function is about: each one, or pairs of two arms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpratio.analyst.tables.labels import question_labels
from dpratio.checks import require
from dpratio.release.release import Release, ReleasedQuestion
from dpratio.terms.groups import Groups, Key


@dataclass(frozen=True, slots=True)
class Arms:
    """Places of cells, one array per arm, and the labels of the rows they make."""

    labels: dict[str, Sequence[Any]]
    places: tuple[NDArray[np.int64], ...]


def arms_of(
    release: Release,
    question: ReleasedQuestion,
    count: int,
    arms: tuple[Key, Key] | None,
) -> Arms:
    """Choose cells for a function of so many arms.

    Raises:
        InvalidInput: When arms are missing, unknown, or may share units.
    """
    if count == 1:
        hint = "Leave arms out: this function is about single cells."
        require(arms is None, "this function compares no arms", arms, hint)
        cells = np.arange(len(question.values))
        return Arms(question_labels(question), (cells,))
    hint = "Write arms=('new', 'old'): two keys of one group column."
    two = isinstance(arms, list | tuple) and len(arms) == 2  # noqa: PLR2004
    require(two and arms[0] != arms[1], "arms must be two groups", arms, hint)  # type: ignore[index]
    hint = "Plan with at most one group for each unit."
    rule = "arms that share units cannot be compared"
    most = release.measured.unit.most_groups
    require(most == 1, rule, most, hint)
    groups = question.groups
    at = _dimension(groups, tuple(arms or ()))
    return _pairs(groups, at, tuple(arms or ()))  # type: ignore[arg-type]


def has_arms(question: ReleasedQuestion, arms: object) -> bool:
    """Tell whether a question has groups of these arms; without arms any does."""
    if not isinstance(arms, list | tuple):
        return True
    return bool(_holding(question.groups, tuple(arms)))


def _holding(groups: Groups | None, arms: tuple[Key, ...]) -> list[int]:
    dimensions = () if groups is None else groups.dimensions
    return [
        at
        for at, each in enumerate(dimensions)
        if all(_is_among(key, each.values) for key in arms)
    ]


def _dimension(groups: Groups | None, arms: tuple[Key, ...]) -> int:
    """Find the one group column that has both keys."""
    holding = _holding(groups, arms)
    hint = "Both must be keys of one group column, and of one only."
    require(len(holding) == 1, "these arms cannot be compared", list(arms), hint)
    return holding[0]


def _is_among(key: Key, values: tuple[Key, ...]) -> bool:
    return any(key == each and type(key) is type(each) for each in values)


def _pairs(groups: Groups, at: int, arms: tuple[Key, ...]) -> Arms:
    """Pair the cells that differ in the arm alone, in declared order."""
    keys = [key if isinstance(key, tuple) else (key,) for key in groups.keys]
    rest = [key[:at] + key[at + 1 :] for key in keys]
    first, second = (
        {others: place for place, others in enumerate(rest) if keys[place][at] == arm}
        for arm in arms
    )
    both = [others for others in first if others in second]
    hint = "Declare both arms beside the same other keys."
    require(both, "no cell has both arms", list(arms), hint)
    names = groups.columns[:at] + groups.columns[at + 1 :]
    labels: dict[str, Sequence[Any]] = {
        name: [others[place] for others in both] for place, name in enumerate(names)
    }
    labels |= {
        groups.columns[at]: [arms[0]] * len(both),
        f"{groups.columns[at]}_against": [arms[1]] * len(both),
    }
    places = (
        np.array([chosen[others] for others in both], dtype=np.int64)
        for chosen in (first, second)
    )
    return Arms(labels, tuple(places))
