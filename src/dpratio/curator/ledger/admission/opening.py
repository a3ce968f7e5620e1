"""Opening a scope: its terms are written once, and its anchor begins with them."""

from dataclasses import replace

from dpratio.checks import require
from dpratio.curator.ledger.account.account import new_account
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.ledger.admission.look_alike import require_distinct
from dpratio.curator.ledger.admission.lost import head_of
from dpratio.curator.ledger.admission.watch import Watch
from dpratio.errors import LedgerFailed, LedgerRefused

__all__ = ["open_scope"]


def open_scope(watch: Watch, scope: Scope) -> None:
    """Register a dataset and its caps; the same terms again change nothing.

    Raises:
        LedgerRefused: When a scope of this name has other terms, or one looks like it.
        LedgerFailed: When the ledger cannot be written.
    """
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
            require_distinct(scope.name, tables.scope_names())
            tables.add_scope(scope)
    if there not in {None, scope}:
        raise LedgerRefused(
            f"scope '{scope.name}' is open already, with other terms: {there!r}. A cap "
            "that could be raised would be none; data of their own need a name of "
            "their own."
        )
    if anchor is not None and not _is_anchored(watch, scope.name):
        anchor.append(head_of(new_account(scope)))


def _is_anchored(watch: Watch, name: str) -> bool:
    """Tell whether a scope is in the anchor, or too old to begin there."""
    if any(head.scope == name for head in watch.heads()):
        return True
    with watch.store.reading() as tables:
        return bool(tables.entries(name, 0))
