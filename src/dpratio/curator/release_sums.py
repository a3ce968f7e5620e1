"""The one door between data and everyone else.

The order of work is what keeps the promise: everything public is checked, the ledger is
charged, data are opened, noise is drawn once, the bytes are sealed, and only then does
anything leave.
"""

from collections.abc import Callable
from functools import cache
from os import PathLike
from typing import Any, NamedTuple, TypeVar

from dpratio.checks import require
from dpratio.curator.asked_again import (
    Before,
    asked_before,
    require_same_people,
    require_same_source,
    warn_again,
)
from dpratio.curator.ledger.account.source import Source, source_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.standing import standing_of
from dpratio.curator.measure import connect, open_for
from dpratio.curator.noise.entropy import fresh_id
from dpratio.curator.stopping import ending_as_told, noting_where
from dpratio.curator.warehouse.origin import origin_of
from dpratio.errors import EngineFailed, FileRefused, InvalidInput, LedgerRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.price import AnyPlan, price
from dpratio.release.files import (
    release_from_bytes,
    release_to_bytes,
    require_place,
    write_whole,
)
from dpratio.release.release import MADE_BY, Release, id_of
from dpratio.terms.study import Study

STAGES = (
    "checking the plan",
    "reading the schema",
    "charging the ledger",
    "reading the table and adding noise",
    "sealing",
    "publishing",
)


class _Unsaid:
    """Stands where a ledger, or None, must be said."""

    def __repr__(self) -> str:
        return "<must be said>"


_UNSAID: Any = _Unsaid()


def _unheard(_stage: str) -> None:
    """Tell nobody."""


Given = TypeVar("Given")


def release_sums(  # noqa: PLR0913, PLR0915 (one door, in the order of work)
    table: object,
    plan: AnyPlan | None = None,
    *,
    ledger: Ledger | str | PathLike[str] | None = _UNSAID,
    scope: str | None = None,
    source: object = None,
    release_id: str | None = None,
    new_draw: bool = False,
    out: str | PathLike[str] | None = None,
    replace: bool = False,
    by: str = "",
    simulated: bool = False,
    engine: str = "auto",
    on_stage: Callable[[str], object] = _unheard,
    on_id: Callable[[str, str], object] = warn_again,
) -> Release:
    """Add up a table as planned and release the sums with noise.

    If the same plan, source, scope and period were released before, it gives that
    sealed release again: this costs nothing, and the data are not opened. A table in
    memory without a name is refused, because nobody can tell whether it is the same.

    Args:
        table: A path or glob of Parquet or CSV files, a `CsvFile`, a pandas, Polars
            or Arrow table, a DuckDB relation, a `DatabaseTable`, a
            Spark frame, or a mapping of columns to lists. Or a `Study`, which knows
            its plan, its data and its scope.
        plan: What to measure; it is priced again before the table is opened.
        ledger: Where the release is charged: a `Ledger`, its file or its address. With
            None there is no account; None must be given explicitly.
        scope: The dataset's scope in the ledger; may be left out if there is only one.
        source: For the ledger, the name of a table in memory: the same for the same
            rows, another for others. It may be left out if the only scope needs no
            approval; each plan is then released once, unless new_draw is True. Files
            and tables of databases have their own name. If an approved study names them
            from another folder, or by a template such as ``"{period}.parquet"``, give
            the source as in the study.
        release_id: 32 hexadecimal digits, or any line of text that stands for them.
            If the release was sealed before, the same bytes are given again and no data
            are read; another source is refused. If it was charged but no data were
            opened, it goes on with that charge. A new id is a new draw. By default the
            id of the newest release of the same plan, source, scope and period, or a
            new one.
        new_draw: Whether noise is drawn, and charged, although the same was released
            before.
        out: A file to publish the release in.
        replace: Whether another release that is there may be replaced; nothing else
            ever is.
        by: Who asks, for the ledger's history.
        simulated: Whether the people are invented; the release then says so.
        engine: ``"auto"``, ``"duckdb"``, ``"ibis"`` or ``"python"``.
        on_stage: Called with each of `STAGES` when it begins. The stages do not depend
            on the data; their times do.
        on_id: Called with the id and an empty text before anything is charged. If a
            release is given again, called once more with the id, and with what to know
            about it if nobody named it. By default that is a warning, `GivenAgain`.

    Returns:
        The release: safe to write, print and publish.

    Raises:
        PlanRefused: When the plan costs more than it says.
        LedgerRefused: When the ledger does not admit it; nothing is charged.
        SchemaRefused: When a column is missing or of the wrong type.
        FileRefused: When a file, its header or its footer cannot be read, or something
            else is where the release would be written.
        EngineFailed: When the engine stops; the message tells nothing about the data,
            and the charge stays.
        KeyboardInterrupt: When it is interrupted. The query is cancelled, and a note
            says where the release stands. SIGTERM does the same before it ends the
            process, unless the program has its own handler.

    Guarantee:
        The release is (epsilon, delta)-differentially private for the unit and the
        neighbour relation of the plan, at the cost the plan states, and with a ledger
        all releases of a scope together are within its caps.
        Proof: docs/proofs/release.md.

    Example:
        >>> import dpratio as dpr
        >>> plan = dpr.make_plan(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={
        ...         "score": dpr.Bounds(0, 1, natural=True),
        ...         "label": dpr.Bounds.binary(),
        ...     },
        ...     budget=dpr.Budget(epsilon=1),
        ... )
        >>> table = {"score": [0.2, 0.9] * 5000, "label": [0, 1] * 5000}
        >>> release = dpr.release_sums(table, plan, ledger=None)  # nobody keeps account
        >>> dpr.estimate_ratios(release).status
        ('ok',)
    """
    book = None
    if ledger is not None and ledger is not _UNSAID:
        try:
            book = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
        finally:
            # It may hold a password, and a traceback may show what a name stands for.
            ledger = book
    table, plan, source, scope = _asked(
        table, plan, source, scope, is_kept=book is not None
    )
    if ledger is _UNSAID:
        raise InvalidInput(
            "a release is charged to a ledger, and none was named. Name the ledger, or "
            "say ledger=None to keep no account."
        )
    require(isinstance(simulated, bool), "simulated must be true or false", simulated)
    require(isinstance(new_draw, bool), "new_draw must be true or false", new_draw)
    one = release_id is None or not new_draw
    rule = "an id names one draw, and new_draw asks for another"
    require(one, rule, release_id, "Say one of them.")
    on_stage(STAGES[0])
    again = None if release_id is None else id_of(release_id)
    price(plan)
    if book is None:
        _require_unkept(scope, release_id, source)
        is_there = _place(out, replace=replace)
        on_stage(STAGES[1])
        measure = open_for(table, plan, engine)
        on_stage(STAGES[3])
        release = Release(fresh_id(), plan, measure(), MADE_BY, simulated)
        if out is not None:
            write_whole(out, release_to_bytes(release), replace=is_there)
        return release
    apart = out is None or not book.is_at(out)
    require(apart, "a release is not written over its ledger", str(out))
    name = fresh_id() if again is None else again
    is_first = again is None and not new_draw
    with ending_as_told(), noting_where(lambda: standing_of(book, name).words):
        connected = cache(lambda: _connected(book, table, source, engine))
        before = Before(name)
        if is_first:
            found = asked_before(book, plan, lambda: connected().source, scope)
            before = found or before
            name = before.release_id
        on_id(name, "")
        is_there = _place(out, replace=replace, again=name)
        content = book.sealed(name, plan, scope=scope)
        if content is None:
            on_stage(STAGES[1])
            opened, read = connected()
            measure = open_for(opened, plan, engine)
            book.spool.require_usable()
            on_stage(STAGES[2])
            said = book.charge(
                name, plan, source=read, scope=scope, by=by, is_first=is_first
            )
            head = book.open(name)
            on_stage(STAGES[3])
            given = _telling(lambda: standing_of(book, name).words, measure)
            on_stage(STAGES[4])
            release = Release(
                name,
                plan,
                given,
                MADE_BY,
                simulated,
                ledger_head=head,
                source_hash=said,
            )
            content = release_to_bytes(release)
            book.seal(name, content)
        else:
            if again is not None:
                require_same_source(book, name, source_of(table, source), scope)
            release = release_from_bytes(content)
            require_same_people(release, simulated=simulated)
            on_id(name, before.words)
        on_stage(STAGES[5])
        if out is not None:
            stands = f"Release {name} is sealed: ask for it again by its id."
            _telling(
                lambda: stands, lambda: write_whole(out, content, replace=is_there)
            )
        book.publish(name)
    return release


def _require_unkept(scope: object, release_id: object, source: object) -> None:
    """Refuse what only a ledger keeps."""
    unkept = scope is None and release_id is None and source is None
    hint = "Name the ledger, or leave scope, source and release_id out."
    rule = "scopes, sources and release ids belong to a ledger"
    require(unkept, rule, scope or release_id or source, hint)


def _asked(
    table: object, plan: object, source: object, scope: str | None, *, is_kept: bool
) -> tuple[object, AnyPlan, object, str | None]:
    """Take what is asked apart: a table and its plan, or a study that has both."""
    if isinstance(table, Study):
        free = plan is None and source is None
        hint = "Write release_sums(study), or release_sums(table, plan)."
        require(free, "a study knows its plan and its source", "others beside it", hint)
        hint = "Name a file or a table in [data], or write release_sums(table, plan)."
        require(table.data is not None, "a release needs data", None, hint)
        named = table.data if is_kept else None
        own = table.scope if is_kept and scope is None else scope
        return table.table, make_plan(table), named, own
    is_plan = isinstance(plan, AnyPlan)
    hint = "Write release_sums(table, make_plan(…)), or release_sums(study)."
    require(is_plan, "plan must be a Plan", type(plan).__name__, hint)
    return table, plan, source, scope  # type: ignore[return-value]


class _Connected(NamedTuple):
    """A table that can be opened, and what the ledger calls it."""

    table: object
    source: Source | None


def _connected(book: Ledger, table: object, source: object, engine: str) -> _Connected:
    """Connect to a table; say what it is, for the ledger. Nothing is opened."""
    opened = connect(table, engine)
    found = source_of(table, source, origin=origin_of(opened))
    require_named(book, found)
    return _Connected(opened, found)


def _place(
    out: str | PathLike[str] | None, *, replace: bool, again: str | None = None
) -> bool:
    """Tell whether a release is where one is to be written, and may be replaced."""
    if out is None:
        return False
    return require_place(out, replace=replace, again=again)


def require_named(book: Ledger, source: Source | None) -> None:
    """Refuse a table in memory without a name where it could be any scope's."""
    if source is None and len(book.scopes()) > 1:
        raise LedgerRefused(
            "the ledger has several scopes, and a table in memory could belong to any. "
            "Name it, the same for the same rows: release_sums(…, source='…')."
        )


def _telling(stands: Callable[[], str], step: Callable[[], Given]) -> Given:
    """Take a step; where it fails, add to the error where the release stands."""
    try:
        return step()
    except (EngineFailed, FileRefused) as error:
        told = type(error)(f"{error} {stands()}")
    # Raised outside the handler, so that it is not shown after the one it repeats.
    raise told
