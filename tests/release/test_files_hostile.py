"""Documents of other kinds, and those made to break the reader, are refused."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dpratio.release.document import FORMAT
from dpratio.release.files import write_release
from dpratio.terms.budget import Budget
from planned import plan_scores
from release.edited_documents import refusal, signed
from release.golden_releases import GOLDEN, only_question
from tiers import quick_first


def test_another_version_is_refused_by_name_whatever_else_it_holds(
    tmp_path: Path,
) -> None:
    text = json.dumps({"format": FORMAT, "version": 2, "something": "new"})
    assert refusal(tmp_path / "new.json", text) == (
        "$.version: must be 1, got 2. Use the dpratio that wrote it."
    )


@pytest.mark.parametrize("text", ["[]", "1", '"x"', "null", "{}", '{"format": 1}'])
def test_another_document_is_refused_as_such(text: str, tmp_path: Path) -> None:
    message = "$.format: this is not a dpratio-release document."
    assert refusal(tmp_path / "other.json", text) == message


def inject(pattern: str, text: str) -> Callable[[str], str]:
    return lambda golden: golden.replace(pattern, text, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            inject('"version":1', '"version": 1, "version": 1'),
            "$: a field is given twice in one table.",
        ),
        (
            inject('"column":"', '"column": "person", "column": "'),
            "$: a field is given twice in one table.",
        ),
        (inject('"version":1', '"version": NaN'), "$: NaN is not a number"),
        (inject('"version":1', '"version": Infinity'), "$: Infinity is not a number"),
        (inject('"version":1', '"version": -Infinity'), "$: -Infinity is not a"),
        (inject('"41943040000"', "NaN"), "$: NaN is not a number a document may hold."),
        (inject('"41943040000"', "41943040000"), "$.sha256: the document was edited"),
        (inject('"41943040000"', "1e999"), "$: a document holds finite numbers."),
        (inject('"version":1', '"version": 1e999'), "$.version: must be a whole"),
        (inject('"version":1', '"version": 1,'), "$: not valid JSON at character "),
        (inject('"version":1', "'version': 1"), "$: not valid JSON at character "),
        (lambda golden: golden + "{}", "$: not valid JSON at character "),
        (lambda golden: "\ufeff" + golden, "$: not valid JSON at character 0;"),
        (lambda _: "", "$: not valid JSON at character 0; the file may be truncated."),
        (lambda _: "[" * 100_000, "$: not valid JSON at character 0;"),
        (lambda _: '{"a":' * 100_000, "$: not valid JSON at character 0;"),
        (lambda _: "[" * 100_000 + "]" * 100_000, "$: not valid JSON at character 0;"),
        (inject('"version":1', '"version": ' + "1" * 5000), "$"),
        (inject('"version":1', '"version": -' + "1" * 5000), "$"),
    ],
)
def test_a_document_made_to_break_the_reader_is_refused(
    change: Callable[[str], str], message: str, tmp_path: Path
) -> None:
    text = change(GOLDEN.read_text(encoding="utf-8"))
    assert text != GOLDEN.read_text(encoding="utf-8")
    assert refusal(tmp_path / "hostile.json", text).startswith(message)


@pytest.mark.parametrize("strategy", quick_first(["focused", "even", "joint"]))
@pytest.mark.parametrize(
    ("epsilon", "scale"),
    [("9" * 100, None), ("100000000", None), ("1000000", 2.0**-10), ("1", 2.0**-10)],
)
def test_an_absurd_budget_or_noise_is_refused_at_once(
    epsilon: str, scale: float | None, strategy: str, tmp_path: Path
) -> None:
    """Certifying it would need e to the power of epsilon, digit by digit."""
    plan = plan_scores(
        Budget(1, "1e-6"), strategy=strategy, mechanism="analytic_gaussian"
    )
    path = tmp_path / "absurd.json"
    write_release(
        only_question(plan, [[0] * 5], id="0" * 32, made_by="dpratio 0.1.0"), path
    )
    document = json.loads(path.read_text(encoding="utf-8"))
    document["plan"]["study"]["privacy"]["epsilon"] = epsilon
    for each in document["plan"]["measurements"][0]["sums"]:
        each["scale"] = scale or each["scale"]
    path.write_text(signed(document), encoding="utf-8")
    code = (
        "import sys\nfrom dpratio import read_release\n"
        "from dpratio.errors import DocumentRefused\n"
        "try:\n    read_release(sys.argv[1])\n"
        "except DocumentRefused as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert done.returncode == 0, done.stderr[-300:]
    assert done.stdout.startswith("$.plan")
