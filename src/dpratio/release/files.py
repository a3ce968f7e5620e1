"""Plans and releases as files: checked JSON that appears whole or not at all.

The checksum shows accidental edits. A file replaces nothing but another of its kind.
"""

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any

from dpratio.checks import require_one_of, show_given
from dpratio.codec import TEXT, Field, canonical, integer, parse_json, record, refuse
from dpratio.errors import DocumentRefused, DpratioError, FileRefused, InvalidInput
from dpratio.plan.document import PLAN
from dpratio.plan.price import AnyPlan, price
from dpratio.release.document import RELEASE
from dpratio.release.release import Release

_PARTS = ("-journal", "-wal", "-shm", ".lock", ".wal")
_LARGEST_FILE = 2**30
_VERSION = 1


# --- Files ----------------------------------------------------------------------------


@contextlib.contextmanager
def _refused_as(done: str, path: object) -> Iterator[Path]:
    """Raise FileRefused where the system cannot read or write the file at a path."""
    if not isinstance(path, str | PathLike):
        raise InvalidInput(
            f"path must be the path of a file, got {show_given(path)}.", field="path"
        )
    try:
        yield Path(path)
    except OSError as error:
        reason = error.strerror
    except UnicodeDecodeError:
        reason = "it is not UTF-8"
    except ValueError:
        reason = "the name holds NUL"
    else:
        return
    raise FileRefused(f"'{path}' cannot be {done}: {reason}.") from None


def check_writable(path: str | PathLike[str]) -> None:
    """Find out before any work whether a file could be written.

    Raises:
        FileRefused: When it could not: links, devices and pipes are no files, and what
            a database puts beside its file is its own.
    """
    with _refused_as("written", path) as target:
        _require_plain(target)
        for end in _PARTS:
            if target.name.endswith(end) and Path(str(target)[: -len(end)]).exists():
                raise FileRefused(
                    f"'{target}' belongs to the file beside it, by its name. Name "
                    "another file."
                )
        _temporary_beside(target).unlink(missing_ok=True)


def write_whole(
    path: str | PathLike[str],
    content: bytes,
    *,
    replace: bool = False,
    is_private: bool = False,
) -> None:
    """Write a file through a temporary one, so that readers never see half of it.

    Args:
        path: A plain file.
        content: All of it.
        replace: Whether a file that is there may be replaced.
        is_private: Whether a new file is for its owner's eyes alone.

    Raises:
        FileRefused: When it cannot be written, or is there and may not be replaced.
    """
    with _refused_as("written", path) as target:
        temporary = _temporary_beside(target)
        try:
            with temporary.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            is_there = _require_plain(target)
            new = 0o600 if is_private else 0o644
            temporary.chmod(target.stat().st_mode if is_there else new)
            if replace:
                temporary.replace(target)
            else:
                _name_new(temporary, target)
            _sync_folder(target.parent)
        finally:
            temporary.unlink(missing_ok=True)


def _name_new(temporary: Path, target: Path) -> None:
    """Name a file as nobody else has named one meanwhile."""
    try:
        os.link(temporary, target)
    except OSError:  # It is taken, or the file system knows no second names.
        if os.path.lexists(target):
            raise FileRefused(
                f"'{target}' exists. Name another file, or say replace=True to replace "
                "it."
            ) from None
        temporary.replace(target)


def _require_plain(target: Path) -> bool:
    """Raise FileRefused unless a file or nothing is there; return whether one is."""
    try:
        mode = target.lstat().st_mode  # Refuses names that no file can have.
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise FileRefused(
            f"'{target}' is a folder, a link, a device or a pipe. Name a plain file."
        )
    return True


def _sync_folder(folder: Path) -> None:
    """Wait until the new name is on the disk, where folders can be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _temporary_beside(target: Path) -> Path:
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".dpratio-")
    os.close(descriptor)
    return Path(name)


# --- Documents ------------------------------------------------------------------------


def _priced(plan: AnyPlan) -> AnyPlan:
    price(plan)
    return plan


# The fields of each kind, but for its format, its version and its checksum.
_FIELDS: Mapping[str, Field] = {
    "plan": record(_priced, lambda plan: {"plan": plan}, plan=PLAN),
    "release": RELEASE,
}


def checksum(body: dict[str, Any]) -> str:
    """Return the hash of a document, however it is laid out."""
    try:
        return hashlib.sha256(canonical(body)).hexdigest()
    except ValueError as error:
        raise DocumentRefused(f"$: {error}.") from None


def _body(kind: str, value: AnyPlan | Release) -> dict[str, Any]:
    head = {"format": f"dpratio-{kind}", "version": _VERSION}
    return {**head, **_FIELDS[kind].write(value)}


def _to_bytes(kind: str, value: AnyPlan | Release) -> bytes:
    body = _body(kind, value)
    return canonical({**body, "sha256": checksum(body)})


def _from_text(kind: str, text: str) -> Any:  # noqa: ANN401
    body = parse_json(text)
    name = body.get("format") if isinstance(body, dict) else None
    if name != f"dpratio-{kind}":
        refuse("$.format", f"this is no {kind}; it must be dpratio-{kind}", name)
    version = integer().read(body.get("version"), "$.version")
    if version != _VERSION:
        rule = f"use the dpratio that wrote it; this one reads version {_VERSION}"
        refuse("$.version", rule, version)
    if TEXT.read(body.pop("sha256", None), "$.sha256") != checksum(body):
        raise DocumentRefused(
            "$.sha256: the document was edited or damaged: its checksum differs. "
            "Get the original file.",
            field="$.sha256",
        )
    del body["format"], body["version"]
    return _FIELDS[kind].read(body, "$")


def _read(kind: str, path: str | PathLike[str]) -> Any:  # noqa: ANN401
    with _refused_as("read", path) as file:
        if file.stat().st_size > _LARGEST_FILE:
            raise FileRefused(f"'{path}' cannot be read: it is larger than 1 GiB.")
        text = file.read_bytes().decode()
    return _from_text(kind, text)


def _require_plan(plan: object) -> None:
    """Raise InvalidInput unless `plan` is a plan of ratios or of histograms."""
    if not isinstance(plan, AnyPlan):
        raise InvalidInput(
            f"plan must be a Plan, got {show_given(plan)}.", field="plan"
        )


def plan_hash(plan: AnyPlan) -> str:
    """Return the name of a plan by its content: 64 hexadecimal digits.

    The title is left out. A study with another title is the same request, so that it is
    approved once and charged once.
    """
    _require_plan(plan)
    return checksum(_body("plan", plan.titled(None)))


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
    _require_plan(plan)
    is_there = require_place(path, "plan", replace=True)
    write_whole(path, _to_bytes("plan", plan), replace=is_there)


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
    plan: AnyPlan = _read("plan", path)
    return plan


def write_release(
    release: Release, path: str | PathLike[str], *, replace: bool = False
) -> None:
    """Write a release; the file appears whole or not at all.

    Args:
        release: What to write.
        path: Where.
        replace: Whether another release that is there may be replaced; nothing else
            ever is.

    Raises:
        FileRefused: When the file cannot be written, or something else is there.

    Example:
        >>> import dpratio as dpr
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     dpr.write_release(dpr.example_release(), f"{folder}/release.json")
        ...     dpr.read_release(f"{folder}/release.json").is_simulated
        True
    """
    if not isinstance(release, Release):
        raise InvalidInput(
            f"release must be a Release, got {show_given(release)}. "
            "Call write_release(release, path).",
            field="release",
        )
    is_there = require_place(path, replace=replace, again=release.id)
    write_whole(path, release_to_bytes(release), replace=is_there)


def require_place(
    path: str | PathLike[str],
    kind: str = "release",
    *,
    replace: bool,
    again: str | None = None,
) -> bool:
    """Keep data, studies, ledgers and paid-for releases from being replaced.

    Args:
        path: Where a document is to be written.
        kind: ``"release"`` or ``"plan"``: nothing but another one is replaced.
        replace: Whether one that is there may be replaced.
        again: The id of a release that may be written once more.

    Returns:
        Whether one is there that will be replaced.

    Raises:
        FileRefused: When something else is there, or the file cannot be written.
    """
    if not isinstance(replace, bool):
        raise InvalidInput(
            f"replace must be true or false, got {show_given(replace)}.",
            field="replace",
        )
    check_writable(path)
    if not Path(path).exists():
        return False
    try:
        there = _read(kind, path)
    except DpratioError:
        raise FileRefused(
            f"'{path}' exists and is no {kind}. Name another file."
        ) from None
    if not replace and there.id != again:
        raise FileRefused(
            f"'{path}' holds a release already. Name another file, or say replace=True "
            "to replace a release."
        )
    return True


def release_to_bytes(release: Release) -> bytes:
    """Return the content of the file of a release."""
    return _to_bytes("release", release)


def read_release(path: str | PathLike[str]) -> Release:
    """Read a release from a file.

    Args:
        path: A file written by `write_release`.

    Returns:
        The release, as it was written.

    Raises:
        FileRefused: When the file cannot be read.
        DocumentRefused: When it is truncated, edited or of another format; the
            message holds the path inside the document.

    Example:
        >>> import dpratio as dpr
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     dpr.write_release(dpr.example_release(), f"{folder}/release.json")
        ...     len(dpr.read_release(f"{folder}/release.json").questions)
        2
    """
    release: Release = _read("release", path)
    return release


def release_from_bytes(content: bytes) -> Release:
    """Read a release from the content of a file; exceptions as `read_release`."""
    with _refused_as("read", "the release"):
        text = content.decode()
    release: Release = _from_text("release", text)
    return release


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
