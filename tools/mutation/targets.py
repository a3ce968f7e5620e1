"""Which modules are mutated, and which tests must notice.

The modules are those that noise, sensitivity and price rest on. Each is held to the
tests that mirror it, and to those of the modules that need it most.
"""

__all__ = ["TARGETS"]

_JOINT = (
    "plan/sensitivity/test_joint.py",
    "plan/sensitivity/test_joint_one_sum.py",
)
_PRICES = (
    "plan/test_price.py",
    "plan/test_price_parts.py",
    "attacks/test_joint_noise.py",
)
_PLANS = (
    "plan/test_make_plan.py",
    "plan/test_rules.py",
)

# A module, below src/dpratio, and its files of tests, below tests.
TARGETS: dict[str, tuple[str, ...]] = {
    "curator/noise/entropy.py": ("curator/noise/test_entropy.py",),
    "curator/noise/rounded.py": (
        "curator/noise/test_rounded.py",
        "curator/noise/test_rounded_errors.py",
        "curator/noise/test_rounded_law.py",
        "curator/noise/test_draw_noise.py",
        "curator/noise/test_select_keys.py",
    ),
    "curator/reading/exact.py": ("curator/reading/test_exact.py",),
    "curator/reading/whole_doubles.py": (
        "curator/reading/test_whole_doubles.py",
        "curator/duckdb/test_engine.py",
        "curator/test_units.py",
        "curator/test_units_price.py",
    ),
    "plan/certified.py": ("plan/test_certified.py", "plan/test_laws.py"),
    "plan/laws.py": (
        "plan/test_laws.py",
        "plan/test_settle.py",
    ),
    "plan/sensitivity/sums.py": (
        "plan/sensitivity/test_lattice.py",
        "plan/sensitivity/test_sums.py",
        "plan/sensitivity/test_box.py",
        "plan/sensitivity/test_corners.py",
        "curator/test_contrast.py",
        "curator/test_contrast_price.py",
        *_JOINT,
        *_PLANS,
    ),
    "plan/sensitivity/joint.py": (
        *_JOINT,
        "plan/sensitivity/test_neighbours.py",
        *_PRICES,
    ),
    "plan/settle.py": ("plan/test_settle.py", *_PLANS),
    "plan/price.py": (
        *_PRICES,
        "plan/test_realise.py",
        "plan/test_first_stage.py",
        "plan/strategy/test_planned_stage.py",
        "plan/test_histograms.py",
    ),
}
