"""What was sealed is priced again: nothing costs more than it was charged."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from curator.ledger.loans import ID, OTHER, PLAN, TABLE, plan_of
from dpratio.codec import canonical, parse_json
from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.held import Held
from dpratio.curator.ledger.ledger import Ledger
from dpratio.curator.ledger.verify import Priced, require_paid, verify_ledger
from dpratio.curator.release_sums import release_sums
from dpratio.errors import LedgerFailed
from dpratio.release.files import checksum, release_to_bytes
from dpratio.release.release import Release


@pytest.fixture
def given(file_ledger: Ledger) -> tuple[Held, Release]:
    release = release_sums(TABLE, PLAN, ledger=file_ledger, release_id=ID)
    return file_ledger.account().releases[ID], release


def refusal(held: Held, content: bytes) -> str:
    with pytest.raises(LedgerFailed) as told:
        require_paid(held, ID, "basic", content, {})
    return str(told.value)


def test_what_was_paid_is_taken(given: tuple[Held, Release]) -> None:
    held, release = given
    known: dict[str, Priced] = {}
    for _ in range(2):
        require_paid(held, ID, "basic", release_to_bytes(release), known)
    assert len(known) == 1


def test_a_plan_that_is_known_is_compared_all_the_same(
    given: tuple[Held, Release],
) -> None:
    held, release = given
    known: dict[str, Priced] = {}
    content = release_to_bytes(release)
    require_paid(held, ID, "basic", content, known)
    for wrong in (replace(release, id=OTHER), replace(release, ledger_head="0" * 64)):
        with pytest.raises(LedgerFailed, match="what was sealed as release"):
            require_paid(held, ID, "basic", release_to_bytes(wrong), known)
    cheap = replace(held, charge=Charge(Fraction(1, 11), Fraction(0)))
    with pytest.raises(LedgerFailed, match="was charged less than it costs"):
        require_paid(cheap, ID, "basic", content, known)


def test_what_is_no_release_or_another_one_is_refused(
    given: tuple[Held, Release], file_ledger: Ledger
) -> None:
    held, release = given
    other = release_sums(TABLE, plan_of("0.2"), ledger=file_ledger)
    said = f"what was sealed as release {ID} is no release, or one of another id or pla"
    for wrong in (
        b"bytes",
        b"\xff",
        b"[]",
        b"{}",
        release_to_bytes(replace(release, id=OTHER)),
        release_to_bytes(replace(other, id=ID)),
    ):
        assert refusal(held, wrong).startswith(said)
    headless = release_to_bytes(replace(release, ledger_head=None))
    assert refusal(held, headless) == (
        f"what was sealed as release {ID} carries another head."
    )


@pytest.mark.parametrize("loss", ["1/11", "0"])
def test_a_charge_below_the_price_is_found(
    loss: str, file_ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one could write it who may append lines to the tables; on a server nobody."""
    ledger = file_ledger
    charged = Charge(Fraction(loss), Fraction(0))
    with monkeypatch.context() as patched:
        cheap = "dpratio.curator.ledger.admission.admit.charge_of"
        patched.setattr(cheap, lambda *_given: charged)
        release_sums(TABLE, plan_of("50"), ledger=ledger, release_id=ID)
    assert ledger.account().spent == charged
    nothing = (f"release {ID} was charged nothing.",) if loss == "0" else ()
    less = f"release {ID} was charged less than it costs."
    assert verify_ledger(ledger).wrong == (*nothing, less)


def test_bytes_of_a_dearer_plan_under_a_cheap_charge_are_found(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.charge(ID, PLAN)
    head = ledger.open(ID)
    drawn = release_sums(TABLE, plan_of("50"), ledger=None, out=tmp_path / "r.json")
    dear = replace(drawn, id=ID, ledger_head=head)
    ledger.seal(ID, release_to_bytes(dear))
    (wrong,) = verify_ledger(ledger).wrong
    assert wrong.startswith(f"what was sealed as release {ID} is no release, or one of")


def test_a_second_stage_is_read_every_time(file_ledger: Ledger) -> None:
    """Its noise stands outside the plan: a known plan says nothing of it."""
    plan = plan_of(stage=0.2)
    release = release_sums(TABLE, plan, ledger=file_ledger, release_id=ID)
    held, known = file_ledger.account().releases[ID], dict[str, Priced]()
    content = release_to_bytes(release)
    require_paid(held, ID, "basic", content, known)
    assert known == {}
    edited = parse_json(content.decode())
    del edited["sha256"]
    for each in edited["questions"][0]["stages"]["sums"]:
        each["scale"] /= 1000
    signed = canonical({**edited, "sha256": checksum(edited)})
    with pytest.raises(LedgerFailed):
        require_paid(held, ID, "basic", signed, known)
