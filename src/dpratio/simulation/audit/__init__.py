"""An audit of this installation: end-to-end releases, against what they claim."""
