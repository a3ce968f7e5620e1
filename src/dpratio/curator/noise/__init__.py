"""Bits of the system, noise rounded from them, and keys selected with it."""
