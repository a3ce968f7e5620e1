"""Small mistakes in a module: the operators of Cosmic Ray, and a few for rounding.

Cosmic Ray turns a binary operator into each of eleven others, most of which stop with
a TypeError; here it becomes those that still make sense. Two operators are added:
directions (min and max, floor and ceil, …) and augmented assignments.
"""

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
    """Give every mutant of a module once; annotations are left alone."""
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
        _, *words = name.split("/")[1].split("_")
        far = "ReplaceBinaryOperator" in name and words[1] not in _NEAR[words[0]]
        if not far and not operator.arguments():
            yield operator()
    yield _Direction()
    yield _Augmented()


def _mutant(source: str, mutated: str) -> Mutant:
    pairs = zip(source.splitlines(), mutated.splitlines(), strict=False)
    line, (before, after) = next(
        (at, pair) for at, pair in enumerate(pairs, 1) if pair[0] != pair[1]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `is` beside a number
        code = compile(mutated, "<mutant>", "exec", dont_inherit=True)
    return Mutant(line, _plain(before), _plain(after), code)


def _plain(line: str) -> str:
    return " ".join(line.split())


def _meaning(source: str) -> str:
    """Tell what a module does, without its annotations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            node.annotation = ast.Constant(None)
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
    return ast.dump(tree)
