"""Studies: the text of a TOML file cut, spliced and refilled, then planned."""

import scipy.optimize  # noqa: F401 (a plan may load it, and loading is heard)
from hypothesis import strategies as st

from dpratio.errors import DocumentRefused, InvalidInput
from dpratio.plan.make_plan import make_plan
from dpratio.plan.plan import Plan
from dpratio.terms.study_file import parse_study
from fuzz.mutations import Mutation, mutate_bytes, mutations

__all__ = ["INPUTS", "REFUSALS", "VALID", "check", "make", "read"]

REFUSALS = (DocumentRefused, InvalidInput)
HEAD = """
[data]
path = "people.parquet"
[ratio]
numerator = "score"
per = "label"
weight = "weight"
[bounds]
score = [0, 1]
label = "binary"
weight = [0.25, 3]
[privacy]
epsilon = 1.0
delta = 1e-6
mechanism = "laplace"
"""
SEEDS = [
    HEAD,
    HEAD + '[groups]\ncolumn = "region"\nkeys = ["north", { missing = true }]\n',
    HEAD + '[groups]\ncolumn = "score"\nbins = 10\n',
    HEAD + '[groups]\ncolumn = "d"\nevery = "month"\nfirst = 2026-01-01\n'
    "last = 2026-12-31\n",
    HEAD + '[[groups]]\ncross = [{ column = "sex", keys = ["f", "m"] },\n'
    '{ column = "score", bins = [0, 0.5, 1] }]\nbudget_share = 2\n'
    "[[groups]]\nwhole = true\n",
    HEAD + '[groups]\ncolumn = "shop"\nfind = { epsilon = 0.1, delta = 1e-7 }\n',
    HEAD + '[groups]\ncolumns = ["a", "b"]\nkeys = [["x", 1], ["y", 2]]\n',
    HEAD + '[unit]\ncolumn = "id"\nmost_groups = 2\nneighbours = "change-one"\n'
    "[unit.totals]\nscore = [0, 5]\nlabel = [0, 5]\n",
    HEAD + "[population]\nn = 10000\nnumerator = { mean = 0.5, sd = 0.22 }\n"
    "per = { mean = 0.45 }\nweight = { mean = 1.0, sd = 0.6 }\ncorrelation = 0.4\n",
    HEAD.replace('path = "people.parquet"', 'url = "postgres://h/d"\ntable = "t"'),
]
VALUES = [
    *(
        "0",
        "-1",
        "1e308",
        "1e-999999999",
        "1e999999999",
        "nan",
        "-inf",
        "0x" + "f" * 9999,
    ),
    *("9" * 5000, "-" + "9" * 400, "1." + "0" * 5000 + "1", "true", '""', "''"),
    *('"\\u0000"', '"\\ud800"', '"x" * 3', "[]", "{}", "[[]]", "[" * 2000, "[1, 2, 3]"),
    *("[0, 1e308]", '["a", "a"]', "[" + '"a", ' * 5000 + "]", "{ a = 1, a = 2 }"),
    *(
        "2026-01-31",
        "0001-01-01",
        "9999-12-31",
        "2026-13-01",
        "12:00:00",
        "{ a.b.c = 1 }",
    ),
    *(
        "2026-01-01T00:00:00Z",
        '"binary"',
        '"laplace"',
        '"external"',
        '"../../x"',
        "'\x1b[2J'",
    ),
    *(
        "a" + ".a" * 5000,
        "{ missing = false }",
        '"""' + "x" * 9999 + '"""',
        "\ufeff1",
        "1_000",
    ),
    *('"1/3"', '"1/0"', '"1e-6"', "[0.5, 0.5]", "10000", "1000000000", "[[1, 2], [3]]"),
]
LINES = [
    "[" + "a." * 3000 + "a]",
    "[[ratio]]",
    "[groups]",
    "[unit]",
    "a = 1",
    '"" = 1',
    "#\x00",
]
Drawn = tuple[int, list[Mutation], list[Mutation]]

INPUTS = st.tuples(
    st.integers(0, len(SEEDS) - 1), mutations(3), st.lists(st.nothing()) | mutations(2)
)
VALID: Drawn = (0, [], [])


def make(drawn: Drawn) -> str:
    at, changed, flips = drawn
    lines = SEEDS[at].splitlines()
    for what, where, given in changed:
        fields = [at for at, line in enumerate(lines) if " = " in line] or [0]
        place = fields[where % len(fields)]
        name, _, _ = lines[place].partition(" = ")
        kind = what % 6
        if kind < 3:
            lines[place] = f"{name} = {VALUES[given % len(VALUES)]}"
        elif kind == 3:
            lines.insert(place, lines[given % len(lines)])
        elif kind == 4:
            lines.insert(place, LINES[given % len(LINES)])
        else:
            other = SEEDS[given % len(SEEDS)].splitlines()
            lines[place] = other[given % len(other)]
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    return mutate_bytes(content, flips).decode("utf-8", "replace")


def read(text: str) -> Plan:
    return make_plan(parse_study(text))


def check(plan: Plan) -> None:
    assert str(plan).encode()
