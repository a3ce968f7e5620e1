"""Noisy integers as moments, with the noise and the variance they carry."""
