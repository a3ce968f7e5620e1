"""Time to draw a million noises, against OpenDP's integer mechanisms."""

import time
from collections.abc import Callable, Iterator

from figure import Figure

DRAWS = 1_000_000
OPENDP_DRAWS = 20_000
SCALE = 2.0**30
ROUNDS = 3


def figures() -> Iterator[Figure]:
    """Measure both laws."""
    import opendp.prelude as dp

    from dpratio.curator.noise.entropy import system_bits
    from dpratio.curator.noise.rounded import GAUSSIAN, LAPLACE, draw_rounded

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64"))
    theirs = {
        "laplace": dp.m.make_laplace(space, dp.l1_distance(T="i64"), scale=SCALE),
        "gaussian": dp.m.make_gaussian(space, dp.l2_distance(T="i64"), scale=SCALE),
    }
    ours = {"laplace": LAPLACE, "gaussian": GAUSSIAN}
    zeros = [0] * OPENDP_DRAWS
    for name, law in ours.items():
        quick = best(lambda law=law: draw_rounded(law, SCALE, DRAWS, system_bits))  # type: ignore[misc]
        slow = best(lambda name=name: theirs[name](zeros))  # type: ignore[misc]
        speed_up = (slow / OPENDP_DRAWS) / (quick / DRAWS)
        yield Figure(f"noise_1e6_{name}_times_faster_than_opendp", speed_up, ">=50")


def best(work: Callable[[], object]) -> float:
    """Give the least wall time of a few rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
