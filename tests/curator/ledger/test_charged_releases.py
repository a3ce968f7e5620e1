"""The door with a ledger: charged, opened, sealed, published, in this order."""

import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from traceback import format_exception
from typing import Any

import pytest

from curator.tables_for_tests import said_by
from dpratio.curator import measure
from dpratio.curator import release_sums as room
from dpratio.curator.ledger.accounting import charge_of
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.scope import Scope
from dpratio.curator.release_sums import release_sums
from dpratio.errors import (
    DpratioError,
    EngineFailed,
    FileRefused,
    InvalidInput,
    LedgerFailed,
    LedgerRefused,
    MissingExtra,
    PlanRefused,
    SchemaRefused,
)
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.price import price
from dpratio.release.files import read_release, release_from_bytes
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.question import Ratio
from dpratio.terms.unit import PrivacyUnit

BOUNDS = {"s": Bounds(0, 1), "y": Bounds.binary()}
TABLE: dict[str, list[object]] = {"s": [0.5, 0.2], "y": [1, 0]}
ID = "0" * 32


class Untouchable(dict[str, list[object]]):
    """A table that cannot be read, nor even looked at."""

    def touch(self, *_given: object) -> Any:  # noqa: ANN401
        message = "the table was touched"
        raise AssertionError(message)

    __iter__ = __getitem__ = __len__ = __contains__ = keys = items = touch


def plan_of(epsilon: str = "0.1", delta: str = "0", **terms: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {"bounds": BOUNDS, "budget": Budget(epsilon, delta)}
    return make_plan(Ratio("s", per="y"), **(given | terms))


PLAN = plan_of()


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "budget.db")
    made.open_scope(Scope("loans", Budget(1, "1e-6")))
    return made


def state(ledger: Ledger, release_id: str = ID) -> str:
    return ledger.account("loans").releases[release_id].state


# --- The order of work ----------------------------------------------------------------


STEPS = (
    (room, "price"),
    (room, "check_writable"),
    (room, "check_format"),
    (Ledger, "sealed"),
    (room, "open_for"),
    (Ledger, "charge"),
    (Ledger, "open"),
    (room, "release_to_bytes"),
    (Ledger, "seal"),
    (room, "write_whole"),
    (Ledger, "publish"),
)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the door calls, in the order it calls it."""
    called: list[str] = []

    def noted(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:  # noqa: ANN401
            called.append(name)
            back = original(*given, **named)
            return noted("measure", back) if name == "open_for" else back

        return call

    for owner, name in STEPS:
        monkeypatch.setattr(owner, name, noted(name, getattr(owner, name)))
    return called


def test_everything_public_is_checked_then_charged_then_opened_then_sealed(
    ledger: Ledger, calls: list[str], tmp_path: Path
) -> None:
    release_sums(TABLE, PLAN, ledger=ledger, out=tmp_path / "r.json")
    assert calls == [
        "price",
        "check_writable",
        "check_format",
        "sealed",
        "open_for",
        "charge",
        "open",
        "measure",
        "release_to_bytes",
        "seal",
        "write_whole",
        "publish",
    ]


def test_a_retry_only_reads_the_ledger_and_writes_the_file(
    ledger: Ledger, calls: list[str], tmp_path: Path
) -> None:
    name = release_sums(TABLE, PLAN, ledger=ledger).id
    calls.clear()
    out = tmp_path / "r.json"
    release_sums(TABLE, PLAN, ledger=ledger, release_id=name, out=out)
    assert calls == [
        "price",
        "check_writable",
        "check_format",
        "sealed",
        "write_whole",
        "publish",
    ]


def test_without_a_ledger_nothing_is_charged(calls: list[str], tmp_path: Path) -> None:
    release = release_sums(TABLE, PLAN, ledger=None, out=tmp_path / "r.json")
    assert release.ledger_head is None
    assert read_release(tmp_path / "r.json") == release
    assert {"sealed", "charge", "open", "seal", "publish"}.isdisjoint(calls)


def test_a_table_that_must_not_be_touched_stops_a_release() -> None:
    """What keeps the tests below honest."""
    with pytest.raises(EngineFailed):
        release_sums(Untouchable(), PLAN, ledger=None)


# --- Which ledger ---------------------------------------------------------------------


def test_a_ledger_that_is_not_said_is_refused_with_both_ways_out() -> None:
    with pytest.raises(InvalidInput) as refused:
        release_sums(Untouchable(), PLAN)
    assert "a release is charged to a ledger" in str(refused.value)
    assert "Name the ledger, or say ledger=None to keep no account." in str(
        refused.value
    )


@pytest.mark.parametrize("given", [{"scope": "loans"}, {"release_id": ID}])
def test_scopes_and_ids_belong_to_a_ledger(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        release_sums(Untouchable(), PLAN, ledger=None, **given)
    assert str(refused.value).startswith("scopes and release ids belong to a ledger")
    assert "leave scope and release_id out" in str(refused.value)


def test_a_ledger_may_be_named_by_its_place(any_ledger: str) -> None:
    Ledger(any_ledger).open_scope(Scope("loans", Budget(1)))
    release = release_sums(TABLE, PLAN, ledger=any_ledger)
    account = Ledger(any_ledger).account()
    opened = account.releases[release.id].entries[1]
    assert (opened.kind, opened.hash) == ("opened", release.ledger_head)
    assert state(Ledger(any_ledger), release.id) == "published"
    path = Path(any_ledger) if "://" not in any_ledger else any_ledger
    again = release_sums(Untouchable(), PLAN, ledger=path, release_id=release.id)
    assert again == release


def test_a_ledger_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(LedgerFailed, match="it cannot be opened"):
        release_sums(Untouchable(), PLAN, ledger=tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


def test_what_is_no_place_is_refused() -> None:
    with pytest.raises(InvalidInput, match="a ledger lies in a file or on a server"):
        release_sums(Untouchable(), PLAN, ledger="")


def test_an_anchored_ledger_is_given_as_a_ledger(tmp_path: Path) -> None:
    place, heads = tmp_path / "budget.db", tmp_path / "heads"
    book = Ledger(place, anchor=heads)
    book.open_scope(Scope("loans", Budget(1)))
    with pytest.raises(LedgerRefused, match="scope 'loans' is anchored"):
        release_sums(Untouchable(), PLAN, ledger=place)
    release_sums(TABLE, PLAN, ledger=book)
    assert len(heads.read_text("utf-8").splitlines()) == 5


def test_the_only_scope_is_taken_and_others_must_be_named(ledger: Ledger) -> None:
    release_sums(TABLE, PLAN, ledger=ledger)
    ledger.open_scope(Scope("cards", Budget(1)))
    with pytest.raises(LedgerRefused, match="name the scope of the data"):
        release_sums(Untouchable(), PLAN, ledger=ledger)
    with pytest.raises(LedgerRefused, match="there is no scope 'houses'"):
        release_sums(Untouchable(), PLAN, ledger=ledger, scope="houses")
    release_sums(TABLE, PLAN, ledger=ledger, scope="cards")
    assert ledger.account("loans").spent == ledger.account("cards").spent


# --- Caps -----------------------------------------------------------------------------


def test_several_analysts_share_one_cap(ledger: Ledger) -> None:
    names = ["Ada", "Blaise", "Carl"]
    for at in range(10):
        release_sums(TABLE, PLAN, ledger=ledger, by=names[at % 3])
    account = ledger.account()
    assert account.left.loss == 0
    asked = [held.said("charge")["by"] for held in account.releases.values()]
    assert asked == [names[at % 3] for at in range(10)]
    for name in names:
        with pytest.raises(LedgerRefused, match="has epsilon 0 and delta"):
            release_sums(TABLE, PLAN, ledger=ledger, by=name)
    assert ledger.account() == account


def test_rho_is_charged_where_rho_adds_up(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open_scope(Scope("loans", Budget(1, "1e-6"), accounting="zcdp"))
    gaussian = plan_of("0.5", "1e-7", mechanism="analytic_gaussian")
    for plan in (PLAN, gaussian):
        before = ledger.account().spent
        release_sums(TABLE, plan, ledger=ledger)
        spent = ledger.account().spent - before
        assert spent == charge_of(price(plan), "zcdp")
        assert 0 < spent.loss < Fraction(1, 50)
        assert spent.delta == 0


def test_many_small_releases_fit_where_rho_adds_up(tmp_path: Path) -> None:
    """Twenty times epsilon 0.1 is 2 by addition; as rho it stays below 1."""
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open_scope(Scope("loans", Budget(1, "1e-6"), accounting="zcdp"))
    plan = plan_of("0.1", "1e-7", mechanism="analytic_gaussian")
    for _ in range(20):
        release_sums(TABLE, plan, ledger=ledger)
    assert ledger.account().left.loss > 0


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ({"unit": "customer"}, "protects ids of 'customer'"),
        ({"neighbours": "change-one"}, "protects single rows, change-one"),
        ({"needs_approval": True}, "admits approved plans only"),
        ({"budget": Budget("0.09")}, "has epsilon 0.09 and delta 0 left"),
    ],
)
def test_what_is_not_admitted_charges_nothing_and_reads_no_row(
    terms: dict[str, Any],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> None:
        message = "rows were read"
        raise AssertionError(message)

    monkeypatch.setattr(room, "open_for", lambda *_given: refuse)
    ledger = Ledger(tmp_path / "budget.db")
    given: dict[str, Any] = {"name": "loans", "budget": Budget(1)} | terms
    ledger.open_scope(Scope(**given))
    with pytest.raises(LedgerRefused, match=said):
        release_sums(TABLE, PLAN, ledger=ledger, out=tmp_path / "r.json")
    assert ledger.account().seq == 0
    assert not (tmp_path / "r.json").exists()


def test_people_are_protected_where_the_scope_is_about_them(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open_scope(Scope("loans", Budget(1), unit="u"))
    plan = plan_of(unit=PrivacyUnit("u", totals=BOUNDS))
    release_sums({**TABLE, "u": ["a", "a"]}, plan, ledger=ledger)
    assert ledger.account().spent.loss == Fraction(1, 10)


def test_an_approved_plan_runs(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    ledger.open_scope(Scope("loans", Budget(1), needs_approval=True))
    with pytest.raises(LedgerRefused, match="admits approved plans only"):
        release_sums(TABLE, PLAN, ledger=ledger)
    ledger.approve(PLAN, by="officer")
    release_sums(TABLE, PLAN, ledger=ledger)
    with pytest.raises(LedgerRefused, match="admits approved plans only"):
        release_sums(TABLE, plan_of("0.2"), ledger=ledger)
    assert len(ledger.account().releases) == 1


# --- The same id again ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["r.json", "r.parquet"])
def test_a_retry_gives_the_same_bytes_and_reads_no_data(
    name: str, ledger: Ledger, tmp_path: Path
) -> None:
    first = release_sums(TABLE, PLAN, ledger=ledger, release_id=ID, out=tmp_path / name)
    before = ledger.account()
    content = (tmp_path / name).read_bytes()
    for out in (tmp_path / name, tmp_path / f"again-{name}", None):
        again = release_sums(Untouchable(), PLAN, ledger=ledger, release_id=ID, out=out)
        assert again == first
        if out is not None:
            assert out.read_bytes() == content
    assert ledger.account() == before
    sealed = ledger.sealed(ID, PLAN)
    assert sealed == (content, name.partition(".")[2])


def test_a_retry_may_be_in_another_process(ledger: Ledger, tmp_path: Path) -> None:
    first = release_sums(TABLE, PLAN, ledger=ledger)
    other = Ledger(tmp_path / "budget.db")
    assert release_sums(Untouchable(), PLAN, ledger=other, release_id=first.id) == first


@pytest.mark.parametrize(
    ("sealed", "asked"), [("json", "parquet"), ("parquet", "json")]
)
def test_a_retry_in_another_format_is_refused(
    sealed: str, asked: str, ledger: Ledger, tmp_path: Path
) -> None:
    out = tmp_path / f"r.{sealed}"
    release_sums(TABLE, PLAN, ledger=ledger, release_id=ID, out=out)
    with pytest.raises(LedgerRefused) as refused:
        release_sums(
            Untouchable(),
            PLAN,
            ledger=ledger,
            release_id=ID,
            out=tmp_path / f"r.{asked}",
        )
    assert str(refused.value) == (
        f"release {ID} was sealed as .{sealed}, and its bytes are given again as they "
        f"are. Name a .{sealed} file."
    )
    assert not (tmp_path / f"r.{asked}").exists()


def test_a_release_without_a_file_is_sealed_as_json(ledger: Ledger) -> None:
    release = release_sums(TABLE, PLAN, ledger=ledger)
    sealed = ledger.sealed(release.id, PLAN)
    assert sealed is not None
    assert sealed[1] == "json"
    assert release_from_bytes(*sealed) == release


def test_a_release_that_was_sealed_and_not_published_is_published(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_given: object) -> None:
        message = "'r.json' cannot be written: No space left on device."
        raise FileRefused(message)

    monkeypatch.setattr(room, "write_whole", stop)
    out = tmp_path / "r.json"
    with pytest.raises(FileRefused) as told:
        release_sums(TABLE, PLAN, ledger=ledger, release_id=ID, out=out)
    assert str(told.value) == (
        "'r.json' cannot be written: No space left on device. "
        f"Release {ID} is sealed: ask for it again by its id."
    )
    monkeypatch.undo()
    assert state(ledger) == "sealed"
    release_sums(Untouchable(), PLAN, ledger=ledger, release_id=ID, out=out)
    assert state(ledger) == "published"
    assert read_release(out).id == ID


def test_an_id_belongs_to_its_plan_and_scope(ledger: Ledger) -> None:
    release_sums(TABLE, PLAN, ledger=ledger, release_id=ID)
    ledger.open_scope(Scope("cards", Budget(1)))
    for plan, scope, said in (
        (plan_of("0.2"), "loans", "belongs to another plan"),
        (PLAN, "cards", "belongs to another scope"),
    ):
        with pytest.raises(LedgerRefused, match=said):
            release_sums(Untouchable(), plan, ledger=ledger, release_id=ID, scope=scope)


@pytest.mark.parametrize("name", ["", "0" * 31, "A" * 32, "r.json"])
def test_an_id_is_32_hexadecimal_digits(name: str, ledger: Ledger) -> None:
    with pytest.raises(InvalidInput, match="a release id is 32 hexadecimal digits"):
        release_sums(Untouchable(), PLAN, ledger=ledger, release_id=name)


# --- What stays charged ---------------------------------------------------------------


def refused(
    ledger: Ledger,
    kind: type[DpratioError],
    table: object = TABLE,
    **given: Any,  # noqa: ANN401
) -> None:
    plan = given.pop("plan", PLAN)
    with pytest.raises(kind):
        release_sums(table, plan, ledger=ledger, release_id=ID, **given)


@pytest.mark.parametrize("engine", ["python", "duckdb"])
def test_a_schema_that_does_not_fit_charges_nothing(
    engine: str, ledger: Ledger, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("s,z\n0.5,1\n", encoding="utf-8")
    refused(ledger, SchemaRefused, path, engine=engine)
    refused(ledger, FileRefused, tmp_path / "none.parquet", engine=engine)
    assert ledger.account().seq == 0


def test_bad_arguments_charge_nothing(ledger: Ledger, tmp_path: Path) -> None:
    refused(ledger, InvalidInput, engine="spark")
    refused(ledger, InvalidInput, by="two\nlines")
    refused(ledger, InvalidInput, simulated="yes")
    refused(ledger, PlanRefused, plan=replace(PLAN, budget=Budget("0.01")))
    refused(ledger, FileRefused, Untouchable(), out=tmp_path / "none" / "r.json")
    refused(ledger, FileRefused, Untouchable(), out=tmp_path)
    assert ledger.account().seq == 0


def test_a_missing_package_for_parquet_is_told_before_the_charge(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    refused(ledger, MissingExtra, Untouchable(), out=tmp_path / "r.parquet")
    assert ledger.account().seq == 0
    release_sums(TABLE, PLAN, ledger=ledger, out=tmp_path / "r.json", engine="python")


def test_an_engine_that_stops_after_the_charge_leaves_it_charged(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stop() -> None:
        message = "cell 271828 is bad"
        raise ValueError(message)

    monkeypatch.setattr(measure, "open_table", lambda *_given: stop)
    with pytest.raises(EngineFailed) as told:
        release_sums(TABLE, PLAN, ledger=ledger, release_id=ID, out=tmp_path / "r.json")
    assert str(told.value).startswith("the engine stopped while it read the table.")
    assert f"Release {ID} stays charged; run again under a new id." in str(told.value)
    assert "271828" not in said_by(told.value)
    assert "".join(format_exception(told.value)).count("EngineFailed: ") == 1
    monkeypatch.undo()
    assert state(ledger) == "opened"
    assert ledger.account().spent.loss == Fraction(1, 10)
    assert not (tmp_path / "r.json").exists()
    with pytest.raises(LedgerRefused, match="that charge is gone"):
        release_sums(TABLE, PLAN, ledger=ledger, release_id=ID)
    assert release_sums(TABLE, PLAN, ledger=ledger).id != ID
    assert ledger.account().spent.loss == Fraction(2, 10)


def test_a_charge_that_was_not_opened_is_told_how_to_come_back(ledger: Ledger) -> None:
    ledger.charge(ID, PLAN)
    with pytest.raises(LedgerRefused, match="void it with `dpratio ledger void`"):
        release_sums(Untouchable(), PLAN, ledger=ledger, release_id=ID)
    ledger.void(ID)
    with pytest.raises(LedgerRefused, match="was voided"):
        release_sums(Untouchable(), PLAN, ledger=ledger, release_id=ID)


# --- What a release tells of it -------------------------------------------------------


def test_a_release_holds_nothing_of_the_ledger_but_its_head(
    tmp_path: Path,
) -> None:
    place = tmp_path / "CANARY-ledger.db"
    ledger = Ledger(place, anchor=tmp_path / "CANARY-heads")
    scope = Scope("CANARY-scope", Budget(7, "3e-5"), dataset="CANARY-data")
    ledger.open_scope(scope)
    out = tmp_path / "r.json"
    release = release_sums(TABLE, PLAN, ledger=ledger, by="CANARY-by", out=out)
    text = out.read_text("utf-8")
    opened = ledger.account().releases[release.id].entries[1]
    assert "CANARY" not in text
    assert scope.hash not in text
    assert opened.time not in text
    assert release.ledger_head == opened.hash
    assert f'"ledger": "{opened.hash}"' in text


def test_simulated_people_are_charged_and_told(ledger: Ledger) -> None:
    release = release_sums(TABLE, PLAN, ledger=ledger, simulated=True)
    assert release.is_simulated
    again = release_sums(
        Untouchable(), PLAN, ledger=ledger, release_id=release.id, simulated=True
    )
    assert again.is_simulated
