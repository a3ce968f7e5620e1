"""What variables of a source hold in the environment, and messages without it.

An approval covers the name, as the study has it. The value decides what is read, and
the ledger records where that lies. A value may be a password, so none is ever shown.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from dpratio.errors import DpratioError, InvalidInput
from dpratio.terms.source import (
    SCHEMES,
    CsvFile,
    DatabaseTable,
    ParquetFiles,
    shown_address,
    variable_of,
)

Given = TypeVar("Given")


def resolved(source: object) -> object:
    """Put what variables hold into a source; give any other as it is.

    Raises:
        InvalidInput: When a variable is not set, or holds no address where it must.
    """
    if isinstance(source, CsvFile | ParquetFiles):
        return replace(source, path=_filled(source.path))
    if isinstance(source, DatabaseTable) and _names_of(source):
        return _table(source)
    return source


def as_written(source: object, step: Callable[[], Given]) -> Given:
    """Take a step whose messages show a variable by its name, whatever it holds.

    Raises:
        DpratioError: The same one, in the words of the study.
    """
    try:
        return step()
    except DpratioError as error:
        refusal = error
    said = str(refusal)
    for name in _names_of(source):
        value = os.environ.get(name, "")
        address = shown_address(value) if "://" in value else value
        for shown in (value, value.rstrip("/"), os.path.realpath(value), address):
            said = said.replace(shown, f"${{{name}}}") if shown.strip("/.") else said
    # Raised outside the handler: the first message is not chained to it.
    raise refusal if said == str(refusal) else type(refusal)(said)


def _filled(place: str) -> str:
    """Put what its variable holds into a path or an address."""
    name = variable_of(place)
    return place if name is None else _value(name) + place.partition("}")[2]


def _table(source: DatabaseTable) -> DatabaseTable:
    url = _filled(source.url)
    path = None if source.path is None else _filled(source.path)
    made = None
    with suppress(InvalidInput):  # Its words may hold a part of the value.
        made = replace(source, url=url, path=path)
    if made is None:
        listed = ", ".join(f"{each}://" for each in SCHEMES)
        raise InvalidInput(
            f"the variable {variable_of(source.url)} must hold the address of a "
            f"database that has this table or path. Begin it with one of: {listed}."
        )
    return made


def _value(name: str) -> str:
    value = os.environ.get(name, "")
    if not value or "\0" in value:
        raise InvalidInput(
            f"the source names the variable {name}, which is not set. Set it in the "
            "environment of this command."
        )
    return value


def _names_of(source: object) -> list[str]:
    """Name the variables of a source."""
    if isinstance(source, DatabaseTable):
        places = [source.url, source.path or ""]
    elif isinstance(source, CsvFile | ParquetFiles):
        places = [source.path]
    else:
        places = [source] if isinstance(source, str) else []
    names = map(variable_of, places)
    return [name for name in names if name is not None]
