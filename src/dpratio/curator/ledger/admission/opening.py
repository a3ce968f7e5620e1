"""Opening a scope, whose terms are written once; closing one that was a mistake."""

from dataclasses import replace

from dpratio.checks import require
from dpratio.curator.ledger.account.account import new_account
from dpratio.curator.ledger.account.scope import Scope, require_words
from dpratio.curator.ledger.admission.lost import head_of
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.errors import LedgerFailed, LedgerRefused


def open_scope(watch: Watch, scope: Scope) -> None:
    """Register a dataset and its caps, as `Ledger.open_scope` says."""
    require(isinstance(scope, Scope), "scope must be a Scope", scope)
    anchor, store = watch.anchor, watch.store
    scope = replace(scope, is_anchored=anchor is not None)
    store.create()
    is_known = any(head.scope == scope.name for head in watch.heads())
    with store.writing() as tables:
        there = tables.scope(scope.name, to_write=True)
        if there is None and (is_known or scope.name in tables.charged_scopes()):
            raise LedgerFailed(
                f"scope '{scope.name}' was open before and is gone: this ledger is an "
                "old copy, or was edited. Find the newest copy."
            )
        if there is None:
            tables.add_scope(scope)
        is_ended = scope.name in tables.ended_names()
    if is_ended:
        raise LedgerRefused(
            f"scope '{scope.name}' was opened by mistake and closed: its name stays "
            "taken, so that nobody takes one for the other. Give the new scope another "
            "name."
        )
    if there not in {None, scope}:
        raise LedgerRefused(
            f"scope '{scope.name}' is open already, with other terms: {there!r}. A cap "
            "that could be raised would be none; data of their own need a name of "
            "their own. A scope that was opened by mistake, and that nobody has used, "
            f"can be closed: `dpratio ledger close '{scope.name}'`."
        )
    if anchor is not None and not _is_anchored(watch, scope.name):
        anchor.append(head_of(new_account(scope)))


def close_scope(watch: Watch, scope: str, *, why: str, by: str) -> None:
    """Close a scope that was opened by mistake; arguments as for `Ledger.close_scope`.

    Again, it changes nothing.

    Guarantee:
        A scope that was ever charged, or that anything was approved or allowed for,
        stays open, and one that is closed is never charged: of a charge and a closing
        at once, one is refused. Proof: docs/proofs/ledger.md.
    """
    require_words(by, "by")
    require_words(why, "why")
    require(why.strip(), "a scope is closed for a reason", why, "Give it with --why.")
    require(isinstance(scope, str), "scope must be a name", scope)
    with watch.writing() as watched:
        before = watched.follow(watched.choose(scope))
        if before.ended is not None:
            return
        if before.is_used:
            raise LedgerRefused(
                f"scope '{scope}' is in use: something was charged, approved or "
                "allowed there, and a ledger forgets nothing. Only a scope that nobody "
                "has used is closed; leave this one as it is."
            )
        watched.write(before, "closed", {"by": by, "why": why})


def _is_anchored(watch: Watch, name: str) -> bool:
    """Tell whether a scope is in the anchor, or too old to begin there."""
    if any(head.scope == name for head in watch.heads()):
        return True
    with watch.store.reading() as tables:
        return bool(tables.entries(name, 0))
