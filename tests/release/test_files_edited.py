"""A file that was damaged or edited is refused, with the path of the place."""

import json
from pathlib import Path

import pytest

from dpratio.errors import DocumentRefused, FileRefused
from dpratio.release.files import read_release
from edited_places import alter, at, leaves, split
from release.edited_documents import refusal, signed
from release.golden_releases import GOLDEN, GOLDEN_RELEASES, golden_document


def test_a_truncated_file_is_refused_wherever_it_ends(tmp_path: Path) -> None:
    whole = GOLDEN.read_bytes()
    path = tmp_path / "cut.json"
    for end in range(0, len(whole) - 1, 97):
        path.write_bytes(whole[:end])
        with pytest.raises((DocumentRefused, FileRefused), match=r"^\$: not valid|UTF"):
            read_release(path)


@pytest.mark.parametrize("golden", GOLDEN_RELEASES, ids=lambda path: path.stem)
def test_every_single_edit_is_refused_with_a_path(golden: Path, tmp_path: Path) -> None:
    places = list(leaves(golden_document(golden)))
    assert len(places) > 60
    for place in places:
        document = golden_document(golden)
        alter(document, place)
        message = refusal(tmp_path / "edited.json", json.dumps(document))
        assert message.startswith("$."), (place, message)
        if place[0] not in {"format", "version"}:
            assert message.startswith("$.sha256: the document was edited"), place


@pytest.mark.parametrize("length", [1, 2])
def test_swapped_sums_are_refused(length: int, tmp_path: Path) -> None:
    document = golden_document()
    values = document["values"][0]
    document["values"] = [values[length:] + values[:length]]
    assert "checksum" in refusal(tmp_path / "edited.json", json.dumps(document))


@pytest.mark.parametrize(
    "place",
    [
        "",
        "plan",
        "plan.measurements.0.sums.0",
        "parts.0",
    ],
)
def test_unknown_and_missing_fields_are_refused_with_their_path(
    place: str, tmp_path: Path
) -> None:
    path = tmp_path / "edited.json"
    shown = "$" + "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in split(place)
    )
    document = golden_document()
    at(document, split(place))["surprise"] = 1
    message = refusal(path, signed(document))
    assert message.startswith(f"{shown}: unknown field 'surprise'.")
    for name in at(golden_document(), split(place)):
        document = golden_document()
        del at(document, split(place))[name]
        text = json.dumps(document) if name == "sha256" else signed(document)
        message = refusal(path, text)
        if name == "format":
            assert message == "$.format: this is not a dpratio-release document."
        elif name == "version":
            assert message == "$.version: must be a whole number, got None."
        else:
            assert message == f"{shown}: field '{name}' is missing."
