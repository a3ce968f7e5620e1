"""The facts of a report: a line in its header, and a record for who must check it.

They come from the release, and from its ledger where somebody hands that over. No path
and no address is among them.
"""

from typing import Protocol

from dpratio.release.external import ExternalSums
from dpratio.release.files import plan_hash
from dpratio.release.release import Release
from dpratio.show.sections.embedded import Embedded
from dpratio.tabular import PUBLIC
from dpratio.terms.budget import cost_words

Facts = list[tuple[str, str]]


class Recorded(Protocol):
    """What a ledger says of a release, as names and texts."""

    def header(self) -> Facts:
        """Give what stands below the heading: data, day, who asked."""

    def facts(self) -> Facts:
        """Give everything: scope, dates, who asked and approved, what was left."""


def header_facts(release: Release, record: Recorded | None) -> Facts:
    """Give what stands below the heading: data, day, who asked, who is protected."""
    return [*([] if record is None else record.header()), *_promised(release)]


def recorded_facts(release: Release, record: Recorded | None) -> Facts:
    """Give what a regulator asks for, as far as release and ledger know it."""
    facts = [*([] if record is None else record.facts()), *_promised(release)]
    if not isinstance(release.plan, ExternalSums):
        facts.append(("Neighbours by", release.plan.unit.neighbours))
        facts.append(("Plan hash", plan_hash(release.plan)))
    name = "none" if release.origin == PUBLIC else release.id
    facts.append(("Release", name))
    facts += [("Made from", each) for each in release.sources]
    facts += [("Ledger head", each) for each in release.all_heads]
    if release.source_hash is not None:
        facts.append(("Salted hash of the source", release.source_hash))
    return [*facts, ("Made by", release.made_by)]


def verify_commands(
    release: Release, embedded: Embedded | None, level: float, method: str
) -> list[tuple[str, str]]:
    """Write what each command checks, and the command; none where nothing is held.

    The ledger stands as a word: where it lies is not published.
    """
    if embedded is None:
        return []
    file = embedded.name
    options = f" --method {method}" if method != "pivot" else ""
    found = [
        ("The bytes are those of this report:", f"sha256sum {file}"),
        (
            "The file is whole, and the ratios follow from it. This needs no data:",
            f"dpratio estimate {file} --level {level:g}{options}",
        ),
    ]
    if release.ledger_head is not None:
        proof = "The release is as it was sealed, and was paid for. For its curator:"
        found.append((proof, f"dpratio ledger verify {file} --ledger LEDGER"))
    return found


def _promised(release: Release) -> Facts:
    """Say who is protected, and how much that costs; of others what they claim."""
    cost = cost_words(release.cost)
    if release.origin == PUBLIC:
        return [("Protected", "nobody: NOT PRIVATE")]
    if release.origin is not None:
        return [("Measured by", release.origin), ("Claimed there", cost)]
    return [("Protected", str(release.plan.unit)), ("Cost", cost)]
