"""The ten rows on which every equation is worked by hand."""

from fractions import Fraction

__all__ = ["BY_HAND", "ROWS", "TEN_ROWS"]

# Ten rows: weight, denominator y, numerator s.
TEN_ROWS = [
    ("1.0", "1.0", "0.75"),
    ("0.5", "0.0", "0.25"),
    ("2.0", "2.0", "1.50"),
    ("1.5", "1.0", "1.25"),
    ("1.0", "0.5", "0.50"),
    ("3.0", "0.0", "0.50"),
    ("0.5", "2.0", "2.00"),
    ("2.5", "1.5", "1.00"),
    ("1.0", "1.0", "1.75"),
    ("2.0", "0.5", "0.00"),
]
ROWS = [(Fraction(w), Fraction(y), Fraction(s)) for w, y, s in TEN_ROWS]
# Added up by hand, in the order of the paper: Σw Σwy Σws Σw² Σwy² Σws² Σwys.
BY_HAND = [15.0, 13.75, 13.0, 29.0, 19.875, 16.0, 16.375]
