"""Which question of a release is meant: the one named, or the only one that fits."""

from collections.abc import Callable

from dpratio.errors import InvalidInput
from dpratio.plan.planned_question import say_which
from dpratio.release.release import Release, ReleasedQuestion

__all__ = ["choose_question"]


def choose_question(
    release: Release,
    which: str | int | None,
    fits: Callable[[ReleasedQuestion], bool],
) -> ReleasedQuestion:
    """Give the question of a name or a number from 1; otherwise the one that fits.

    Where none fits, the first is given: the caller says what it lacks.

    Raises:
        InvalidInput: When there is no such question, or several fit.
    """
    if which is not None:
        return release.question(which)
    fitting = [each for each in release.questions if fits(each)]
    if len(fitting) > 1:
        raise InvalidInput(
            "several questions of this release fit; say which: "
            f"{say_which(release.questions, fitting)}."
        )
    return fitting[0] if fitting else release.questions[0]
