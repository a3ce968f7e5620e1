"""Keys that are not public, found by how many units share them."""

from collections.abc import Mapping

import numpy as np

from dpratio.curator.noise.entropy import BitSource
from dpratio.curator.noise.rounded import draw_rounded
from dpratio.plan.laws import LAPLACE, threshold_of
from dpratio.terms.groups import Groups, Key, PrivateKeys
from dpratio.terms.unit import PrivacyUnit


def name_keys(
    counts: Mapping[Key, int], keys: PrivateKeys, unit: PrivacyUnit, bits: BitSource
) -> Groups:
    """Put noise on the counts of units and name the keys that reach the threshold.

    Keys are named in an order of their own, whatever the order of rows.

    Guarantee:
        The named keys are (ε, δ)-private at the budget of ``keys``.
        Proof: docs/proofs/key_selection.md.
    """
    threshold = threshold_of(keys, unit)
    ordered = sorted(counts, key=_order)
    noise = draw_rounded(LAPLACE, threshold.scale, len(ordered), bits)
    noisy = np.array([counts[key] for key in ordered], dtype=np.int64) + noise
    named = [
        key
        for key, count in zip(ordered, noisy, strict=True)
        if count >= threshold.least
    ]
    return keys.groups_of(named)


def _order(key: Key) -> tuple[int, bytes]:
    """Order whole numbers by size, text by its bytes, dates by day."""
    if isinstance(key, int):
        return int(key), b""
    return 0, str(key).encode()
