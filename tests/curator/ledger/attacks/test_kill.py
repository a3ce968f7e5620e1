"""Kill -9 at every step: nothing uncharged gets out, no charge draws noise twice."""

import pytest

from curator.ledger.attacks.books import IS_SOAK, run_script
from curator.ledger.attacks.killing import POINTS

REPEATS = {"sqlite": 500 if IS_SOAK else 25, "postgres": 100 if IS_SOAK else 5}


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("store", REPEATS)
def test_a_release_that_is_killed_is_charged_and_never_drawn_again(
    store: str, point: str, request: pytest.FixtureRequest
) -> None:
    where = str(request.getfixturevalue("postgres_url")) if store == "postgres" else ""
    repeats = REPEATS[store]
    counts = run_script("killing", where, point, str(repeats))
    assert counts.pop("first") + counts.pop("refused") + counts.pop("resumed") > 0
    assert counts == {
        "kills": repeats,
        "hits": repeats,
        "undercounts": 0,
        "second_draws": 0,
        "wrong": 0,
    }
