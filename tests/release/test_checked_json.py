"""A document in one line: what it holds, its checksum, and what it refuses."""

import json
import math

import pytest

from dpratio.release.checked_json import checked_line, checksum

BODY = {"ratio": 0.1, "groups": [["north", None], ["süd", "x"]], "format": "any"}


def test_a_line_holds_the_document_and_its_checksum() -> None:
    document = json.loads(checked_line(BODY, b"beside"))
    assert document.pop("sha256") == checksum(BODY, b"beside")
    assert document == BODY


def test_the_checksum_of_a_line_covers_what_stands_beside_it() -> None:
    assert checked_line(BODY, b"beside") != checked_line(BODY, b"besides")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_line_never_holds_what_is_no_number(value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        checked_line({**BODY, "ratio": value}, b"")
