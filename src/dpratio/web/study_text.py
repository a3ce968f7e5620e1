"""From the planner's form to the study file it stands for.

The page forecasts the study that is parsed from this text, so that what is shown and
what is copied cannot differ. Only keys that were not given yet are invented for the
forecast; the study that is copied then has none, and no plan is made of it.
"""

import re

from dpratio.web.form import DEFAULTS, FieldMissing, FieldWrong, Form
from dpratio.web.keys_text import quote, write_keys

__all__ = ["MOST_GROUPS", "write_study"]

MOST_GROUPS = 1_000
NO_KEYS = "[]  # write your public keys here"

HEADING = """\
# Planned with `dpratio page`: no data were read and nothing was spent.
# Before a release add [data] with its path."""


def write_study(form: Form, *, invent_keys: bool = False) -> str:
    """Write the study file that a form stands for.

    Args:
        form: What was typed.
        invent_keys: Put invented keys where none were given, for a forecast.

    Raises:
        InvalidInput: When a field is no number, or no known word.
    """
    weighted = form.choice("weights") != "off"
    tables = [
        ("ratio", _ratio(form, weighted=weighted)),
        ("bounds", _bounds(form, weighted=weighted)),
        ("unit", _unit(form)),
        ("groups", _groups(form, invent_keys=invent_keys)),
        ("privacy", _privacy(form)),
        ("population", _population(form, weighted=weighted)),
    ]
    return HEADING + "".join(
        f"\n\n[{name}]\n" + "\n".join(f"{key} = {value}" for key, value in rows.items())
        for name, rows in tables
        if rows
    )


def _ratio(form: Form, *, weighted: bool) -> dict[str, str]:
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


def _bounds(form: Form, *, weighted: bool) -> dict[str, str]:
    rows = {_key(form.text("numerator")): _range(form, "numerator")}
    is_binary = form.choice("per_kind") == "binary"
    rows[_key(form.text("per"))] = '"binary"' if is_binary else _range(form, "per")
    if weighted:
        rows[_key(form.text("weight"))] = _range(form, "weight")
    return rows


def _range(form: Form, column: str) -> str:
    lower, upper = form.number(f"{column}_lower"), form.number(f"{column}_upper")
    return f"[{lower}, {upper}]"


def _groups(form: Form, *, invent_keys: bool) -> dict[str, str]:
    kind = form.choice("groups")
    if kind == "none":
        return {}
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


def _unit(form: Form) -> dict[str, str]:
    """Write who is protected, where it is not one row that is added or removed."""
    rows = {}
    if form.has_units:
        _require_totals(form)
        rows["column"] = quote(form.text("unit_column"))
        totals = {
            _key(form.text(name)): _range(form, f"{name}_total")
            for name in ("numerator", "per")
        }
        written = ", ".join(f"{name} = {given}" for name, given in totals.items())
        rows["totals"] = f"{{ {written} }}"
        if form.choice("groups") != "none":
            rows["most_groups"] = str(form.whole("most_groups"))
    if form.text("neighbours") != DEFAULTS["neighbours"]:
        rows["neighbours"] = quote(form.text("neighbours"))
    return rows


def _require_totals(form: Form) -> None:
    for name, words in (("numerator", "numerator"), ("per", "per column")):
        for end in ("lower", "upper"):
            field = f"{name}_total_{end}"
            if form.is_empty(field):
                message = f"Give public bounds of one person's total of the {words}."
                raise FieldMissing(message, field)


def _privacy(form: Form) -> dict[str, str]:
    return {
        "epsilon": form.number("epsilon"),
        "delta": form.number("delta"),
        "strategy": quote(form.text("strategy")),
        "mechanism": quote(form.text("mechanism")),
    }


def _population(form: Form, *, weighted: bool) -> dict[str, str]:
    """Write the guess of what people are like, where there is one."""
    rows = {"n": str(form.whole("n"))}
    is_range = form.has_units or form.choice("per_kind") == "range"
    columns = {"numerator": True, "per": is_range}
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
        mean = f"mean = {form.number(f'{name}_mean')}"
        known = has_sd and not form.is_empty(f"{name}_sd")
        sd = f", sd = {form.number(f'{name}_sd')}" if known else ""
        rows[name] = f"{{ {mean}{sd} }}"
    rows |= {name: form.number(name) for name in together if not form.is_empty(name)}
    return rows


def _key(name: str) -> str:
    """Write the name of a field; TOML takes plain words without quotes."""
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else quote(name)
