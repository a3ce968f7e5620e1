"""Functions that databases have and Ibis does not name, by what they take and give."""

import inspect
from collections.abc import Callable
from typing import Any

import ibis


def builtin(
    name: str, takes: str, gives: str, schema: str | None = None
) -> Callable[..., Any]:
    """Name a function of the database.

    Args:
        name: As the database knows it.
        takes: The types of its arguments, between spaces.
        gives: The type of its result.
        schema: Where it is, so that no other function of its name stands in.

    Example:
        >>> builtin("md5", "string", "string")(ibis.literal("a")).type().is_string()
        True
    """

    def function() -> None: ...

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    types = [ibis.dtype(each) for each in takes.split()]
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(f"a{at}", kind) for at, _ in enumerate(types)]
    )
    made: Callable[..., Any] = ibis.udf.scalar.builtin(
        function,
        name=name,
        database=schema,
        signature=(tuple(types), ibis.dtype(gives)),
    )
    return made
