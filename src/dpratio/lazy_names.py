"""Public names that are loaded when they are first used."""

from collections.abc import Callable, Mapping
from importlib import import_module


def load_from(room: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """Give the ``__getattr__`` of a room: names, by the module that has them.

    ``room`` is "" or ends in a dot. A module without names is given itself.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def load(name: str) -> object:
        if homes.get(name) == "":
            return import_module(f"dpratio.{room}{name}")
        if name not in home_of:
            module = f"dpratio.{room}".rstrip(".")
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        return getattr(import_module(f"dpratio.{room}{home_of[name]}"), name)

    return load
