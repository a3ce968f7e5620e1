"""The noise of the ratio that each tool gives, and what its interval covers.

1,200 tables of 200, 2,000 and 20,000 people, drawn from one population, are the groups
of one file, so that one release is several hundred answers. A table of 20,000 people in
ten groups has the answers of tables of 2,000: groups are disjoint. All tools have the
same epsilon. Peers are asked for two sums at half of it each, which is all that a
ratio needs; dpratio for its default plan, from which it makes an interval too. OpenDP
is also asked what an expert would ask by hand: Σ weight·(score − label) at 0.8 ε.

``noise_sd`` is the standard deviation of the ratio less that of the table itself, and
``noise_spread`` its interquartile width: of the noise alone. ``error`` is the
interquartile width of the ratio less that of the population, noise and sampling
together. ``accuracy_covers_sum`` tells how often the number that a tool states about
Σ weight·score holds that sum of the table. ``as_ratio`` takes the same number for both
sums to the ratio, as errors are propagated, and asks how often it holds the ratio of
the table, and that of the population. Standard errors are by the bootstrap over tables.
"""

import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from figure import Figure
from peer_process import OURS, PEERS, NotRun, Peer, measured, write_table
from question import EPSILON, MODEST, QUESTIONS, TRUE_RATIO
from side_by_side import exact_sums

QUESTION = "modest"
OUR_ROUNDS = 8  # Our release takes a second: its own error is then small.
RESAMPLES = 500
COMPARED = ("noise_sd", "noise_spread", "error")

Sums = np.ndarray  # Σ weight·score and Σ weight·label of each table.
Found = dict[str, tuple[float, float]]  # Figures, each with its error.
Run = dict[str, Any]


def figures() -> Iterator[Figure]:
    """Ask all tools in turn; one that cannot be run says why."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "people.parquet"
        write_table(QUESTION, table)
        by_key = exact_sums(table)
        exact = np.array([by_key[key] for key in QUESTIONS[QUESTION].keys])
        ours: dict[int, Found] = {}
        for name, peer, question in _asked():
            try:
                rounds = OUR_ROUNDS if peer is OURS else 1
                runs = [measured(peer, question, table) for _ in range(rounds)]
                for rows, found in _found(runs, exact):
                    ours.setdefault(rows, found)
                    yield from _printed(f"{rows}_rows_{name}", found, ours[rows])
            except NotRun as reason:
                yield Figure(f"{name}_noise_spread", math.nan, f"not run: {reason}")


def _asked() -> Iterator[tuple[str, Peer, str]]:
    """Give every tool, ours first, with its question; OpenDP has two."""
    for peer in (OURS, *PEERS):
        yield peer.name, peer, QUESTION
    yield "opendp_expert", PEERS[0], "by_hand"


def _found(runs: list[Run], exact: Sums) -> Iterator[tuple[int, Found]]:
    """Compare the answers about tables of each size with what they are about."""
    keys = QUESTIONS[QUESTION].keys
    if missing := set(keys) - runs[0]["score"].keys():
        raise NotRun(f"it left out {len(missing)} keys")
    noisy = np.array(
        [[(run["score"][key], run["label"][key]) for key in keys] for run in runs]
    )
    ends = _ends(runs, keys) if runs[0]["intervals"] else None
    start = 0
    for groups, rows in MODEST:
        some = slice(start, start + groups)
        start += groups
        found = _of_noise(noisy[:, some], exact[some])
        if runs[0]["accuracy"] is not None:
            found |= _of_accuracy(noisy[:, some], exact[some], runs[0]["accuracy"])
        if ends is not None:
            found |= _of_intervals(*ends[:, :, some])
        yield rows, found


def _of_noise(noisy: Sums, exact: Sums) -> Found:
    ratio = noisy[..., 0] / noisy[..., 1]
    noise = ratio - exact[:, 0] / exact[:, 1]
    # One query, Σ w(s − r·y), with the whole of epsilon.
    scale = 3 * max(1.0, TRUE_RATIO) / EPSILON
    one_query = math.sqrt(2) * scale / exact[:, 1].mean()
    sd = _resampled(noise, _size)
    return {
        "noise_sd": sd,
        "noise_sd_over_one_query": _quotient(sd, (one_query, 0)),
        "noise_spread": _resampled(noise, _spread),
        "error": _resampled(ratio - TRUE_RATIO, _spread),
    }


def _of_accuracy(noisy: Sums, exact: Sums, half: float) -> Found:
    ratio = noisy[..., 0] / noisy[..., 1]
    error = half * np.hypot(1, ratio) / np.abs(noisy[..., 1])
    truth = exact[:, 0] / exact[:, 1]
    return {
        "accuracy_covers_sum": _share(np.abs(noisy[..., 0] - exact[:, 0]) <= half),
        "as_ratio_covers_table": _share(np.abs(ratio - truth) <= error),
        "as_ratio_covers_population": _share(np.abs(ratio - TRUE_RATIO) <= error),
    }


def _ends(runs: list[Run], keys: tuple[str, ...]) -> np.ndarray:
    """Give lower and upper ends; one that is open lies at infinity."""
    ends = np.array(
        [[run["intervals"][key][1:] for key in keys] for run in runs], dtype=float
    )
    lower, upper = ends[..., 0], ends[..., 1]
    lower[np.isnan(lower)], upper[np.isnan(upper)] = -math.inf, math.inf
    return np.stack([lower, upper])


def _of_intervals(lower: np.ndarray, upper: np.ndarray) -> Found:
    inside = (lower <= TRUE_RATIO) & (upper >= TRUE_RATIO)
    return {
        "interval_covers_population": _share(inside),
        "interval_is_open": _share(np.isinf(lower) | np.isinf(upper)),
    }


def _printed(name: str, found: Found, ours: Found) -> Iterator[Figure]:
    for each, (value, error) in found.items():
        yield Figure(f"{name}_{each}", value, f"±{error:.2g}")
    for each in COMPARED if found is not ours else ():
        over, error = _quotient(found[each], ours[each])
        yield Figure(f"{name}_{each}_over_dpratio", over, f"±{error:.2g}")


def _resampled(
    values: np.ndarray, figure: Callable[[np.ndarray], float]
) -> tuple[float, float]:
    random = np.random.default_rng(31)
    tables = values.shape[1]
    drawn = [
        figure(values[:, random.integers(tables, size=tables)])
        for _ in range(RESAMPLES)
    ]
    return figure(values), float(np.std(drawn))


def _size(errors: np.ndarray) -> float:
    return math.sqrt((errors**2).mean())


def _spread(errors: np.ndarray) -> float:
    lower, upper = np.quantile(errors, (0.25, 0.75))
    return float(upper - lower)


def _share(inside: np.ndarray) -> tuple[float, float]:
    return _resampled(inside, lambda some: float(some.mean()))


def _quotient(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    quotient = a[0] / b[0]
    return quotient, quotient * math.hypot(a[1] / a[0], b[1] / b[0])
