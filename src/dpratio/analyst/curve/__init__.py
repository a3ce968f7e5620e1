"""Calibration curves over bins of the score, their errors and their test."""
