"""An exact look at how data are written, for faults of their format alone."""
