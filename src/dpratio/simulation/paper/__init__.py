"""The four tables of the paper, beside what was published."""
