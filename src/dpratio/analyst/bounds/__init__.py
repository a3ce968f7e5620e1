"""Bounds that are proposed from noisy histograms."""
