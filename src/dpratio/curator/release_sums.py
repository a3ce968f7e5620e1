"""The one door between data and everyone else.

The order of work is what keeps the promise: everything public is checked, the ledger is
charged, data are opened, noise is drawn once, the bytes are sealed, and only then does
anything leave. Without a ledger the same steps run on a null account.
"""

import inspect
import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from dpratio.checks import show_given
from dpratio.curator.measure import connect, open_for
from dpratio.curator.noise.entropy import fresh_id
from dpratio.curator.statements import require_ids_of_view
from dpratio.curator.stopping import interruptible
from dpratio.errors import EngineFailed, FileRefused, GivenAgain, InvalidInput
from dpratio.plan.price import AnyPlan, price
from dpratio.release.release import MADE_BY, Release, id_of
from dpratio.terms.study import Study

if TYPE_CHECKING:
    from dpratio.curator.charged_release import ChargedRelease
    from dpratio.curator.ledger.account.source import Source
    from dpratio.curator.ledger.ledger import Ledger

    Account: TypeAlias = "ChargedRelease | _UnchargedRelease"

Result = TypeVar("Result")
FilePath = str | PathLike[str]

STAGES = (
    "checking the plan",
    "reading the schema",
    "charging the ledger",
    "reading the table and adding noise",
    "sealing",
    "publishing",
)
# Without a ledger nobody hears of these.
_LEDGER_STAGES = {STAGES[2], STAGES[4], STAGES[5]}


class _Unsaid:
    """The default of a ledger, so that None must be given explicitly."""

    def __repr__(self) -> str:
        return "<must be said>"


_UNSAID: Any = _Unsaid()


def release_sums(  # noqa: PLR0913 (one door)
    table: object,
    plan: AnyPlan | None = None,
    *,
    ledger: "Ledger | FilePath | None" = _UNSAID,
    scope: str | None = None,
    source: object = None,
    release_id: str | None = None,
    new_draw: bool = False,
    out: FilePath | None = None,
    replace: bool = False,
    by: str = "",
    simulated: bool = False,
) -> Release:
    """Add up a table as planned and release the sums with noise.

    If the same plan, source, scope and period were released before, it gives that
    sealed release again, with a warning, `GivenAgain`: this costs nothing, and the data
    are not opened. A table in memory without a name is refused, because nobody can tell
    whether it is the same.

    Args:
        table: A path or glob of Parquet or CSV files, a `CsvFile`, a pandas, Polars or
            Arrow table, a DuckDB relation, a `DatabaseTable`, a Spark frame, or a
            mapping of columns to lists; or any object that names its columns and
            offers ``__arrow_c_stream__``. Or a `Study`: it knows plan, data and scope.
        plan: What to measure, from `make_plan`, `bounds.plan_bounds` or
            `bounds.plan_bins`; it is priced again before the table is opened.
        ledger: Where the release is charged: a `Ledger`, its file or its address. With
            None there is no account; None must be given explicitly.
        scope: The dataset's scope in the ledger; may be left out if there is only one.
        source: For the ledger, the name of a table in memory: the same for the same
            rows, another for others. Without it, if the only scope needs no approval,
            each plan is released once unless new_draw is True. Files and tables of
            databases have their own name; where an approved study names them from
            another folder, or by ``"{period}.parquet"``, give that.
        release_id: 32 hexadecimal digits, or any line of text that stands for them.
            A sealed release is given again; for another source it is refused. A charge
            whose data were never opened goes on. A new id is a new draw. By default
            the id of the newest release of the same request, or a new one.
        new_draw: Whether noise is drawn, and charged, although the same was released
            before.
        out: A file to publish the release in.
        replace: Whether another release that is there may be replaced; nothing else
            ever is.
        by: Who asks, for the ledger's history.
        simulated: Whether the people are invented; the release then says so.

    Returns:
        The release: safe to write, print and publish.

    Raises:
        PlanRefused: When the plan costs more than it says.
        LedgerRefused: When the ledger does not admit it; nothing is charged.
        SchemaRefused: When a column is missing or of the wrong type.
        FileRefused: When a file, its header or its footer cannot be read, or something
            else is where the release would be written.
        EngineFailed: When the engine stops; the charge stays.
        KeyboardInterrupt: When it is interrupted. The query is cancelled, and with a
            ledger a note says where the release stands. SIGTERM does the same before it
            ends the process, unless the program has its own handler.

    Guarantee:
        The release is (epsilon, delta)-differentially private for the unit and the
        neighbour relation of the plan, at the cost the plan states, and with a ledger
        all releases of a scope together are within its caps.
        Proof: docs/proofs/release.md.

    Example:
        >>> import dpratio as dpr
        >>> unit, binary = dpr.Bounds(0, 1, natural=True), dpr.Bounds.binary()
        >>> plan = dpr.make_plan(
        ...     dpr.Ratio("score", per="label"),
        ...     bounds={"score": unit, "label": binary},
        ...     budget=dpr.Budget(epsilon=1),
        ... )
        >>> table = {"score": [0.2, 0.9] * 5000, "label": [0, 1] * 5000}
        >>> release = dpr.release_sums(table, plan, ledger=None)  # nobody keeps account
        >>> dpr.estimate_ratios(release).status
        ('ok',)
    """
    opened = None
    if ledger is not None and ledger is not _UNSAID:
        from dpratio.curator.ledger.ledger import Ledger

        try:
            opened = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
        finally:
            # It may hold a password, and a traceback may show what a name stands for.
            ledger = opened
    if isinstance(table, Study):
        from dpratio.plan.make_plan import make_plan

        _require_alone(table, plan, source)
        plan = make_plan(table)
        if opened is not None:
            source, scope = table.data, table.scope if scope is None else scope
        table = table.table
    if ledger is _UNSAID:
        raise InvalidInput(
            "a release is charged to a ledger, and none was named. Name the ledger, or "
            "say ledger=None to keep no account.",
            field="ledger",
        )
    request = Request(
        table,
        plan,  # type: ignore[arg-type]  # A request refuses what is no plan.
        opened,
        scope=scope,
        source=source,
        release_id=release_id,
        new_draw=new_draw,
        out=out,
        replace=replace,
        by=by,
        simulated=simulated,
    )
    return carry_out(request, Listeners(again=_warn))


# --- The request and its listeners ----------------------------------------------------


@dataclass(frozen=True, slots=True)
class Request:
    """What the door is asked for; the fields are the arguments of `release_sums`."""

    table: object
    plan: AnyPlan
    ledger: "Ledger | None"
    _: KW_ONLY
    scope: str | None = None
    source: object = None
    release_id: str | None = None
    new_draw: bool = False
    out: FilePath | None = None
    replace: bool = False
    by: str = ""
    simulated: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.plan, AnyPlan):
            raise InvalidInput(
                f"plan must be a Plan, got {type(self.plan).__name__!r}. Write "
                "release_sums(table, make_plan(…)), or release_sums(study).",
                field="plan",
            )
        for name in ("simulated", "new_draw"):
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise InvalidInput(
                    f"{name} must be true or false, got {show_given(value)}.",
                    field=name,
                )
        if self.release_id is not None and self.new_draw:
            raise InvalidInput(
                "an id names one draw, and new_draw asks for another, got "
                f"{show_given(self.release_id)}. Say one of them.",
                field="new_draw",
            )
        for name in ("scope", "source", "release_id"):
            value = getattr(self, name)
            if self.ledger is None and value is not None:
                raise InvalidInput(
                    "scopes, sources and release ids belong to a ledger, got "
                    f"{show_given(value)}. Name the ledger, or leave scope, source and "
                    "release_id out.",
                    field=name,
                )


def _require_alone(study: Study, plan: object, source: object) -> None:
    """Raise InvalidInput unless a study names its data, and nothing else is given."""
    if plan is not None or source is not None:
        raise InvalidInput(
            "a study knows its plan and its source. Write release_sums(study), or "
            "release_sums(table, plan).",
            field="plan",
        )
    if study.data is None:
        raise InvalidInput(
            "a release needs data. Name a file or a table in [data], or write "
            "release_sums(table, plan).",
            field="data",
        )


def _ignore(*_args: object, **_options: object) -> None:
    """Do nothing."""


class Listeners(NamedTuple):
    """Who hears of a release while it runs; only times depend on the data.

    ``stage`` hears each of `STAGES` when it begins, ``named`` the id before anything is
    charged. If a release is given again, ``again`` hears what to know of it: nothing
    where its id was named.
    """

    stage: Callable[[str], object] = _ignore
    named: Callable[[str], object] = _ignore
    again: Callable[[str], object] = _ignore


def _warn(notice: str) -> None:
    """Warn the caller of this file that a release is given again, each time.

    Python shows a warning once for each line of code. Without a registry, it is shown
    again in a loop, and in a process that runs for weeks.
    """
    if notice:
        caller = next(frame for frame in inspect.stack(0) if frame.filename != __file__)
        module = caller.frame.f_globals.get("__name__")
        warnings.warn_explicit(
            notice, GivenAgain, caller.filename, caller.lineno, module
        )


@dataclass(frozen=True, slots=True)
class _UnchargedRelease:
    """A release of which nobody keeps account: the null of `ChargedRelease`."""

    release_id: str
    notice: str = ""
    status: str = ""

    def searched(self, _source: object) -> "_UnchargedRelease":
        return self

    source_of = check_place = sealed = charge = open = seal = publish = _ignore


# --- The pipeline ---------------------------------------------------------------------


def carry_out(request: Request, listeners: Listeners) -> Release:
    """Check, connect, charge, open, measure, seal and publish; as `release_sums`."""

    def begin(stage: str) -> None:
        if request.ledger is not None or stage not in _LEDGER_STAGES:
            listeners.stage(stage)

    begin(STAGES[0])
    account = _check(request)
    with interruptible(lambda: account.status):
        connected = cache(lambda: _connect(request, account))
        account = account.searched(lambda: connected()[1])
        listeners.named(account.release_id)
        write = _check_place(request, account)
        sealed = account.sealed(
            request.table, request.source, simulated=request.simulated
        )
        if sealed is None:
            release, content = _draw(request, account, connected, begin)
        else:
            release, content = sealed
            listeners.again(account.notice)
        begin(STAGES[5])
        _with_status(account, lambda: write(release, content))
        account.publish()
    return release


def _check(request: Request) -> "Account":
    """Price the plan; return the account of the release, with its id."""
    price(request.plan)
    require_ids_of_view(request.table, request.plan.unit)
    ledger, named = request.ledger, request.release_id
    release_id = fresh_id() if named is None else id_of(named)
    if ledger is None:
        return _UnchargedRelease(release_id)
    # Without a ledger, its modules are not loaded.
    from dpratio.curator.charged_release import ChargedRelease

    is_first = named is None and not request.new_draw
    return ChargedRelease(
        ledger, request.plan, release_id, request.scope, request.by, is_first
    )


def _connect(request: Request, account: "Account") -> "tuple[object, Source | None]":
    """Connect to the table; return it, not opened, and what the ledger calls it."""
    opened = connect(request.table)
    return opened, account.source_of(request.table, opened, request.source)


def _check_place(
    request: Request, account: "Account"
) -> Callable[[Release, bytes | None], object]:
    """Refuse a place that is taken; return what writes a release there."""
    out = request.out
    if out is None:
        return lambda *_: None
    from dpratio.release import files

    account.check_place(out)
    is_replacing = files.require_place(
        out, replace=request.replace, again=account.release_id
    )
    # What a ledger sealed is written to the byte.
    return lambda release, content: files.write_whole(
        out, content or files.release_to_bytes(release), replace=is_replacing
    )


def _draw(
    request: Request,
    account: "Account",
    connected: "Callable[[], tuple[object, Source | None]]",
    begin: Callable[[str], None],
) -> tuple[Release, bytes | None]:
    """Charge, open, measure and seal a release: noise is drawn once for a charge."""
    begin(STAGES[1])
    table, source = connected()
    measure = open_for(table, request.plan)
    begin(STAGES[2])
    source_hash = account.charge(source)
    ledger_head = account.open()
    begin(STAGES[3])
    questions = _with_status(account, measure)
    begin(STAGES[4])
    release = Release(
        account.release_id,
        request.plan,
        questions,
        MADE_BY,
        request.simulated,
        ledger_head=ledger_head,
        source_hash=source_hash,
    )
    return release, account.seal(release)


def _with_status(account: "Account", step: Callable[[], Result]) -> Result:
    """Run a step; on failure append where the release stands."""
    try:
        return step()
    except (EngineFailed, FileRefused) as error:
        status = account.status
        failure = type(error)(f"{error} {status}") if status else error
    # Raised outside the handler, so that it is not shown after the one it repeats.
    raise failure
