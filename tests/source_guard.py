"""What our own source may not hold: code that runs data as code, found by reading it.

Standard library only: files are read, not run. It finds mistakes and shortcuts, under
whatever name; code that is written to hide what it does needs a reader.
"""

import ast
from collections.abc import Iterator

__all__ = ["extra_faults", "faults_of"]

# Modules that turn data into code, objects or processes.
FORBIDDEN_MODULES = {
    "_pickle",
    "builtins",
    "cloudpickle",
    "code",
    "codeop",
    "commands",
    "concurrent",
    "ctypes",
    "dill",
    "imp",
    "joblib",
    "jsonpickle",
    "marshal",
    "multiprocessing",
    "pickle",
    "pkgutil",
    "pty",
    "runpy",
    "shelve",
    "subprocess",
    "xmlrpc",
    "yaml",
    "zipimport",
}
FORBIDDEN_CALLS = {
    "__builtins__",
    "__import__",
    "__loader__",
    "breakpoint",
    "compile",
    "eval",
    "exec",
    "execfile",
    "globals",
}
# Methods, whatever they belong to; `re.compile` compiles no code.
FORBIDDEN_METHODS = {
    "__builtins__",
    "__globals__",
    "__import__",
    "__loader__",
    "__subclasses__",
    "enable_load_extension",
    "execv",
    "execve",
    "exec_module",
    "execvp",
    "fork",
    "literal_eval",
    "load_extension",
    "load_module",
    "module_from_spec",
    "popen",
    "posix_spawn",
    "read_pickle",
    "spawnv",
    "startfile",
    "system",
    "to_pickle",
    "unsafe_load",
}
# Where modules are imported by a name that code puts together: within the house, or, in
# `checks.py`, a word that its callers write out.
IMPORTED_BY_NAME = {
    "checks.py",
    "curator/warehouse/tables.py",
    "lazy_names.py",
}
CALLED_WITH_FIXED_WORDS = "checks.py"
# Of `importlib` these find files of a package, and import nothing.
HARMLESS_PARTS = {"importlib.metadata", "importlib.resources"}
# Functions that find an attribute by its name.
FINDERS = {"attrgetter", "delattr", "getattr", "hasattr", "methodcaller", "setattr"}


def faults_of(text: str, place: str = "") -> list[str]:
    """Find everything in a file that could run data as code.

    Args:
        text: The source.
        place: Where it stands in the house; some files may do more than others.
    """
    nodes = list(ast.walk(ast.parse(text)))
    modules = {
        (each.asname or each.name).split(".")[0]
        for node in nodes
        if isinstance(node, ast.Import)
        for each in node.names
    }
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    # `importlib` itself stands before its function alone.
    called |= {
        id(node.value)
        for node in nodes
        if isinstance(node, ast.Attribute) and _is_importer(node)
    }
    return [
        f"line {getattr(node, 'lineno', 0)}: {fault}"
        for node in nodes
        for fault in (
            *_faults(node, modules),
            *_import_by_name_faults(node, place, called),
        )
    ]


def extra_faults(text: str) -> list[str]:
    """Find where `import_extra` is given more than fixed words.

    One word after the other of a list that is written out is fixed too.
    """
    nodes = list(ast.walk(ast.parse(text)))
    listed = {
        ast.unparse(node.target)
        for node in nodes
        if isinstance(node, ast.For) and _are_fixed(getattr(node.iter, "elts", []))
    }
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    faults = []
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            names = {each.name: each.asname for each in node.names}
            is_fault = names.get("import_extra") is not None
        elif isinstance(node, ast.Call) and _is_named(node.func, "import_extra"):
            given = [*node.args, *(each.value for each in node.keywords)]
            others = [each for each in given if ast.unparse(each) not in listed]
            is_fault = not given or not (not others or _are_fixed(others))
        else:
            is_fault = _is_named(node, "import_extra") and id(node) not in called
        if is_fault:
            faults.append(ast.unparse(node))
    return faults


def _are_fixed(words: list[ast.expr]) -> bool:
    return bool(words) and all(isinstance(each, ast.Constant) for each in words)


def _faults(node: ast.AST, modules: set[str]) -> Iterator[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from _import_faults(node)
    elif isinstance(node, ast.Name) and node.id in FORBIDDEN_CALLS:
        yield node.id
    elif isinstance(node, ast.Attribute) and node.attr in FORBIDDEN_METHODS:
        yield ast.unparse(node)
    elif _is_named(node, "modules") and ast.unparse(node) == "sys.modules":
        yield "sys.modules"
    elif isinstance(node, ast.Call):
        yield from _finder_faults(node, modules)
    elif isinstance(node, ast.keyword):
        yield from _keyword_faults(node)


def _import_faults(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    taken = {each.name for each in node.names}
    modules = taken
    if isinstance(node, ast.ImportFrom):
        modules = {str(node.module)}
        hidden = FORBIDDEN_METHODS | FORBIDDEN_CALLS | {"*", "modules"}
        yield from (f"import {each}" for each in taken & hidden)
    for each in modules:
        if each.split(".")[0] in FORBIDDEN_MODULES:
            yield f"import {each}"


def _finder_faults(node: ast.Call, modules: set[str]) -> Iterator[str]:
    """Find attributes that are asked for by a name in quotes, or of any name."""
    if not any(_is_named(node.func, each) for each in FINDERS):
        return
    names = [each.value for each in node.args if isinstance(each, ast.Constant)]
    hidden = FORBIDDEN_METHODS | FORBIDDEN_CALLS | {"import_module"}
    if hidden & {each for each in names if isinstance(each, str)}:
        yield ast.unparse(node)
    of_module = isinstance(node.args[0], ast.Name) and node.args[0].id in modules
    if of_module and not names:
        yield ast.unparse(node)


def _import_by_name_faults(
    node: ast.AST, place: str, called: set[int]
) -> Iterator[str]:
    """Let modules be imported by name in few files, by one function, called at once.

    Under another name, in a variable or handed on it would be lost from sight.
    """
    may_import = place in IMPORTED_BY_NAME
    if isinstance(node, ast.Import | ast.ImportFrom):
        for full, is_plain in _taken_from_importlib(node):
            if not (is_plain and may_import):
                yield f"import {full}"
    elif _is_importer(node) or (isinstance(node, ast.Name) and node.id == "importlib"):
        if id(node) not in called:
            yield f"{ast.unparse(node)} is not called at once"
    elif isinstance(node, ast.Call) and _is_importer(node.func):
        fixed = place == CALLED_WITH_FIXED_WORDS or _is_of_the_house(node.args)
        if not (may_import and fixed):
            yield ast.unparse(node)


def _taken_from_importlib(
    node: ast.Import | ast.ImportFrom,
) -> Iterator[tuple[str, bool]]:
    """List what can import, and whether it keeps its usual name."""
    start = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    for each in node.names:
        full = f"{start}{each.name}"
        harmless = any(f"{full}.".startswith(f"{part}.") for part in HARMLESS_PARTS)
        if full.split(".", maxsplit=1)[0] == "importlib" and not (start and harmless):
            usual = "importlib.import_module" if start else "importlib"
            yield full, full == usual and each.asname is None


def _is_importer(node: ast.AST) -> bool:
    return _is_named(node, "import_module")


def _is_named(node: ast.AST, name: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == name) or (
        isinstance(node, ast.Attribute) and node.attr == name
    )


def _is_of_the_house(given: list[ast.expr]) -> bool:
    """Tell whether the name of a module begins with our own, in so many letters."""
    first = given[0] if given else None
    if isinstance(first, ast.JoinedStr):
        first = first.values[0]
    said = first.value if isinstance(first, ast.Constant) else None
    return len(given) == 1 and isinstance(said, str) and said.startswith("dpratio.")


def _keyword_faults(node: ast.keyword) -> Iterator[str]:
    is_true = not (isinstance(node.value, ast.Constant) and node.value.value is False)
    if node.arg in {"shell", "allow_pickle"} and is_true:
        yield f"{node.arg}={ast.unparse(node.value)}"
