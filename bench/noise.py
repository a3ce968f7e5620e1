"""Time to draw a million noises, against OpenDP's integer mechanisms."""

from collections.abc import Iterator
from functools import partial

from figure import Figure
from least_time import least_time

DRAWS = 1_000_000
OPENDP_DRAWS = 20_000
SCALE = 2.0**30
ROUNDS = 3


def figures() -> Iterator[Figure]:
    """Measure both laws."""
    import opendp.prelude as dp

    from dpratio.curator.noise.entropy import system_bits
    from dpratio.curator.noise.rounded import draw_rounded
    from dpratio.plan.laws import GAUSSIAN, LAPLACE

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64"))
    theirs = {
        "laplace": dp.m.make_laplace(space, dp.l1_distance(T="i64"), scale=SCALE),
        "gaussian": dp.m.make_gaussian(space, dp.l2_distance(T="i64"), scale=SCALE),
    }
    ours = {"laplace": LAPLACE, "gaussian": GAUSSIAN}
    zeros = [0] * OPENDP_DRAWS
    for name, law in ours.items():
        draw = partial(draw_rounded, law, SCALE, DRAWS, system_bits)
        quick = least_time(draw, ROUNDS, warm_up=0)
        slow = least_time(partial(theirs[name], zeros), ROUNDS, warm_up=0)
        speed_up = (slow / OPENDP_DRAWS) / (quick / DRAWS)
        yield Figure(f"noise_1e6_{name}_times_faster_than_opendp", speed_up, ">=50")
