"""Products across pairs of groups where the data are: the integers of a file."""

from typing import Any

import pytest

from curator.pairs_for_tests import exact_of, pairs_plan, table_of
from curator.table_sources import mapping_of
from curator.test_pairs import PLANS, people
from curator.test_searched import without_noise
from curator.warehouse.shops_for_tests import SHOPS, Shop, in_postgres, shop_of
from dpratio.curator import measure
from dpratio.curator.release_sums import release_sums

TABLE = people()
COLUMNS = mapping_of(TABLE)


@pytest.fixture
def shop(request: pytest.FixtureRequest) -> Shop:
    """People in a table of a database."""
    return shop_of(request.param, request, COLUMNS)


@pytest.mark.parametrize("shop", SHOPS, indirect=True)
def test_databases_add_up_the_same_products(shop: Shop) -> None:
    opened = measure.connect(shop.table, "auto")
    for plan in PLANS:
        wanted = exact_of(COLUMNS, plan, "python")
        assert any(any(row) for row in wanted[1])
        assert exact_of(opened, plan, "auto") == wanted


@pytest.mark.parametrize("shop", SHOPS, indirect=True)
def test_products_are_of_the_same_rows_as_the_sums(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = pairs_plan()
    wanted = exact_of(COLUMNS, plan, "python")
    products = vars(measure)["_products"]

    def written_meanwhile(*given: Any) -> Any:  # noqa: ANN401
        shop.double()
        return products(*given)

    monkeypatch.setattr(measure, "_products", written_meanwhile)
    with without_noise():
        (found,) = release_sums(shop.table, plan, ledger=None).questions
    assert found.products is not None
    assert (found.values.tolist(), found.products.tolist()) == wanted


def test_sums_beyond_53_bits_are_added_in_whole_numbers(
    postgres_url: str,
) -> None:
    plan = pairs_plan([("jan", "feb")])
    months = ("jan", "feb")
    rows = [(f"p{at}", month, 10.0, 0.0) for at in range(500) for month in months]
    one = exact_of(table_of(rows[:2]), plan, "duckdb")[1]
    shop = in_postgres(postgres_url, mapping_of(table_of(rows)))
    many = exact_of(measure.connect(shop.table, "auto"), plan, "auto")[1]
    assert many == [[500 * cell for cell in one[0]]]
