"""What is spent after each line, as a server adds it up beside the lines."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from dpratio.curator.ledger.account.accounting import Charge
from dpratio.curator.ledger.account.entry import Entry, exact_text


def totals_after(entries: Iterable[Entry], cap: Charge) -> Iterator[tuple[str, str]]:
    """Give the loss and delta that are spent after each line of a scope.

    A line that sets another aside says what counts as spent, if that is more.
    """
    spent = Charge(Fraction(0), Fraction(0))
    charged: dict[str, Charge] = {}
    for entry in entries:
        if entry.kind == "charge":
            charged[entry.subject] = entry.charge
            spent += entry.charge
        elif entry.kind == "void":
            spent -= charged[entry.subject]
        elif entry.kind == "recovered":
            spent = within(spent + entry.charge, cap)
        elif entry.kind == "quarantined":
            stated = entry.charge
            loss, delta = max(spent.loss, stated.loss), max(spent.delta, stated.delta)
            spent = Charge(loss, delta)
        yield exact_text(spent.loss), exact_text(spent.delta)


def within(spent: Charge, cap: Charge) -> Charge:
    """Give what is spent, but no more than the cap."""
    return Charge(min(spent.loss, cap.loss), min(spent.delta, cap.delta))
