"""From a study file to the fields of the planner; what has no field is kept."""

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from dpratio.errors import FileRefused
from dpratio.terms.study_file import parse_study
from dpratio.web.form import DEFAULTS, LONGEST_KEPT, Form, read_form
from dpratio.web.study.kept import left_over
from dpratio.web.study.keys_text import quote, write_keys
from dpratio.web.study.study_text import MOST_GROUPS, in_order, write_study
from dpratio.web.study.toml_text import write_document

__all__ = ["open_study"]

_ROOM = 5_000  # Of the field of keys.
_SECRET = re.compile(r"://[^/\s]*:[^/\s]*@")
_CORRELATIONS = ("correlation", "weight_with_numerator", "weight_with_per")


def open_study(text: str) -> Form:
    """Read a study into the fields that stand for the very same terms.

    Raises:
        DocumentRefused: When it is no study.
        FileRefused: When the page cannot keep all that it says.
    """
    study = parse_study(text)
    if _SECRET.search(text):
        raise FileRefused(
            "the address of the data holds a password, and what is opened stands in "
            "the address of this page. Write ${NAME}, a variable of the environment."
        )
    document = tomllib.loads(text, parse_float=Decimal)
    given = {**_EMPTY, **_fields_of(document)}
    shown = tomllib.loads(write_study(read_form(given)), parse_float=Decimal)
    kept = left_over(document, shown)
    if "answers" in shown["ratio"] and "answers" not in _first(document["ratio"]):
        more = kept.get("ratio", {})
        _first(more)["answers"] = ["ratio"]
        kept["ratio"] = more
    form = read_form({**given, "kept": write_document(in_order(kept))})
    if len(form.given["kept"]) > LONGEST_KEPT:
        raise FileRefused(
            f"the page keeps up to {LONGEST_KEPT:,} characters of what it has no "
            "fields for, and this study has more. Change it by hand."
        )
    if parse_study(write_study(form)) != study:
        raise FileRefused("the page cannot keep all of this study. Change it by hand.")
    return form


# A study that leaves something out means these, not what the planner begins with.
_EMPTY = {**DEFAULTS, "n": "", "delta": "0"}


def _fields_of(document: Mapping[str, Any]) -> dict[str, str]:
    """Give the fields that a study fills; those it cannot fill stay as they are."""
    ratio, bounds = _first(document["ratio"]), document["bounds"]
    fields = {name: _text(ratio[name]) for name in ("numerator", "per")}
    fields |= {
        name: _text(ratio[name]) for name in _present(ratio, "guess", "guess_is")
    }
    columns = {"numerator": fields["numerator"], "per": fields["per"]}
    if "weight" in ratio:
        columns["weight"] = fields["weight"] = _text(ratio["weight"])
        fields["weights"] = "range"
    for field, column in columns.items():
        held = bounds.get(column, "counted" if field == "per" else "kept")
        if isinstance(held, list):
            fields |= {
                f"{field}_lower": _text(held[0]),
                f"{field}_upper": _text(held[1]),
            }
        if field != "weight":
            is_word = held in ("binary", "counted")
            fields[f"{field}_kind"] = str(held) if is_word else "range"
    fields |= _privacy(document["privacy"]) | _groups(document, fields["numerator"])
    return fields | _unit(document.get("unit", {}), columns) | _people(document)


def _privacy(given: Mapping[str, Any]) -> dict[str, str]:
    names = _present(given, "epsilon", "delta", "strategy", "mechanism")
    return {
        name: _text(given[name])
        for name in names
        # A fraction in quotes is kept.
        if name in {"strategy", "mechanism"} or not isinstance(given[name], str)
    }


def _unit(given: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, str]:
    fields = {
        name: _text(given[name])
        for name in _present(given, "most_groups", "neighbours")
    }
    if "column" not in given:
        return fields
    fields["unit_column"] = _text(given["column"])
    for field in ("numerator", "per"):
        held = given.get("totals", {}).get(columns[field])
        # Totals that no two numbers say are kept, in place of the fields.
        ends = held if isinstance(held, list) else [0, 1]
        fields[f"{field}_total_lower"] = _text(ends[0])
        fields[f"{field}_total_upper"] = _text(ends[1])
    return fields


def _people(document: Mapping[str, Any]) -> dict[str, str]:
    given = document.get("population", {})
    fields = {name: _text(given[name]) for name in _present(given, "n", *_CORRELATIONS)}
    for column in _present(given, "numerator", "per", "weight"):
        for moment in _present(given[column], "mean", "sd"):
            fields[f"{column}_{moment}"] = _text(given[column][moment])
    return fields


def _groups(document: Mapping[str, Any], numerator: str) -> dict[str, str]:
    given = document.get("groups")
    if not given:
        return {}
    first = _first(given)
    column = _text(first.get("column", ""))
    match first:
        case {"keys": list(keys), "column": _}:
            return _keys(column, keys)
        case {"bins": int(count)} if column == numerator and count <= MOST_GROUPS:
            return {"groups": "bins", "groups_count": str(count)}
        case {"every": every, "first": start, "last": last}:
            return {
                "groups": "periods",
                "groups_column": column,
                "groups_every": _text(every),
                "groups_first": _text(start),
                "groups_last": _text(last),
            }
    return {}


def _keys(column: str, keys: list[object]) -> dict[str, str]:
    """Type keys as they have to be typed; nothing where they cannot be."""
    plain = all(type(key) in {str, int} for key in keys)
    wanted = [quote(key) if isinstance(key, str) else str(key) for key in keys]
    typed = ", ".join(f'"{key}"' if isinstance(key, str) else str(key) for key in keys)
    fits = plain and len(typed) <= _ROOM and len(keys) <= MOST_GROUPS
    if not fits or write_keys(typed) != wanted:
        return {}
    return {"groups": "keys", "groups_column": column, "groups_keys": typed}


def _first(tables: Any) -> Any:  # noqa: ANN401 (a table, or several)
    return tables[0] if isinstance(tables, list) else tables


def _present(given: Mapping[str, Any], *names: str) -> list[str]:
    return [name for name in names if name in given]


def _text(value: object) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
