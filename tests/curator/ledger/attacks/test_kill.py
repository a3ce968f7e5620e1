"""Kill -9 at every step: nothing uncharged gets out, no charge draws noise twice."""

import pytest

from curator.ledger.attacks.books import run_script
from curator.ledger.attacks.killing import POINTS
from soak import IS_SOAK

REPEATS = {"sqlite": 500 if IS_SOAK else 4, "postgres": 100 if IS_SOAK else 2}


@pytest.mark.parametrize("store", REPEATS)
def test_a_release_that_is_killed_is_charged_and_never_drawn_again(
    store: str, request: pytest.FixtureRequest
) -> None:
    where = str(request.getfixturevalue("postgres_url")) if store == "postgres" else ""
    repeats = REPEATS[store]
    found = run_script("killing", where, str(repeats))
    assert list(found) == list(POINTS)
    for point, counts in found.items():
        asked_again = [counts.pop(each) for each in ("first", "refused", "resumed")]
        assert sum(asked_again) > 0, point
        assert counts == {
            "kills": repeats,
            "hits": repeats,
            "undercounts": 0,
            "second_draws": 0,
            "wrong": 0,
        }, point
