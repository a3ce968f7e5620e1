"""Which modules are mutated, and which tests must notice.

The modules are those that noise, sensitivity and price rest on. Each is held to the
tests that mirror it, and to those of the modules that need it most.
"""

__all__ = ["TARGETS"]

_CORNERS = ("plan/test_corners.py", "plan/test_joint.py")
_PRICES = (
    "plan/test_price.py",
    "plan/test_concentrated_price.py",
    "attacks/test_joint_noise.py",
)

# A module, below src/dpratio, and its files of tests, below tests.
TARGETS: dict[str, tuple[str, ...]] = {
    "curator/entropy.py": ("curator/test_entropy.py",),
    "curator/rounded.py": ("curator/test_rounded.py",),
    "curator/noise.py": ("curator/test_noise.py",),
    "curator/exact.py": ("curator/test_exact.py",),
    "curator/select_keys.py": ("curator/test_select_keys.py",),
    "curator/whole_doubles.py": ("curator/test_duck.py", "curator/test_units.py"),
    "plan/certified.py": ("plan/test_certified.py", "plan/test_calibrate.py"),
    "plan/calibrate.py": ("plan/test_calibrate.py", "plan/test_allow.py"),
    "plan/lattice.py": ("plan/test_lattice.py",),
    "plan/sums.py": ("plan/test_sums.py", "plan/test_strategy.py"),
    "plan/contrast.py": ("plan/test_contrast.py", "curator/test_contrast.py"),
    "plan/box.py": ("plan/test_box.py", "plan/test_make_plan.py"),
    "plan/corners.py": _CORNERS,
    "plan/joint.py": ("plan/test_joint.py", "plan/test_neighbours.py", *_PRICES),
    "plan/neighbours.py": ("plan/test_neighbours.py", *_PRICES),
    "plan/allow.py": ("plan/test_allow.py", "plan/test_make_plan.py"),
    "plan/threshold.py": ("plan/test_threshold.py", "plan/test_found_keys.py"),
    "plan/price.py": _PRICES,
}
