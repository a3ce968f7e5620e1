"""The default beside published methods: every way in every setting, and who covers."""

import numpy as np
import pytest

from dpratio.errors import InvalidInput
from dpratio.simulation.coverage.limit import paper_plan
from dpratio.simulation.coverage.samples import draw_blocks
from dpratio.simulation.crew import ALONE
from dpratio.simulation.literature.cases import SETTINGS
from dpratio.simulation.literature.literature import (
    LiteratureTable,
    measure_literature,
)
from dpratio.simulation.literature.rivals import STRATEGIES, AnswerSums, Way
from dpratio.simulation.population import PaperPopulation
from dpratio.simulation.simulate import Seeds

OURS = {"dpratio", "corrected", "bootstrap", "percentile", "debiased"}


def without_cpu(table: LiteratureTable) -> list[dict[str, object]]:
    return [{**row, "cpu_us": 0} for row in table.rows]


@pytest.mark.slow
def test_tables_have_every_way_and_the_default_is_the_unit() -> None:
    table = measure_literature(["tables"], repetitions=60, rng=1)
    assert len(table.rows) == 4 * SETTINGS["tables"]
    for row in table.rows:
        missed = row["missed_below"] + row["missed_above"] + row["undefined"]
        assert missed == pytest.approx(1 - row["coverage"])
        if (row["method"], row["sums"]) == ("dpratio", "focused"):
            assert row["over_default"] == 1 or row["width_equal"] == np.inf


@pytest.mark.slow
def test_the_same_seed_gives_the_same_figures_whatever_the_workers() -> None:
    """Some 5,000 runs are worth two workers."""
    one, two = (
        measure_literature(["tables"], repetitions=5_100, rng=1, workers=each)
        for each in (1, 2)
    )
    assert str(without_cpu(one)) == str(without_cpu(two))


def test_each_kind_of_sums_is_answered_by_its_methods_and_they_cover() -> None:
    """Of 400 runs; the plain plug-in forgets noise, and that shows."""
    asked = tuple(
        (plan, plan.questions[0])
        for plan in (
            paper_plan("laplace", 0.5, weighted=False, n=500, strategy=each)
            for each in STRATEGIES
        )
    )
    blocks = draw_blocks(
        PaperPopulation(1.1),
        asked,
        size=500,
        repetitions=400,
        seeds=Seeds(1),
        crew=ALONE,
        tick=int,
    )
    answer = AnswerSums(asked, 0.95, 199)
    found = {way: each for block in blocks for way, each in answer(block).items()}
    assert {way.method for way in found if way.sums == "focused"} == OURS
    assert {way.method for way in found if way.sums == "even"} == {
        "plug_in",
        "corrected",
    }
    covers = {
        way: ((each.interval.lower <= 1.1) & (each.interval.upper >= 1.1)).mean()
        for way, each in found.items()
    }
    assert covers.pop(Way("plug_in", "even")) < 0.8
    assert min(covers.values()) > 0.85
    widths = {
        way: np.median(each.interval.upper - each.interval.lower)
        for way, each in found.items()
    }
    assert widths[Way("dpratio", "focused")] < 0.8 * widths[Way("bootstrap", "joint")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "ways"), [("paper", 10), ("real", 10), ("weak", 10), ("cut", 4)]
)
def test_every_way_is_there_in_every_setting(case: str, ways: int) -> None:
    steps = []
    table = measure_literature(
        [case], repetitions=2, draws=39, rng=1, report=lambda *done: steps.append(done)
    )
    assert len(table.rows) == ways * SETTINGS[case]
    assert steps[-1] == (SETTINGS[case], SETTINGS[case])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cases": []}, "at least one case is needed"),
        ({"cases": ["rare"]}, "unknown case"),
        ({"repetitions": 1}, "repetitions must be at least 2"),
        ({"draws": 38}, "draws must be at least 39"),
    ],
)
def test_what_cannot_be_simulated_is_refused(
    options: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        measure_literature(**options)  # type: ignore[arg-type]
