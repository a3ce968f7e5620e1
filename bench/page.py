"""The planner and a report of 5,000 groups in a real browser, best of a few rounds.

``planner_*`` is the time from a change of the study to the new answer on the page, the
wait for another change included; ``report_*`` is the size of the file, the time from
its opening until its script has run, and that from a search typed to the rows shown.
These are wall time, and say little on a busy machine.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from figure import Figure

import dpratio as dpr

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROUNDS = 15
GROUPS = 5_000

# Changes the study and waits until the answer is another one; gives milliseconds.
CHANGED = """
epsilon => new Promise((done) => {
  const answer = document.getElementById("answer");
  const start = performance.now();
  new MutationObserver((_, watching) => {
    watching.disconnect();
    requestAnimationFrame(() => done(performance.now() - start));
  }).observe(answer, { childList: true });
  const field = document.getElementById("study");
  field.value = field.value.replace(/epsilon = .*/, `epsilon = ${epsilon}`);
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
            page.goto(address)
            took = best(page, CHANGED, [f"{1 + at / 100}" for at in range(ROUNDS)])
            yield Figure("planner_s", took, "<=0.5")
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
        page.wait_for_load_state()
    return min(times[1:])


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
