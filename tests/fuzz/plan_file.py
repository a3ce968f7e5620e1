"""Plans as files: mutated documents, with their checksum set right or left wrong."""

import json
import tempfile
from pathlib import Path

from hypothesis import strategies as st

from dpratio.errors import DocumentRefused, FileRefused, InvalidInput, PlanRefused
from dpratio.plan.price import AnyPlan
from dpratio.release.files import read_plan, write_plan
from fuzz.mutations import Mutation, mutate_bytes, mutate_document, mutations
from fuzz.release_json import signed
from release.releases_for_tests import RELEASES

__all__ = ["INPUTS", "REFUSALS", "VALID", "check", "make", "read"]

REFUSALS = (DocumentRefused, FileRefused, PlanRefused, InvalidInput)
FOLDER = tempfile.TemporaryDirectory(prefix="dpratio-fuzz-")
FILE = Path(FOLDER.name) / "plan.json"


def _document(release: str) -> object:
    plan = RELEASES[release].plan
    assert isinstance(plan, AnyPlan)
    write_plan(plan, FILE)
    return json.loads(FILE.read_text(encoding="utf-8"))


SEEDS = [_document(name) for name in RELEASES if "merged" not in name]
Drawn = tuple[int, list[Mutation], list[Mutation], bool]

INPUTS = st.tuples(
    st.integers(0, len(SEEDS) - 1),
    mutations(),
    st.lists(st.nothing()) | mutations(2),
    st.sampled_from([True, True, False]),
)
VALID: Drawn = (0, [], [], True)


def make(drawn: Drawn) -> bytes:
    at, nodes, flips, is_signed = drawn
    text = mutate_document(SEEDS[at], nodes, SEEDS)
    content = (signed(text) if is_signed else text).encode("utf-8", "surrogatepass")
    made = mutate_bytes(content, flips)
    FILE.write_bytes(made)
    return made


def read(_: bytes) -> AnyPlan:
    return read_plan(FILE)


def check(plan: AnyPlan) -> None:
    assert str(plan).encode()
    write_plan(plan, FILE)
    assert read_plan(FILE) == plan
