"""Plans as files: priced and complete, for a privacy officer to read."""

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from dpratio.checks import require
from dpratio.codec import parse_json
from dpratio.errors import DpratioError, FileRefused
from dpratio.plan.document import PLAN
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.release.checked_json import (
    VERSION,
    body_of,
    checked_bytes,
    checksum,
    require_checksum,
    require_format,
)
from dpratio.release.writing import check_writable, write_whole
from dpratio.strict import Node

__all__ = [
    "plan_hash",
    "read_plan",
    "require_plan_place",
    "write_plan",
]

FORMAT = "dpratio-plan"


def plan_hash(plan: Plan) -> str:
    """Name a plan by its content: 64 hexadecimal digits.

    The title is left out. A study with another title is the same request, so that it is
    approved once and charged once.
    """
    return checksum(_body(replace(plan, title=None)))


def write_plan(plan: Plan, path: str | PathLike[str]) -> None:
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
    require(isinstance(plan, Plan), "plan must be a Plan", plan)
    require(isinstance(path, str | PathLike), "a plan is written to a path", path)
    is_there = require_plan_place(path)
    write_whole(path, checked_bytes(_body(plan)), replace=is_there)


def require_plan_place(path: str | PathLike[str]) -> bool:
    """Let a plan be replaced, and nothing else; tell whether one is there.

    Raises:
        FileRefused: When something else is there, or the file cannot be written.
    """
    check_writable(path)
    if not Path(path).exists():
        return False
    try:
        read_plan(path)
    except DpratioError:
        hint = "Name another file."
        raise FileRefused(f"'{path}' exists and is no plan. {hint}") from None
    return True


def read_plan(path: str | PathLike[str]) -> Plan:
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
    require(isinstance(path, str | PathLike), "a plan is read from a path", path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise FileRefused(f"'{path}' cannot be read: {reason}.") from None
    node = Node(parse_json(text))
    require_format(node, FORMAT)
    fields = node.fields("format", "version", "plan", "sha256")
    require_checksum(node, checksum(body_of(node)))
    plan: Plan = PLAN.read(fields["plan"].value, fields["plan"].path)
    price(plan)
    return plan


def _body(plan: Plan) -> dict[str, Any]:
    return {"format": FORMAT, "version": VERSION, "plan": PLAN.write(plan)}
