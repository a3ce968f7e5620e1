"""Plans as files: priced and complete, for a privacy officer to read."""

from os import PathLike

from dpratio.checks import show_given
from dpratio.codec import record
from dpratio.errors import InvalidInput
from dpratio.plan.document import PLAN
from dpratio.plan.price import AnyPlan, price
from dpratio.release.checked_json import DocumentKind, checksum
from dpratio.release.writing import write_whole


def _priced(plan: AnyPlan) -> AnyPlan:
    price(plan)
    return plan


_PLANS = DocumentKind("plan", record(_priced, lambda plan: {"plan": plan}, plan=PLAN))


def plan_hash(plan: AnyPlan) -> str:
    """Return the name of a plan by its content: 64 hexadecimal digits.

    The title is left out. A study with another title is the same request, so that it is
    approved once and charged once.
    """
    return checksum(_PLANS.body(plan.titled(None)))


def write_plan(plan: AnyPlan, path: str | PathLike[str]) -> None:
    """Write a plan as JSON; the file appears whole or not at all.

    Args:
        plan: What would be measured, for someone to approve.
        path: Where; a plan that is there is replaced, and nothing else.

    Raises:
        FileRefused: When the file cannot be written, or something else is there.

    Example:
        >>> import dpratio as dpr
        >>> from tempfile import TemporaryDirectory
        >>> plan = dpr.example_release().plan
        >>> with TemporaryDirectory() as folder:
        ...     dpr.write_plan(plan, f"{folder}/plan.json")
        ...     dpr.read_plan(f"{folder}/plan.json") == plan
        True
    """
    if not isinstance(plan, AnyPlan):
        raise InvalidInput(
            f"plan must be a Plan, got {show_given(plan)}.", field="plan"
        )
    is_there = require_plan_place(path)
    write_whole(path, _PLANS.to_bytes(plan), replace=is_there)


def require_plan_place(path: str | PathLike[str]) -> bool:
    """Raise FileRefused unless a plan may be written; return whether one is there."""
    return _PLANS.value_at(path, "Name another file.") is not None


def read_plan(path: str | PathLike[str]) -> AnyPlan:
    """Read a plan and price it again.

    Args:
        path: A file written by `write_plan`.

    Returns:
        The plan, as it was written.

    Raises:
        FileRefused: When the file cannot be read.
        DocumentRefused: When it was edited or breaks the format.
        PlanRefused: When it costs more than it says.

    Example:
        >>> import dpratio as dpr
        >>> from tempfile import TemporaryDirectory
        >>> plan = dpr.example_release().plan
        >>> with TemporaryDirectory() as folder:
        ...     dpr.write_plan(plan, f"{folder}/plan.json")
        ...     print(dpr.read_plan(f"{folder}/plan.json").epsilon)
        2
    """
    plan: AnyPlan = _PLANS.read(path)
    return plan
