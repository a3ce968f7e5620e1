"""Which sums are measured, and how the budget is shared between them."""
