"""Draw the pictures of docs/pictures from releases of invented people.

The people are always the same; the noise is fresh, so pictures differ a little.
rooms.svg is drawn by hand, and house.svg by tools/site/draw_house.py.
Usage: python tools/site/draw_pictures.py
"""

from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import vl_convert
from drawings import follow_page

import dpratio as dpr
from dpratio.show.colours import themed

TARGET = Path(__file__).parents[2] / "docs" / "pictures"
BOUNDS = {"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()}


def tutorial() -> Any:  # noqa: ANN401 (Altair)
    """Draw the loans of the tutorial: four regions, the south 25 % too high."""
    rng = np.random.default_rng(1)
    ratios = {"north": 1.0, "east": 1.0, "south": 1.25, "west": 1.0}
    rows = [
        (score, int(rng.random() < score / ratio), region)
        for region, ratio in ratios.items()
        for score in rng.beta(2, 5, size=5_000)
    ]
    score, label, region = (list(column) for column in zip(*rows, strict=True))
    plan = dpr.make_plan(
        dpr.Ratio("score", per="label"),
        bounds=BOUNDS,
        groups=dpr.Groups("region", list(ratios)),
        budget=dpr.Budget(epsilon=1),
    )
    table = {"score": score, "label": label, "region": region}
    return dpr.estimate_ratios(dpr.release_sums(table, plan, ledger=None)).chart()


def calibration() -> Any:  # noqa: ANN401 (Altair)
    """Draw the curves of the guide on calibration: group b is 15 % too high."""
    rng = np.random.default_rng(3)
    people = 10_000
    group = np.repeat(["a", "b"], people)
    score = rng.beta(2, 3, 2 * people)
    label = rng.random(2 * people) < score / np.where(group == "a", 1.0, 1.15)
    groups = dpr.Keys("group", ["a", "b"])
    plan = dpr.make_plan(
        dpr.Ratio("score", per="label"),
        bounds=BOUNDS,
        groups=[groups, dpr.Groups.cross(groups, dpr.ScoreBins("score", 5))],
        weights=[1, 2],
        answers=("ratio", "means"),
        budget=dpr.Budget(epsilon=1),
        n=people,
    )
    table = {"score": score, "label": label.astype(int), "group": group}
    release = dpr.release_sums(table, plan, ledger=None)
    return dpr.calibration_curve(release).chart()


def bounds() -> Any:  # noqa: ANN401 (Altair)
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
            dpr.Ratio("spent", per="orders", guess=25, guess_is="unknown"),
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
    across = alt.X(
        "upper:Q",
        title="upper bound of spending",
        scale=alt.Scale(type="log", nice=False, domain=[uppers[0], uppers[-1]]),
        axis=alt.Axis(values=[50, 100, 200, 400, 800, 1_600, 3_200]),
    )
    chart = alt.Chart(alt.InlineData(values=rows))
    band = chart.mark_area(color="#56B4E9", opacity=0.35).encode(
        x=across,
        y=alt.Y("low:Q", title="spending per order", scale=alt.Scale(zero=False)),
        y2="high:Q",
    )
    middle = chart.mark_line(color="#56B4E9", strokeWidth=3).encode(
        x=across, y="middle:Q"
    )
    line = alt.Chart(alt.InlineData(values=[{"truth": truth}])).mark_rule(
        color="#D55E00", strokeDash=[6, 4], strokeWidth=2
    )
    drawn = alt.layer(band, middle, line.encode(y="truth:Q"))
    return themed(drawn.properties(width=480, height=240))


def main() -> None:
    """Draw every picture."""
    TARGET.mkdir(exist_ok=True)
    for draw in (tutorial, calibration, bounds):
        svg = follow_page(vl_convert.vegalite_to_svg(draw().to_json()))
        (TARGET / f"{draw.__name__}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
