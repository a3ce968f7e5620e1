"""The parts of a report around its ratios: what was asked, first."""
