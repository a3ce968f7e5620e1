"""Histograms on a public grid of powers of two, from which bounds are proposed."""
