"""Checks of the options that every answer takes."""

import math
import sys
from typing import TypeGuard

import numpy as np

from dpratio.checks import require


def is_finite_number(given: object) -> TypeGuard[float]:
    """Tell whether something is a finite number; true and false are not."""
    if not isinstance(given, int | float) or isinstance(given, bool):
        return False
    return abs(given) <= sys.float_info.max  # Whole numbers may be larger.


def require_level(level: object) -> None:
    """Refuse what is not a confidence level."""
    is_level = isinstance(level, float) and math.isfinite(level) and 0 < level < 1
    hint = "0.95 is usual."
    require(is_level, "level must lie between 0 and 1", level, hint)


def require_draws(draws: object, rng: object) -> None:
    """Refuse what redraws cannot be made with."""
    require(isinstance(draws, int) and draws >= 2, "draws must be at least 2", draws)  # noqa: PLR2004
    seeded = isinstance(rng, np.random.Generator | None) or (
        isinstance(rng, int) and not isinstance(rng, bool) and rng >= 0
    )
    require(seeded, "rng must be a seed of 0 or more, or a Generator", rng)
