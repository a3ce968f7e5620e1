"""From the planner's form to the study file it stands for.

The page forecasts the study that is parsed from this text, so that what is shown and
what is copied cannot differ. Only keys that were not given yet are invented for the
forecast; the study that is copied then has none, and no plan is made of it.
"""

import re
from collections.abc import Mapping
from typing import Any

from dpratio.errors import InvalidInput
from dpratio.terms.dimensions import Periods
from dpratio.terms.ratio import COUNTED
from dpratio.web.form import DEFAULTS, FieldMissing, FieldWrong, Form
from dpratio.web.study.kept import join, read_kept
from dpratio.web.study.keys_text import quote, write_keys
from dpratio.web.study.toml_text import Written, write_document

__all__ = ["MOST_GROUPS", "in_order", "study_of", "write_study"]

Rows = dict[str, Any]  # Values are TOML, or tables of such.

MOST_GROUPS = 1_000
NO_KEYS = "[]  # write your public keys here"

_ORDER = (
    "title",
    "data",
    "ratio",
    "bounds",
    "bounds_from",
    "unit",
    "groups",
    "privacy",
)

HEADING = "# Planned with `dpratio page`: no data were read and nothing was spent."
NO_DATA = "# Before a release add [data] with its path."


def write_study(form: Form, *, invent_keys: bool = False) -> str:
    """Write the study file that a form stands for, with the lines that are kept.

    Args:
        form: What was typed.
        invent_keys: Put invented keys where none were given, for a forecast.

    Raises:
        InvalidInput: When a field is no number, or no known word.
    """
    told = join(study_of(form, invent_keys=invent_keys), read_kept(form.text("kept")))
    heading = HEADING if "data" in told else f"{HEADING}\n{NO_DATA}"
    return f"{heading}\n\n{write_document(in_order(told))}"


def in_order(document: Mapping[str, Any]) -> dict[str, Any]:
    """Put the tables of a study into the order that people read them in."""
    first = {name: document[name] for name in _ORDER if name in document}
    return {**first, **document}


def study_of(form: Form, *, invent_keys: bool = False) -> dict[str, dict[str, Written]]:
    """Give the tables that fields alone stand for."""
    weighted = form.choice("weights") != "off"
    tables = {
        "ratio": _ratio(form, weighted=weighted),
        "bounds": _bounds(form, weighted=weighted),
        "unit": _unit(form),
        "groups": _groups(form, invent_keys=invent_keys),
        "privacy": _privacy(form),
        "population": _population(form, weighted=weighted),
    }
    return {name: _written(rows) for name, rows in tables.items() if rows}


def _written(rows: Rows) -> dict[str, Any]:
    return {
        name: _written(each) if isinstance(each, dict) else Written(each)
        for name, each in rows.items()
    }


def _ratio(form: Form, *, weighted: bool) -> Rows:
    rows = {name: quote(form.text(name)) for name in ("numerator", "per")}
    if weighted:
        rows["weight"] = quote(form.text("weight"))
    if not form.is_empty("guess"):
        rows["guess"] = form.number("guess")
    if form.text("guess_is") != "close":
        rows["guess_is"] = quote(form.text("guess_is"))
    if form.choice("groups") == "bins":  # A curve is drawn of means.
        rows["answers"] = '["ratio", "means"]'
    return rows


def _bounds(form: Form, *, weighted: bool) -> Rows:
    rows: Rows = {}
    for field in ("numerator", "per"):
        column, kind = form.text(field), form.choice(f"{field}_kind")
        if kind == "counted":
            if column not in COUNTED:
                message = f"What is counted is called {' or '.join(COUNTED)}."
                raise FieldWrong(message, field)
        else:
            rows[column] = '"binary"' if kind == "binary" else _range(form, field)
    if weighted:
        rows[form.text("weight")] = _range(form, "weight")
    return rows


def _range(form: Form, column: str) -> str:
    lower, upper = form.number(f"{column}_lower"), form.number(f"{column}_upper")
    return f"[{lower}, {upper}]"


def _groups(form: Form, *, invent_keys: bool) -> Rows:
    kind = form.choice("groups")
    if kind == "none":
        return {}
    if kind == "periods":
        return _periods(form)
    keys = write_keys(form.text("groups_keys")) if kind == "keys" else []
    count = len(keys) or form.whole("groups_count")
    hint = "Write more into the study file by hand."
    if count > MOST_GROUPS:
        field = "groups_keys" if keys else "groups_count"
        message = f"the page plans up to 1000 groups, got {count}. {hint}"
        raise FieldWrong(message, field)
    if kind == "bins":
        return {"column": quote(form.text("numerator")), "bins": str(count)}
    if invent_keys and not keys:
        keys = [quote(f"group {at + 1}") for at in range(count)]
    written = f"[{', '.join(keys)}]" if keys else NO_KEYS
    return {"column": quote(form.text("groups_column")), "keys": written}


def _periods(form: Form) -> Rows:
    column, every = form.text("groups_column"), form.choice("groups_every")
    rows: Rows = {"column": quote(column), "every": quote(every)}
    for end in ("first", "last"):
        field = f"groups_{end}"
        if form.is_empty(field):
            message = f"Give a day of the {end} period, such as 2026-01-31."
            raise FieldMissing(message, field)
        typed = form.text(field).strip()
        is_open = end == "last" and typed == "open"
        if not is_open and not _is_day(typed):
            raise FieldWrong("A day is written as 2026-01-31.", field)
        rows[end] = quote(typed) if is_open else typed
    return rows


def _is_day(text: str) -> bool:
    try:
        Periods("day", "day", text, "open")
    except InvalidInput:
        return False
    return re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is not None


def _unit(form: Form) -> Rows:
    """Write who is protected, where it is not one row that is added or removed."""
    rows: Rows = {}
    if form.has_units:
        # People who are counted are 1 each, and have no totals.
        counted = form.choice("per_kind") == "counted" and form.text("per") == "people"
        names = ("numerator",) if counted else ("numerator", "per")
        _require_totals(form, names)
        rows["column"] = quote(form.text("unit_column"))
        rows["totals"] = {
            form.text(name): _range(form, f"{name}_total") for name in names
        }
        if form.choice("groups") != "none":
            rows["most_groups"] = str(form.whole("most_groups"))
    if form.text("neighbours") != DEFAULTS["neighbours"]:
        rows["neighbours"] = quote(form.text("neighbours"))
    return rows


def _require_totals(form: Form, names: tuple[str, ...]) -> None:
    for name in names:
        words = "numerator" if name == "numerator" else "per column"
        for end in ("lower", "upper"):
            field = f"{name}_total_{end}"
            if form.is_empty(field):
                message = f"Give public bounds of one person's total of the {words}."
                raise FieldMissing(message, field)


def _privacy(form: Form) -> Rows:
    return {
        "epsilon": form.number("epsilon"),
        "delta": form.number("delta"),
        "strategy": quote(form.text("strategy")),
        "mechanism": quote(form.text("mechanism")),
    }


def _population(form: Form, *, weighted: bool) -> Rows:
    """Write the guess of what people are like, where there is one."""
    rows: Rows = {} if form.is_empty("n") else {"n": str(form.whole("n"))}
    columns = {
        name: form.has_units or form.choice(f"{name}_kind") == "range"
        for name in ("numerator", "per")
    }
    if weighted and not form.has_units:  # Totals are weighted already.
        columns["weight"] = True
    fields = [f"{name}_mean" for name in columns]
    fields += [f"{name}_sd" for name, has_sd in columns.items() if has_sd]
    together = ["correlation"]
    if "weight" in columns:
        together += ["weight_with_numerator", "weight_with_per"]
    if all(form.is_empty(name) for name in (*fields, *together)):
        return rows
    for name, has_sd in columns.items():
        moments: Rows = {"mean": form.number(f"{name}_mean")}
        if has_sd and not form.is_empty(f"{name}_sd"):
            moments["sd"] = form.number(f"{name}_sd")
        rows[name] = moments
    rows |= {name: form.number(name) for name in together if not form.is_empty(name)}
    return rows
