"""The published ways we found in which such systems were broken, by row of the table.

A row has one test or more, named `test_NN_…` after the failure, in this folder; and one
fault or more in tests/faults. `make faults` plants each in a copy of the source and
demands that its tests fail.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType

__all__ = ["KNOWN_BREAKS", "rows_of_tests"]

HERE = Path(__file__).parent

KNOWN_BREAKS = MappingProxyType(
    {
        1: "porous float noise",
        2: "precision events",
        3: "float order and rounding",
        4: "repeated rounding",
        5: "integer wrap",
        6: "columns of single precision",
        7: "NaN, infinities, nulls, text, booleans, decimals, huge whole numbers",
        8: "errors that depend on data",
        9: "values in messages",
        10: "a noisy denominator of zero or below",
        11: "a leak by group keys",
        12: "empty groups",
        13: "order of rows and codes of categories",
        14: "no bound on contributions",
        15: "a bound undone later",
        16: "a clip that is computed and not used",
        17: "another neighbour relation than declared",
        18: "overlapping groups counted as parallel",
        19: "bounds, edges, scores or weights fitted on the same rows",
        20: "sums noised separately",
        21: "the classical Gaussian above epsilon 1",
        22: "a wrong scale of noise",
        23: "wrong accounting",
        24: "a delta that is too large",
        25: "a seed that is stored or can be used again",
        26: "a generator shared by forks",
        27: "lazy noise drawn again",
        28: "averaging by repetition",
        29: "exact counts in plots, logs or progress",
        30: "a race for the budget",
        31: "crash and replay",
        32: "negative, NaN, subnormal and huge spends",
        33: "drift of floats in the ledger",
        34: "a ledger that was rolled back or edited",
        35: "the same data under a new name",
        36: "expressions with side effects",
        37: "the same row read more than once",
        38: "data, names of columns or scope changed after approval",
        39: "a conversion inside a reader that one cell stops",
        40: "framing that belongs to no row",
        41: "names resolved in a connection that is not ours",
        42: "guards of the whole process under concurrency",
        43: "the stated cost of derived releases",
        44: "an audit that passes broken noise",
        45: "a row taken for a header and quoted",
        54: "foreseen groups of a person",
    }
)


def rows_of_tests() -> Iterator[tuple[int, str, str]]:
    """List row, name and docstring of every test in this folder that is of a row."""
    for path in sorted(HERE.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                found = re.match(r"test_(\d\d)_", node.name)
                if found:
                    yield int(found[1]), node.name, ast.get_docstring(node) or ""
