"""List every message of refusal in the source, room by room: tests/messages.txt.

Messages are an interface. Tests elsewhere hold them by a fragment; this file holds
their whole wording, so that a change of it is seen, read aloud and agreed to.

Usage: list_messages.py [--write]
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "dpratio"
LISTED = ROOT / "tests" / "messages.txt"

# A call of one of these says a rule, or what to do; errors say both.
_SAYING = {"require", "refuse", "_refuse", "require_one_of"}
_NAMES = {"rule", "hint", "message", "said"}
_FEWEST_WORDS = 3


def messages() -> str:
    """Give the messages of all files, each once in its file, in the code's order."""
    lines = []
    for path in sorted(SOURCE.rglob("*.py")):
        found = dict.fromkeys(_messages_of(ast.parse(path.read_text("utf-8"))))
        if found:
            lines += [f"# {path.relative_to(SOURCE).as_posix()}", *found, ""]
    return "\n".join(lines)


def _messages_of(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        values: list[ast.expr] = []
        if isinstance(node, ast.Call) and _says(node):
            values = [*node.args, *(each.value for each in node.keywords)]
        elif isinstance(node, ast.Assign) and _is_named(node.targets):
            values = [node.value]
        for value in values:
            text = _text_of(value)
            if len(text.split()) >= _FEWEST_WORDS:
                yield " ".join(text.split())


def _says(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if isinstance(call.func, ast.Name):
        name = call.func.id
    is_error = name.endswith(("Refused", "Failed")) or name == "InvalidInput"
    return name in _SAYING or is_error or name == "MissingExtra"


def _is_named(targets: list[ast.expr]) -> bool:
    return any(isinstance(each, ast.Name) and each.id in _NAMES for each in targets)


def _text_of(value: ast.expr) -> str:
    """Give a literal text, with {…} for what is put in; nothing for anything else."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    if isinstance(value, ast.JoinedStr):
        return "".join(
            _text_of(part) if isinstance(part, ast.Constant) else "{…}"
            for part in value.values
        )
    return ""


if __name__ == "__main__":
    if "--write" in sys.argv:
        LISTED.write_text(messages(), encoding="utf-8")
    else:
        print(messages())
