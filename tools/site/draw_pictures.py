"""Draw the pictures of docs/pictures from releases of invented people.

The people are always the same; the noise is fresh, so pictures differ a little.
rooms.svg is drawn by hand, and house.svg by tools/site/draw_house.py.
Usage: python tools/site/draw_pictures.py
"""

from pathlib import Path

import numpy as np

import dpratio as dpr
from dpratio.show.chart.marks import Band, Line, Rule
from dpratio.show.chart.panel import Panel
from dpratio.show.chart.picture import NARROW, WIDE, Chart, Sign
from dpratio.show.chart.scale import Tick, spread, spread_log
from dpratio.show.charts import chart_of

TARGET = Path(__file__).parents[2] / "docs" / "pictures"
BOUNDS = {"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()}


def tutorial() -> Chart:
    """Draw the release that the tutorial shows the figures of."""
    release = dpr.read_release(TARGET.parent / "tutorial" / "release.json")
    return chart_of(dpr.estimate_ratios(release))


def calibration() -> Chart:
    """Draw the curves of the guide on calibration: group b is 15 % too high."""
    rng = np.random.default_rng(3)
    people = 10_000
    group = np.repeat(["a", "b"], people)
    score = rng.beta(2, 3, 2 * people)
    label = rng.random(2 * people) < score / np.where(group == "a", 1.0, 1.15)
    groups = dpr.Keys("group", ["a", "b"])
    ratio, answers = dpr.Ratio("score", per="label"), ("ratio", "means")
    finer = dpr.Groups.cross(groups, dpr.ScoreBins("score", 5))
    plan = dpr.make_plan(
        [
            dpr.Question(ratio, groups=groups, answers=answers),
            dpr.Question(ratio, groups=finer, answers=answers, budget_share=2),
        ],
        bounds=BOUNDS,
        budget=dpr.Budget(epsilon=1),
        n=people,
    )
    table = {"score": score, "label": label.astype(int), "group": group}
    release = dpr.release_sums(table, plan, ledger=None)
    return chart_of(dpr.calibration_curve(release))


def bounds() -> Chart:
    """Draw what too narrow and too wide bounds do, as the guide on bounds has it."""

    def shoppers(
        rng: np.random.Generator, repetitions: int, people: int
    ) -> dpr.simulation.People:
        orders = rng.integers(1, 5, (repetitions, people)).astype(float)
        spent = orders * rng.lognormal(3.0, 0.8, (repetitions, people))
        return dpr.simulation.People(spent, orders)

    truth = float(np.exp(3.0 + 0.8**2 / 2))
    everyone = shoppers(np.random.default_rng(1), 1, 1_000_000)
    uppers = (50, 71, 100, 141, 200, 283, 400, 566, 800, 1_131, 1_600, 2_263, 3_200)
    rows = []
    for upper in uppers:
        plan = dpr.make_plan(
            dpr.Ratio("spent", per="orders"),
            bounds={"spent": dpr.Bounds(0, upper), "orders": dpr.Bounds(0, 4)},
            budget=dpr.Budget(epsilon=0.5),
            n=3_000,
        )
        found = dpr.simulation.measure_coverage(
            shoppers, plan, n=3_000, truth=truth, repetitions=400, rng=2
        )
        centre = np.minimum(everyone.score, upper).sum() / everyone.label.sum()
        half = found.to_dicts()[0]["width"] / 2
        low, high = float(centre - half), float(centre + half)
        rows.append({"upper": upper, "low": low, "high": high, "middle": float(centre)})
    named = (50, 100, 200, 400, 800, 1_600, 3_200)
    panel = Panel(
        [
            Band([(row["upper"], row["low"], row["high"]) for row in rows], "below"),
            Line([(row["upper"], row["middle"]) for row in rows], "below"),
            Rule(truth, upright=False),
        ],
        spread_log(uppers, given=tuple(Tick(each, str(each)) for each in named)),
        spread([row[name] for row in rows for name in ("low", "high")]),
        240.0,
        x_title="upper bound of spending",
        y_title="spending per order",
    )
    signs = [
        Sign("ratio, and 95 % interval", "below", is_line=True),
        Sign("truth", "rule", is_line=True),
    ]
    return Chart("Spending per order, by its upper bound", [panel], signs)


def main() -> None:
    """Draw every picture."""
    TARGET.mkdir(exist_ok=True)
    for draw in (tutorial, calibration, bounds):
        chart = draw()
        for name, width in (("", WIDE), ("_narrow", NARROW)):
            path = TARGET / f"{draw.__name__}{name}.svg"
            path.write_text(f"{chart.svg(width=width)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
