"""How much is tried: what `make test-all` has time for, or what `make soak` has."""

import os

__all__ = ["IS_SOAK"]

IS_SOAK = os.environ.get("DPRATIO_SOAK") == "1"
