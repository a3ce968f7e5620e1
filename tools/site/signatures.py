"""How names are called, with types as the source writes them."""

import ast
import inspect
import textwrap
from typing import Any

__all__ = ["fields_of", "signature_of"]

_WIDEST = 84


def signature_of(thing: Any, name: str) -> str:  # noqa: ANN401 (any public name)
    """Give the call of a function, or of what makes a value."""
    node = _node(thing)
    if isinstance(node, ast.FunctionDef):
        arguments = _arguments(node.args)
        returned = "" if node.returns is None else f" -> {_text(node.returns)}"
        return _laid_out(name, arguments, returned)
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            return _laid_out(name, _arguments(each.args), "")
    return _laid_out(name, _fields(node), "")


def fields_of(thing: type) -> list[tuple[str, str]]:
    """Give the fields of a value and their types, as they are written."""
    node = _node(thing)
    assert isinstance(node, ast.ClassDef)  # noqa: S101 (a class has a class's source)
    return [
        (each.target.id, _text(each.annotation))
        for each in node.body
        if isinstance(each, ast.AnnAssign)
        and isinstance(each.target, ast.Name)
        and not each.target.id.startswith("_")
    ]


def _node(thing: Any) -> ast.FunctionDef | ast.ClassDef:  # noqa: ANN401
    parsed = ast.parse(textwrap.dedent(inspect.getsource(thing))).body[0]
    if not isinstance(parsed, ast.FunctionDef | ast.ClassDef):
        raise TypeError(f"{thing!r} is neither a function nor a class")
    return parsed


def _arguments(given: ast.arguments) -> list[str]:
    plain = [each for each in given.args if each.arg not in {"self", "cls"}]
    missing = [None] * (len(given.args) - len(given.defaults))
    defaults = [*missing, *given.defaults][len(given.args) - len(plain) :]
    written = [
        _argument(each, default) for each, default in zip(plain, defaults, strict=True)
    ]
    if given.vararg is not None:
        written.append(f"*{_argument(given.vararg, None)}")
    elif given.kwonlyargs:
        written.append("*")
    return written + [
        _argument(each, default)
        for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]


def _argument(given: ast.arg, default: ast.expr | None) -> str:
    written = given.arg
    if given.annotation is not None:
        written += f": {_text(given.annotation)}"
    shown = None if default is None else ast.unparse(default)
    # A value that stands for "must be said" is no default.
    if shown is None or shown == "_UNSAID":
        return written
    return f"{written} = {shown}"


def _fields(node: ast.ClassDef) -> list[str]:
    written = []
    for each in node.body:
        if not (isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)):
            continue
        default = "" if each.value is None else ast.unparse(each.value)
        if _text(each.annotation) == "KW_ONLY":
            written.append("*")
        elif "init=False" not in default and "ClassVar" not in _text(each.annotation):
            if "default_factory" in default:
                default = "{}"
            shown = f" = {default}" if default else ""
            written.append(f"{each.target.id}: {_text(each.annotation)}{shown}")
    return written


def _text(annotation: ast.expr) -> str:
    return ast.unparse(annotation).strip("'\"")


def _laid_out(name: str, arguments: list[str], returned: str) -> str:
    line = f"{name}({', '.join(arguments)}){returned}"
    if len(line) <= _WIDEST:
        return line
    inner = "".join(f"    {each},\n" for each in arguments)
    return f"{name}(\n{inner}){returned}"
