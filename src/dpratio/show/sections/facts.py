"""The facts of a report: a line in its header, and a record for who must check it.

They come from the release, and from its ledger where somebody hands that over. No path
and no address is among them.
"""

from typing import Protocol

from dpratio.plan.plan_words import protected
from dpratio.release.plan_file import plan_names
from dpratio.release.release import Release, cost_words
from dpratio.tabular import PUBLIC

__all__ = ["Recorded", "header_facts", "recorded_facts", "verify_command"]

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
    # Of a growing study it is the hash that was approved, whatever period came last.
    plan = plan_names(release.plan)["plan"]
    facts = [*([] if record is None else record.facts()), *_promised(release)]
    if release.origin is None:
        facts.append(("Neighbours by", release.plan.unit.neighbours))
    name = "none" if release.origin == PUBLIC else release.id
    facts += [("Plan hash", plan), ("Release", name)]
    facts += [("Made from", each) for each in release.sources]
    facts += [("Ledger head", each) for each in release.all_heads]
    if release.source_hash is not None:
        facts.append(("Salted hash of the source", release.source_hash))
    return [*facts, ("Made by", release.made_by)]


def verify_command(release: Release) -> str:
    """Write the command that holds a release to its ledger; empty where none was kept.

    File and ledger stand as words: where they lie is not published.
    """
    if release.ledger_head is None:
        return ""
    return "dpratio ledger verify RELEASE.json --ledger LEDGER"


def _promised(release: Release) -> Facts:
    """Say who is protected, and how much that costs; of others what they claim."""
    cost = cost_words(release.cost)
    if release.origin == PUBLIC:
        return [("Protected", "nobody: NOT PRIVATE")]
    if release.origin is not None:
        return [("Measured by", release.origin), ("Claimed there", cost)]
    return [("Protected", protected(release.plan)), ("Cost", cost)]
