"""Terms that would be read off the data, or for which no proof holds, are refused."""

import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import norm

from curator.ledger.attacks.books import name_of, open_book
from dpratio.cli.main import run
from dpratio.curator.ledger.account.scope import Scope
from dpratio.curator.release_sums import release_sums
from dpratio.errors import InvalidInput, LedgerRefused, PlanRefused
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.plan.words import NOT_COVERED
from dpratio.show.report import write_report
from dpratio.terms.bounds import Bounds
from dpratio.terms.budget import Budget
from dpratio.terms.groups import PrivateKeys, ScoreBins
from dpratio.terms.ratio import Ratio
from edited_plans import with_terms

RATIO = Ratio("score", per="label", weight="weight", guess=0.5)
BOUNDS = {"score": Bounds(0, 1), "label": Bounds.binary(), "weight": Bounds(0, 2)}
ROWS = {"score": [0.5, 0.25], "label": [1, 0], "weight": [1.0, 2.0]}
NOWHERE = "nowhere.parquet"  # A table that is looked for is missed.
STUDY = """
[ratio]
numerator = "score"
per = "label"

[bounds]
label = "binary"
{bounds}

[privacy]
epsilon = 1.0
"""


def plan_of(**terms: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {"bounds": BOUNDS, "budget": Budget(1, "1e-6"), **terms}
    return make_plan(RATIO, **given)


@pytest.mark.parametrize(
    ("terms", "rule"),
    [
        ({"bounds": {}}, "what is counted needs bounds"),
        ({"bounds": {**BOUNDS, "weight": None}}, "must map column names to Bounds"),
        ({"bounds": {**BOUNDS, "weight": "auto"}}, "must map column names to Bounds"),
        ({"groups": ScoreBins("age", 10)}, "what is counted needs bounds"),
        ({"groups": ScoreBins("score", [0.1, 1.5])}, "within the bounds of 'score'"),
    ],
)
def test_19_bounds_and_edges_that_are_not_declared_are_refused(
    terms: dict[str, Any], rule: str
) -> None:
    """No bound or edge is filled in from the rows, and none can be asked for so.

    Source: IBM diffprivlib, issue 20 (bounds and norms are read from the data where
    none are given); SmartNoise SDK, pull request 580 (bounds that leaked).
    More: tests/plan/test_rules.py.
    """
    with pytest.raises(InvalidInput, match=rule):
        plan_of(**terms)


@pytest.mark.parametrize("bins", ["quantile", "auto", None, [0.5]])
def test_19_edges_have_no_word_for_those_of_the_data(bins: Any) -> None:  # noqa: ANN401
    """Quantiles of the scores cannot be edges.

    Source: IBM diffprivlib, issue 20.
    """
    with pytest.raises(InvalidInput, match="edges"):
        ScoreBins("score", bins)


@pytest.mark.parametrize("bounds", ["", 'score = "auto"', "score = []"])
def test_19_a_study_without_bounds_is_refused_before_data_are_opened(
    bounds: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """From the command line too, bounds are declared or nothing is released.

    Source: IBM diffprivlib, issue 20.
    """
    study = tmp_path / "study.toml"
    study.write_text(STUDY.format(bounds=bounds), encoding="utf-8")
    words = ["release", str(study), "--no-ledger", "--data", NOWHERE, "-o", "r.json"]
    monkeypatch.setattr(sys, "argv", ["dpratio", *words])
    with pytest.raises(SystemExit) as stopped:
        run()
    assert stopped.value.code in {3, 6}  # Invalid input, or a document that is.
    assert "bounds" in capsys.readouterr().err


def test_19_what_is_not_covered_of_scores_and_weights_is_said_everywhere(
    tmp_path: Path,
) -> None:
    """Plan, release and report say that models and weights fitted here are not covered.

    Source: IBM diffprivlib, issue 20.
    """
    plan = plan_of()
    release = release_sums(ROWS, plan, ledger=None)
    write_report(tmp_path / "report.html", release)
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    told = {
        "plan": str(plan),
        "notebook": plan._repr_html_(),
        "release": str(release),
        "report": report.replace("&#39;", "'"),
    }
    for where, words in told.items():
        said = words.replace("&#x27;", "'")
        assert NOT_COVERED[0] in said, where
    for word in ("scores and weights", "fitted on these rows", "normalised over them"):
        assert word in NOT_COVERED[0]


def classical(epsilon: float, **terms: Any) -> Plan:  # noqa: ANN401
    given: dict[str, Any] = {"strategy": "even", "mechanism": "classical_gaussian"}
    given["clipping"] = "unmeasured"
    return plan_of(budget=Budget(epsilon, "1e-5"), **{**given, **terms})


def test_21_a_plan_with_classical_noise_above_epsilon_1_stops_at_the_door() -> None:
    """A plan that was edited to hold the textbook noise of a large epsilon is refused.

    Source: Balle & Wang (2018), Improving the Gaussian Mechanism for Differential
    Privacy, section 2.3.
    """
    plan = classical(1)
    share, delta = 40, 1e-5 / len(plan.measurements[0].sums)
    noise = math.sqrt(2 * math.log(1.25 / delta)) / share  # per unit of sensitivity
    # Theorem 8: it spends more delta there than it claims.
    near, far = noise * share - 0.5 / noise, noise * share + 0.5 / noise
    assert norm.sf(near) - math.exp(share + norm.logsf(far)) > delta
    scaled = tuple(
        replace(each, scale=each.sensitivity * noise * (1 + 1e-9))
        for each in plan.measurements[0].sums
    )
    forged = with_terms(
        plan.measuring([replace(plan.measurements[0], sums=scaled)]),
        budget=Budget(share * len(scaled), "1e-5"),
    )
    with pytest.raises(PlanRefused, match="too small for its share"):
        release_sums(NOWHERE, forged, ledger=None)


class Unread(list[float]):
    """A column whose name may be seen, and no cell of it."""

    def __iter__(self) -> Iterator[float]:
        raise AssertionError("a row was read")


FOUND = PrivateKeys("city", Budget("0.1", "1e-7"))


@pytest.mark.parametrize(
    ("delta", "terms", "is_admitted"),
    [
        ("1e-6", {}, True),
        ("1.000001e-6", {}, False),
        ("0.5", {}, False),
        ("1e-6", {"n": 10**9}, True),
        ("2e-6", {"n": 1}, False),
        ("2e-6", {"n": 10**9}, False),
        ("2e-6", {"mechanism": "laplace"}, True),  # It spends none.
        ("2e-6", {"mechanism": "laplace", "groups": FOUND}, True),
        (
            "2e-6",
            {
                "mechanism": "laplace",
                "groups": [FOUND, PrivateKeys("town", Budget("0.1", "1e-6"))],
            },
            False,  # Together they spend more than one may.
        ),
    ],
)
def test_24_a_delta_above_the_curators_floor_is_refused_whatever_n(
    tmp_path: Path, delta: str, terms: dict[str, Any], *, is_admitted: bool
) -> None:
    """What one release may spend of delta is the scope's to say, and no row is counted.

    Source: Dwork & Roth (2014), The Algorithmic Foundations of Differential Privacy,
    section 2.3: with a delta of 1/n, publishing a few whole records is private.
    More: tests/curator/ledger/admission/test_admit.py.
    """
    scope = Scope("people", Budget(10, 0.9), largest_delta=Fraction(1, 10**6))
    ledger = open_book(str(tmp_path / "budget.db"), scope)
    given = {"mechanism": "analytic_gaussian", **terms}
    plan = plan_of(budget=Budget(1, delta), **given)
    names = ("score", "label", "weight", "city", "town")
    if is_admitted:
        ledger.charge(name_of(1), plan)
        assert ledger.account().spent.delta <= Fraction(1, 10**6)
        return
    with pytest.raises(LedgerRefused, match=r"allows 0\.000001 in one release"):
        release_sums({name: Unread() for name in names}, plan, ledger=ledger)
    assert ledger.account().seq == 0
