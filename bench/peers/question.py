"""The question every tool answers: the same sums, bounds, keys and budget.

A row holds a = weight·score and b = weight·label. The five sums below and the five of
dpratio's default plan, made of a − b and a + b, are linear maps of each other; those
below start at zero, so that a row added, removed or replaced moves them equally far.
"""

EPSILON = 1.0
KEYS = tuple(f"region {number}" for number in range(1_000))
COLUMNS = ("score", "label", "weight", "region")
LARGEST = {"a": 3.0, "b": 3.0, "aa": 9.0, "ab": 9.0, "bb": 9.0}
SHARE = EPSILON / len(LARGEST)
