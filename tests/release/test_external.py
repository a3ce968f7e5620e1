"""Sums of another system: wrapped, stamped wherever they go, and never released."""

import math
from typing import Any

import numpy as np
import pytest

import dpratio as dpr
from dpratio.errors import InvalidInput, PlanRefused
from dpratio.plan.price import price
from dpratio.release.external import ExternalSums
from dpratio.release.files import plan_hash, release_from_bytes
from edited_places import edit
from release.edited_documents import document_of, refusal, signed
from release.releases_for_tests import survives

pytestmark = pytest.mark.usefixtures("fixed_noise")

RATIO = dpr.Ratio("score", per="label")
BOUNDS = {"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()}
SUMS = {"w": [100.0], "ws": [51.5], "wy": [48.0], "wss": [31.25], "wys": [30.0]}
STAMP = "EXTERNAL: these sums were measured by OtherDP 2"


def wrapped(sums: Any = None, **terms: Any) -> dpr.Release:  # noqa: ANN401
    held = SUMS if sums is None else sums
    given: dict[str, Any] = {
        "ratio": RATIO,
        "noise_sd": dict.fromkeys(held, 2.0),
        "law": "laplace",
        "bounds": BOUNDS,
        "origin": "OtherDP 2",
        "claimed": dpr.Budget(2),
        **terms,
    }
    return dpr.wrap_sums(held, given.pop("ratio"), **given)


def test_wrapped_sums_are_answered_like_others() -> None:
    found = dpr.estimate_ratios(wrapped(), method="analytical", variance="linearised")
    assert found.ratio[0] == pytest.approx(51.5 / 48, rel=1e-6)
    r = 51.5 / 48
    noise = 4 * (1 + r**2)
    sampling = 31.25 - 2 * r * 30 + r**2 * 48
    assert found.se[0] == pytest.approx(math.sqrt(noise + sampling) / 48, rel=1e-6)
    mean = dpr.estimate_function(wrapped(), dpr.functions.mean())
    assert mean.estimate[0] == pytest.approx(0.515, rel=1e-6)


@pytest.mark.parametrize(("law", "heavy"), [("laplace", True), ("gaussian", False)])
def test_noise_has_the_deviation_and_the_law_that_are_stated(
    law: str,
    heavy: bool,  # noqa: FBT001
) -> None:
    from dpratio.analyst.sums.moments import moments_of

    claimed = dpr.Budget(2, "1e-6")
    noise = moments_of(wrapped(law=law, claimed=claimed)).noise
    assert noise.variance[0] == pytest.approx([4.0] * 5)
    assert bool(noise.laplace.any()) is heavy


def test_a_sum_without_noise_has_next_to_none() -> None:
    found = dpr.estimate_ratios(wrapped(noise_sd=dict.fromkeys(SUMS, 0)))
    assert found.se_privacy[0] < 1e-9


def test_the_stamp_stands_on_the_release_and_on_every_answer() -> None:
    release = wrapped()
    assert STAMP in str(release)
    assert "dpratio makes no privacy claim about them" in str(release)
    assert "epsilon 2, delta 0 as claimed there." in str(release)
    assert "Claimed there, and not checked here: epsilon 2" in str(release.plan)
    assert "sensitivity" not in release.plan.columns()
    sums = {name: [*each, *each] for name, each in SUMS.items()}
    groups = wrapped(sums, groups=dpr.Groups("g", ["a", "b"]))
    for answer in (
        dpr.estimate_ratios(release),
        dpr.estimate_function(release, dpr.functions.mean()),
        dpr.compare_ratios(groups, "a", "b"),
        dpr.assess_homogeneity(groups),
        dpr.assess_equivalence(groups, lower=0.5, upper=2),
    ):
        assert answer.notes()[0].startswith(STAMP)
        assert STAMP in str(answer)


def test_the_stamp_survives_rolling_up_and_merging() -> None:
    bins = dpr.Groups.cross(dpr.ScoreBins("score", 2))
    sums = {name: [10.0, 20.0] for name in SUMS}
    first = wrapped(sums, groups=bins)
    assert dpr.calibration_curve(first).notes()[0].startswith(STAMP)
    second = wrapped(
        sums, groups=bins, origin="Third", noise_sd=dict.fromkeys(SUMS, 5.0)
    )
    merged = dpr.merge([first, second], units_are_disjoint=True)
    assert merged.origin == "OtherDP 2 and Third"
    assert merged.cost.epsilon == first.cost.epsilon + second.cost.epsilon
    assert "as claimed there in all; epsilon" in str(merged)
    rolled = dpr.roll_up(merged)
    assert rolled.origin == merged.origin
    assert dpr.estimate_ratios(rolled).ratio[0] == pytest.approx(1.0)
    assert all(map(survives, (first, merged, rolled)))


def test_a_delta_that_was_claimed_is_stated_whatever_the_noise() -> None:
    """Laplace noise of ours needs none; what another system claimed may."""
    release = wrapped(law="laplace", claimed=dpr.Budget(2, "1e-6"))
    assert release.cost == dpr.Budget(2, "1e-6")
    assert "epsilon 2, delta 0.000001 as claimed there." in str(release)
    assert "epsilon 2, delta 0.000001." in release.plan.summary()[-1]


def test_sums_of_ours_and_of_others_are_not_merged() -> None:
    plan = dpr.make_plan(RATIO, bounds=BOUNDS, budget=dpr.Budget(1), strategy="joint")
    ours = dpr.release_sums({"score": [1.0], "label": [1]}, plan, ledger=None)
    with pytest.raises(InvalidInput, match="must have the same strategy"):
        dpr.merge([wrapped(), ours], units_are_disjoint=True)
    more = {**SUMS, "wsss": [20.0]}
    with pytest.raises(InvalidInput, match="must have the same sums"):
        dpr.merge([wrapped(), wrapped(more, origin="Third")], units_are_disjoint=True)


def test_only_plans_pass_the_door_of_the_curator() -> None:
    held: Any = wrapped().plan
    assert isinstance(wrapped().measured, ExternalSums)
    with pytest.raises(PlanRefused, match="only a plan has a price"):
        price(held)
    with pytest.raises(InvalidInput, match="must be a Plan"):
        dpr.release_sums({"score": [1.0], "label": [1]}, held, ledger=None)
    with pytest.raises(InvalidInput, match="must be a Plan"):
        plan_hash(held)
    with pytest.raises(InvalidInput, match="unknown strategy"):
        dpr.make_plan(RATIO, bounds=BOUNDS, budget=dpr.Budget(1), strategy="external")


WEIGHTED = {
    "ratio": dpr.Ratio("score", per="label", weight="w"),
    "bounds": {**BOUNDS, "w": dpr.Bounds(0, 2)},
}


@pytest.mark.parametrize(
    ("names", "terms", "variance"),
    [
        (["ws", "wy", "wss", "wys"], {}, "linearised"),
        (["w", "ws", "wy", "wss", "wys"], {}, "kish"),
        (["w", "ws", "wy", "ww", "wss", "wys"], WEIGHTED, "kish"),
        (["ws", "wy", "aa", "ab", "bb"], WEIGHTED, "linearised"),
        (["w", "ws", "wy", "ww", "wa", "wb", "aa", "ab", "bb"], WEIGHTED, "linearised"),
    ],
    ids=str,
)
def test_a_release_answers_with_what_it_holds(
    names: list[str], terms: dict[str, Any], variance: str
) -> None:
    sums = {name: [50.0 + at] for at, name in enumerate(reversed(names))}
    release = wrapped(sums, **terms)
    assert dpr.estimate_ratios(release).variance == variance
    if "w" in names:
        assert len(dpr.estimate_function(release, dpr.functions.mean("per"))) == 1
    else:
        with pytest.raises(InvalidInput, match="does not hold the sum w"):
            dpr.estimate_function(release, dpr.functions.mean())


@pytest.mark.parametrize(
    ("sums", "terms", "said"),
    [
        ({"ws": [1], "wy": [1]}, {}, "an interval needs second-order sums"),
        ({"wss": [1], "wys": [1]}, {}, "Add: ws, wy."),
        ({**SUMS, "aa": [1]}, {}, "a sum is named by its factors, got ['aa']"),
        (SUMS, WEIGHTED, "Add: ww; or in place of squares of values: aa, ab, bb."),
        (
            {"ws": [1], "wy": [1], "aa": [1], "ab": [1], "bb": [1], "wss": [1]},
            WEIGHTED,
            "an interval needs second-order sums",
        ),
        ([1, 2], {"noise_sd": {}}, "an interval needs second-order sums"),
        ({**SUMS, "ws": [1, 2]}, {}, "the sum ws must hold 1 finite numbers"),
        ({**SUMS, "ws": [math.nan]}, {}, "the sum ws must hold 1 finite numbers"),
        ({**SUMS, "ws": ["many"]}, {}, "the sum ws must hold 1 finite numbers"),
        ({**SUMS, "ws": [1e300]}, {}, "none of them too large for the bounds"),
        (None, {"law": "cauchy"}, "unknown law of noise, got 'cauchy'"),
        (None, {"noise_sd": {"w": 1}}, "the noise of the sum wy must be known"),
        (None, {"noise_sd": 3.0}, "the noise of the sum w must be known"),
        (None, {"noise_sd": dict.fromkeys(SUMS, -1)}, "must be known, got -1"),
        (None, {"noise_sd": dict.fromkeys(SUMS, 1e15)}, "must stay below 2^50"),
        (None, {"ratio": "score/label"}, "ratio must be a Ratio"),
        (None, {"bounds": {"label": BOUNDS["label"]}}, "Add bounds for: score."),
        (None, {"law": "gaussian", "claimed": 2}, "budget must be a Budget"),
        (None, {"groups": dpr.PrivateKeys("g", dpr.Budget(1, "1e-6"))}, "declared"),
        *((None, {"origin": o}, "origin must be") for o in ("", "  ", 3, "\ud800")),
    ],
    ids=str,
)
def test_sums_that_cannot_be_wrapped_are_refused(
    sums: Any,  # noqa: ANN401
    terms: dict[str, Any],
    said: str,
) -> None:
    with pytest.raises(InvalidInput) as caught:
        wrapped(sums, **terms)
    assert said in str(caught.value)


STAGES = {"totals": ["1", "1"], "guess": 1, "basis": "sum", "sums": []}


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("plan.origin", 7, "$.plan.origin: must be text"),
        ("plan.origin", " ", "$.plan.origin: origin must be"),
        ("plan.law", "cauchy", "$.plan.law: must be one of"),
        ("plan.bounds.score", [0, 2], None),
        ("plan.bounds", {}, "$.plan.bounds: what is counted needs bounds"),
        ("plan.noise_sd.ws", -1, "$.plan.noise_sd: the noise of the sum"),
        ("plan.noise_sd.ws", 1e12, "$.plan.noise_sd: the noise of ws"),
        ("plan.noise_sd.www", 1, "$.plan: a sum is named by"),
        ("plan.groups", [], "$.plan.groups: sums from elsewhere"),
        ("plan.groups", {"column": "score", "keys": ["a"]}, "$.plan.groups: a column"),
        ("plan.sums", [], "$.plan: unknown field"),
        ("questions.0.stages", STAGES, "$.questions[0].stages: belongs to"),
        ("questions.0.others", [], None),
        ("origin", "Elsewhere", "$: unknown field 'origin'"),
    ],
)
def test_only_what_wrapping_makes_is_read_back(
    place: str, value: object, message: str | None
) -> None:
    document = edit(document_of(wrapped()), place, value)
    if message is None:
        assert release_from_bytes(signed(document)).origin == "OtherDP 2"
    else:
        assert refusal(signed(document)).startswith(message)


def test_the_same_sums_have_the_same_id() -> None:
    assert wrapped().id == wrapped().id
    assert wrapped().id != wrapped({**SUMS, "ws": [51.0]}).id
    assert wrapped(is_simulated=True).is_simulated
    assert np.array_equal(wrapped().questions[0].values, wrapped().questions[0].values)
