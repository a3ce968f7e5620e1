"""Small mistakes in a module: the operators of Cosmic Ray, and a few for rounding.

Cosmic Ray turns a binary operator into each of eleven others, most of which stop with
a TypeError; here it becomes those that still make sense. Words are compared for
equality alone, and identity is left to None: linters refuse the rest. Two operators are
added: directions (min and max, floor and ceil, …) and augmented assignments.
"""

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from types import CodeType

import cosmic_ray.plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

__all__ = ["Mutant", "mutants_of"]

_NEAR = {
    "Add": ("Sub", "Mul"),
    "Sub": ("Add", "Mul"),
    "Mul": ("Div", "Add", "Pow"),
    "Div": ("Mul", "FloorDiv"),
    "FloorDiv": ("Div", "Mul"),
    "Mod": ("Div", "Mul"),
    "Pow": ("Mul", "Add"),
    "LShift": ("RShift",),
    "RShift": ("LShift",),
    "BitOr": ("BitAnd", "BitXor"),
    "BitAnd": ("BitOr", "BitXor"),
    "BitXor": ("BitOr", "BitAnd"),
}

_IDENTITY = {"Is", "IsNot"}

# tests/test_source.py demands frozen values; lengths are equal before zip looks.
_LEFT_ALONE = {"frozen", "slots", "strict"}

_OPPOSITE = {
    one: (other,)
    for pair in (
        ("min", "max"),
        ("floor", "ceil"),
        ("all", "any"),
        ("lower", "upper"),
        ("lowest", "highest"),
        ("low", "high"),
        ("ROUND_FLOOR", "ROUND_CEILING"),
    )
    for one, other in (pair, pair[::-1])
}
_AUGMENTED = {
    "+=": ("-=", "="),
    "-=": ("+=", "="),
    "*=": ("/=", "="),
    "/=": ("*=", "="),
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one mistake in it, told by the line before and after."""

    line: int
    before: str
    after: str
    code: CodeType

    @property
    def change(self) -> str:
        """The line as it was and as it is now, which names the mutant."""
        return f"{self.before}  ->  {self.after}"


class _Replaced:
    """Replace one word of the source, wherever it stands, by each of some others."""

    words: Mapping[str, tuple[str, ...]]
    kinds: tuple[str, ...]

    def mutation_positions(self, node: object) -> Iterator[None]:
        if getattr(node, "type", "") in self.kinds:
            yield from (None for _ in self.words.get(getattr(node, "value", ""), ()))

    def mutate(self, node: object, index: int) -> object:
        node.value = self.words[node.value][index]  # type: ignore[attr-defined]
        return node


class _Direction(_Replaced):
    words = _OPPOSITE
    kinds = ("name",)


class _Augmented(_Replaced):
    words = _AUGMENTED
    kinds = ("operator",)


def mutants_of(source: str) -> Iterator[Mutant]:
    """Give every mutant of a module once, but for those that change memory alone."""
    seen = {_meaning(source)}
    nodes = list(ast_nodes(get_ast(source)))
    for operator in _operators():
        count = sum(1 for node in nodes for _ in operator.mutation_positions(node))
        for occurrence in range(count):
            mutated = mutate_code(source, operator, occurrence)
            try:
                meaning, mutant = _meaning(mutated), _mutant(source, mutated)
            except SyntaxError:
                continue
            if meaning not in seen:
                seen.add(meaning)
                yield mutant


def _operators() -> Iterator["_Replaced"]:
    for name in sorted(cosmic_ray.plugins.operator_names()):
        operator = cosmic_ray.plugins.get_operator(name)
        kind, *words = name.split("/")[1].split("_")
        if kind == "ReplaceBinaryOperator" and words[1] not in _NEAR[words[0]]:
            continue
        if len(_IDENTITY & set(words)) == 1:
            continue
        if not operator.arguments():
            yield operator()
    yield _Direction()
    yield _Augmented()


def _mutant(source: str, mutated: str) -> Mutant:
    was, now = source.splitlines(), mutated.splitlines()
    _, first, last, start, stop = next(
        each
        for each in SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
        if each[0] != "equal"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `is` beside a number
        code = compile(mutated, "<mutant>", "exec", dont_inherit=True)
    return Mutant(first + 1, _plain(was[first:last]), _plain(now[start:stop]), code)


def _plain(lines: Sequence[str]) -> str:
    return " ".join(" ".join(lines).split())


def _meaning(source: str) -> str:
    """Tell what a module does: without annotations, caches, slots, / and *."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            _forget_order(node)
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            node.decorator_list = [
                each
                for each in node.decorator_list
                if not ast.unparse(each).startswith("lru_cache")
            ]
        if isinstance(node, ast.Call):
            node.keywords = [
                each for each in node.keywords if each.arg not in _LEFT_ALONE
            ]
        if isinstance(node, ast.arguments):
            node.args = [*node.posonlyargs, *node.args, *node.kwonlyargs]
            node.defaults = [*node.defaults, *filter(None, node.kw_defaults)]
            node.posonlyargs, node.kwonlyargs, node.kw_defaults = [], [], []
        elif isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    return ast.dump(tree)


def _forget_order(compared: ast.Compare) -> None:
    """Take every comparison with a word that is not `!=` for `==`."""
    sides = (compared.left, *compared.comparators)
    if any(
        isinstance(each, ast.Constant) and isinstance(each.value, str) for each in sides
    ):
        compared.ops = [
            each if isinstance(each, ast.NotEq) else ast.Eq() for each in compared.ops
        ]
