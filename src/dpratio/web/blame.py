"""Which field of the planner a refusal is about, so that it can stand beside it."""

import re

from dpratio.errors import DpratioError
from dpratio.web.form import FieldWrong, Form

__all__ = ["field_of"]

# A refusal of a study begins with the path of what is wrong.
_PATH = re.compile(r"\$\.(bounds|unit\.totals)\.(.*?): ", re.DOTALL)
_COLUMNS = ("numerator", "per", "weight")
# What a message says, and the field that it says it of; the first that fits.
_SAID = tuple(
    (re.compile(pattern), field)
    for pattern, field in (
        (r"epsilon must|epsilon is too", "epsilon"),
        (r"delta must|needs a delta", "delta"),
        (r"^n must", "n"),
        (r"unknown strategy", "strategy"),
        (r"unknown mechanism|noise law|^mechanism", "mechanism"),
        (r"unknown neighbour", "neighbours"),
        (r"unknown guess_is", "guess_is"),
        (r"the guess of a ratio", "guess"),
        (
            r"^\$\.groups: a column name|its group|ids cannot be a group",
            "groups_column",
        ),
        (r"^\$\.groups: the first period", "groups_first"),
        (r"^\$\.groups.* bins", "groups_count"),
        (r"^\$\.groups: ", "groups_keys"),
        (r"ids cannot|^\$\.unit", "unit_column"),
        (r"bound of a weight", "weight_lower"),
        (r"guessed (mean|sd) of '(numerator|per|weight)'", "{1}_{0}"),
        (r"the denominator's mean", "per_mean"),
        (r"three guessed correlations|only be correlated", "correlation"),
        (r"^\$\.population", "numerator_mean"),
        (r"^\$\.ratio: (the columns|a column name)", "numerator"),
    )
)


def field_of(error: DpratioError, form: Form) -> str:
    """Give the name of the field that an error is about, or nothing."""
    if isinstance(error, FieldWrong):
        return error.field
    said = str(error)
    bounds = _PATH.match(said)
    if bounds is not None:
        ends = "total_upper" if bounds[1] == "unit.totals" else "lower"
        named = bounds[2].strip('"')
        own = [each for each in _COLUMNS if form.given[each] == named]
        return f"{own[0]}_{ends}" if own else "kept"
    kept = "kept" if form.given["kept"].strip() else ""
    for pattern, field in _SAID:
        found = pattern.search(said)
        if found is not None:
            # Groups that have no fields are among the lines that are kept.
            hidden = field.startswith("groups") and form.given["groups"] == "none"
            return kept if hidden else field.format(*found.groups())
    return kept
