"""A study with every table, changed as a test says."""

__all__ = ["PARTS", "study"]

PARTS = {
    "data": (
        'path = "loans.csv"\ncolumns = ["s", "y", "w"]\ndelimiter = ";"\nquote = ""'
    ),
    "ratio": 'numerator = "s"\nper = "y"\nweight = "w"',
    "bounds": 's = [0, 1]\ny = "binary"\nw = [0.25, 3]',
    "groups": 'column = "region"\nkeys = ["north", "south"]\nbudget_share = 2',
    "unit": (
        'column = "user"\ntotals = { s = [0, 5], y = [0, 4] }\nmost_groups = 2\n'
        'neighbours = "change-one"\nnoun = "customers"'
    ),
    "population": (
        "numerator = { mean = 0.5, sd = 0.22 }\nper = { mean = 0.45 }\n"
        "weight = { mean = 1, sd = 0.6 }\ncorrelation = 0.4"
    ),
    "privacy": (
        'epsilon = 0.1\ndelta = 1e-6\nstrategy = "even"\n'
        'mechanism = "analytic_gaussian"'
    ),
}


def study(**changes: str | None) -> str:
    """Write the study of this file with some of its tables changed or left out."""
    parts = {name: changes.get(name, part) for name, part in PARTS.items()}
    return "\n".join(
        f"[{name}]\n{part}\n" for name, part in parts.items() if part is not None
    )
