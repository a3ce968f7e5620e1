"""The planner and a report of 5,000 groups in a real browser, best of a few rounds.

``planner_*`` is the time from a change of a field to the new figure on the page, the
wait for another change included; ``report_*`` is the size of the file, the time from
its opening until its script has run, and that from a search typed to the rows shown.
These are wall time, and say little on a busy machine; ``…_cpu_s`` is the CPU time of
the forecast itself.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import numpy as np
from figure import Figure
from least_time import least_time

import dpratio as dpr

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROUNDS = 15
GROUPS = 5_000
PEOPLE = "numerator_mean=0.5&numerator_sd=0.22&per_mean=0.45"

# Changes a field and waits until the figure is another one; gives milliseconds.
CHANGED = """
epsilon => new Promise((done) => {
  const figures = document.getElementById("figures");
  const start = performance.now();
  new MutationObserver((_, watching) => {
    watching.disconnect();
    requestAnimationFrame(() => done(performance.now() - start));
  }).observe(figures, { childList: true });
  const field = document.getElementById("epsilon");
  field.value = epsilon;
  field.dispatchEvent(new Event("input", { bubbles: true }));
})
"""
OPENED = """
() => performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd
"""
FOUND = """
words => new Promise((done) => {
  const start = performance.now();
  const field = document.getElementById("find");
  field.value = words;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
})
"""


def figures() -> Iterator[Figure]:
    """Measure in Chromium."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        page = browser.new_page()
        with served() as address:
            for name, query in (("range", ""), ("described", PEOPLE)):
                page.goto(f"{address}/?{query}")
                took = best(page, CHANGED, [f"{1 + at / 100}" for at in range(ROUNDS)])
                yield Figure(f"planner_{name}_s", took, "<=0.3")
                yield Figure(f"planner_{name}_cpu_s", computed(query), "<=0.1")
        with TemporaryDirectory() as folder:
            file = Path(folder, "report.html")
            dpr.write_report(file, many_groups())
            yield Figure("report_5000_groups_mb", file.stat().st_size / 1e6, "<=3")
            opened = []
            for _ in range(ROUNDS):
                page.goto(file.as_uri())
                opened.append(page.evaluate(OPENED) / 1e3)
            yield Figure("report_5000_groups_opens_s", min(opened), "<=1")
            found = best(page, FOUND, [f"group {at}" for at in range(ROUNDS)])
            yield Figure("report_5000_groups_finds_s", found, "<=0.2")
        browser.close()


def best(page: "Page", script: str, given: list[str]) -> float:
    """Give the least time of a few rounds, the first not counted, in seconds."""
    times: list[float] = []
    for each in given:
        times.append(page.evaluate(script, each) / 1e3)
        page.wait_for_selector("body:not([aria-busy])")
    return min(times[1:])


def computed(query: str) -> float:
    """Give the least CPU time of a forecast in this process, in seconds."""
    from dpratio.web.form import read_form
    from dpratio.web.pages import forecast_part

    given, epsilons = dict(parse_qsl(query)), (f"{2 + at / 100}" for at in count())

    def forecast() -> None:
        forecast_part(read_form({**given, "epsilon": next(epsilons)}))

    return least_time(forecast, ROUNDS - 1, clock=time.process_time)


@contextmanager
def served() -> Iterator[str]:
    """Serve the page on a free port."""
    command = [sys.executable, "-m", "dpratio", "page", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        said = process.stdout.readline() if process.stdout else ""
        yield re.findall(r"http://127\.0\.0\.1:\d+", said)[0]
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)


def many_groups() -> dpr.Release:
    """Release a ratio of sixty invented people in each of many groups."""
    keys = [f"group {at}" for at in range(GROUPS)]
    plan = dpr.make_plan(
        dpr.Ratio("score", per="label"),
        bounds={"score": dpr.Bounds(0, 1), "label": dpr.Bounds.binary()},
        groups=dpr.Groups("region", keys),
        budget=dpr.Budget(1),
    )
    rng = np.random.default_rng(1)
    score = rng.random(60 * GROUPS)
    table = {
        "score": score,
        "label": (rng.random(len(score)) < score).astype(int),
        "region": np.repeat(keys, 60),
    }
    return dpr.release_sums(table, plan, ledger=None)
