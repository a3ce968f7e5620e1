"""One task of `scale`, in a process whose memory is capped before anything is loaded.

The cap is RLIMIT_AS: the kernel refuses every mapping beyond it, so that resident
memory, which is part of the mappings, cannot pass it either. It is stricter than a cap
of resident memory; pages of files that the kernel keeps for itself do not count.
"""

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import patch

CONTROL_BYTES = 3 * 10**9


def plan_of(kind: str) -> Any:  # noqa: ANN401
    """Plan a weighted ratio: in regions, of the whole table, or of people."""
    from scale_people import DECLARED

    import dpratio as dpr

    terms: dict[str, Any] = {}
    if kind != "whole":
        keys = [f"region {key}" for key in range(DECLARED)]
        terms["groups"] = dpr.Groups("region", keys)
    if kind == "people":
        total = dpr.Bounds(0, 20)
        totals = {"score": total, "label": total}
        terms["unit"] = dpr.PrivacyUnit("person", totals=totals, most_groups=1)
    return dpr.make_plan(
        dpr.Ratio("score", per="label", weight="weight"),
        bounds={
            "score": dpr.Bounds(0, 1),
            "label": dpr.Bounds.binary(),
            "weight": dpr.Bounds(0.25, 3),
        },
        budget=dpr.Budget(epsilon=1, delta=1e-6),
        **terms,
    )


def release(kind: str, path: str) -> dict[str, Any]:
    """Release sums, and tell what they were without their noise: nobody is real."""
    import dpratio as dpr
    from dpratio.curator import measure
    from dpratio.curator.noise.rounded import draw_noise
    from dpratio.curator.sql import ask

    plan, seen = plan_of(kind), dict[str, Any]()
    aggregate = ask.aggregate

    def drawn(*given: Any) -> Any:  # noqa: ANN401
        seen["noise"] = draw_noise(*given)
        return seen["noise"]

    def timed(*given: Any) -> Any:  # noqa: ANN401
        wall, cpu = time.perf_counter(), time.process_time()
        sums = aggregate(*given)
        seen["wall"] = time.perf_counter() - wall
        seen["cpu"] = time.process_time() - cpu
        return sums

    with (
        patch.object(measure, "draw_noise", drawn),
        patch.object(ask, "aggregate", timed),
    ):
        try:
            released = dpr.release_sums(path, plan, ledger=None, simulated=True)
        except dpr.errors.EngineFailed:
            return {"done": False}
    return {
        "done": True,
        "sums": (released.questions[0].values - seen["noise"]).tolist(),
        "aggregation_wall": seen["wall"],
        "aggregation_cpu": seen["cpu"],
    }


def control() -> dict[str, Any]:
    """Ask for more memory than the cap allows."""
    try:
        held = bytearray(CONTROL_BYTES)
    except MemoryError:
        return {"done": False}
    return {"done": len(held) == CONTROL_BYTES}


def main(task: str, path: str, cap: int) -> dict[str, Any]:
    """Cap the process (0 for no cap), do the task, and tell what it took."""
    if cap:
        resource.setrlimit(resource.RLIMIT_AS, (cap, cap))
    told = control() if task == "control" else release(task, path)
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    sizes = {line.split(":")[0]: line.split()[1] for line in status if " kB" in line}
    told["resident"] = int(sizes["VmHWM"]) * 1024
    told["mapped"] = int(sizes["VmPeak"]) * 1024
    told["cpu"] = time.process_time()  # Of all threads, since the process began.
    return told


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
