"""A release to try answers on, before there is one of one's own."""

from importlib.resources import files

from dpratio.checks import require_one_of
from dpratio.release.files import release_from_bytes
from dpratio.release.release import Release

_FILES = {"focused": "example_release.json", "joint": "example_release_joint.json"}


def example_release(strategy: str = "focused") -> Release:
    """Return a release about invented people, which comes with dpratio.

    20,000 people have a score and a label. Question 1 is about four regions,
    question 2 about five bins of the score. The true ratios of score per label are 1
    in the north, 1.05 in the east, 1.1 in the south and 1.2 in the west.

    Args:
        strategy: ``"focused"``, the default of plans, whose questions answer ratios
            and means; or ``"joint"``, whose questions answer ``"spread"`` as well.

    Returns:
        A release that says that it is simulated. Its noise never changes.

    Raises:
        InvalidInput: When there is no example of that strategy.

    Example:
        >>> import dpratio as dpr
        >>> regions = dpr.roll_up(dpr.example_release(), ["region"])
        >>> dpr.estimate_ratios(regions).ratio.round(2)
        array([1.01, 1.05, 1.11, 1.22])
    """
    require_one_of(strategy, _FILES, "strategy")
    file = files("dpratio.release") / _FILES[strategy]
    return release_from_bytes(file.read_bytes())
