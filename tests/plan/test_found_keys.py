"""Keys that were found before cells were rolled up stay in the plan's document."""

from dataclasses import replace

import pytest

from dpratio.errors import DocumentRefused
from dpratio.strict import Node
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys
from plan_documents import plan_from_document, plan_to_document
from planned import plan_scores

PLAN = plan_scores(Budget(1, "1e-6"))
FOUND = PrivateKeys("shop", Budget("0.1", "1e-7"))


def test_what_was_spent_on_keys_is_kept_and_counted() -> None:
    plan = replace(PLAN, found=(FOUND,))
    read = plan_from_document(Node(plan_to_document(plan)))
    assert read == plan
    assert read.private_keys == [FOUND]
    assert read.delta == FOUND.budget.delta


def test_declared_keys_were_not_found() -> None:
    document = plan_to_document(PLAN)
    document["found"] = [{"column": "shop", "keys": ["a"]}]
    with pytest.raises(DocumentRefused, match=r"\$\.found: must be private keys"):
        plan_from_document(Node(document))
