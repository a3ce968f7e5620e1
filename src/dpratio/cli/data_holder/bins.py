"""What `dpratio bounds --bins` does otherwise: one column, a fine grid, edges."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dpratio.cli.output import Output

if TYPE_CHECKING:
    from dpratio.plan.histogram.histogram_plan import HistogramPlan
    from dpratio.release.release import Release
    from dpratio.terms.study import Study


def require_one_kind(
    bins: int | None,
    columns: Sequence[str] | None,
    *,
    cells: int | None,
    others: Iterable[object],
) -> None:
    """Refuse options of bounds where bins are asked for, and the other way round."""
    from dpratio.analyst.bounds.propose_bins import require_quantiles
    from dpratio.checks import require

    if bins is None:
        require(cells is None, "--cells needs --bins", cells, "Write --bins 10.")
        return
    require_quantiles(bins)
    one = columns is not None and len(columns) == 1
    hint = "Write --column score --bins 10."
    require(one, "--bins needs one --column", columns, hint)
    plain = all(each is None for each in others)
    rule = "--smallest, --largest and --groups are for bounds"
    require(plain, rule, "--bins", "Leave them out.")


def grid_plan(
    study: "Study", columns: Sequence[str] | None, epsilon: str, cells: int | None
) -> "HistogramPlan":
    """Plan the histogram of the one column that is named."""
    from dpratio.plan.histogram.plan_bounds import CELLS, plan_bins
    from dpratio.terms.budget import Budget

    (column,) = columns or ()
    wanted = CELLS if cells is None else cells
    return plan_bins(study, column, budget=Budget(epsilon), cells=wanted)


def say_bins(output: Output, released: "Release", asked: int, out: Path) -> None:
    """Print the bins, and the line that a study takes."""
    from dpratio.analyst.bounds.propose_bins import propose_bins

    found = propose_bins(released, asked)
    output.answer(found)
    lines = found.lines()
    if lines:
        place = f'[groups] of the study, beside column = "{found.column}"'
        output.say(["", f"To take them, write into {place}:"])
        output.say_as_is(lines)
    output.say(["", f"{released} Written to {out}."])
