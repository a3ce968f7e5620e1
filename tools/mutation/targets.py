"""Which modules are mutated, and which tests must notice.

The modules are those that noise, sensitivity and price rest on. Each is held to the
tests that mirror it, and to those of the modules that need it most.
"""

__all__ = ["TARGETS"]

_CALIBRATE = ("plan/test_calibrate.py", "plan/test_calibrate_gaussian.py")
_JOINT = (
    "plan/test_joint.py",
    "plan/test_joint_one_sum.py",
    "plan/test_joint_convex.py",
)
_PRICES = (
    "plan/test_price.py",
    "plan/test_price_sums.py",
    "plan/test_price_vector.py",
    "plan/test_price_parts.py",
    "plan/test_concentrated_price.py",
    "attacks/test_joint_noise.py",
)
_PLANS = (
    "plan/test_make_plan.py",
    "plan/test_make_plan_focused.py",
    "plan/test_make_plan_parts.py",
    "plan/test_make_plan_refusals.py",
)

# A module, below src/dpratio, and its files of tests, below tests.
TARGETS: dict[str, tuple[str, ...]] = {
    "curator/entropy.py": ("curator/test_entropy.py",),
    "curator/rounded.py": (
        "curator/test_rounded.py",
        "curator/test_rounded_errors.py",
        "curator/test_rounded_law.py",
    ),
    "curator/noise.py": ("curator/test_noise.py",),
    "curator/exact.py": ("curator/test_exact.py",),
    "curator/select_keys.py": ("curator/test_select_keys.py",),
    "curator/whole_doubles.py": (
        "curator/test_whole_doubles.py",
        "curator/test_duck.py",
        "curator/test_units.py",
        "curator/test_units_price.py",
    ),
    "plan/certified.py": ("plan/test_certified.py", *_CALIBRATE),
    "plan/calibrate.py": (*_CALIBRATE, "plan/test_allow.py"),
    "plan/lattice.py": ("plan/test_lattice.py",),
    "plan/sums.py": ("plan/test_sums.py", "plan/test_strategy.py"),
    "plan/contrast.py": (
        "plan/test_contrast.py",
        "curator/test_contrast.py",
        "curator/test_contrast_price.py",
    ),
    "plan/box.py": ("plan/test_box.py", *_PLANS),
    "plan/corners.py": ("plan/test_corners.py", *_JOINT),
    "plan/joint.py": (*_JOINT, "plan/test_neighbours.py", *_PRICES),
    "plan/neighbours.py": ("plan/test_neighbours.py", *_PRICES),
    "plan/allow.py": ("plan/test_allow.py", *_PLANS),
    "plan/threshold.py": ("plan/test_threshold.py", "plan/test_found_keys.py"),
    "plan/price.py": _PRICES,
}
