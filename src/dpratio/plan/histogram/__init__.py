"""Histograms on a public grid, from which bounds are proposed."""
