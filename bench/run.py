"""Run all benchmarks, or those named; one line per figure: name value target."""

import importlib
import sys

BENCHMARKS = (
    "release",
    "bounds",
    "groups",
    "noise",
    "ledger",
    "start",
    "planning",
    "page",
    "coverage",
    "compare",
    "warehouse",
    "audit",
)

if __name__ == "__main__":
    for name in sys.argv[1:] or BENCHMARKS:
        for figure in importlib.import_module(name).figures():
            print(figure, flush=True)
