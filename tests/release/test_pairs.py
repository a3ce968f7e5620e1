"""Releases that hold products across pairs of groups: files, merging, refusals."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from curator.pairs_for_tests import pairs_plan, table_of
from dpratio.curator.release_sums import release_sums
from dpratio.errors import DpratioError, InvalidInput
from dpratio.release.document import release_from_document, release_to_document
from dpratio.release.external import require_external
from dpratio.release.files import release_from_bytes, release_to_bytes
from dpratio.release.merge import merge
from dpratio.release.release import Release
from dpratio.strict import Node

pytestmark = pytest.mark.usefixtures("fixed_noise")

ROWS = [(f"p{at}", month, 2.0, 1.0) for at in range(40) for month in ("jan", "feb")]


def released(pairs: Any = (("jan", "feb"), ("feb", "mar"))) -> Release:  # noqa: ANN401
    return release_sums(table_of(ROWS), pairs_plan(pairs), ledger=None)


def read_back(document: dict[str, Any]) -> Release:
    """Read an edited document."""
    return release_from_document(Node(document))


def test_a_release_comes_back_from_its_file() -> None:
    release = released()
    again = release_from_bytes(release_to_bytes(release))
    assert again == release
    assert np.array_equal(again.questions[0].products, release.questions[0].products)  # type: ignore[arg-type]


def test_releases_without_pairs_say_nothing_of_them() -> None:
    document = release_to_document(released(()))
    assert "products" not in document["parts"][0]
    assert "pairs" not in json.dumps(document)


def test_releases_with_other_products_differ() -> None:
    release = released()
    (question,) = release.questions
    assert question.products is not None
    other = replace(question, products=question.products + 1)
    assert other != question
    assert replace(question) == question


@pytest.mark.parametrize("products", [None, [[1, 2, 3, 4]], [[1, 2, 3]] * 2])
def test_a_question_has_just_the_products_of_its_pairs(
    products: Any,  # noqa: ANN401
) -> None:
    (question,) = released().questions
    with pytest.raises(InvalidInput, match=r"must be \(2, 4\)"):
        replace(question, products=products)


def test_a_question_without_pairs_has_none() -> None:
    (question,) = released(()).questions
    with pytest.raises(InvalidInput, match="must be None"):
        replace(question, products=np.array([[1, 2, 3, 4]]))


@pytest.mark.parametrize(
    "products",
    [
        None,
        [],
        [["1", "2", "3", "4"]],
        [["1", "2"], ["3", "4"]],
        [["1", "2", "3", "x"]] * 2,
    ],
)
def test_files_with_other_products_are_refused(products: Any) -> None:  # noqa: ANN401
    release = released()
    document = release_to_document(release)
    assert read_back(document) == release
    document["parts"][0]["products"] = products
    if products is None:
        del document["parts"][0]["products"]
    with pytest.raises(DpratioError):
        read_back(document)


def test_products_without_pairs_are_refused() -> None:
    release = released(())
    document = release_to_document(release)
    document["parts"][0]["products"] = [["1", "2", "3", "4"]]
    with pytest.raises(DpratioError, match="belongs to declared pairs"):
        read_back(document)


def test_merging_leaves_them_out() -> None:
    """Sums add up; the comparison of what was merged has the bound."""
    both = merge([released(), released()], units_are_disjoint=True)
    (question,) = both.questions
    assert question.products is None
    assert question.asked.pairs is None
    assert both.plan.epsilon == 2
    mixed = merge([released(), released(())], units_are_disjoint=True)
    assert mixed.questions[0].products is None
    again = release_from_bytes(release_to_bytes(both))
    assert again == both


def test_sums_from_elsewhere_have_none() -> None:
    plan = replace(pairs_plan(), strategy="external")
    with pytest.raises(InvalidInput, match="no pairs of groups"):
        require_external(plan)
